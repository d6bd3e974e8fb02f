"""Measure cases on the ranks of MPI: mpirun -n 4 python -m fillpath ranks CASE.

Exit status 1 where a case is not ok; a rank that fails ends them all."""

from __future__ import annotations

import argparse

from benchmarks.probes.ranks import measure_or_abort
from commands._parser import Parser
from fillpath.record import Status


def add_arguments(parser: Parser) -> None:
    parser.add_argument("case", nargs="+", help="such as symbolic.fill2_multi.ranks=4@grid2d,60.metis")


def run(arguments: argparse.Namespace) -> int:
    failed = 0
    for name in arguments.case:
        # None on every rank but the first.
        record = measure_or_abort(name)
        if record is not None:
            print(f"{record.case}: {record.status} {record.median or ''}")
            failed += record.status is not Status.OK
    return int(bool(failed))
