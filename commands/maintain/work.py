"""Write docs/work.md and its picture from docs/work.csv, which `fillpath survey` writes."""

from __future__ import annotations

import argparse

from commands.maintain._part import add_check, update
from fillpath.paths import ROOT
from reports.pages import work_page

add_arguments = add_check


def run(arguments: argparse.Namespace) -> int:
    docs = ROOT / "docs"
    frame = work_page.work_frame(docs / "work.csv")
    if not arguments.check:
        work_page.draw(frame, docs / "work.svg")
    return update(work_page.PART, docs / "work.md", work_page.work_tables(frame), arguments)
