"""fill1: the sequential reference of Rose and Tarjan, row by row on the filled graph.

Written to be read, not to be fast. It shares no code with the implementations that are checked against it.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numba import njit

from fillpath.nouns import Counts, Filled, Pattern, Work
from fillpath.phase import phase
from fillpath.registry import implementation

# Least number of entries when an array grows: glibc returns blocks of this size to the system.
LARGE = 2**24


@implementation(stage="symbolic", paper="gsofa", section="2.2, Figure 3(a)")
def fill1(
    pattern: Pattern, *, output: Literal["pattern", "counts"] = "pattern"
) -> tuple[Filled | Counts, Work]:
    """Find the filled pattern by reach in the graph of U, row after row (sequential reference).

    pattern : n x n, sorted, diagonal present
    output : "pattern", or "counts", which stores only U, and only while it runs

    Returns the filled pattern (n x n, rows sorted) or its row counts, and the work: edges are the entries of
    U examined. Time O(edges), one visit mark per column.
    """
    with phase("traverse"):
        indptr, indices, lower, upper, edges = _fill1(pattern.indptr, pattern.indices, output == "pattern")
    work = Work(edges=edges, fills=int(lower.sum() + upper.sum()) - pattern.nnz)
    if output == "counts":
        return Counts(lower, upper), work
    return Filled(Pattern(indptr, indices), indptr[:-1] + lower), work


@njit(cache=True)
def _fill1(indptr, indices, store_lower):
    """Return rows of F, or of U only, as (indptr, indices), and the row counts of L and U."""
    n = len(indptr) - 1
    filled = np.empty(2 * len(indices) + n, np.int32)
    filled_indptr = np.zeros(n + 1, np.int64)
    upper_start = np.zeros(n, np.int64)
    lower = np.zeros(n, np.int64)
    upper = np.zeros(n, np.int64)
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
        # `row` is both queue and result: all vertices reached are in F, vertices below `source` are expanded.
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
        columns = np.sort(row[:length])
        lower[source] = np.searchsorted(columns, source)
        upper[source] = length - lower[source]
        stored = columns if store_lower else columns[lower[source] :]
        start, end = filled_indptr[source], filled_indptr[source] + len(stored)
        if end > len(filled):
            larger = np.empty(max(2 * end, LARGE), np.int32)
            larger[:start] = filled[:start]
            filled = larger
        filled[start:end] = stored
        filled_indptr[source + 1] = end
        upper_start[source] = end - upper[source]
    return filled_indptr, filled[: filled_indptr[n]], lower, upper, edges
