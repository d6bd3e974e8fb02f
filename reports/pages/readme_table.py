"""The README's part on what is reproduced: three sentences, and each paper's claims by kind and outcome.

`fillpath maintain readme MACHINE` writes it from the records of one machine.
"""

from __future__ import annotations

from collections.abc import Sequence

from fillpath.papers import paper_names
from reports.facts.claim import Kind
from reports.facts.standings import Standing
from reports.pages.generated_part import Part
from reports.pages.ledger.headline import headline, outcomes

PART = Part("state")


def state(machine: str, standings: Sequence[Standing]) -> str:
    """The sentences, and the table. standings : all of that machine."""
    sentences = " ".join(headline(machine, standings))
    head = [f"| Paper | {' | '.join(Kind)} |", f"|{' --- |' * (1 + len(Kind))}"]
    return "\n".join([sentences, "", *head, *(_row(paper, standings) for paper in paper_names())])


def _row(paper: str, standings: Sequence[Standing]) -> str:
    """What became of a paper's claims of each kind."""
    of_paper = [standing for standing in standings if standing.claim.paper == paper]
    cells = [_cell([s for s in of_paper if s.claim.kind is kind]) for kind in Kind]
    return f"| {paper_names()[paper]} | {' | '.join(cells)} |"


def _cell(standings: Sequence[Standing]) -> str:
    return f"{len(standings)}: {outcomes(standings)}" if standings else "-"
