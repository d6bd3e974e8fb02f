"""Print the bytes, disk, memory and time of a run; exit status 1 if it cannot fit."""

from dataclasses import replace
from pathlib import Path

from benchmarks.runs.plan import plan
from benchmarks.runs.plan_text import plan_text
from commands._parser import Arguments, Parser
from fillpath.paths import write_text
from fillpath.settings import SUITES, settings


def add_arguments(parser: Parser) -> None:
    parser.add_choice("suite", tuple(SUITES), help="which matrices")
    parser.add_argument("--cases", type=Path, metavar="FILE", help="write a row per case to FILE, as CSV")


def run(arguments: Arguments) -> int:
    needs = plan(replace(settings(), suite=arguments.suite))
    print(plan_text(needs))
    if arguments.cases is not None:
        rows = needs.cases.drop(columns="stored").merge(needs.checks, how="left", on="case")
        write_text(arguments.cases, rows.to_csv(index=False, float_format="%.4g"))
    return 0 if needs.fits else 1
