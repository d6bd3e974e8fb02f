"""Write the README's table of what is reproduced, from the records of all machines."""

from collections.abc import Sequence

from commands._parser import Arguments
from commands._records import load_records
from commands.claims import judged
from commands.maintain._part import add_check, table, update
from fillpath.papers import paper_names
from fillpath.paths import ROOT
from reports.claims.standing import Standing
from reports.claims.verdict import JUDGED
from reports.pages.ledger.text import measured_on, outcome_of

PART = "state"
add_arguments = add_check
HEAD = ("claim", "printed", "measured", "machine", "matrices", "outcome")


def run(arguments: Arguments) -> int:
    return update(PART, ROOT / "README.md", state(judged(load_records())), arguments)


def state(standings: Sequence[Standing]) -> str:
    """Return a table of the claims that have a card, each on the machine with most of its matrices.

    standings : of all machines
    """
    carded = [standing for standing in standings if standing.claim.card]
    ids = dict.fromkeys(standing.claim.id for standing in carded)
    chosen = [min((s for s in carded if s.claim.id == id), key=_rank) for id in ids]
    return "\n".join(table(HEAD, map(_row, chosen)))


def _rank(standing: Standing) -> tuple[int, ...]:
    """Return a rank, least first: whether a claim is judged, on how many matrices, in how many processes."""
    verdict, judged = standing.verdict, standing.outcome in JUDGED
    numbers = (verdict.matrices, verdict.processes or 0) if verdict and verdict.n else (0, 0)
    return (-judged, -numbers[0], -numbers[1])


def _row(standing: Standing) -> Sequence[str]:
    claim, (measured, matrices) = standing.claim, measured_on(standing)
    how_much = claim.printed if claim.aggregate == "count" else "n times"
    said = f"{paper_names()[claim.paper].partition(' (')[0]}: {claim.card.format(measured=how_much)}"
    machine = standing.machine if standing.verdict and standing.verdict.n else "-"
    return said, claim.printed, measured, machine, matrices, outcome_of(standing)
