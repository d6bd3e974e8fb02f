"""Gilbert and Peierls' symbolic factorisation, column by column: what GLU3.0 runs on one CPU core.

J. R. Gilbert and T. Peierls, Sparse partial pivoting in time proportional to arithmetic operations, SIAM J.
Sci. Stat. Comput. 9 (1988), without the pivoting. It shares no code with what it is held against.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numba import njit

from fillpath.nouns import Counts, Filled, Pattern, Work
from fillpath.phase import phase
from fillpath.registry import implementation


@implementation(stage="symbolic", paper="gsofa", section="2.2; GLU3.0's CPU symbolic")
def gilbert_peierls(
    pattern: Pattern, *, output: Literal["pattern", "counts"] = "pattern"
) -> tuple[Filled | Counts, Work]:
    """Fill-in by unions of columns of L (sequential; the baseline of GSoFA's Figure 11).

    pattern : n x n, sorted, diagonal present. Column j of F is A[:, j] joined with L[:, k] for every k < j in
    it. output : `counts` stores L only while it works. Returns the filled pattern (n x n, rows sorted) or its
    row counts, and the work: edges are entries of L examined.
    """
    store_upper = output == "pattern"
    with phase("columns"):
        starts, rows = _transpose(pattern.indptr.view(np.uint64), pattern.indices.view(np.uint32))
    with phase("traverse"):
        pointers, found, lower, upper, edges = _columns(starts, rows, store_upper)
    fills = int(lower.sum() + upper.sum()) - pattern.nnz
    if not store_upper:
        return Counts(lower, upper), Work(edges=int(edges), fills=fills)
    with phase("rows"):
        indptr, indices = _transpose(pointers, found)
    start_of_upper = indptr[:-1].view(np.int64) + lower
    filled = Filled(Pattern(indptr.view(np.int64), indices.view(np.int32)), start_of_upper)
    return filled, Work(edges=int(edges), fills=fills)


@njit(cache=True, nogil=True)
def _transpose(indptr, indices):
    """The pattern by columns; in each of them rows ascend, in whatever order a row's columns stand."""
    n = np.uint64(len(indptr) - 1)
    one = np.uint64(1)
    starts = np.zeros(n + one, np.uint64)
    for p in range(indptr[n]):
        starts[np.uint64(indices[p]) + one] += one
    for column in range(n):
        starts[column + one] += starts[column]
    place = starts[:n].copy()
    rows = np.empty(indptr[n], np.uint32)
    for row in range(n):
        for p in range(indptr[row], indptr[row + one]):
            column = indices[p]
            rows[place[column]] = row
            place[column] += one
    return starts, rows


@njit(cache=True, nogil=True)
def _columns(starts, rows, store_upper):
    """Columns of F one after another, as (pointers, rows); row counts of L and U; entries of L examined.

    A column's part above the diagonal stands first, but only if it is stored; its rows stand in no order.
    """
    n = np.uint64(len(starts) - 1)
    one = np.uint64(1)
    found = np.empty(2 * len(rows) + len(starts), np.uint32)
    pointers = np.zeros(n + one, np.uint64)
    start_of_lower = np.zeros(n, np.uint64)
    lower = np.zeros(n, np.int64)
    upper = np.zeros(n, np.int64)
    visited_by = np.full(n, np.uint32(0xFFFFFFFF), np.uint32)
    above = np.empty(n, np.uint32)
    below = np.empty(n, np.uint32)
    edges = np.uint64(0)
    for column in range(n):
        height = np.uint64(0)
        depth = np.uint64(0)
        for p in range(starts[column], starts[column + one]):
            row = rows[p]
            visited_by[row] = column
            if row < column:
                above[height] = row
                height += one
            elif row > column:
                below[depth] = row
                depth += one
        visited_by[column] = column
        head = np.uint64(0)
        while head < height:
            joined = above[head]
            head += one
            first, last = start_of_lower[joined], pointers[np.uint64(joined) + one]
            edges += last - first
            for p in range(first, last):
                row = found[p]
                if visited_by[row] == column:
                    continue
                visited_by[row] = column
                if row < column:
                    above[height] = row
                    height += one
                else:
                    below[depth] = row
                    depth += one
        at = pointers[column]
        needed = at + height + depth + one
        if needed > np.uint64(len(found)):
            larger = np.empty(needed + (needed >> one), np.uint32)
            larger[:at] = found[:at]
            found = larger
        if store_upper:
            found[at : at + height] = above[:height]
            found[at + height] = column
            at += height + one
        for head in range(height):
            upper[above[head]] += 1
        upper[column] += 1
        start_of_lower[column] = at
        found[at : at + depth] = below[:depth]
        for head in range(depth):
            lower[below[head]] += 1
        pointers[column + one] = at + depth
    return pointers, found[: pointers[n]], lower, upper, edges
