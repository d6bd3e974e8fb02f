"""Commands that count something of cases: counters, faults, durations."""

import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.engine.machine import introduce
from commands._parser import Arguments, Parser
from fillpath.case import Case
from fillpath.errors import FillpathError, UnknownNameError


def add_cases(parser: Parser, example: str, default: str = "") -> None:
    """Add the argument `case`, one or more; it may be left out where there is a default."""
    parser.add_argument("case", nargs="*" if default else "+", help=f"as records name it: {example}{default}")


def count_each(count: Callable[[Case], Path], arguments: Arguments) -> int:
    """Count every case of the arguments and print the file.

    Returns the exit status: 1 where a case could not be counted, which stops no other. Raises
    UnknownNameError at the first unknown name.
    """
    introduce()
    status = 0
    for name in arguments.case:
        try:
            print(count(Case.parse(name)))
        except UnknownNameError:
            raise
        except (FillpathError, OSError) as error:
            print(f"fillpath: {error}", file=sys.stderr)
            status = 1
    return status
