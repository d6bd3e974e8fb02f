"""The rows of L + U from fronts: the last step of `bitfronts_gpu`, on the device."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from fillpath.nouns import Filled, Pattern
from impl.cuda import kernels
from impl.symbolic.bitfronts_analysis import Fronts, resident_blocks
from impl.symbolic.bitfronts_elimination import Elimination

KERNEL = Path(__file__).with_name("bitfronts_rows.cu")
THREADS = 256
WARPS = THREADS // 32
WORD = 4
# Bytes of the sets in which rows of L are joined, one for each warp.
SET_BYTES = 2**28


def least_bytes(n: int) -> int:
    """Return the bytes of the sets of one block, for n columns."""
    return WORD * WARPS * _set_shape(n)[1]


def _set_shape(n: int) -> tuple[int, int]:
    """Return the words of a set, 32 for each word of its summary, and the words of both."""
    summary = -(-n // 1024)
    return 32 * summary, 33 * summary


def write_rows(fronts: Fronts, elimination: Elimination | None) -> tuple[Filled, int]:
    """Return the filled pattern, rows sorted, and the bytes of all arrays but the result's.

    elimination : of the fronts; None where every entry of them is one of F
    """
    import cupy

    analysis = fronts.analysis
    n, counts = analysis.request.pattern.n, analysis.counts
    define = f"FULL={int(elimination is None)}"
    kernel = kernels.load(KERNEL, ("bitfronts_rows",), (define,))["bitfronts_rows"]
    structs = (analysis.struct, fronts.struct() if elimination is None else elimination.struct)
    earlier = fronts.nbytes if elimination is None else elimination.nbytes
    words, stride = _set_shape(n)
    block_bytes = least_bytes(n)
    analysis.request.refuse("the sets of a block that writes rows", earlier + block_bytes)
    blocks = min(-(-n // WARPS), resident_blocks(kernel, THREADS), max(1, SET_BYTES // block_bytes))
    while not analysis.request.allows(earlier + blocks * block_bytes):
        blocks -= 1
    sets = cupy.zeros(blocks * WARPS * stride, np.uint32)
    indptr = cupy.zeros(n + 1, np.int64)
    cupy.cumsum(counts.lower + counts.upper, out=indptr[1:])
    entries = analysis.totals.entries if elimination is None else elimination.entries
    indices = cupy.empty(entries, np.int32)
    kernel(
        (blocks,),
        (THREADS,),
        (*structs, indptr, indices, sets, np.int64(stride), np.int64(words)),
    )
    filled = Filled(Pattern(indptr, indices), indptr[:-1] + counts.lower)
    return filled, earlier + int(sets.nbytes)
