"""Checks of the stages `supernodes` and `levels`, whose results cut 0..n-1 into ranges, on F by rows."""

from typing import Any

import numpy as np
from numba import njit

from benchmarks.checks.held import is_array
from fillpath.nouns import Array, Filled, Levels, Supernodes
from fillpath.record import Verified

_BY = "filled pattern, equal to the reference"


def verify_supernodes(result: Any, filled: Filled, maxsup: int) -> Verified:
    """Count rows that are joined to the row before, or separated from it, wrongly by T3's definition.

    Row s joins the supernode of s - 1, which begins at r, if and only if s is no multiple of maxsup,
    nnz(U[s,:]) == nnz(U[s-1,:]) - 1 and L[s,r] != 0. Malformed boundaries are wrong in all rows.
    """
    n = filled.pattern.n
    well_formed = isinstance(result, Supernodes) and cuts(result.starts, n)
    wrong = _wrong_boundaries(result.starts, filled, maxsup) if well_formed else n
    return Verified(_BY, method="definition of T3, row by row", value=float(wrong), bound=0.0)


def cuts(starts: Any, n: int) -> bool:
    """Return whether these boundaries cut 0..n-1 into ranges that are not empty."""
    if not is_array(starts, np.int64) or len(starts) < 2 or starts[0] != 0 or starts[-1] != n:
        return False
    return bool(np.all(starts[1:] > starts[:-1]))


def _wrong_boundaries(starts: Array, filled: Filled, maxsup: int) -> int:
    """Count wrong boundaries: each row is judged by itself, given the start that the result names."""
    n = filled.pattern.n
    rows = np.arange(1, n)
    joined = np.ones(n, np.bool_)
    joined[starts[:-1]] = False
    first = np.repeat(starts[:-1], np.diff(starts))[: n - 1]
    upper = filled.counts().upper
    by_count = (rows % maxsup != 0) & (upper[1:] == upper[:-1] - 1)
    expected = by_count & _row_holds(filled.pattern.indptr, filled.pattern.indices, rows, first, by_count)
    return int(np.count_nonzero(joined[1:] != expected))


@njit(cache=True)
def _row_holds(indptr, indices, rows, columns, wanted):
    """Return whether row rows[k] has an entry in columns[k], (len(rows),) bool; false where not wanted."""
    holds = np.zeros(len(rows), np.bool_)
    for k in range(len(rows)):
        if wanted[k]:
            holds[k] = columns[k] in indices[indptr[rows[k]] : indptr[rows[k] + 1]]
    return holds


def verify_levels(result: Any, filled: Filled) -> Verified:
    """Count columns in no level, and exact dependencies that do not go up, twice if they hold both ways.

    Right-looking, column i of a non-empty L[:,i] writes column k for U[i,k] != 0: k comes after i. It reads
    U[i,k], which column h < i writes if L[i,h] != 0 and U[h,k] != 0: i comes after h (double-U). F is closed
    under elimination: it has [i,k] wherever it has [i,h] and [h,k]. So the last column of row h decides. If
    the levels are no partition of the columns, all columns are wrong.
    """
    n = wrong = filled.pattern.n
    cut = isinstance(result, Levels) and cuts(result.pointers, n) and is_array(result.columns, np.int32, n)
    if cut and result.columns.min() >= 0 and result.columns.max() < n:
        level = np.full(n, -1)
        level[result.columns] = np.repeat(np.arange(len(result.pointers) - 1), np.diff(result.pointers))
        broken = _broken(filled.pattern.indptr, filled.pattern.indices, filled.upper_start, level)
        wrong = int(broken + np.count_nonzero(level < 0))
    return Verified(_BY, method="exact dependencies that go up", value=float(wrong), bound=0.0)


@njit(cache=True)
def _broken(indptr, indices, upper_start, level):
    n = len(level)
    updates = np.zeros(n, np.bool_)
    for row in range(n):
        updates[indices[indptr[row] : upper_start[row]]] = True
    broken = 0
    for row in range(n):
        if not updates[row]:
            continue
        for p in range(upper_start[row] + 1, indptr[row + 1]):
            broken += level[indices[p]] <= level[row]
        for p in range(indptr[row], upper_start[row]):
            before = indices[p]
            written = indices[indptr[before + 1] - 1] > row
            broken += written and level[row] <= level[before]
    return broken
