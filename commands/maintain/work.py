"""Write docs/work.md and its picture from docs/work.csv, which `fillpath survey` writes."""

from __future__ import annotations

import argparse

from commands.maintain._part import add_check, update
from fillpath.paths import ROOT
from reports.pages import survey

add_arguments = add_check


def run(arguments: argparse.Namespace) -> int:
    docs = ROOT / "docs"
    frame = survey.work_frame(docs / "work.csv")
    if not arguments.check:
        survey.draw(frame, docs / "work.svg")
    return update(survey.PART, docs / "work.md", survey.work_tables(frame), arguments)
