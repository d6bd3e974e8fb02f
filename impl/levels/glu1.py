"""GLU1.0's levels, known to be wrong: they order a column's updates, but not its reads from other columns.

K. He, S. X.-D. Tan, H. Wang and G. Shi, GPU-accelerated parallel sparse LU factorization method for fast
circuit analysis, IEEE TVLSI 24 (2016), as described in the slides of GLU3.0. These levels show what GLU2.0
corrected: in its 3 x 3 example columns 1 and 2 share a level, and column 2 before 1 gives a wrong factor.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fillpath.nouns import Array, Levels, TwoWay, Work
from fillpath.registry import implementation


@implementation(stage="levels", paper="glu3", section="GLU1.0; 'Dependency prediction', L dependency")
def glu1(two_way: TwoWay) -> tuple[Levels, Work]:
    """Find levels by U alone (sequential): wrong if a column reads what another of its level writes.

    two_way : F, n x n, by rows and by columns

    Column k depends on i < k if and only if U[i,k] != 0 and L[:,i] is not empty. Returns the levels, with
    columns ascending in each, and the facts of `counted`.
    """
    columns, filled = two_way.columns, two_way.filled
    pointers, grouped, widest, found = _glu1(
        columns.indptr.view(np.uint64),
        columns.indices.view(np.uint32),
        two_way.lower_start.view(np.uint64),
        filled.pattern.indptr.view(np.uint64),
        filled.upper_start.view(np.uint64),
    )
    return counted(pointers, grouped, widest, found)


def counted(pointers: Array, grouped: Array, widest: int, found: int) -> tuple[Levels, Work]:
    """Return the levels with their facts: levels, widest (columns of the widest level), dependencies.

    A dependency that the rule found in two ways counts twice.
    """
    facts = {"levels": len(pointers) - 1, "widest": widest, "dependencies": found}
    return Levels(pointers, grouped), Work(facts=facts)


@njit(cache=True, nogil=True)
def _glu1(starts, rows, lower_start, indptr, upper_start):
    n = np.uint64(len(lower_start))
    one = np.uint64(1)
    level = np.empty(n, np.int32)
    # The least level of a column that depends on this one; 0 if L[:,i] is empty.
    after = np.empty(n, np.int32)
    found = np.uint64(0)
    for k in range(n):
        here = np.int32(0)
        for p in range(starts[k], lower_start[k] - one):
            here = max(here, after[rows[p]])
        level[k] = here
        after[k] = 0
        if lower_start[k] < starts[k + one]:
            after[k] = here + 1
            found += indptr[k + one] - upper_start[k] - one
    return *by_level(level), found


@njit
def by_level(level):
    """Group columns by level, ascending in each; return also the number of columns of the widest level.

    The columns are (n,) int32, with (depth + 1,) int64 pointers. level : (n,) int32.
    """
    n = np.uint64(len(level))
    one = np.uint64(1)
    depth = np.uint64(0)
    for k in range(n):
        depth = max(depth, np.uint64(level[k]) + one)
    pointers = np.zeros(depth + one, np.int64)
    for k in range(n):
        pointers[np.uint64(level[k]) + one] += 1
    widest = np.int64(0)
    for step in range(depth):
        widest = max(widest, pointers[step + one])
        pointers[step + one] += pointers[step]
    place = pointers[:depth].copy()
    grouped = np.empty(n, np.int32)
    for k in range(n):
        at = np.uint64(level[k])
        grouped[np.uint64(place[at])] = k
        place[at] += 1
    return pointers, grouped, widest
