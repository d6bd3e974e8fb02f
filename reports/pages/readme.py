"""What is reproduced: a table in the README, generated from the claims and the figures that can be drawn.

`fillpath maintain readme` writes it.
"""

from __future__ import annotations

from reports.facts.claims import PAPERS, subjects
from reports.figures import exhibits
from reports.pages.markers import Part

PART = Part("state")
DRAWN, NOT_YET = "drawn", "not yet"


def state_table() -> str:
    """Paper, figure, claim and state: every claim of claims.yaml, and every figure without one."""
    rows = [(PAPERS[paper], *cells) for paper in PAPERS for cells in _rows(paper)]
    head = ["| Paper | Figure | Claim | State |", "| --- | --- | --- | --- |"]
    return "\n".join([*head, *(f"| {' | '.join(_cell(text) for text in row)} |" for row in rows)])


def _rows(paper: str) -> list[tuple[str, str, str]]:
    """(figure, claim, state): figures without a claim first."""
    shown = exhibits(paper)
    spoken = {id for exhibit in shown.values() for id in exhibit.subjects}
    bare = [
        (figure, exhibit.heading.partition(": ")[2], DRAWN)
        for figure, exhibit in shown.items()
        if not exhibit.subjects
    ]
    listed = [found for (p, _), found in subjects().items() if p == paper]
    return bare + [(c.figure or "-", c.what, DRAWN if c.id in spoken else NOT_YET) for c in listed]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
