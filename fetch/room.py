"""Whether a matrix can fit into this machine's memory, before anything is made of it."""

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

    entries : that its source promises. distinct : at least so many at different places.
    """
    needed, there = least_bytes(order, entries, distinct), available_memory()
    if needed > there:
        raise MemoryBudgetError(
            f"{what}: order {order} and {entries} {'entry' if entries == 1 else 'entries'} take at least "
            f"{bytes_text(needed)} of memory to read and prepare, {bytes_text(there)} are available; choose "
            "a smaller matrix, or a machine with more memory"
        )


def least_bytes(order: int, entries: int, distinct: int) -> int:
    """Bytes that stand at the same time in any preparation: an ordering or a matching takes more.

    Reading: triplets of two int32 and a float64 (16 an entry), and CSR of them before repeats are summed (12
    an entry, 4 a row). Preparing, when the ordered matrix is made: the matrix as it was read and its scaled
    triplets (12 + 16 an entry, 4 a row); permutation and two scalings of the matching (20 a row); the order,
    its inverse and the pattern's int64 pointers (4 + 4 + 8 a row); and with a full diagonal triplets (16), a
    mark (1), moved places (8), CSR (4 a row, 12 an entry) and the pattern's columns (4).
    """
    reading = 4 * order + 28 * entries
    preparing = 44 * order + 28 * distinct + 41 * max(order, distinct)
    return max(reading, preparing)


def available_memory() -> int:
    """Bytes that the system could still give, or all that it has where it does not say. A lower limit of a
    control group is the supervisor's to watch."""
    try:
        found = re.search(r"MemAvailable:\s*(\d+) kB", _MEMINFO.read_text())
    except OSError:
        found = None
    return int(found[1]) * 1024 if found else os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
