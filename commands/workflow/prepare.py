"""Prepare a matrix and make its reference, unless all cases of this run do without."""

from __future__ import annotations

import argparse

from benchmarks.engine.inputs import make_ready
from benchmarks.engine.limits import Limits
from benchmarks.runs.cases import suite_cases
from commands.workflow._input import add_input, case_of, step
from fillpath.settings import settings
from fillpath.stages import stage_of

add_arguments = add_input


def run(arguments: argparse.Namespace) -> int:
    case = case_of(arguments.input)
    prepared = (case.matrix, case.preparation)
    cases = [c for c in suite_cases(settings()) if (c.matrix, c.preparation) == prepared]
    if cases and all(stage_of(c.stage).on_graph for c in cases):
        case = cases[0]
    return step(lambda within: make_ready(case, Limits(), within))
