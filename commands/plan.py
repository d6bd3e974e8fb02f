"""Print the bytes, disk, memory and time of a run; exit status 1 if it cannot fit."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from benchmarks.runs.plan import plan
from benchmarks.runs.plan_text import cases_csv, plan_text
from commands._parser import Parser
from fillpath.errors import UnknownNameError, suggest
from fillpath.paths import write_text
from fillpath.settings import SUITES, settings


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--cases", type=Path, metavar="FILE", help="write every case with its prediction to FILE, as CSV"
    )
    parser.add_argument("suite", metavar="SUITE", help=f"one of {', '.join(SUITES)}")


def run(arguments: argparse.Namespace) -> int:
    suite = arguments.suite
    if suite not in SUITES:
        raise UnknownNameError(
            f"suite {suite!r}: expected one of {', '.join(SUITES)}{suggest(suite, SUITES)}"
        )
    needs = plan(replace(settings(), suite=suite))
    print(plan_text(needs))
    if arguments.cases is not None:
        write_text(arguments.cases, cases_csv(needs))
    return 0 if needs.fits else 1
