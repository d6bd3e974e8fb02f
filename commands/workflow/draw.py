"""Draw a figure from the records."""

from __future__ import annotations

import argparse

from benchmarks.runs.cases import drawn_cases
from commands._parser import Parser
from commands._records import load_records
from commands.workflow._stages import machine_of_each_stage
from fetch import catalogue
from fillpath.settings import settings
from reports import figures


def add_arguments(parser: Parser) -> None:
    parser.add_argument("paper")
    parser.add_argument("figure")


def run(arguments: argparse.Namespace) -> int:
    records = load_records()
    elsewhere = records.cases_elsewhere(machine_of_each_stage(settings()).values())
    cases = drawn_cases(arguments.paper, arguments.figure, settings(), elsewhere)
    for path in figures.draw(arguments.paper, arguments.figure, cases, records, catalogue.entries()):
        print(path)
    return 0
