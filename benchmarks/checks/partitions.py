"""The check of the stage `supernodes`: T3 by its definition on F by rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from benchmarks.checks.held import cuts
from fillpath.nouns import Array, Filled, Supernodes
from fillpath.record import Verified


def verify_supernodes(result: Any, filled: Filled, maxsup: int) -> Verified:
    """Count rows that are joined to the row before, or separated from it, wrongly by T3's definition.

    Row s joins the supernode of s - 1, which begins at r, if and only if s is no multiple of maxsup,
    nnz(U[s,:]) == nnz(U[s-1,:]) - 1 and L[s,r] != 0. Malformed boundaries are wrong in all rows.
    """
    n = filled.pattern.n
    well_formed = isinstance(result, Supernodes) and cuts(result.starts, n)
    wrong = _wrong_boundaries(result.starts, filled, maxsup) if well_formed else n
    by = "filled pattern, equal to the reference"
    return Verified(by, method="definition of T3, row by row", value=float(wrong), bound=0.0)


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
            for p in range(indptr[rows[k]], indptr[rows[k] + 1]):
                holds[k] |= indices[p] == columns[k]
    return holds
