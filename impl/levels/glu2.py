"""GLU2.0's levels: the exact dependencies, with the double-U ones found by three nested loops.

K. He, S. X.-D. Tan et al., GLU2.0 (2017), as printed in the slides of GLU3.0 (Algorithm 3), except that t
starts at i + 1: as printed, from i, columns would depend on themselves. Column t reads U[t,k] for every row j
> t of L[:,t], so j starts below the diagonal here, as in the slides' drawing. Algorithm 3 includes j = t,
which orders columns that read nothing. If i has written U[t,k] by L[t,i] U[i,k], t has to come after i.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numba import njit

from fillpath.nouns import Levels, TwoWay, Work
from fillpath.registry import implementation
from impl.levels.glu1 import by_level, counted


@implementation(stage="levels", paper="glu3", section="GLU2.0, Algorithm 3; Table II")
def glu2(two_way: TwoWay, *, search: Literal["loops", "closed"] = "loops") -> tuple[Levels, Work]:
    """Find levels by exact dependencies, with a search for double-U dependencies (sequential).

    two_way : F, n x n, by rows and by columns
    search : "loops" is the printed search, with row i as a bitmap, and ends at the first c. "closed" has no
        third loop: L[k,i] and U[i,c] imply F[k,c], hence F[j,c] for every j. So the last c of row i decides

    Column k depends on i < k if and only if U[i,k] != 0 and L[:,i] is not empty, or L[k,i] != 0 and a column
    c > k has entries in row i and in a row j > k of L[:,k]. Returns the levels, with columns ascending in
    each. Facts: as in `counted`; `double_u`, the number of double-U dependencies; `searched`, the entries of
    the rows j read by "loops".
    """
    columns, filled = two_way.columns, two_way.filled
    pointers, grouped, widest, direct, double, searched = _glu2(
        columns.indptr.view(np.uint64),
        columns.indices.view(np.uint32),
        two_way.lower_start.view(np.uint64),
        filled.pattern.indptr.view(np.uint64),
        filled.pattern.indices.view(np.uint32),
        filled.upper_start.view(np.uint64),
        search == "closed",
    )
    levels, work = counted(pointers, grouped, widest, direct + double)
    more = {"double_u": double, "searched": searched}
    return levels, Work(facts={**(work.facts or {}), **more})


@njit(cache=True, nogil=True)
def _glu2(starts, rows, lower_start, indptr, indices, upper_start, closed):
    """Group columns by level: a level is final at its column's turn, after all columns it depends on."""
    n = np.uint64(len(lower_start))
    one = np.uint64(1)
    level = np.zeros(n, np.int32)
    in_row = np.zeros(n, np.bool_)
    direct, double, searched = np.uint64(0), np.uint64(0), np.uint64(0)
    for i in range(n):
        if lower_start[i] == starts[i + one]:
            continue
        after = level[i] + np.int32(1)
        first, last = upper_start[i] + one, indptr[i + one]
        direct += last - first
        for p in range(first, last):
            k = indices[p]
            in_row[k] = True
            level[k] = max(level[k], after)
        for p in range(lower_start[i], starts[i + one]):
            t = np.uint64(rows[p])
            if closed:
                found = lower_start[t] < starts[t + one] and indices[last - one] > t
            else:
                found, read = _double_u(starts, rows, lower_start, indptr, indices, in_row, t)
                searched += read
            if found:
                double += one
                level[t] = max(level[t], after)
        for p in range(first, last):
            in_row[indices[p]] = False
    return *by_level(level), direct, double, searched


@njit
def _double_u(starts, rows, lower_start, indptr, indices, in_row, t):
    """Return (whether a row j of L[:,t] has a column past t that is also in row i, entries read)."""
    one = np.uint64(1)
    read = np.uint64(0)
    for p in range(lower_start[t], starts[t + one]):
        j = np.uint64(rows[p])
        q = indptr[j + one]
        # Backwards from the end of row j, which holds L[j,t]: the search ends there.
        while indices[q - one] > t:
            q -= one
            read += one
            if in_row[indices[q]]:
                return True, read
    return False, read
