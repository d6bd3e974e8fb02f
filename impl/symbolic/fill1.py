"""fill1: the sequential reference of Rose and Tarjan, row by row on the filled graph.

Written to be read, not to be fast: it shares no code with the implementations that it is held against.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fillpath.nouns import Filled, Pattern, Work
from fillpath.phase import phase
from fillpath.registry import implementation


@implementation(stage="symbolic", paper="gsofa", section="2.2, Figure 3(a)")
def fill1(pattern: Pattern) -> tuple[Filled, Work]:
    """Fill-in by reach in the graph of U, one row after the other (sequential reference).

    pattern : n x n, sorted, diagonal present. Returns the filled pattern (n x n, rows sorted) and the work:
    edges are entries of U examined. Time O(edges), one visit mark a column.
    """
    with phase("traverse"):
        indptr, indices, upper_start, edges = _fill1(pattern.indptr, pattern.indices)
    filled = Filled(Pattern(indptr, indices), upper_start)
    return filled, Work(edges=edges, fills=filled.pattern.nnz - pattern.nnz)


@njit(cache=True)
def _fill1(indptr, indices):
    n = len(indptr) - 1
    filled = np.empty(2 * len(indices) + n, np.int32)
    filled_indptr = np.zeros(n + 1, np.int64)
    upper_start = np.zeros(n, np.int64)
    visited_by = np.full(n, -1, np.int64)
    row = np.empty(n, np.int32)
    edges = 0
    for source in range(n):
        length = 0
        for p in range(indptr[source], indptr[source + 1]):
            row[length] = indices[p]
            visited_by[indices[p]] = source
            length += 1
        head = 0
        # `row` is the queue and the answer at once: what is reached is in F, what is below `source` goes on.
        while head < length:
            vertex = row[head]
            head += 1
            if vertex >= source:
                continue
            for p in range(upper_start[vertex], filled_indptr[vertex + 1]):
                neighbour = filled[p]
                edges += 1
                if visited_by[neighbour] != source:
                    visited_by[neighbour] = source
                    row[length] = neighbour
                    length += 1
        start = filled_indptr[source]
        if start + length > len(filled):
            larger = np.empty(2 * (start + length), np.int32)
            larger[:start] = filled[:start]
            filled = larger
        columns = np.sort(row[:length])
        filled[start : start + length] = columns
        filled_indptr[source + 1] = start + length
        upper_start[source] = start + np.searchsorted(columns, source)
    return filled_indptr, filled[: filled_indptr[n]].copy(), upper_start, edges
