"""Get a matrix."""

from __future__ import annotations

import argparse

from benchmarks.engine import run as runs
from commands.workflow._input import add_input, case_of, step
from fetch import source
from fetch.matrix_id import parse

add_arguments = add_input


def run(arguments: argparse.Namespace) -> int:
    matrix = parse(case_of(arguments.input).matrix)

    def locate(within: runs.Run) -> None:
        source.forget_failure(matrix)
        source.locate(matrix)

    return step(locate)
