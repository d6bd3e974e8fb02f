"""Prepare matrices and make the references of those that a case of this run is checked against.

An input that fails stops no other, and its error is only logged: the cases on that input report it."""

from collections.abc import Sequence

from benchmarks.engine import run as runs
from benchmarks.engine.inputs import make_ready
from benchmarks.runs.cases import limits_of, suite_cases
from commands._parser import Arguments, Parser
from fetch import source
from fetch.matrix_id import parse
from fillpath import LOG
from fillpath.case import Case
from fillpath.settings import settings
from fillpath.stages import stage_of


def add_arguments(parser: Parser) -> None:
    parser.add_argument("inputs", metavar="MATRIX.PREPARATION", nargs="+")
    parser.add_argument("--fetch", action="store_true", help="only get the matrices")


def run(arguments: Arguments) -> None:
    within = runs.current() or runs.alone()
    chosen = [] if arguments.fetch else suite_cases(settings())
    for text in arguments.inputs:
        if within.remaining() <= 0:
            break
        try:
            # The implementation that the case names does not matter to its input.
            case = Case.parse(f"symbolic.fill1@{text}")
            if arguments.fetch:
                source.forget_failure(parse(case.matrix))
                source.locate(parse(case.matrix))
            else:
                _prepare(case, chosen, within)
        except Exception as error:
            LOG.warning("%s: %s", type(error).__name__, error)


def _prepare(case: Case, chosen: Sequence[Case], within: runs.Run) -> None:
    """Prepare one of the chosen cases for all on its input: a case with a reference needs the most."""
    cases = [c for c in chosen if (c.matrix, c.preparation) == (case.matrix, case.preparation)]
    needy = max(cases, key=lambda c: stage_of(c.stage).refers, default=case)
    make_ready(needy, limits_of(case, settings()), within)
