"""Pack a machine's records, figures and a summary as one file for a colleague.

`fillpath unpack` merges the records in it. Exit status 1 where a figure could not be judged or drawn."""

from __future__ import annotations

import argparse
import logging
import tempfile
from pathlib import Path

from benchmarks.engine.follow import adopt, begin_part
from benchmarks.runs import archive
from commands._parser import Parser
from commands._records import figure_cases, machine_holdings, with_records
from fetch import catalogue
from reports import figures
from reports.facts.records import Records
from reports.pages import drawing, machine_report

LOG = logging.getLogger("fillpath")
# Figures between two lines of progress.
EACH = 5


def add_arguments(parser: Parser) -> None:
    parser.add_argument("name", metavar="NAME", help="of the machine, a folder of results/")
    parser.add_argument("--output", type=Path, metavar="PATH", help="default: NAME-report.tar.gz")


def run(arguments: argparse.Namespace) -> int:
    name = arguments.name
    LOG.info("%s", machine_holdings(name).text)
    records = Records.load(name)
    cases_of = figure_cases(records)
    judged = {pair: cases_of(*pair) for pair in figures.available_figures()}
    measured = {pair: with_records(cases, records) for pair, cases in judged.items()}
    drawn = {pair: cases for pair, cases in measured.items() if cases}
    LOG.info("judging the claims and drawing %d figures of %s", len(drawn), name)
    adopt()
    with tempfile.TemporaryDirectory() as folder:
        sources = drawing.Sources(records, judged, (), catalogue.entries(), Path(folder))
        result = drawing.make([name], sources, drawn, begin_part, _advance)
        files = machine_report.files(name, records, result.standings, drawn, result.failed, Path(folder))
    for pair, reason in result.failed.items():
        LOG.warning("%s %s", ".".join(pair), reason)
    target = arguments.output or Path(f"{name}-report.tar.gz")
    LOG.info("packing %s", target)
    count = archive.pack(name, target, files)
    summary = f"{name}/{archive.REPORT}/{machine_report.SUMMARY}"
    print(f"packed {count} files of {name} into {target}: unpack it with tar, and open {summary}")
    return int(bool(result.failed))


def _advance(done: int, of: int) -> None:
    if done % EACH == 0 or done == of:
        LOG.info("%d of %d", done, of)
