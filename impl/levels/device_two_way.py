"""What two_way.py makes, made on the device, an array at a time: NumPy can stand in for CuPy."""

from __future__ import annotations

from typing import Any

import numpy as np

from fillpath.errors import InputError
from fillpath.nouns import Array, Assembled, Filled, Levels, Pattern, Prepared, TwoWay


def by_both(filled: Filled, xp: Any) -> TwoWay:
    """F by columns too.

    filled : n x n, rows sorted, diagonal present. xp : the module of its arrays, CuPy or NumPy. Returns it
    with its columns (rows ascend in each) and with the place of each entry in them, all where F is. Takes a
    stable sort by columns, and up to 28 bytes an entry, 12 of them for what it returns.
    """
    n, indices = filled.pattern.n, filled.pattern.indices
    # Entries come row by row, which a stable sort leaves as they are within each column.
    order = xp.argsort(indices, kind="stable")
    starts = xp.searchsorted(indices[order], xp.arange(n + 1, dtype=np.int32))
    rows = _rows(filled.pattern, xp)[order]
    to_column = xp.empty(len(order), np.int64)
    to_column[order] = xp.arange(len(order), dtype=np.int64)
    columns = Pattern(starts.astype(np.int64, copy=False), rows)
    return TwoWay(filled, columns, to_column[filled.upper_start] + 1, to_column)


def assembled(prepared: Prepared, both: TwoWay, levels: Levels, xp: Any) -> Assembled:
    """The matrix's values on F by columns, 0 where it fills.

    prepared : n x n, its entries among those of F. levels : of F's columns. xp : as above, of all arrays.
    Takes up to 16 bytes an entry of F, 8 of them for the values. Raises InputError where an entry lies
    outside of F.
    """
    places, wanted = _places(both.filled.pattern, xp), _places(prepared.pattern, xp)
    # The last place of all is on the diagonal, in F: no position lies behind it.
    found = xp.searchsorted(places, wanted)
    if not bool((places[found] == wanted).all()):
        raise InputError(f"{prepared.provenance.matrix}: an entry lies outside of the filled pattern")
    values = xp.zeros(len(places), np.float64)
    values[both.to_column[found]] = prepared.values
    return Assembled(both, values, levels)


def _rows(pattern: Pattern, xp: Any) -> Array:
    """(nnz,) int32: the row of each entry. No row is empty: each has its diagonal."""
    first = xp.zeros(len(pattern.indices), np.int32)
    first[pattern.indptr[1:-1]] = 1
    rows: Array = xp.cumsum(first, dtype=np.int32)
    return rows


def _places(pattern: Pattern, xp: Any) -> Array:
    """(nnz,) int64, ascending: row n + column of each entry."""
    places: Array = _rows(pattern, xp).astype(np.int64)
    places *= pattern.n
    places += pattern.indices
    return places
