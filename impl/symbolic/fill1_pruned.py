"""fill1 with Eisenstat and Liu's symmetric pruning, as a good sequential code does it.

S. C. Eisenstat and J. W. H. Liu, Exploiting structural symmetry in a sparse partial pivoting code, SIAM J.
Sci. Comput. 14 (1993). Once row i has L[i,k] != 0 and U[k,i] != 0, every column of U[k,:] past i is in U[i,:]
too. So later rows need to follow U[k,:] only up to i.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numba import njit

from fillpath.nouns import Counts, Filled, Pattern, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cpu.bitset import contains, drain, empty_set, insert
from impl.cpu.memory import buffer, reserve


@implementation(stage="symbolic", paper="gsofa", section="2.2, with symmetric pruning")
def fill1_pruned(
    pattern: Pattern, *, output: Literal["pattern", "counts"] = "pattern"
) -> tuple[Filled | Counts, Work]:
    """Find the filled pattern by reach in the symmetrically pruned graph of U (sequential).

    pattern : n x n, sorted, diagonal present
    output : "pattern", or "counts", which stores only U, and only while it runs

    Returns the filled pattern (n x n, rows sorted) or its row counts, and the work. Its edges are the
    examined entries of the pruned U, fewer than F has if the pattern is structurally symmetric.
    """
    with phase("traverse"):
        indptr, indices, lower, upper, edges = _fill1_pruned(
            pattern.indptr.view(np.uint64), pattern.indices.view(np.uint32), output == "pattern"
        )
    work = Work(edges=int(edges), fills=int(lower.sum() + upper.sum()) - pattern.nnz)
    if output == "counts":
        return Counts(lower, upper), work
    rows = Pattern(indptr.view(np.int64), indices.view(np.int32))
    return Filled(rows, rows.indptr[:-1] + lower), work


@njit(cache=True, nogil=True)
def _fill1_pruned(indptr, indices, store_lower):
    """Return rows of F, or of U only, as (indptr, indices), and the row counts of L and U."""
    n = np.uint64(len(indptr) - 1)
    one = np.uint64(1)
    filled = buffer(np.uint64(4 * len(indices)), np.uint32)
    filled_indptr = np.zeros(n + one, np.uint64)
    upper_start = np.zeros(n, np.uint64)
    lower = np.zeros(n, np.int64)
    upper = np.zeros(n, np.int64)
    # Row k is followed over filled[upper_start[k] + 1 : stop[k]]. candidate[k] is the position of the first
    # column that may still prune row k.
    stop = np.zeros(n, np.uint64)
    candidate = np.zeros(n, np.uint64)
    pruned = np.zeros(n, np.bool_)
    words, summary = empty_set(np.int64(n))
    queue = np.empty(n, np.uint32)
    edges = np.uint64(0)
    for source in range(n):
        length = np.uint64(0)
        for p in range(indptr[source], indptr[source + one]):
            column = np.uint64(indices[p])
            insert(words, summary, column)
            if column < source:
                queue[length] = column
                length += one
        head = np.uint64(0)
        while head < length:
            vertex = queue[head]
            head += one
            first = upper_start[vertex] + one
            edges += stop[vertex] - first
            for p in range(first, stop[vertex]):
                column = np.uint64(filled[p])
                if not contains(words, column):
                    insert(words, summary, column)
                    if column < source:
                        queue[length] = column
                        length += one
        start = filled_indptr[source]
        filled = reserve(filled, start, start + n)
        end = drain(words, summary, filled, start)
        lower[source] = length
        upper[source] = end - start - length
        first = start + length
        if not store_lower:
            for p in range(first, end):
                filled[p - length] = filled[p]
            first = start
            end -= length
        filled_indptr[source + one] = end
        upper_start[source] = first
        stop[source] = end
        candidate[source] = first + one
        for head in range(length):
            vertex = queue[head]
            if pruned[vertex]:
                continue
            p = candidate[vertex]
            while p < stop[vertex] and filled[p] < source:
                p += one
            candidate[vertex] = p
            if p < stop[vertex] and filled[p] == source:
                stop[vertex] = p + one
                pruned[vertex] = True
    return filled_indptr, filled[: filled_indptr[n]], lower, upper, edges
