"""The page that shows everything: one HTML file with its style and script in it, which opens from disk.

The modules beside this one gather what each part of the page shows; templates/ holds all markup, assets/ the
style and the script.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fillpath import paths
from fillpath.case import Case
from fillpath.papers import paper_names
from fillpath.paths import ROOT, results, write_text
from reports.claims.standing import Standing
from reports.facts.printed import MatrixEntry
from reports.facts.records import Records
from reports.hardware.comparison import Comparison
from reports.hardware.roofline import roofs
from reports.pages.ledger.order import claim_rows, machines_of
from reports.pages.webpage.case_table import case_rows
from reports.pages.webpage.exhibits import paper_part
from reports.pages.webpage.machines import machine_parts
from reports.pages.webpage.rendering import render
from reports.pages.webpage.scoreboard import tallies
from reports.table import all_rows


@dataclass(frozen=True)
class Timings:
    """asv's pages.

    benchmarks : names of asv's, one per stage
    """

    index: Path
    benchmarks: list[str]


def page(
    standings: Sequence[Standing],
    cases: Sequence[Case],
    records: Records,
    entries: Sequence[MatrixEntry],
    comparison: Comparison | None = None,
) -> Path:
    """Write the page: the verdicts, each paper's figures as far as they are drawn, every case, the machines.

    standings : of each machine
    cases : one row per case and machine
    records : of all machines
    entries : of the catalogue
    comparison : of the machines; None leaves that part out
    """
    machines = machines_of(standings)
    rows = all_rows(records, cases, entries)
    text = render(
        "page.html",
        tallies=tallies(standings, records),
        claims=claim_rows(standings, machines),
        papers=[paper_part(paper, standings) for paper in paper_names()],
        comparison=comparison,
        rooflines=comparison is not None and any(map(roofs, comparison.machines)),
        cases=case_rows(rows, entries),
        machines=machine_parts(machines, rows),
        refused=records.refused,
        docs=ROOT / "docs",
        timings=_timings(),
    )
    write_text(paths.PAGE, text)
    return paths.PAGE


def _timings() -> Timings | None:
    """asv's pages, where there are any."""
    index = paths.SITE / "asv" / "index.html"
    if not index.is_file():
        return None
    listing = results() / "asv" / "benchmarks.json"
    names = sorted(json.loads(listing.read_text())) if listing.is_file() else []
    # Of a stage's series the seconds: there is one of each count as well.
    return Timings(index, [name for name in names if name.endswith(".track_seconds")])
