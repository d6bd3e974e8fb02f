"""The rows of L + U from fronts: the last step of `bitfronts_gpu`, on the device."""

from __future__ import annotations

import numpy as np

from fillpath.nouns import Array, Filled, Pattern
from impl.cuda import kernels
from impl.symbolic.bitfronts_analysis import FOLDER, Fronts, resident_blocks
from impl.symbolic.bitfronts_analysis import THREADS as GRID_THREADS
from impl.symbolic.bitfronts_elimination import Elimination

THREADS = 256
WARPS = THREADS // 32
WORD = 4
# Bytes of the sets in which rows of L are joined, one for each warp.
SET_BYTES = 2**28


def write_rows(fronts: Fronts, elimination: Elimination | None) -> tuple[Filled, int]:
    """The filled pattern, rows sorted, and the bytes of all arrays but the result's.

    elimination : of the fronts; None where every entry of them is one of F
    """
    import cupy

    analysis = fronts.analysis
    n, counts = analysis.request.pattern.n, analysis.counts
    indptr = cupy.zeros(n + 1, np.int64)
    cupy.cumsum(counts.lower + counts.upper, out=indptr[1:])
    entries = analysis.totals.entries if elimination is None else elimination.entries
    indices = cupy.empty(entries, np.int32)
    names = ("bitfronts_holders", "bitfronts_rows")
    load = kernels.load(FOLDER / "bitfronts_rows.cu", names, (f"FULL={int(elimination is None)}",))
    straight, arrived = cupy.empty(analysis.totals.panels, np.int32), cupy.zeros(1, np.uint32)
    structs = (analysis.struct, fronts.struct() if elimination is None else elimination.struct)
    load["bitfronts_holders"].kernel(
        (min(analysis.blocks, resident_blocks(load["bitfronts_holders"], GRID_THREADS)),),
        (GRID_THREADS,),
        (*structs, arrived, straight),
        enable_cooperative_groups=True,
    )
    blocks = min(-(-n // WARPS), resident_blocks(load["bitfronts_rows"], THREADS))
    sets, words, stride = _sets(n, blocks)
    load["bitfronts_rows"](
        (len(sets) // (WARPS * stride),),
        (THREADS,),
        (*structs, straight, indptr, indices, sets, np.int64(stride), np.int64(words)),
    )
    earlier = fronts.nbytes if elimination is None else elimination.nbytes
    filled = Filled(Pattern(indptr, indices), indptr[:-1] + counts.lower)
    return filled, earlier + int(straight.nbytes + sets.nbytes)


def _sets(n: int, blocks: int) -> tuple[Array, int, int]:
    """Empty sets of n columns for the warps of so many blocks, or of fewer; words of each, and of each with
    its summary."""
    import cupy

    # A word of the summary is for 32 words.
    words = 32 * -(-n // 1024)
    stride = words + words // 32
    blocks = min(blocks, max(1, SET_BYTES // (WORD * WARPS * stride)))
    return cupy.zeros(blocks * WARPS * stride, np.uint32), words, stride
