"""GLU2.0's numeric factorisation: one kernel shape for every level."""

from __future__ import annotations

from typing import Literal

from fillpath.nouns import Assembled, Factor, Work
from fillpath.registry import implementation
from impl.cuda import kernels
from impl.numeric.right_looking import FIXED, VARIANTS, Options, right_looking

__all__ = ["VARIANTS", "glu2"]


@implementation(
    stage="numeric",
    device="gpu",
    paper="glu3",
    section="GLU 2.0, Table I",
    available=kernels.available,
    kernels=("right_looking.cu",),
)
def glu2(
    assembled: Assembled,
    *,
    dtype: Literal["float32", "float64"] = "float32",
    static_pivoting: bool = False,
    storage: Literal["auto", "dense_column", "csc_search"] = "auto",
    graph: bool = False,
    memory_budget: int | None = None,
) -> tuple[Factor, Work]:
    """Factorise right-looking: in all levels a block of 32 warps per column, a warp per sub-column.

    assembled : A on F, with levels, on the device
    dtype, static_pivoting, storage, graph, memory_budget : as in `glu3`

    The slides leave the shape open; this is our reading. The kernels, results and errors are those of `glu3`.
    """
    options = Options(FIXED, dtype, static_pivoting, storage, False, memory_budget)
    return right_looking(assembled, options, graph=graph)
