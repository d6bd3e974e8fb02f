"""Draw a figure from the records."""

from __future__ import annotations

import argparse

from benchmarks.runs.cases import drawn_cases
from commands._parser import Parser
from commands._records import load_records, machines_here
from fetch import catalogue
from fillpath.settings import settings
from reports import figures


def add_arguments(parser: Parser) -> None:
    parser.add_argument("paper")
    parser.add_argument("figure")


def run(arguments: argparse.Namespace) -> int:
    records = load_records()
    pair = arguments.paper, arguments.figure
    cases = drawn_cases(*pair, settings(), {record.case for record in records.rows})
    for path in figures.draw(*pair, cases, records, catalogue.entries(), machines_here()):
        print(path)
    return 0
