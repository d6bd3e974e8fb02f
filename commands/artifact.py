"""Write the appendix of an artefact evaluation.

Exit status 1 where a figure could not be judged."""

from __future__ import annotations

import argparse
import logging

from benchmarks.runs import launch
from commands._records import figure_cases, load_records, with_records
from fetch import catalogue
from reports import figures
from reports.pages import artifact, drawing


def run(arguments: argparse.Namespace) -> int:
    records = load_records()
    cases_of = figure_cases(records)
    cases = {pair: cases_of(*pair) for pair in figures.available_figures()}
    launch.adopt()
    result = drawing.make(records.machines(), cases, {}, (), catalogue.entries(), launch.die_with_parent)
    for pair, reason in result.failed.items():
        logging.getLogger("fillpath").warning("%s %s", ".".join(pair), reason)
    measured = {pair: with_records(listed, records) for pair, listed in cases.items()}
    for path in artifact.write(result.standings, measured, records):
        print(path)
    return int(bool(result.failed))
