"""Simulate nights: false alarms of 300 unchanged cases, and the losses that are found, at each noise.

The noise is normal, of 5 % and of 10 % between processes, or drawn from two records of one key in
results/MACHINE. Prints a table in Markdown."""

from __future__ import annotations

import argparse

from benchmarks.runs.night_power import table
from commands._parser import Parser, natural, positive


def add_arguments(parser: Parser) -> None:
    parser.add_argument("machines", nargs="*", metavar="MACHINE", help="folders of results/")
    parser.add_argument("--nights", type=positive, default=1000, metavar="N", help="default: 1000")
    parser.add_argument("--seed", type=natural, default=0, metavar="N", help="default: 0")


def run(arguments: argparse.Namespace) -> int:
    print(table(arguments.machines, arguments.nights, arguments.seed))
    return 0
