"""What the steps that make an input share: how it is named, and that a matrix that fails stops no other."""

from __future__ import annotations

import logging
from collections.abc import Callable

from benchmarks.engine import run as runs
from commands._parser import Parser
from fillpath.case import Case


def add_input(parser: Parser) -> None:
    """The argument `input`."""
    parser.add_argument("input", metavar="MATRIX.PREPARATION")


def case_of(text: str) -> Case:
    """A case on the input `matrix.preparation`; which implementation does not matter to preparing it."""
    return Case.parse(f"symbolic.fill1@{text}")


def step(work: Callable[[runs.Run], object]) -> int:
    """Do it within the run, unless its time is up. An error is only logged: the cases will report it."""
    within = runs.current() or runs.alone()
    if within.remaining() <= 0:
        return 0
    try:
        work(within)
    except Exception as error:
        logging.getLogger("fillpath").warning("%s: %s", type(error).__name__, error)
    return 0
