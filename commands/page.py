"""Write the page of all records, reports/index.html.

Exit status 1 where a figure could not be judged or drawn, and with --draw where a folder was refused: that
stops no measurement."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Sequence

from benchmarks.runs import airspeed, launch
from commands._parser import Parser
from commands._records import figure_cases, load_records, machines_here, with_records
from fetch import catalogue
from fillpath.case import Case
from fillpath.errors import FillpathError, InputError
from reports import figures
from reports.facts.records import Records
from reports.facts.standings import Standing
from reports.pages import drawing, webpage
from reports.pages.comparison import Comparison
from reports.pages.hardware import draw_comparisons
from reports.pages.ledger.order import machines_of

LOG = logging.getLogger("fillpath")


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--draw", action="store_true", help="first draw every figure that any machine has records for"
    )


def run(arguments: argparse.Namespace) -> int:
    try:
        airspeed.publish()
    except FillpathError as error:
        LOG.warning("%s", error)
    records = load_records()
    cases_of = figure_cases(records)
    cases = {pair: cases_of(*pair) for pair in figures.available_figures()}
    measured = {pair: with_records(listed, records) for pair, listed in cases.items()}
    drawn = {pair: listed for pair, listed in measured.items() if listed and arguments.draw}
    launch.adopt()
    entries = catalogue.entries()
    result = drawing.make(records.machines(), cases, drawn, machines_here(), entries, launch.die_with_parent)
    for pair, reason in result.failed.items():
        LOG.warning("%s %s", ".".join(pair), reason)
    stored = [Case.parse(record.case) for record in records.rows]
    shown = list(dict.fromkeys([*(case for listed in measured.values() for case in listed), *stored]))
    comparisons = _comparisons(result.standings, records)
    print(webpage.page(result.standings, shown, records, entries, comparisons))
    return int(bool(result.failed or (arguments.draw and records.refused)))


def _comparisons(standings: Sequence[Standing], records: Records) -> list[Comparison]:
    """The machine with the most judged claims and each of the others; none where a folder is damaged."""
    try:
        return draw_comparisons(machines_of(standings), records)
    except InputError as error:
        LOG.warning("machines not compared: %s", error)
        return []
