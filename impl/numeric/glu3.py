"""GLU3.0's numeric factorisation: the kernel's shape follows the columns of the level."""

from __future__ import annotations

from typing import Literal

from fillpath.nouns import Assembled, Factor, Work
from fillpath.registry import implementation
from impl.cuda import device, kernels
from impl.numeric.right_looking import AUTHORS, VARIANTS, auto, right_looking

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
    memory_budget: int | None = None,
) -> tuple[Factor, Work]:
    """Right-looking LU in modes A, B and C by the columns of the level.

    assembled : A on F, and levels, on the device. static_pivoting : pivots below `small_pivot(dtype)` ||A||_1
    become that, with their sign. thresholds : `authors` are those of their code: above 896 columns a block of
    2 warps a column, above 448 of 4 (A), above 16 of 32 (B), a warp a sub-column; else (C) a block of 32
    warps a sub-column, where the paper has a stream a column and here one launch has all blocks that the card
    holds, which take a column's sub-columns in turn. `auto` halves a block's warps whenever there are columns
    for twice the blocks, C as the authors. storage : `dense_column`, column j spread over n words of the
    block that takes it, whose updates walk through each target column (of column k no copy could be right
    while other columns of the level update it too); `csc_search`, a binary search in the target column;
    `auto`, the rule of PPoPP'23, Section 3.4: searches where the memory holds fewer dense columns than the
    card holds blocks of 1024 threads of this kernel. batched : consecutive levels of 2048 columns and fewer
    go in one cooperative launch, in which a level's updates are dealt out evenly, a small level is one
    block's, and all are searched, whatever thresholds and storage are. memory_budget : bytes of dense
    columns, None: half of what is free; there are never more than eight a multiprocessor.

    Returns the factor on the device. Atomic updates come in any order: values differ from run to run by
    rounding. Facts: levels, by the mode that the thresholds give; launches; levels that went batched;
    updates, multiply-adds; small_pivots; dense columns. Raises UnsupportedError naming the first column whose
    pivot is zero, or with a value that is not finite; MemoryBudgetError for dense columns where not one fits.
    """
    shapes = AUTHORS if thresholds == "authors" else auto(device.multiprocessors())
    return right_looking(
        assembled,
        shapes,
        dtype=dtype,
        static_pivoting=static_pivoting,
        storage=storage,
        batched=batched,
        memory_budget=memory_budget,
    )
