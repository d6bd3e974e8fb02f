"""Symbolic factorisation with one list of subscripts per supernode, as a good sequential code does it.

Rows of U and columns of L are formed together and symmetrically reduced (`supernodal_factor_cpu.py`, where
the sources are). Counts follow from the lists by arithmetic. A row of F has ranges of columns, then a list's
end.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numba import njit

from fillpath.nouns import Counts, Filled, Pattern, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cpu.bitset import ONE
from impl.cpu.memory import buffer, forget
from impl.symbolic.supernodal_factor_cpu import lower_columns, supernodal_factor


@implementation(stage="symbolic", paper="")
def fill1_supernodal(
    pattern: Pattern, *, output: Literal["pattern", "counts"] = "pattern"
) -> tuple[Filled | Counts, Work]:
    """Find the filled pattern by supernodes of U's rows and L's columns, reduced (sequential).

    pattern : n x n, sorted, diagonal present
    output : "pattern", or "counts", which forms no row of F

    Returns the filled pattern (n x n, rows sorted) or its row counts, and the work: edges are the entries of
    supernodes' lists that are examined.
    """
    n = pattern.n
    with phase("columns"):
        indptr, indices = pattern.indptr.view(np.uint64), pattern.indices.view(np.uint32)
        columns = lower_columns(indptr, indices)
    with phase("supernodes"):
        lists, right, below, edges = supernodal_factor(indptr, indices, *columns)
        del columns
    with phase("counts"):
        counts = Counts(_lower(lists, below, n), _upper(right, n))
    work = Work(edges=int(edges), fills=counts.nnz - pattern.nnz)
    if output == "counts":
        return counts, work
    with phase("rows"):
        segments = _segments(lists, below, n)
        # L's lists may be as long as L, and the segments hold their content.
        _keep(lists, right)
        indptr = np.zeros(n + 1, np.int64)
        np.cumsum(counts.lower + counts.upper, out=indptr[1:])
        indices = np.empty(indptr[-1], np.int32)
        _rows(lists, right, below.first, segments, indptr.view(np.uint64), indices.view(np.uint32))
    return Filled(Pattern(indptr, indices), indptr[:-1] + counts.lower), work


@njit(cache=True, nogil=True)
def _upper(right, n):
    counts = np.empty(n, np.int64)
    for supernode in range(np.uint64(len(right.start))):
        first = np.uint64(right.first[supernode])
        for row in range(first, right.first[supernode + ONE]):
            counts[row] = right.end[supernode] - right.start[supernode] - (row - first)
    return counts


@njit(cache=True, nogil=True)
def _lower(lists, below, n):
    """Return (n,) int64: entries of L in each row, off the diagonal."""
    counts = np.zeros(n, np.int64)
    for supernode in range(np.uint64(len(below.start))):
        first = np.uint64(below.first[supernode])
        width = below.first[supernode + ONE] - first
        for place in range(width):
            counts[first + place] += place
        for p in range(below.start[supernode] + width, below.end[supernode]):
            counts[lists[p]] += width
    return counts


@njit(cache=True, nogil=True)
def _segments(lists, below, n):
    """Return L's supernodes with entries in each row but its own: (starts by row, supernodes ascending)."""
    count = np.uint64(len(below.start))
    starts = np.zeros(n + 1, np.uint64)
    for supernode in range(count):
        width = below.first[supernode + ONE] - below.first[supernode]
        for p in range(below.start[supernode] + width, below.end[supernode]):
            starts[lists[p]] += ONE
    for row in range(np.uint64(n)):
        starts[row + ONE] += starts[row]
    reaching = buffer(starts[np.uint64(n)], np.uint32)
    for later in range(count):
        supernode = count - ONE - later
        width = below.first[supernode + ONE] - below.first[supernode]
        for p in range(below.start[supernode] + width, below.end[supernode]):
            starts[lists[p]] -= ONE
            reaching[starts[lists[p]]] = supernode
    return starts, reaching


@njit(cache=True, nogil=True)
def _keep(lists, right):
    """Move these supernodes' lists to the front, and free the memory of all others."""
    used = np.uint64(0)
    for supernode in range(np.uint64(len(right.start))):
        begin = used
        for p in range(right.start[supernode], right.end[supernode]):
            lists[used] = lists[p]
            used += ONE
        right.start[supernode], right.end[supernode] = begin, used
    forget(lists[used:])


@njit(cache=True, nogil=True)
def _rows(lists, right, first, segments, indptr, indices):
    """Write each row: the supernodes of L that reach it, its own part of L, the rest of its list of U."""
    starts, reaching = segments
    own = np.uint64(0)
    current = np.uint64(0)
    for row in range(np.uint64(len(indptr) - 1)):
        own += np.uint64(first[own + ONE] == row)
        current += np.uint64(right.first[current + ONE] == row)
        at = indptr[row]
        for p in range(starts[row], starts[row + ONE]):
            supernode = reaching[p]
            for column in range(first[supernode], first[supernode + ONE]):
                indices[at] = column
                at += ONE
        for column in range(first[own], row):
            indices[at] = column
            at += ONE
        for p in range(right.start[current] + row - right.first[current], right.end[current]):
            indices[at] = lists[p]
            at += ONE
