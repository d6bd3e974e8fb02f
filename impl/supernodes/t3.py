"""T3 supernodes on one CPU core, row by row.

GSoFA, Section 2.2, Definition 1 (after Demmel et al., SIMAX 20, 1999): a supernode of the rows r to s - 1 is
extended by row s if and only if nnz(U[s,:]) == nnz(U[s-1,:]) - 1 and L[s,r] != 0. Chunks of `maxsup` rows
start at the multiples of maxsup. Every supernode ends with its chunk, so that none spans two nodes (Section
5). Limiting the length of each supernode instead would give other supernodes.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fillpath.errors import InputError
from fillpath.nouns import Filled, Supernodes, Work
from fillpath.registry import implementation


@implementation(stage="supernodes", paper="gsofa", section="2.2, Definition 1")
def t3(filled: Filled, *, maxsup: int = 128) -> tuple[Supernodes, Work]:
    """Find T3 supernodes, one row after the other (sequential).

    filled : F, n x n
    maxsup : int, rows per chunk; every supernode ends at the end of its chunk

    Returns the first row of each supernode, and n last. Time O(n log(longest row of L)), or just the
    comparison of row counts where these decide.
    """
    if maxsup < 1:
        raise InputError(f"maxsup={maxsup}: expected at least one row in a supernode")
    starts = _t3(filled.pattern.indptr, filled.pattern.indices, filled.upper_start, maxsup)
    return Supernodes(starts), Work()


@njit(cache=True, nogil=True)
def _t3(indptr, indices, upper_start, maxsup):
    n = len(indptr) - 1
    starts = np.empty(n + 1, np.int64)
    supernodes = 0
    first = 0
    before = np.int64(0)
    for row in range(n):
        upper = indptr[row + 1] - upper_start[row]
        joins = row % maxsup != 0 and upper == before - 1
        if not (joins and _holds(indices, indptr[row], upper_start[row], first)):
            first = row
            starts[supernodes] = row
            supernodes += 1
        before = upper
    starts[supernodes] = n
    return starts[: supernodes + 1].copy()


@njit
def _holds(indices, start, end, column):
    """Return whether `column` is in indices[start:end], which is ascending."""
    stop = end
    while start < stop:
        middle = (start + stop) >> 1
        if indices[middle] < column:
            start = middle + 1
        else:
            stop = middle
    return start < end and indices[start] == column
