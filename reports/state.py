"""What is reproduced: a table in the README, generated from the claims and the figures that can be drawn.

python -m reports.state --check | --write
"""

from __future__ import annotations

import sys
from pathlib import Path

from fillpath.errors import FillpathError
from fillpath.paths import ROOT
from reports.claims import PAPERS, subjects
from reports.figures import specs
from reports.generated import Part

PART = Part("state", "reports.state")
NOT_YET = "not yet"


def state_table() -> str:
    """Paper, figure, claim and state: every claim of claims.yaml, and every figure without one."""
    rows = [(PAPERS[paper], *cells) for paper in PAPERS for cells in _rows(paper)]
    head = ["| Paper | Figure | Claim | State |", "| --- | --- | --- | --- |"]
    return "\n".join([*head, *(f"| {' | '.join(_cell(text) for text in row)} |" for row in rows)])


def main(arguments: list[str] | None = None, readme: Path = ROOT / "README.md") -> int:
    """Check or write the table; exit status 1 where it is out of date."""
    return PART.main(readme, state_table, arguments)


def _rows(paper: str) -> list[tuple[str, str, str]]:
    """(figure, claim, state): figures without a claim first."""
    drawn = specs(paper)
    states = {id: spec.state for spec in drawn.values() for id in spec.claims}
    bare = [
        (figure, spec.title.partition(": ")[2], spec.state)
        for figure, spec in drawn.items()
        if not spec.claims
    ]
    listed = [found for (p, _), found in subjects().items() if p == paper]
    return bare + [(c.figure or "-", c.what, states.get(c.id, NOT_YET)) for c in listed]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (FillpathError, OSError) as error:
        sys.exit(str(error))
