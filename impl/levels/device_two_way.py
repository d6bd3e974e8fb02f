"""The functions of two_way.py on the device, with array operations only: NumPy can replace CuPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from fillpath.errors import InputError
from fillpath.nouns import Array, Assembled, Filled, Levels, Pattern, Prepared, TwoWay


def by_both(filled: Filled, xp: Any) -> TwoWay:
    """Return F by rows and by columns.

    filled : n x n, rows sorted, diagonal present
    xp : module of its arrays, CuPy or NumPy

    Returns F with its columns (rows ascend in each) and with the position of each entry in them, where F is.
    Takes a stable sort by columns and up to 28 bytes per entry, of which 12 are returned.
    """
    n, indices = filled.pattern.n, filled.pattern.indices
    # Entries come row by row, and a stable sort keeps that order within each column.
    order = xp.argsort(indices, kind="stable")
    starts = xp.searchsorted(indices[order], xp.arange(n + 1, dtype=np.int32))
    rows = _rows(filled.pattern, xp)[order]
    to_column = xp.empty(len(order), np.int64)
    to_column[order] = xp.arange(len(order), dtype=np.int64)
    columns = Pattern(starts.astype(np.int64, copy=False), rows)
    return TwoWay(filled, columns, to_column[filled.upper_start] + 1, to_column)


def assembled(prepared: Prepared, both: TwoWay, levels: Levels, xp: Any) -> Assembled:
    """Return the matrix's values on F by columns, 0 where it fills.

    prepared : n x n, its entries among those of F
    levels : of F's columns
    xp : the module of all arrays, CuPy or NumPy

    Takes up to 16 bytes per entry of F, 8 for the values. Raises InputError for an entry outside of F.
    """
    places, wanted = _places(both.filled.pattern, xp), _places(prepared.pattern, xp)
    # The last position of F is on the diagonal, so every search ends within F.
    found = xp.searchsorted(places, wanted)
    if not bool((places[found] == wanted).all()):
        raise InputError(f"{prepared.provenance.matrix}: an entry lies outside of the filled pattern")
    values = xp.zeros(len(places), np.float64)
    values[both.to_column[found]] = prepared.values
    return Assembled(both, values, levels)


def _rows(pattern: Pattern, xp: Any) -> Array:
    """Return (nnz,) int32: the row of each entry. No row is empty: each has its diagonal."""
    first = xp.zeros(len(pattern.indices), np.int32)
    first[pattern.indptr[1:-1]] = 1
    rows: Array = xp.cumsum(first, dtype=np.int32)
    return rows


def _places(pattern: Pattern, xp: Any) -> Array:
    """Return (nnz,) int64, ascending: row n + column of each entry."""
    places: Array = _rows(pattern, xp).astype(np.int64)
    places *= pattern.n
    places += pattern.indices
    return places
