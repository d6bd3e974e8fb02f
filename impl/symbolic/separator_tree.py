"""Separators of a pattern in the order that it has, for codes that hand subtrees to processes.

Nested dissection orders a graph so that a part is two halves, without an entry between them, and their
separator behind both. Such a division can be read off any order in one pass: the part before m and the part
from m to s share no entry where no vertex of the second has a neighbour before m.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.sparse import csr_array

from fillpath.errors import InputError
from fillpath.nouns import Array, Pattern


@dataclass(frozen=True, eq=False)
class SeparatorTree:
    """A complete binary tree of separators, its leaves first, its root last.

    sizes : (2 leaves,) int32, vertices of each node, 0 in the last place, which is no node
    first : (2 leaves,) int32, the first vertex of each
    """

    sizes: Array
    first: Array


def separator_tree(both: Pattern, leaves: int) -> SeparatorTree:
    """The tree of n vertices with that many leaves, each division the one that leaves the shortest way from a
    leaf to the root of its part.

    both : n x n, of A + A^T, sorted
    leaves : a power of two

    Raises InputError for another number.
    """
    if leaves < 1 or leaves & (leaves - 1):
        raise InputError(f"{leaves} leaves: expected a power of two")
    parts = [(0, both.n)]
    levels: list[list[tuple[int, int]]] = []
    while len(parts) < leaves:
        divided = [(begin, end, *_division(both.indptr, both.indices, begin, end)) for begin, end in parts]
        levels.insert(0, [(separator, end) for _, end, _, separator in divided])
        parts = [half for begin, _, m, s in divided for half in ((begin, m), (m, s))]
    nodes = [*parts, *(node for level in levels for node in level), (both.n, both.n)]
    bounds = np.array(nodes, np.int32)
    return SeparatorTree(bounds[:, 1] - bounds[:, 0], bounds[:, 0].copy())


def both_ways(pattern: Pattern) -> Pattern:
    """The pattern of A + A^T, sorted."""
    matrix = csr_array(
        (np.ones(pattern.nnz, np.int8), pattern.indices, pattern.indptr), shape=(pattern.n,) * 2
    )
    both = csr_array(matrix + matrix.T)
    both.sort_indices()
    return Pattern(both.indptr.astype(np.int64), both.indices.astype(np.int32))


@njit(cache=True, nogil=True)
def _division(indptr, indices, begin, end):
    """(m, s): no entry joins [begin, m) and [m, s), the longer of the two and [s, end) together least."""
    stack = np.empty(end - begin + 1, np.int64)
    least = np.empty(end - begin + 1, np.int64)
    depth = 0
    best, middle, separator = 2 * (end - begin) + 1, end, end
    # Of the vertices m on the stack, no vertex from m to here has a neighbour before m.
    for vertex in range(begin, end):
        lowest = vertex
        for place in range(indptr[vertex], indptr[vertex + 1]):
            if begin <= indices[place] < lowest:
                lowest = indices[place]
                break
        stack[depth] = vertex
        depth += 1
        least[vertex - begin] = end
        while depth > 0 and stack[depth - 1] > lowest:
            depth -= 1
            least[stack[depth] - begin] = vertex
    for m in range(begin, end):
        s = least[m - begin]
        cost = max(m - begin, s - m) + end - s
        if cost < best:
            best, middle, separator = cost, m, s
    return middle, separator
