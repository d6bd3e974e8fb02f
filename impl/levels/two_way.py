"""F by rows and by columns, and the values on it: the input of the stages after the symbolic one."""

from __future__ import annotations

import numpy as np
from numba import njit

from fillpath.errors import InputError
from fillpath.nouns import Assembled, Filled, Levels, Pattern, Prepared, TwoWay


def by_both(filled: Filled) -> TwoWay:
    """Return F by rows and by columns (rows ascend in each), and the position of each entry in these.

    filled : n x n, rows sorted, diagonal present

    Time O(n + nnz of F), memory 12 bytes per entry.
    """
    starts, rows, lower_start, to_column = _by_columns(
        filled.pattern.indptr.view(np.uint64), filled.pattern.indices.view(np.uint32)
    )
    columns = Pattern(starts.view(np.int64), rows.view(np.int32))
    return TwoWay(filled, columns, lower_start.view(np.int64), to_column.view(np.int64))


def assembled(prepared: Prepared, both: TwoWay, levels: Levels) -> Assembled:
    """Return the matrix's values on F by columns, 0 where it fills.

    prepared : n x n, its entries among those of F
    both : F by rows and by columns
    levels : of F's columns

    Raises InputError for an entry outside of F.
    """
    rows = both.filled.pattern
    values, inside = _scattered(
        prepared.pattern.indptr.view(np.uint64),
        prepared.pattern.indices.view(np.uint32),
        prepared.values,
        rows.indptr.view(np.uint64),
        rows.indices.view(np.uint32),
        both.to_column.view(np.uint64),
    )
    if not inside:
        raise InputError(f"{prepared.provenance.matrix}: an entry lies outside of the filled pattern")
    return Assembled(both, values, levels)


@njit(cache=True, nogil=True)
def _by_columns(indptr, indices):
    """Return (starts, rows) of the columns, where their lower parts begin, and each entry's position."""
    n = np.uint64(len(indptr) - 1)
    one = np.uint64(1)
    starts = np.zeros(n + one, np.uint64)
    for p in range(indptr[n]):
        starts[np.uint64(indices[p]) + one] += one
    for column in range(n):
        starts[column + one] += starts[column]
    place = starts[:n].copy()
    rows = np.empty(indptr[n], np.uint32)
    lower_start = np.empty(n, np.uint64)
    to_column = np.empty(indptr[n], np.uint64)
    for row in range(n):
        for p in range(indptr[row], indptr[row + one]):
            column = indices[p]
            at = place[column]
            rows[at] = row
            to_column[p] = at
            place[column] = at + one
            if column == row:
                lower_start[column] = at + one
    return starts, rows, lower_start, to_column


@njit(cache=True, nogil=True)
def _scattered(indptr, indices, given, filled_indptr, filled_indices, to_column):
    """Return the given values on F by columns, and whether each of them has an entry there."""
    n = np.uint64(len(indptr) - 1)
    one = np.uint64(1)
    values = np.zeros(len(filled_indices))
    inside = True
    for row in range(n):
        at = filled_indptr[row]
        end = filled_indptr[row + one]
        for p in range(indptr[row], indptr[row + one]):
            while at < end and filled_indices[at] < indices[p]:
                at += one
            if at < end and filled_indices[at] == indices[p]:
                values[to_column[at]] = given[p]
            else:
                inside = False
    return values, inside
