"""Write the page of all records, reports/index.html.

Exit status 1 where a figure could not be judged or drawn, and with --draw where a folder was refused: that
stops no measurement."""

from __future__ import annotations

import argparse
import logging
from collections.abc import Mapping, Sequence

from benchmarks.engine.follow import adopt, begin_part
from benchmarks.runs import airspeed
from commands._parser import Parser
from commands._records import figure_cases, load_records, machines_here, with_records
from fetch import catalogue
from fillpath.case import Case
from fillpath.errors import FillpathError, InputError
from reports import figures
from reports.claims.standing import Standing
from reports.facts.records import Records
from reports.hardware.comparison import Comparison, compare
from reports.hardware.files import draw_comparison
from reports.pages import drawing, webpage
from reports.pages.webpage.scoreboard import machines_of

LOG = logging.getLogger("fillpath")


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--draw", action="store_true", help="first draw every figure that any machine has records for"
    )


def run(arguments: argparse.Namespace) -> int:
    records = load_records()
    cases_of = figure_cases(records)
    pairs = figures.available_figures() if arguments.draw else []
    measured = {pair: with_records(cases_of(*pair), records) for pair in pairs}
    whole = write({pair: cases for pair, cases in measured.items() if cases}, records)
    return int(not whole or bool(arguments.draw and records.refused))


def write(drawn: Mapping[tuple[str, str], Sequence[Case]], records: Records) -> bool:
    """Draw figures, judge every claim and write the page. Returns whether all of it could be done.

    drawn : the cases behind each figure to draw
    """
    try:
        airspeed.publish()
    except FillpathError as error:
        LOG.warning("%s", error)
    cases_of = figure_cases(records)
    cases = {pair: cases_of(*pair) for pair in figures.available_figures()}
    adopt()
    entries = catalogue.entries()
    sources = drawing.Sources(records, cases, machines_here(), entries)
    result = drawing.make(records.machines(), sources, drawn, begin_part)
    for pair, reason in result.failed.items():
        LOG.warning("%s %s", ".".join(pair), reason)
    measured = (case for listed in cases.values() for case in with_records(listed, records))
    shown = list(dict.fromkeys([*measured, *(Case.parse(record.case) for record in records.rows)]))
    comparison = _comparison(result.standings, records)
    print(webpage.page(result.standings, shown, records, entries, comparison))
    return not result.failed


def _comparison(standings: Sequence[Standing], records: Records) -> Comparison | None:
    """The others against the machine with the most judged claims; None where there is one, or a folder is
    damaged."""
    machines = machines_of(standings)
    if len(machines) < 2:
        return None
    comparison = compare(machines, records)
    try:
        draw_comparison(comparison, records)
    except InputError as error:
        LOG.warning("machines not compared: %s", error)
        return None
    return comparison
