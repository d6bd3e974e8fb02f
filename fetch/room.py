"""Whether a matrix fits into this machine's memory, checked before anything is allocated."""

from __future__ import annotations

import os
import re
from pathlib import Path

from fillpath.errors import MemoryBudgetError
from fillpath.paths import bytes_text

_MEMINFO = Path("/proc/meminfo")


def require_memory(what: str, order: int, entries: int, distinct: int) -> None:
    """Raise MemoryBudgetError, naming `what`, if reading and preparing the matrix takes more memory than is
    available.

    what : the matrix, for the error
    order : rows
    entries : announced by its source
    distinct : a lower bound on entries at different positions
    """
    needed, available = least_bytes(order, entries, distinct), available_memory()
    if needed > available:
        raise MemoryBudgetError(
            f"{what}: order {order} and {entries} {'entry' if entries == 1 else 'entries'} take at least "
            f"{bytes_text(needed)} of memory to read and prepare, {bytes_text(available)} are available; "
            "choose a smaller matrix, or a machine with more memory"
        )


def least_bytes(order: int, entries: int, distinct: int) -> int:
    """A lower bound on the bytes in use at the same time in any preparation; orderings and matchings take
    more.

    Reading: triplets of two int32 and a float64 (16 per entry), and their CSR form before repetitions are
    summed (12 per entry, 4 per row).

    Preparing, while the ordered matrix is made: the matrix that was read (12 per entry, 4 per row) with its
    pattern's int32 columns and int64 pointers (4 per entry, 8 per row); the rows of the matrix with its whole
    diagonal, scaled, and those in their order (12 per entry, 8 per row each); the new place of a row (4); the
    permutation and two scalings of the matching, and the order (24 per row).
    """
    reading = 4 * order + 28 * entries
    preparing = 56 * order + 16 * distinct + 24 * max(order, distinct)
    return max(reading, preparing)


def available_memory() -> int:
    """Bytes that the system can still provide, or all that it has if it does not say. The lower limit of a
    control group is left to the supervisor."""
    try:
        line = re.search(r"MemAvailable:\s*(\d+) kB", _MEMINFO.read_text())
    except OSError:
        line = None
    return int(line[1]) * 1024 if line else os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
