"""Count what each symbolic algorithm examines on every matrix of FILLPATH_MIRROR: docs/work.csv."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.probes.survey import write_survey
from commands._parser import Parser
from fillpath.paths import ROOT


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--to", type=Path, metavar="FILE", default=ROOT / "docs" / "work.csv", help="default: docs/work.csv"
    )


def run(arguments: argparse.Namespace) -> int:
    write_survey(arguments.to)
    return 0
