"""GLU2.0's levels: the exact dependencies, the double-U ones by three nested loops.

K. He, S. X.-D. Tan et al., GLU2.0 (2017), as the slides of GLU3.0 print it (Algorithm 3), its t from i + 1:
as printed, from i, columns would depend on themselves. Column t reads U[t,k] for the rows j > t of L[:,t], so
that j starts behind the diagonal here, as the slides draw it, where the print has j = t too, which
orders columns that read nothing; where i wrote U[t,k] before, by L[t,i] U[i,k], t comes after i.
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
    """Levels by exact dependencies, double-U ones searched for (sequential).

    two_way : F, n x n, by rows and by columns. Column k depends on i < k if and only if U[i,k] != 0 and
    L[:,i] is not empty, or L[k,i] != 0 and a column c > k has entries in row i and in a row j > k of L[:,k].
    search : `loops`, the print's, row i as a bitmap and each search ended by the first c; `closed`, without
    a third loop: F[k,c] and so F[j,c] are there wherever L[k,i] and U[i,c] are, whichever j is asked, so that
    the last c of row i decides.
    Returns the levels, columns ascending in each; facts as `counted` has them, double-U dependencies apart as
    `double_u`, and the entries that `loops` read of the rows j as `searched`.
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
    """A column's level is final when its turn comes: all that it depends on are before it."""
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
    """Whether a row j of L[:,t] has a column past t that is in row i, and how many entries it took."""
    one = np.uint64(1)
    read = np.uint64(0)
    for p in range(lower_start[t], starts[t + one]):
        j = np.uint64(rows[p])
        q = indptr[j + one]
        # Backwards: row j holds its diagonal, past t, and L[j,t], where this ends.
        while indices[q - one] > t:
            q -= one
            read += one
            if in_row[indices[q]]:
                return True, read
    return False, read
