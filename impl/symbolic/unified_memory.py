"""Symbolic factorisation with its intermediate arrays in unified memory: the baseline for out-of-core.

Y. Xia and others, End-to-End LU Factorization of Large Matrices on GPUs (PPoPP 2023), Sections 4.2 and 4.3.
Every row has arrays of its own, six words per vertex: 24 n^2 bytes of managed memory for the same kernel.
Each page is first touched by the kernel that works on it. The kernel touches only a part of the memory: a bit
per vertex for fill, and one queue instead of two. So prefetching creates pages that are never used.
"""

from __future__ import annotations

from typing import Literal

from fillpath.nouns import Array, Counts, Filled, Pattern, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cuda import kernels, managed
from impl.symbolic.device_rows import Output, traverse
from impl.symbolic.gsofa_device import Traversal, resident_blocks, texts
from impl.symbolic.gsofa_pool import Launch, set_words

DEFINES = {"BUBBLE": True, "RANGES": False, "OWN": True}
VARIANTS = (texts(DEFINES), texts({**DEFINES, "COLUMNS": True}))


@implementation(
    stage="symbolic",
    device="gpu",
    paper="ooclu",
    section="4.2 and 4.3",
    available=kernels.available,
    kernels=("gsofa.cu", "rows.cu"),
)
def unified_memory(
    pattern: Pattern,
    *,
    prefetch: bool = False,
    oversubscribe: bool = False,
    keep: bool = False,
    output: Literal["pattern", "counts"] = "pattern",
) -> tuple[Filled | Counts, Work]:
    """Find the filled pattern with six managed words per vertex and row (PPoPP 2023's baseline).

    pattern : n x n, sorted, diagonal present; on the device
    prefetch : bool, move the arrays to the device before the launch
    oversubscribe : bool, allow more than half of the card's free memory; only on an unshared card
    keep : bool, keep the arrays, with their pages, for the next call on a pattern of this order. Only the
        first call makes the pages, and no call releases them
    output : "pattern", or "counts", which leaves the columns out

    Returns the filled pattern (n x n, rows sorted) or its row counts, on the device, and the work with its
    facts (peak_memory: the managed memory). Phases: allocate (arrays without pages), prepare, traverse (pages
    are made in it; prefetch is a part of it), assemble (the rows), outcome, release. Raises
    MemoryBudgetError, before anything is allocated, for more than half of the card's free memory;
    UnsupportedError if managed memory is not paged on demand.
    """
    n = pattern.n
    # For a tiny matrix a set is longer than its row.
    stride = max(n, set_words(n))
    with managed.loan(2 * n * stride + 4 * n * n, oversubscribe=oversubscribe, keep=keep) as memory:
        with phase("prepare"):
            defines = {**DEFINES, "COLUMNS": output == "pattern"}
            blocks = max(1, min(n, resident_blocks(defines)))
            launch = Launch(0, n, blocks, 1, 0, stride, n * stride, 2 * n * stride, n, False, own=True)
            traversal = Traversal(pattern, [launch], memory, defines)

        def run(sources: Array, rows: Output) -> None:
            if prefetch:
                with phase("prefetch"):
                    managed.prefetch(memory)
            traversal.run(sources, rows)

        rows = traverse(pattern, output == "pattern", run)
        with phase("outcome"):
            return traversal.outcome(rows)
