"""GLU3.0's numeric factorisation: the shape of the kernel depends on the number of columns in the level."""

from __future__ import annotations

from typing import Literal

from fillpath.errors import InputError
from fillpath.nouns import Assembled, Factor, Work
from fillpath.registry import implementation
from impl.cuda import device, kernels
from impl.numeric.right_looking import AUTHORS, VARIANTS, Options, auto, right_looking

__all__ = ["VARIANTS", "glu3"]


@implementation(
    stage="numeric",
    device="gpu",
    paper="glu3",
    section="New GLU GPU kernel, Table I",
    available=kernels.available,
    kernels=("right_looking.cu",),
)
def glu3(
    assembled: Assembled,
    *,
    dtype: Literal["float32", "float64"] = "float32",
    static_pivoting: bool = False,
    thresholds: Literal["authors", "auto"] = "authors",
    storage: Literal["auto", "dense_column", "csc_search"] = "auto",
    batched: bool = False,
    graph: bool = False,
    memory_budget: int | None = None,
) -> tuple[Factor, Work]:
    """Factorise right-looking in modes A, B and C by the columns of the level.

    assembled : A on F, with levels, on the device
    dtype : of the factor and of all arithmetic
    static_pivoting : bool, replace pivots below `small_pivot(dtype)` ||A||_1 by that value, with their sign
    thresholds : which numbers of columns in a level decide its mode

        - "authors", as in their code: above 896 columns one block of 2 warps per column, above 448 one of 4
          (mode A). Above 16 it is one block of 32 (mode B), with one warp per sub-column; else (mode C) one
          block of 32 warps per sub-column. For mode C the paper has one stream per column. Here one launch
          has all blocks that the card holds, and they take a column's sub-columns in turn.
        - "auto" halves the warps of a block whenever there are columns for twice the blocks; mode C as above.
    storage : how an update finds its target

        - "dense_column": the block that takes column j spreads it over n words, and its updates walk through
          each target column. (A dense copy of the target would be wrong, as other columns of the level update
          it too.)
        - "csc_search": a binary search in the target column.
        - "auto", the rule of PPoPP'23, Section 3.4: search if memory holds fewer dense columns than the card
          holds blocks of 1024 threads of this kernel.
    batched : bool, run consecutive levels of at most 2048 columns in one cooperative launch. The updates of a
        level are then distributed evenly, a small level is run by one block, and all targets are searched,
        whatever thresholds and storage are.
    graph : bool, launch a captured CUDA graph of all that a call does on the device. The graph and its arrays
        are kept until a call has another pattern or other levels (other objects, which are kept too) or other
        options. So the first call captures and instantiates (phase "capture", which also launches everything
        once) before it launches. Each further call copies its values in, launches the graph, and copies the
        factor out. Circuit simulation factorises one pattern again and again in this way. The fact captured
        is 1 if the call captured. Not with batched.
    memory_budget : int, bytes of dense columns, at most 8 per multiprocessor; None is half of what is free

    Returns the factor on the device. Atomic updates come in any order, so values differ from run to run by
    rounding. Facts: levels by the mode that the thresholds give; launches; levels that were batched; updates
    (multiply-adds); small_pivots; dense columns. Raises UnsupportedError, naming the first column whose pivot
    is zero or whose values are not all finite. Raises MemoryBudgetError if dense columns are asked for and
    none fits; InputError for graph with batched, whose launches are few already.
    """
    if graph and batched:
        raise InputError("graph=true: expected batched=false, whose levels are launched one by one")
    shapes = AUTHORS if thresholds == "authors" else auto(device.multiprocessors())
    options = Options(shapes, dtype, static_pivoting, storage, batched, memory_budget)
    return right_looking(assembled, options, graph=graph)
