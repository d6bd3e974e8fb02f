"""Prepare matrices and make the references of those that a case of this run is checked against."""

from benchmarks.engine.inputs import make_ready
from benchmarks.engine.run import Run
from benchmarks.runs.cases import limits_of, suite_cases
from commands._parser import Arguments
from commands.workflow._input import add_inputs, for_each
from fillpath.case import Case
from fillpath.settings import settings
from fillpath.stages import stage_of

add_arguments = add_inputs


def run(arguments: Arguments) -> int:
    chosen = suite_cases(settings())

    def ready(case: Case, within: Run) -> None:
        cases = [c for c in chosen if (c.matrix, c.preparation) == (case.matrix, case.preparation)]
        # One case is prepared for all: a case with a reference needs the most.
        needy = max(cases, key=lambda c: stage_of(c.stage).refers, default=case)
        make_ready(needy, limits_of(case, settings()), within)

    return for_each(arguments.inputs, ready)
