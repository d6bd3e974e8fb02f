"""Gilbert and Peierls' symbolic factorisation, column by column: what GLU3.0 runs on one CPU core.

J. R. Gilbert and T. Peierls, Sparse partial pivoting in time proportional to arithmetic operations, SIAM J.
Sci. Stat. Comput. 9 (1988), without the pivoting. It shares no code with the implementations it checks.

    pattern = Pattern(np.array([0, 3, 5, 7]), np.array([0, 1, 2, 0, 1, 0, 2], np.int32))
    filled, work = gilbert_peierls(pattern)
    filled.pattern.nnz    # 9
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numba import njit

from fillpath.nouns import Counts, Filled, Pattern, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cpu.chunks import advance, append, new_chunks, release
from impl.cpu.memory import buffer, reserve


@implementation(stage="symbolic", paper="gsofa", section="2.2; GLU3.0's CPU symbolic")
def gilbert_peierls(
    pattern: Pattern, *, output: Literal["pattern", "counts"] = "pattern"
) -> tuple[Filled | Counts, Work]:
    """Find the filled pattern by unions of L's columns (sequential; the baseline of GSoFA's Figure 11).

    pattern : n x n, sorted, diagonal present
    output : "pattern", or "counts", which stores only L, and only while it runs

    Column j of F is the union of A[:, j] and of L[:, k] for every k < j in it. Returns the filled pattern
    (n x n, rows sorted) or its row counts, and the work: edges are the entries of L examined.
    """
    store_upper = output == "pattern"
    with phase("columns"):
        starts, rows = _transpose(pattern.indptr.view(np.uint64), pattern.indices.view(np.uint32))
    with phase("traverse"):
        below, pointers, above, heights, lower, upper, edges = _columns(starts, rows, store_upper)
    work = Work(edges=int(edges), fills=int(lower.sum() + upper.sum()) - pattern.nnz)
    if not store_upper:
        return Counts(lower, upper), work
    del starts, rows
    with phase("rows"):
        indptr = np.zeros(pattern.n + 1, np.int64)
        np.cumsum(lower + upper, out=indptr[1:])
        upper_start = indptr[:-1] + lower
        ends = indptr.view(np.uint64), upper_start.view(np.uint64)
        indices = _rows(below, pointers, above, heights, *ends)
    return Filled(Pattern(indptr, indices.view(np.int32)), upper_start), work


@njit(cache=True, nogil=True)
def _transpose(indptr, indices):
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
    """Return columns of F one after another, without the diagonal; the rows in a column are not sorted.

    Returns L as (rows, pointers), U as (chunks of rows, rows per column) if it is stored. Then come the row
    counts of L and U, and the number of entries of L examined. U is read only once more, so it is kept in
    chunks that `_rows` frees as it goes.
    """
    n = np.uint64(len(starts) - 1)
    one = np.uint64(1)
    found = buffer(np.uint64(2 * len(rows) + len(starts)), np.uint32)
    pointers = np.zeros(n + one, np.uint64)
    chunks = new_chunks()
    used = np.uint64(0)
    heights = np.zeros(n, np.uint32)
    lower = np.zeros(n, np.int64)
    upper = np.ones(n, np.int64)
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
            first, last = pointers[joined], pointers[np.uint64(joined) + one]
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
        for head in range(height):
            upper[above[head]] += 1
        if store_upper:
            used = append(chunks, used, above, height)
            heights[column] = height
        at = pointers[column]
        found = reserve(found, at, at + depth)
        found[at : at + depth] = below[:depth]
        for head in range(depth):
            lower[below[head]] += 1
        pointers[column + one] = at + depth
    return found, pointers, chunks, heights, lower, upper, edges


@njit(cache=True, nogil=True)
def _rows(found, pointers, chunks, heights, indptr, upper_start):
    """Return F's columns by rows, ascending: L's begin at indptr[i] in row i, U's at upper_start[i]."""
    n = np.uint64(len(heights))
    one = np.uint64(1)
    indices = np.empty(indptr[n], np.uint32)
    place = upper_start.copy()
    number, used = 0, np.uint64(0)
    for column in range(n):
        height = np.uint64(heights[column])
        number, used = advance(chunks, number, used, height)
        chunk = chunks[number]
        for p in range(used, used + height):
            row = chunk[p]
            indices[place[row]] = column
            place[row] += one
        used += height
        indices[place[column]] = column
        place[column] += one
    release(chunks, number)
    place[:] = indptr[:n]
    for column in range(n):
        for p in range(pointers[column], pointers[column + one]):
            row = found[p]
            indices[place[row]] = column
            place[row] += one
    return indices
