"""Separators of a pattern in the order that it has, for codes that hand subtrees to processes.

Nested dissection orders a part as two halves without an entry between them, and their separator last. Such a
division can be read off any order in one pass. The part before m and the part from m to s share no entry if
no vertex of the second has a neighbour before m.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from fillpath.errors import InputError, UnsupportedError
from fillpath.nouns import Array, Pattern


@dataclass(frozen=True, eq=False)
class SeparatorTree:
    """A complete binary tree of separators, its leaves first, its root last.

    sizes : (2 leaves,) int32, vertices of each node, then a 0
    first : (2 leaves,) int32, the first vertex of each
    """

    sizes: Array
    first: Array


def separator_tree(pattern: Pattern, leaves: int) -> SeparatorTree:
    """Return the tree of n vertices with that many leaves, with short ways from leaves to roots.

    pattern : n x n, sorted; an entry joins two vertices either way
    leaves : int, a power of two

    Each division leaves the shortest way from a leaf to the root of its part. A leaf has a vertex or more, a
    separator may have none. Raises InputError for other leaves, UnsupportedError if the order has no such
    divisions.
    """
    if leaves < 1 or leaves & (leaves - 1):
        raise InputError(f"{leaves} leaves of a separator tree: expected a power of two")
    parts = [(0, pattern.n)]
    levels: list[list[tuple[int, int]]] = []
    while len(parts) < leaves:
        divided = [_divided(pattern, begin, end, leaves // len(parts) // 2) for begin, end in parts]
        levels.insert(0, [(s, end) for (_, end), (_, s) in zip(parts, divided, strict=True)])
        parts = [
            half for (begin, _), (m, s) in zip(parts, divided, strict=True) for half in ((begin, m), (m, s))
        ]
    nodes = [*parts, *(node for level in levels for node in level), (pattern.n, pattern.n)]
    bounds = np.array(nodes, np.int32)
    return SeparatorTree(bounds[:, 1] - bounds[:, 0], bounds[:, 0].copy())


def _divided(pattern: Pattern, begin: int, end: int, least: int) -> tuple[int, int]:
    """Return (m, s): no entry joins [begin, m) and [m, s), each with at least `least` vertices."""
    m, s = _division(pattern.indptr, pattern.indices, begin, end, least)
    if m < 0:
        part = f"vertices {begin} to {end - 1} have no two parts of {least} or more that no entry joins"
        raise UnsupportedError(f"no separator tree in this order, {part}: fewer leaves may have one")
    return m, s


@njit(cache=True, nogil=True)
def _division(indptr, indices, begin, end, least):
    """Return (m, s), the longer of both halves and [s, end) together least; -1 where there is none."""
    # The lowest neighbour of each vertex in the part, either way; itself where none is below it.
    lowest = np.arange(begin, end)
    for vertex in range(begin, end):
        for place in range(indptr[vertex], indptr[vertex + 1]):
            other = np.int64(indices[place])
            if other >= end:
                break
            if other >= begin:
                above = max(vertex, other) - begin
                lowest[above] = min(lowest[above], vertex, other)
    stack = np.empty(end - begin + 1, np.int64)
    until = np.full(end - begin + 1, end)
    depth = 0
    # For each vertex m on the stack, no vertex from m to here has a neighbour before m.
    for vertex in range(begin, end):
        stack[depth] = vertex
        depth += 1
        while depth > 0 and stack[depth - 1] > lowest[vertex - begin]:
            depth -= 1
            until[stack[depth] - begin] = vertex
    best, middle, separator = end - begin + 1, -1, -1
    for m in range(begin + least, end - least + 1):
        s = until[m - begin]
        cost = max(m - begin, s - m) + end - s
        if s - m >= least and cost < best:
            best, middle, separator = cost, m, s
    return middle, separator
