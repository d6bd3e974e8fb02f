"""Names of inputs in the steps that make them; an input that fails stops no other."""

from collections.abc import Callable, Iterable

from benchmarks.engine import run as runs
from commands._parser import Parser
from fillpath import LOG
from fillpath.case import Case


def add_inputs(parser: Parser) -> None:
    """Add the argument `inputs`."""
    parser.add_argument("inputs", metavar="MATRIX.PREPARATION", nargs="+")


def for_each(inputs: Iterable[str], work: Callable[[Case, runs.Run], object]) -> int:
    """Do the work within the run for a case on each input, unless the run's time is up.

    The implementation that the case names does not matter to its input. An error is only logged: the cases on
    that input report it. Returns the exit status.
    """
    within = runs.current() or runs.alone()
    for text in inputs:
        if within.remaining() <= 0:
            break
        try:
            work(Case.parse(f"symbolic.fill1@{text}"), within)
        except Exception as error:
            LOG.warning("%s: %s", type(error).__name__, error)
    return 0
