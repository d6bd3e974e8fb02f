"""Write docs/registers.csv: registers, spills and shared memory of every kernel, and print what changed.

Needs NVRTC, and no GPU."""

from __future__ import annotations

import argparse

from benchmarks.probes.nvrtc import registered_kernels
from benchmarks.probes.registers import TABLE, changes, committed, compiler, to_text, usages
from commands._parser import Parser
from fillpath.paths import write_text


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--base", metavar="COMMIT", help="compare with the table of that commit, not with the one here"
    )
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit status 1 if something changed"
    )


def run(arguments: argparse.Namespace) -> int:
    table = usages(registered_kernels())
    lines = changes(committed(arguments.base), table)
    print("\n".join([*lines, f"{len(lines)} of {len(table)} changed"]))
    if arguments.check:
        return int(bool(lines))
    write_text(TABLE, to_text(table, compiler()))
    return 0
