"""Write the README's part on what is reproduced, from the records of one machine."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from commands._parser import Parser
from commands._records import records_of
from commands.claims import judged
from commands.maintain._part import add_check, update
from fillpath.papers import paper_names
from fillpath.paths import ROOT
from reports.claims.standing import Standing
from reports.claims.verdict import Outcome, outcome_label
from reports.facts.claim import Kind
from reports.pages.ledger.text import headline, tally

PART = "state"


def add_arguments(parser: Parser) -> None:
    parser.add_argument("machine", help="whose records: a folder of results/")
    add_check(parser)


def run(arguments: argparse.Namespace) -> int:
    standings = judged(records_of(arguments.machine))
    return update(PART, ROOT / "README.md", state(arguments.machine, standings), arguments)


def state(machine: str, standings: Sequence[Standing]) -> str:
    """Return three sentences, and a table of each paper's claims by kind and outcome.

    standings : all of that machine
    """
    sentences = " ".join(headline(machine, standings))
    head = [f"| Paper | {' | '.join(Kind)} |", f"|{' --- |' * (1 + len(Kind))}"]
    return "\n".join([sentences, "", *head, *(_row(paper, standings) for paper in paper_names())])


def _row(paper: str, standings: Sequence[Standing]) -> str:
    """Return what became of a paper's claims of each kind."""
    of_paper = [standing for standing in standings if standing.claim.paper == paper]
    cells = [_cell([s for s in of_paper if s.claim.kind is kind]) for kind in Kind]
    return f"| {paper_names()[paper]} | {' | '.join(cells)} |"


def _cell(standings: Sequence[Standing]) -> str:
    """`17: 3 reproduced, 4 deviates (indicative), 10 inconclusive`."""
    found = tally(standings)
    pairs = [(outcome, indicative) for outcome in Outcome for indicative in (False, True)]
    texts = [f"{count} {outcome_label(*pair)}" for pair in pairs if (count := found[pair])]
    return f"{len(standings)}: {', '.join(texts)}" if standings else "-"
