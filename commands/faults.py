"""Count the page faults of cases by CUPTI.

Each case needs an ok record of today's sources on this machine. Exit status 1 where one could not be
counted."""

from __future__ import annotations

import argparse

from benchmarks.engine.machine import introduce
from benchmarks.probes.cupti import FAULTS, counted_cases
from commands._cases import count_each
from commands._parser import Parser
from fillpath.registry import load_all
from fillpath.settings import settings


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "case",
        nargs="*",
        help="as records name it: symbolic.unified_memory@bcsstk18.metis (default: those of PPoPP'23's "
        "Table 3 and of GSoFA's Figure 18 in the run that the settings describe)",
    )


def run(arguments: argparse.Namespace) -> int:
    load_all()
    introduce()
    names = arguments.case or [case.name for case in counted_cases(settings())]
    return count_each(names, FAULTS.collect)
