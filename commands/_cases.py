"""The loop of the commands that count something of cases: counters, faults, durations."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from fillpath.case import Case
from fillpath.errors import FillpathError, UnknownNameError


def count_each(names: Iterable[str], count: Callable[[Case], Path]) -> int:
    """Count every case and print the file.

    Returns the exit status: 1 where one could not be counted, which stops no other. Raises UnknownNameError
    at the first name of nothing.
    """
    status = 0
    for name in names:
        try:
            print(count(Case.parse(name)))
        except UnknownNameError:
            raise
        except (FillpathError, OSError) as error:
            print(f"fillpath: {error}", file=sys.stderr)
            status = 1
    return status
