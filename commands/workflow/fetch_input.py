"""Get matrices."""

from benchmarks.engine.run import Run
from commands._parser import Arguments
from commands.workflow._input import add_inputs, for_each
from fetch import source
from fetch.matrix_id import parse
from fillpath.case import Case

add_arguments = add_inputs


def run(arguments: Arguments) -> int:
    def locate(case: Case, within: Run) -> None:
        matrix = parse(case.matrix)
        source.forget_failure(matrix)
        source.locate(matrix)

    return for_each(arguments.inputs, locate)
