"""What is reproduced: a table in the README, generated from the claims and the figures that can be drawn.

python -m reports.state --check | --write
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from fillpath.errors import ConfigError, FillpathError
from fillpath.paths import ROOT
from reports.claims import PAPERS, claims
from reports.figures import specs
from reports.style import write_text

BEGIN, END = "<!-- state:begin -->", "<!-- state:end -->"
NOT_YET = "not yet"


def state_table() -> str:
    """Paper, figure, claim and state: every claim of claims.yaml, and every figure without one."""
    rows = [(PAPERS[paper], *cells) for paper in PAPERS for cells in _rows(paper)]
    head = ["| Paper | Figure | Claim | State |", "| --- | --- | --- | --- |"]
    return "\n".join([*head, *(f"| {' | '.join(_cell(text) for text in row)} |" for row in rows)])


def inserted(readme: str) -> str:
    """The text with the table between its markers. Raises ConfigError where they are missing."""
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ConfigError(f"README.md: no {BEGIN} ... {END}")
    return f"{before}{begin}\n{state_table()}\n{end}{after}"


def main(arguments: list[str] | None = None, readme: Path = ROOT / "README.md") -> int:
    """Check or write the table; exit status 1 where it is out of date."""
    parser = argparse.ArgumentParser(
        prog="python -m reports.state", description="the README's generated table"
    )
    choice = parser.add_mutually_exclusive_group(required=True)
    choice.add_argument("--check", action="store_true", help="exit status 1 where the table is out of date")
    choice.add_argument("--write", action="store_true", help="write the table into README.md")
    chosen = parser.parse_args(arguments)
    text = readme.read_text()
    wanted = inserted(text)
    if chosen.write and wanted != text:
        write_text(readme, wanted)
    if chosen.check and wanted != text:
        print("README.md: the generated table is old: python -m reports.state --write", file=sys.stderr)
        return 1
    return 0


def _rows(paper: str) -> list[tuple[str, str, str]]:
    """(figure, claim, state): figures without a claim first."""
    drawn = specs(paper)
    states = {id: spec.state for spec in drawn.values() for id in spec.claims}
    bare = [
        (figure, spec.title.partition(": ")[2], spec.state)
        for figure, spec in drawn.items()
        if not spec.claims
    ]
    listed = [found for (p, _), found in claims().items() if p == paper]
    return bare + [(c.figure or "-", c.what, states.get(c.id, NOT_YET)) for c in listed]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (FillpathError, OSError) as error:
        sys.exit(str(error))
