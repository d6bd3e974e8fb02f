"""What a left-looking factorisation costs: its updates, counted from the filled pattern."""

from __future__ import annotations

import numpy as np
from numba import njit

from fillpath.nouns import Array, Filled


def updates(filled: Filled) -> int:
    """Of gilbert_peierls: each entry of U, without the diagonal, by those of L in the column of its row."""
    pattern = filled.pattern
    upper = np.diff(pattern.indptr) - (filled.upper_start - pattern.indptr[:-1]) - 1
    return int(_column_counts(pattern.indptr, pattern.indices, filled.upper_start) @ upper)


@njit(cache=True)
def _column_counts(indptr: Array, indices: Array, upper_start: Array) -> Array:
    """(n,) int64: of L."""
    counts = np.zeros(len(upper_start), np.int64)
    for row in range(len(upper_start)):
        for p in range(indptr[row], upper_start[row]):
            counts[indices[p]] += 1
    return counts
