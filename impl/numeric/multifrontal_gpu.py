"""Multifrontal LU on the GPU: dense blocks along the elimination tree of A | A^T, by one kernel.

The project's own method, which no paper on GLU has. I. S. Duff and J. K. Reid, The multifrontal solution of
indefinite sparse symmetric linear equations, ACM Trans. Math. Softw. 9 (1983); J. W. H. Liu, The multifrontal
method for sparse matrix solution: theory and practice, SIAM Review 34 (1992); T. A. Davis and I. S. Duff, An
unsymmetric-pattern multifrontal method for sparse LU factorization, SIAM J. Matrix Anal. Appl. 18 (1997).
docs/fronts.md has the steps.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from fillpath.nouns import FrontFactor, Fronts, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cuda import kernels
from impl.multifrontal.factor_gpu import Factorisation
from impl.multifrontal.maps_gpu import FrontMaps, maps_of
from impl.multifrontal.shape import shape_of

# On an H100; with one block a multiprocessor, on an A100 and on a V100, which has less shared memory.
VARIANTS = tuple(
    (f"REAL={real}", f"TENSOR={tensor}", "PIVOTING=0", "INVERT=0", *shape)
    for real, tensor, shape in (
        ("double", 1, ("SHARED=14400", "RESIDENT=2", "WARP_FRONT=40")),
        ("double", 0, ("SHARED=14400", "RESIDENT=2", "WARP_FRONT=40")),
        ("float", 0, ("SHARED=14400", "RESIDENT=2", "WARP_FRONT=40")),
        ("double", 1, ("SHARED=14400", "RESIDENT=1", "WARP_FRONT=40")),
        ("double", 0, ("SHARED=12160", "RESIDENT=1", "WARP_FRONT=38")),
        ("float", 0, ("SHARED=14400", "RESIDENT=1", "WARP_FRONT=40")),
    )
)


@implementation(
    stage="numeric",
    device="gpu",
    available=kernels.available,
    kernels=("../multifrontal/maps.cu", "../multifrontal/factor.cu"),
)
def multifrontal_gpu(
    fronts: Fronts,
    *,
    dtype: Literal["float32", "float64"] = "float64",
    static_pivoting: bool = False,
    tensor_cores: bool = True,
    memory_budget: int | None = None,
) -> tuple[FrontFactor, Work]:
    """Factorise on the fronts of A | A^T by one persistent kernel (GPU, no paper's).

    fronts : of the matrix, on the device
    dtype : of the factor and of all arithmetic
    static_pivoting : bool, replace pivots below `small_pivot(dtype)` ||A||_1 by that value, with their sign
    tensor_cores : bool, use the card's tensor cores for float64, if any; the result differs by rounding
    memory_budget : int, bytes of index maps, blocks of fronts and the factor (static_pivoting takes 8 more a
        row); None for 80 % of what is free. Blocks that do not fit at a time are factorised in waves

    The maps of the last fronts are kept for a second matrix of the same pattern. A call that makes them has a
    phase `maps` and the fact `mapped` = 1. Returns the factor on the fronts, on the device, and the work:
    peak_memory, and facts. Raises UnsupportedError naming a column without a pivot, or with a value that is
    not finite; MemoryBudgetError, before values are allocated, with the bytes that are needed.
    """
    if fronts.prepared.pattern.n == 0:
        return _nothing(fronts, dtype), Work(peak_memory=0, facts={"fronts": 0.0, "small_pivots": 0.0})
    shape = shape_of(dtype, tensor_cores, False)
    key = (fronts, shape, memory_budget)
    fresh = not (_kept and all(a is b or a == b for a, b in zip(_kept[0][0], key, strict=True)))
    if fresh:
        # Free the last maps before the next are allocated.
        _kept.clear()
        with phase("maps"):
            maps = maps_of(fronts, shape, memory_budget)
        _kept.append((key, maps))
    maps = _kept[0][1]
    run = Factorisation(maps, shape, static_pivoting)
    run.enqueue(fronts.prepared.values)
    factor, facts = run.result()
    return factor, Work(peak_memory=run.nbytes, facts={**facts, "mapped": float(fresh)})


def _nothing(fronts: Fronts, dtype: str) -> FrontFactor:
    import cupy

    return FrontFactor(fronts, cupy.empty(0, np.int64), cupy.empty(0, np.int32), cupy.empty(0, dtype))


# The maps of the last fronts and options; at most one entry.
_kept: list[tuple[tuple[object, ...], FrontMaps]] = []
