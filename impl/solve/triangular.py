"""Triangular solves with L and U by columns, on one CPU core."""

from __future__ import annotations

import numpy as np
from numba import njit

from fillpath.nouns import Array, Factor


def solved(factor: Factor, b: Array) -> Array:
    """Return x with L U x = b, in the factor's dtype. b : (n,) float, not changed."""
    x: Array = b.astype(factor.values.dtype)
    columns = factor.two_way.columns
    _solve(
        columns.indptr.view(np.uint64),
        columns.indices.view(np.uint32),
        factor.two_way.lower_start.view(np.uint64),
        factor.values,
        x,
    )
    return x


@njit(cache=True, nogil=True)
def _solve(starts, rows, lower_start, values, x):
    n = np.uint64(len(lower_start))
    one = np.uint64(1)
    for column in range(n):
        known = x[column]
        for p in range(lower_start[column], starts[column + one]):
            x[rows[p]] -= values[p] * known
    for back in range(n):
        column = n - one - np.uint64(back)
        diagonal = lower_start[column] - one
        x[column] /= values[diagonal]
        known = x[column]
        for p in range(starts[column], diagonal):
            x[rows[p]] -= values[p] * known
