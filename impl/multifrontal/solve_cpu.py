"""Solves with a factor on fronts, on one CPU core: forward from the leaves, backward from the roots.

J. W. H. Liu, The multifrontal method for sparse matrix solution: theory and practice, SIAM Review 34 (1992).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fillpath.errors import InputError
from fillpath.nouns import Array, FrontFactor


def solved(factor: FrontFactor, b: Array) -> Array:
    """Return x with A x = b, in the factor's dtype and in the order of the prepared matrix.

    factor : n x n, on the host, with any panels
    b : (n,) or (n, k) float, not changed

    Raises InputError for a b of another shape.
    """
    fronts = factor.fronts
    n = len(fronts.label)
    if b.ndim not in (1, 2) or len(b) != n:
        raise InputError(f"a right-hand side of shape {b.shape} where ({n},) or ({n}, k) was expected")
    x = np.empty((n, b.size // max(n, 1)), factor.values.dtype)
    x[fronts.label] = b.reshape(x.shape)
    # Panel 0: all pivots are one panel, and nothing is inverted.
    lists = (fronts.first, fronts.list_start, fronts.list)
    held = (factor.start.astype(np.int64), factor.panel.astype(np.int64), factor.values)
    _forward(*lists, *held, x)
    _backward(*lists, *held, x)
    solution: Array = x[fronts.label].reshape(b.shape)
    return solution


@njit(cache=True, nogil=True)
def _forward(first, list_start, lists, start, panel, values, x):
    """Solve L y = x in place; diagonal blocks of inverted panels are left out."""
    for front in range(len(start)):
        begin, pivots = np.int64(first[front]), np.int64(first[front + 1] - first[front])
        rows = lists[list_start[front] : list_start[front + 1]]
        size = pivots + len(rows)
        lower = values[start[front] : start[front] + pivots * size].reshape(pivots, size)
        for k in range(pivots):
            below = k + 1
            if panel[front] > 0:
                below = min(k - k % panel[front] + panel[front], pivots)
            for column in range(x.shape[1]):
                known = x[begin + k, column]
                for r in range(below, pivots):
                    x[begin + r, column] -= lower[k, r] * known
                for r in range(pivots, size):
                    x[rows[r - pivots], column] -= lower[k, r] * known


@njit(cache=True, nogil=True, error_model="numpy")
def _backward(first, list_start, lists, start, panel, values, x):
    """Solve U x = y in place; diagonal blocks of inverted panels are multiplied with."""
    for number in range(len(start)):
        front = len(start) - 1 - number
        begin, pivots = np.int64(first[front]), np.int64(first[front + 1] - first[front])
        rows = lists[list_start[front] : list_start[front + 1]]
        size = pivots + len(rows)
        behind = start[front] + pivots * size
        lower = values[start[front] : behind].reshape(pivots, size)
        upper = values[behind : behind + pivots * len(rows)].reshape(len(rows), pivots)
        for column in range(x.shape[1]):
            for c in range(len(rows)):
                known = x[rows[c], column]
                for k in range(pivots):
                    x[begin + k, column] -= upper[c, k] * known
            if panel[front] > 0:
                _inverted(lower, pivots, panel[front], x[begin : begin + pivots, column])
            else:
                _upper(lower, pivots, x[begin : begin + pivots, column])


@njit(error_model="numpy")
def _upper(lower, pivots, x):
    for number in range(pivots):
        c = pivots - 1 - number
        x[c] /= lower[c, c]
        for k in range(c):
            x[k] -= lower[c, k] * x[c]


@njit
def _inverted(lower, pivots, width, x):
    """Solve likewise with inverses on the diagonal; the blocks right of them are not multiplied yet."""
    panels = (pivots + width - 1) // width
    for number in range(panels):
        begin = (panels - 1 - number) * width
        end = min(begin + width, pivots)
        given = x[begin:end].copy()
        x[begin:end] = 0
        for c in range(begin, end):
            for k in range(begin, end):
                x[k] += lower[c, k] * given[c - begin]
        for c in range(begin, end):
            for k in range(begin):
                x[k] -= lower[c, k] * x[c]
