"""LU of the pivots of one dense front, without pivoting, in panels; the rest of the front is updated.

A front of size f is an f x f array by columns: front[c, r] is row r of column c. A panel is eliminated in
parts of INNER columns. BLAS updates the columns right of a part or panel in tiles of TILE x TILE. Tiles are
the same on any number of threads, and so are values. OpenBLAS does not divide so small a tile.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

PANEL, INNER, TILE = 64, 16, 64
# Fronts of at most this size are eliminated column by column, in one panel.
SMALL = 64
# An update of LARGE multiply-adds, a quarter of a millisecond on two cores, is worth all threads.
LARGE = 1 << 23
# Findings of elimination: pivots replaced; then the first columns without a pivot and with a value that is
# not finite, n for none.
REPLACED, ZERO, NOT_FINITE = range(3)


@njit
def eliminate(front, pivots, least, columns, found, together):
    """Eliminate the first `pivots` columns and rows.

    front : (f, f) float, by columns
    least : pivots below it in modulus become it, with their sign; 0 for none
    columns : (pivots,) of the prepared matrix
    found : (3,) int64, counted and lowered
    together : whether all threads work on the front
    """
    size = len(front)
    step = pivots if size <= SMALL else PANEL
    for begin in range(0, pivots, step):
        end = min(begin + step, pivots)
        inner = step if size <= SMALL else INNER
        for first in range(begin, end, inner):
            last = min(first + inner, end)
            _columns(front, first, last, least, columns, found)
            _update(front, first, last, last, end)
        if size <= SMALL:
            for c in range(end, size):
                _column(front, begin, end, c, size)
        elif together and (size - end) ** 2 * (end - begin) >= LARGE:
            _update_together(front, begin, end)
        else:
            _update(front, begin, end, end, size)


@njit(error_model="numpy")
def _columns(front, begin, end, least, columns, found):
    """Eliminate the pivots begin <= k < end in their own columns, with all rows below."""
    size = len(front)
    for k in range(begin, end):
        _column(front, begin, k, k, size)
        pivot = front[k, k]
        if abs(pivot) < least:
            pivot = -least if pivot < 0 else least
            front[k, k] = pivot
            found[REPLACED] += 1
        if pivot == 0:
            found[ZERO] = min(found[ZERO], np.int64(columns[k]))
        lower = front[k, k + 1 :]
        for r in range(np.uint64(size - k - 1)):
            lower[r] /= pivot


@njit(fastmath={"contract"})
def _column(front, begin, end, c, height):
    """Update rows begin <= r < height of column c by pivots begin <= k < end, four pivots at a time."""
    target = front[c]
    fours = end - (end - begin) % 4
    for k in range(begin, fours, 4):
        l0, l1, l2, l3 = front[k], front[k + 1], front[k + 2], front[k + 3]
        u0 = target[k]
        u1 = target[k + 1] - l0[k + 1] * u0
        u2 = target[k + 2] - l0[k + 2] * u0 - l1[k + 2] * u1
        u3 = target[k + 3] - l0[k + 3] * u0 - l1[k + 3] * u1 - l2[k + 3] * u2
        target[k + 1], target[k + 2], target[k + 3] = u1, u2, u3
        for r in range(np.uint64(k + 4), np.uint64(height)):
            target[r] = target[r] - l0[r] * u0 - l1[r] * u1 - l2[r] * u2 - l3[r] * u3
    for k in range(fours, end):
        l0, u0 = front[k], target[k]
        for r in range(np.uint64(k + 1), np.uint64(height)):
            target[r] -= l0[r] * u0


@njit
def _update(front, begin, end, first, last):
    """Update the columns first <= c < last by the pivots begin <= k < end."""
    if first < last:
        lower = _packed(front, begin, end)
        for column in range(first, last, TILE):
            _column_tile(front, lower, begin, end, column, min(column + TILE, last))


@njit(parallel=True)
def _update_together(front, begin, end):
    size = len(front)
    if end < size:
        lower = _packed(front, begin, end)
        for tile in prange((size - end + TILE - 1) // TILE):
            column = end + tile * TILE
            _column_tile(front, lower, begin, end, column, min(column + TILE, size))


@njit
def _packed(front, begin, end):
    """Return the pivots' columns below them, tile by tile: in each, its rows column after column."""
    size, width = len(front), end - begin
    lower = np.empty(width * (size - end), front.dtype)
    at = 0
    for row in range(end, size, TILE):
        height = min(TILE, size - row)
        for k in range(begin, end):
            lower[at : at + height] = front[k, row : row + height]
            at += height
    return lower


@njit
def _column_tile(front, lower, begin, end, first, last):
    """Update the columns first <= c < last: their rows of U, then all rows below these."""
    size, width = len(front), end - begin
    for c in range(first, last):
        _column(front, begin, end, c, end)
    if end == size:
        return
    upper = np.empty((last - first, width), front.dtype)
    upper[:] = front[first:last, begin:end]
    room = np.empty((last - first) * TILE, front.dtype)
    for row in range(end, size, TILE):
        height = min(TILE, size - row)
        at = (row - end) * width
        below = lower[at : at + width * height].reshape(width, height)
        product = room[: (last - first) * height].reshape(last - first, height)
        np.dot(upper, below, product)
        for c in range(last - first):
            target, less = front[first + c, row : row + height], product[c]
            for r in range(np.uint64(height)):
                target[r] -= less[r]
