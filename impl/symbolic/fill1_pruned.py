"""fill1 with Eisenstat and Liu's symmetric pruning: what a good sequential code does.

S. C. Eisenstat and J. W. H. Liu, Exploiting structural symmetry in a sparse partial pivoting code, SIAM J.
Sci. Comput. 14 (1993). Once row i has L[i,k] != 0 and U[k,i] != 0, every column of U[k,:] past i stands in
U[i,:] too, so that later rows need to follow U[k,:] only up to i.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fillpath.nouns import Filled, Pattern, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cpu.bitset import contains, drain, empty_set, insert, reserve, size


@implementation(stage="symbolic", paper="gsofa", section="2.2, with symmetric pruning")
def fill1_pruned(pattern: Pattern) -> tuple[Filled, Work]:
    """Fill-in by reach in the symmetrically pruned graph of U (sequential).

    pattern : n x n, sorted, diagonal present. Returns the filled pattern (n x n, rows sorted) and the work:
    edges are entries of the pruned U examined, about 1.5 a filled entry on structurally symmetric input.
    """
    with phase("traverse"):
        indptr, indices, upper_start, edges = _fill1_pruned(
            pattern.indptr.view(np.uint64), pattern.indices.view(np.uint32)
        )
    filled = Filled(Pattern(indptr.view(np.int64), indices.view(np.int32)), upper_start.view(np.int64))
    return filled, Work(edges=int(edges), fills=filled.pattern.nnz - pattern.nnz)


@njit(cache=True, nogil=True)
def _fill1_pruned(indptr, indices):
    n = np.uint64(len(indptr) - 1)
    one = np.uint64(1)
    filled = np.empty(4 * len(indices), np.uint32)
    filled_indptr = np.zeros(n + one, np.uint64)
    upper_start = np.zeros(n, np.uint64)
    # Row k is followed over filled[upper_start[k] + 1 : stop[k]]; candidate[k] is the position of its first
    # column not yet ruled out as the one that prunes it.
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
        filled = reserve(filled, start, start + size(words, summary))
        end = drain(words, summary, filled, start)
        filled_indptr[source + one] = end
        upper_start[source] = start + length
        stop[source] = end
        candidate[source] = start + length + one
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
    return filled_indptr, filled[: filled_indptr[n]].copy(), upper_start, edges
