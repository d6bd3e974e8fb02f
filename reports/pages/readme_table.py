"""The README's table of what is reproduced: one row per claim, and per figure without a claim.

`fillpath maintain readme` writes it from config/claims/ and the figures that can be drawn.
"""

from __future__ import annotations

from fillpath.papers import paper_names
from reports.facts.claims import subjects
from reports.figures import exhibits
from reports.pages.generated_part import Part

PART = Part("state")
DRAWN, NOT_YET = "drawn", "not yet"


def state_table() -> str:
    """Paper, figure, claim and state: every claim of config/claims/, and every figure without one."""
    rows = [(paper_names()[paper], *cells) for paper in paper_names() for cells in _rows(paper)]
    head = ["| Paper | Figure | Claim | State |", "| --- | --- | --- | --- |"]
    return "\n".join([*head, *(f"| {' | '.join(_cell(text) for text in row)} |" for row in rows)])


def _rows(paper: str) -> list[tuple[str, str, str]]:
    """(figure, claim, state): figures without a claim first."""
    figures = exhibits(paper)
    drawn = {id for exhibit in figures.values() for id in exhibit.subjects}
    without_claim = [
        (name, exhibit.heading.partition(": ")[2], DRAWN)
        for name, exhibit in figures.items()
        if not exhibit.subjects
    ]
    of_paper = [subject for (name, _), subject in subjects().items() if name == paper]
    return without_claim + [(s.figure or "-", s.what, DRAWN if s.id in drawn else NOT_YET) for s in of_paper]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
