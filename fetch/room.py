"""Whether a matrix fits into this machine's memory, checked before anything is allocated."""

from psutil import virtual_memory

from fillpath.errors import MemoryBudgetError
from fillpath.paths import bytes_text


def require_memory(what: str, order: int, entries: int, distinct: int) -> None:
    """Raise MemoryBudgetError if reading and preparing the matrix takes more memory than is available.

    what : the matrix, for the error
    order : rows
    entries : announced by the source of the matrix
    distinct : a lower bound on entries at different positions
    """
    # A control group's limit is known to the supervisor alone.
    needed, available = least_bytes(order, entries, distinct), virtual_memory().available
    if needed > available:
        raise MemoryBudgetError(
            f"{what}: order {order} and {entries} {'entry' if entries == 1 else 'entries'} take at least "
            f"{bytes_text(needed)} of memory to read and prepare, {bytes_text(available)} are available; "
            "choose a smaller matrix, or a machine with more memory"
        )


def least_bytes(order: int, entries: int, distinct: int) -> int:
    """Return a lower bound on the bytes in use at the same time in any preparation.

    Orderings and matchings take more. Reading holds triplets of two int32 and a float64 (16 per entry), and
    their CSR form before repetitions are summed (12 per entry, 4 per row). Preparing holds the most while the
    ordered matrix is made:

        per entry  per row
            12         4    the matrix that was read
             4         8    its pattern, with int64 pointers
            12         8    the matrix with its whole diagonal, scaled
            12         8    the ordered matrix
                      28    the new place of a row, the matching and its two scalings, the order
    """
    reading = 4 * order + 28 * entries
    preparing = 56 * order + 16 * distinct + 24 * max(order, distinct)
    return max(reading, preparing)
