"""Write the generated parts of pages: README's table of what is reproduced, the tables of docs/peers.md.

A part lies between two markers."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks.runs.experiments import experiments
from commands._parser import Arguments, Parser
from commands._records import load_records
from commands.claims import judged
from fillpath import registry
from fillpath.errors import ConfigError
from fillpath.papers import paper_names
from fillpath.paths import ROOT, write_text
from fillpath.peers import peers
from reports.claims.verdict import JUDGED, Standing
from reports.pages.ledger.text import measured_on, outcome_of

PAGES = {"state": "README.md", "peers": "docs/peers.md"}


def add_arguments(parser: Parser) -> None:
    parser.add_choice("part", tuple(PAGES), nargs="*", help="default: all")


def run(arguments: Arguments) -> None:
    makers = {"state": lambda: state(judged(load_records())), "peers": peers_table}
    for name in arguments.part or PAGES:
        update(name, ROOT / PAGES[name], makers[name]())


def update(name: str, page: Path, content: str) -> None:
    """Write the page's part. Raises ConfigError where a marker is missing."""
    first, last = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    part = f"{first}\n{content}\n{last}"
    new, found = re.subn(f"{first}.*?{last}", lambda _: part, page.read_text(), count=1, flags=re.DOTALL)
    if not found:
        raise ConfigError(f"{page}: no {first} ... {last}")
    write_text(page, new)


def state(standings: Sequence[Standing]) -> str:
    """Return a table of the claims that have a card, each on the machine with most of its matrices.

    standings : of all machines
    """
    carded = [standing for standing in standings if standing.claim.card]
    ids = dict.fromkeys(standing.claim.id for standing in carded)
    chosen = [min((s for s in carded if s.claim.id == id), key=_rank) for id in ids]
    head = "claim", "printed", "measured", "machine", "matrices", "outcome"
    return "\n".join(_table(head, map(_row, chosen)))


def _rank(standing: Standing) -> tuple[int, ...]:
    """Return a rank, least first: whether a claim is judged, on how many matrices, in how many processes."""
    verdict, judged = standing.verdict, standing.outcome in JUDGED
    numbers = (verdict.matrices, verdict.processes or 0) if verdict and verdict.n else (0, 0)
    return (-judged, -numbers[0], -numbers[1])


def _row(standing: Standing) -> Sequence[str]:
    claim, (measured, matrices) = standing.claim, measured_on(standing)
    how_much = claim.printed if claim.aggregate == "count" else "n times"
    text = f"{paper_names()[claim.paper].partition(' (')[0]}: {claim.card.format(measured=how_much)}"
    machine = standing.machine if standing.verdict and standing.verdict.n else "-"
    return text, claim.printed, measured, machine, matrices, outcome_of(standing)


def peers_table() -> str:
    """Return the peers and how to have each, then how each implementation calls its own."""
    having, calling = [], []
    for each in (peer.declared for peer in peers().values()):
        ways = " or ".join(_way(each[way]) for way in ("command", "alternative") if way in each)
        having.append((f"[{each['title']}]({each['home']})", each["licence"], each["size"], ways))
        calling += [_called(each["seen"], name, call) for name, call in each.get("calls", {}).items()]
    ways_head = "Peer", "Licence", "Size", "How to have it"
    calls_head = "Implementation", "Tried with", "Default", "Settings", "Matrix", "Threads", "Loop", "Figures"
    return "\n".join([*_table(ways_head, having), "", *_table(calls_head, calling)])


def _called(seen: str, name: str, call: Mapping[str, str]) -> Sequence[str]:
    """Return a row of the second table.

    seen : str, the versions of the peer that have been tried
    name : str, `stage.implementation`
    """
    stage, _, implementation = name.partition(".")
    options = registry.lookup(stage, implementation).options
    default = ", ".join(f"`{option.name}={option.text(option.default)}`" for option in options) or "none"
    figures = {
        f"{experiment.paper}.{experiment.figure}"
        for experiment in experiments()
        for text in experiment.implementations
        if (experiment.stage, text.partition(".")[0]) == (stage, implementation)
    }
    named = ", ".join(sorted(figures)) or "none"
    words = (call[word] for word in ("settings", "matrix", "threads", "loop"))
    return f"`{name}`", seen, default, *words, named


def _way(text: str) -> str:
    """Return a way to have a peer, its command as code: up to what is said of it in brackets."""
    command, bracket, rest = text.partition(" (")
    return f"`{command}`{bracket}{rest}" if command.startswith(("make", "sudo")) else text


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]
