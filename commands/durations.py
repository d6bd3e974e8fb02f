"""Time the kernels of cases by CUPTI.

Each case needs an ok record of today's sources on this machine. Exit status 1 where one could not be
timed."""

from __future__ import annotations

import argparse

from benchmarks.engine.machine import introduce
from benchmarks.probes.cupti import DURATIONS
from commands._cases import count_each
from commands._parser import Parser
from fillpath.registry import load_all


def add_arguments(parser: Parser) -> None:
    parser.add_argument("case", nargs="+", help="as records name it: numeric.glu3@onetone2.mc64+amd")


def run(arguments: argparse.Namespace) -> int:
    load_all()
    introduce()
    return count_each(arguments.case, DURATIONS.collect)
