"""Out-of-core symbolic factorisation: chunks of rows whose intermediate arrays fit into device memory.

Y. Xia and others, End-to-End LU Factorization of Large Matrices on GPUs (PPoPP 2023), Section 3.2, Algorithms
3 and 4, with GSoFA's traversal. The paper counts in a first pass over all chunks and stores in a second. Here
the first pass also stores, as long as there is room for rows; only rows that did not fit are traversed again.

The text omits how frontiers' lengths are known before the traversal, and the chunk sizes of the two parts.
Here chunks go from the last row to the first. The part with long frontiers ends with the first chunk whose
longest queue is at most half of the longest so far. Earlier rows get queues of MARGIN times that chunk's
length, or longer if memory suffices for all resident rows. Entries that do not fit go to pinned host memory.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from fillpath.errors import MemoryBudgetError
from fillpath.nouns import Array, Counts, Filled, Pattern, Work
from fillpath.registry import implementation
from impl.cuda import device, kernels
from impl.symbolic.device_rows import Output, traverse
from impl.symbolic.gsofa_device import SLOTS, VARIANTS, Traversal, host_room, positions, resident_blocks
from impl.symbolic.gsofa_pool import ENTRY, WORD, Launch, set_words, shape

__all__ = ["VARIANTS", "out_of_core"]

# Share of the free memory for intermediate arrays if no budget is given: the rows need the rest.
SHARE = 0.5
MARGIN = 2


@implementation(
    stage="symbolic",
    device="gpu",
    paper="ooclu",
    section="3.2, Algorithms 3 and 4",
    available=kernels.available,
    kernels=("gsofa.cu", "rows.cu"),
)
def out_of_core(
    pattern: Pattern,
    *,
    memory_budget: int | None = None,
    dynamic_assignment: bool = True,
    output: Literal["pattern", "counts"] = "pattern",
) -> tuple[Filled | Counts, Work]:
    """Find the filled pattern by chunks of rows within a budget of device memory (PPoPP 2023).

    pattern : n x n, sorted, diagonal present; on the device
    memory_budget : int, bytes of the intermediate arrays; None is half of what is free
    dynamic_assignment : bool, larger chunks for the rows before frontiers grow long (Algorithm 4)
    output : "pattern", or "counts", which leaves the columns out

    Returns the filled pattern (n x n, rows sorted) or its row counts, on the device, and the work with its
    facts. Raises MemoryBudgetError, before anything is allocated, if one row does not fit.
    """
    import cupy

    n = pattern.n
    budget = int(SHARE * device.free_bytes()) if memory_budget is None else memory_budget
    words = budget // (2 * WORD) * 2
    least = row_words(n, n)
    if n and words < least:
        raise MemoryBudgetError(
            f"memory_budget: one row of order {n} needs {least * WORD} bytes, {budget} given"
        )
    defines = {"BUBBLE": True, "RANGES": True, "COLUMNS": output == "pattern"}
    resident = resident_blocks(defines)
    # The card works on at most as many rows at a time as its blocks have slots.
    memory = cupy.empty(min(words, min(n, resident * SLOTS) * least), np.uint32)
    traversal = Traversal(pattern, [], memory, defines)

    def run(sources: Array, rows: Output) -> None:
        _run(traversal, sources, rows, words, resident, dynamic_assignment)

    return traversal.outcome(traverse(pattern, output == "pattern", run))


def row_words(n: int, entries: int) -> int:
    """Return the words of the intermediate arrays of a row whose queue has `entries` entries; even."""
    fixed = n + set_words(n)
    return fixed + fixed % 2 + ENTRY * entries


def spare_entries(n: int, words: int, resident: int) -> int:
    """Return the queue entries per row that fit with the card's blocks full of rows; negative if none do."""
    return (words // (resident * SLOTS) - row_words(n, 0)) // ENTRY


def chunk(n: int, end: int, words: int, entries: int, resident: int) -> Launch:
    """Return the launch for the last rows below `end` for which `words` have room.

    Each row has `entries` queue entries. The launch has all remaining rows if there is room for as many as
    the card's blocks can hold. The others wait for a slot.
    """
    rows = words // row_words(n, entries)
    rows = end if rows >= resident * SLOTS else min(end, rows)
    blocks, slots, wider = shape(rows, resident, SLOTS)
    sources = blocks * slots + wider
    maxid = sources * set_words(n)
    queues = maxid + sources * n
    queues += queues % 2
    return Launch(end - rows, end, blocks, slots, wider, n, maxid, queues, entries, entries < n)


def _run(
    traversal: Traversal, sources: Array, rows: Output, words: int, resident: int, dynamic: bool
) -> None:
    """Traverse from the sources, which are in descending order, chunk by chunk."""
    end = n = traversal.pattern.n
    where = positions(sources, n)
    entries, longest = n, 0
    while end > 0:
        launch = chunk(n, end, words, entries, resident)
        part = sources[where(launch.last) : where(launch.first)]
        if len(part):
            traversal.launch(launch, part, rows)
        end = launch.first
        if dynamic and entries == n and end > 0 and len(part):
            found = int(traversal.longest[launch.first : launch.last].max())
            longest = max(longest, found)
            fewer = min(n, max(1, MARGIN * found, spare_entries(n, words, resident)))
            # Smaller queues need pinned memory for entries that do not fit.
            pinned = 2 * WORD * n * chunk(n, end, words, fewer, resident).sources
            if 2 * found <= longest and pinned <= host_room():
                entries = fewer
