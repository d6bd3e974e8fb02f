"""Passes over the rows of a matrix, each linear in its entries."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from fillpath.nouns import Array

# Rows of at most SHORT entries are sorted by insertion.
SHORT = 48


class Rows(NamedTuple):
    """A square matrix by rows.

    indptr : (n + 1,) int64
    indices : (nnz,) int32, ascending in each row
    values : (nnz,) float64
    """

    indptr: Array
    indices: Array
    values: Array

    @property
    def n(self) -> int:
        return len(self.indptr) - 1

    def of_entries(self) -> Array:
        """Return (nnz,) int32, the row of each entry."""
        return np.repeat(np.arange(self.n, dtype=np.int32), np.diff(self.indptr))


@njit(cache=True, nogil=True)
def mirrored(rows):
    """Return whether each entry has a mirror, and whether each mirror has the same value."""
    indptr, indices, values = rows
    n = len(indptr) - 1
    # The row in which each column's next lower entry must have its mirror.
    expected = np.empty(n, np.int64)
    same = True
    for row in range(n):
        p = indptr[row]
        while p < indptr[row + 1] and indices[p] < row:
            at = expected[indices[p]]
            if at >= indptr[indices[p] + 1] or indices[at] != row:
                return False, False
            same &= values[at] == values[p]
            expected[indices[p]] = at + 1
            p += 1
        if p < indptr[row + 1] and indices[p] == row:
            p += 1
        expected[row] = p
    for row in range(n):
        if expected[row] != indptr[row + 1]:
            return False, False
    return True, same


@njit(cache=True, nogil=True)
def completed(rows, order, row_scale, column_scale):
    """Return the rows in an order, scaled, with zeros where the diagonal has holes.

    order : (n,) int32, the old row of each new one
    row_scale, column_scale : (n,) float64, by old index
    """
    indptr, indices, values = rows
    n = len(order)
    starts = np.zeros(n + 1, np.int64)
    for row in range(n):
        old, has_diagonal = order[row], 0
        for p in range(indptr[old], indptr[old + 1]):
            has_diagonal |= indices[p] == row
        starts[row + 1] = starts[row] + indptr[old + 1] - indptr[old] + 1 - has_diagonal
    columns, scaled = np.empty(starts[n], np.int32), np.empty(starts[n])
    for row in range(n):
        old, at, is_open = order[row], starts[row], True
        for p in range(indptr[old], indptr[old + 1]):
            column = indices[p]
            if is_open and column >= row:
                is_open = False
                if column > row:
                    columns[at], scaled[at] = row, 0.0
                    at += 1
            columns[at], scaled[at] = column, row_scale[old] * values[p] * column_scale[column]
            at += 1
        if is_open:
            columns[at], scaled[at] = row, 0.0
    return starts, columns, scaled


@njit(cache=True, nogil=True)
def without_diagonal(rows):
    """Return (indptr, indices) without the diagonal, which is full."""
    indptr, indices, _ = rows
    n = len(indptr) - 1
    kept, at = np.empty(indptr[n] - n, np.int32), 0
    for row in range(n):
        for p in range(indptr[row], indptr[row + 1]):
            if indices[p] != row:
                kept[at] = indices[p]
                at += 1
    return indptr - np.arange(n + 1), kept


@njit(cache=True, nogil=True)
def permuted(rows, order):
    """Return the rows, and columns, in an order: (n,) int32, new position -> old index."""
    indptr, indices, values = rows
    n = len(order)
    place = np.empty(n, np.int32)
    starts = np.zeros(n + 1, np.int64)
    for row in range(n):
        place[order[row]] = row
        starts[row + 1] = starts[row] + indptr[order[row] + 1] - indptr[order[row]]
    columns, moved = np.empty(starts[n], np.int32), np.empty(starts[n])
    for row in range(n):
        first, last, begin = indptr[order[row]], indptr[order[row] + 1], starts[row]
        if last - first > SHORT:
            new = place[indices[first:last]]
            by_column = np.argsort(new)
            columns[begin : starts[row + 1]] = new[by_column]
            moved[begin : starts[row + 1]] = values[first:last][by_column]
            continue
        for p in range(first, last):
            column, at = place[indices[p]], begin + p - first
            while at > begin and columns[at - 1] > column:
                columns[at], moved[at] = columns[at - 1], moved[at - 1]
                at -= 1
            columns[at], moved[at] = column, values[p]
    return starts, columns, moved
