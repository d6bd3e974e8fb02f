"""GLU3.0's levels: a superset of the exact dependencies, found by two loops.

S. Peng and S. X.-D. Tan, GLU3.0: fast GPU-based parallel sparse LU factorization for circuit simulation,
IEEE Design & Test 37 (2020), Algorithm 4. A column looks up along U and left along its row of L.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numba import njit

from fillpath.nouns import Levels, LevelSeries, TwoWay, Work
from fillpath.registry import implementation
from impl.levels.glu1 import by_level, counted


@implementation(stage="levels", paper="glu3", section="GLU3.0, Algorithm 4; Table II")
def glu3_relaxed(two_way: TwoWay, *, series: bool = False) -> tuple[Levels, Work]:
    """Find levels by relaxed dependencies, in two loops (sequential).

    two_way : F, n x n, by rows and by columns
    series : bool, also return each level's columns and sub-columns, which levels alone do not need

    Column k depends on i < k if U[i,k] != 0 and L[:,i] is not empty, or if L[k,i] != 0. Returns the levels,
    with columns ascending in each, and the facts of `counted`, where a pair with both entries counts twice;
    also `filled`, the entries of F. Reads the rows of L, and the columns of U only if those do not already
    give the deepest level so far.
    """
    columns, filled = two_way.columns, two_way.filled
    pointers, grouped, widest, found = _glu3_relaxed(
        columns.indptr.view(np.uint64),
        columns.indices.view(np.uint32),
        two_way.lower_start.view(np.uint64),
        filled.pattern.indptr.view(np.uint64),
        filled.pattern.indices.view(np.uint32),
        filled.upper_start.view(np.uint64),
    )
    levels, work = counted(pointers, grouped, widest, found)
    held = _held(two_way, levels) if series else None
    return levels, replace(work, series=held, facts={**(work.facts or {}), "filled": columns.nnz})


def _held(two_way: TwoWay, levels: Levels) -> LevelSeries:
    """Return each level's columns, and the most sub-columns of one of them."""
    filled = two_way.filled
    subcolumns = filled.pattern.indptr[1:] - filled.upper_start - 1
    most = np.maximum.reduceat(subcolumns[levels.columns], levels.pointers[:-1])
    return LevelSeries(np.diff(levels.pointers), most)


@njit(cache=True, nogil=True)
def _glu3_relaxed(starts, rows, lower_start, indptr, indices, upper_start):
    n = np.uint64(len(lower_start))
    one = np.uint64(1)
    level = np.empty(n, np.int32)
    # The least level of a column that depends on this one; 0 if L[:,i] is empty.
    after = np.empty(n, np.int32)
    deepest = np.int32(0)
    found = np.uint64(0)
    for k in range(n):
        here = np.int32(0)
        for p in range(indptr[k], upper_start[k]):
            here = max(here, after[indices[p]])
        if here < deepest:
            for p in range(starts[k], lower_start[k] - one):
                here = max(here, after[rows[p]])
        level[k] = here
        after[k] = 0
        found += upper_start[k] - indptr[k]
        if lower_start[k] < starts[k + one]:
            after[k] = here + 1
            deepest = max(deepest, after[k])
            found += indptr[k + one] - upper_start[k] - one
    return *by_level(level), found
