"""Fronts: pivots that are eliminated together, and all rows and columns that this touches.

A front's pivots are a range of labels. Its other members are the rows of its last pivot's column in the
Cholesky factor of A | A^T. These rows are on one path to the root, so labels and vertices ascend.

I. S. Duff, J. K. Reid, The multifrontal solution of indefinite sparse symmetric linear equations, ACM Trans.
Math. Softw. 9 (1983).

    tree = elimination_tree(Pattern(np.array([0, 2, 4, 7]), np.array([0, 2, 1, 2, 0, 1, 2], np.int32)))
    fronts = fronts_of(tree, factor_counts(tree), leaf=1, chain=0)
    fronts.first, fronts.sizes    # [0, 1, 3], [2, 2]
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from fillpath.nouns import Array
from impl.symbolic.elimination_tree import NONE, ONE, Tree
from impl.symbolic.factor_counts_cpu import FactorCounts

# Subtrees of at most LEAF vertices are one front.
LEAF = 32
# A front with fewer pivots is merged with the parent of its last pivot, even if that adds rows.
CHAIN = 16


class Fronts(NamedTuple):
    """m fronts in postorder.

    first : (m + 1,) uint32, first pivot of each, a label, and n
    parent : (m,) uint32, NONE for roots
    descendants : (m,) uint32, fronts in the subtree of each: itself and the fronts just before it
    start : (m + 1,) uint64, where the members of each begin
    members : (start[m],) uint32, vertices: the pivots by labels, then the others ascending
    of : (n,) uint32, the front whose pivot a vertex is
    """

    first: Array
    parent: Array
    descendants: Array
    start: Array
    members: Array
    of: Array

    @property
    def sizes(self) -> Array:
        """Return (m,) uint64: members of each."""
        return np.diff(self.start)


class Segments(NamedTuple):
    """The vertices as k runs of consecutive vertices that are consecutive pivots of one front.

    first : (k + 1,) uint32, first vertex of each, ascending, and n
    start : (n + 1,) uint64, where the segments of a row begin
    reaching : (start[n],) uint32, ascending segments before each row whose front has the row as a member
    """

    first: Array
    start: Array
    reaching: Array


def fronts_of(tree: Tree, counts: FactorCounts, leaf: int = LEAF, chain: int = CHAIN) -> Fronts:
    """Return the fronts of a tree.

    With leaf=1 and chain=0 no front has a member that one of its pivots lacks in the Cholesky factor.
    """
    first, parent, descendants, start, of = _amalgamated(
        tree.parent, tree.size, tree.label, counts.columns.view(np.uint64), leaf, chain
    )
    members = _members(tree.both, tree.vertex, first, parent, start, of)
    return Fronts(first, parent, descendants, start, members, of)


def segments_of(tree: Tree, fronts: Fronts) -> Segments:
    """Return the segments of the fronts."""
    first = _segments(tree.label, fronts.of)
    return Segments(first, *_reaching(first, tree.label, *fronts))


@njit(cache=True, nogil=True)
def _amalgamated(parent, size, label, count, leaf, chain):
    n = np.uint64(len(parent))
    first = np.empty(n + ONE, np.uint32)
    front_of = np.empty(n, np.uint32)
    m = np.uint64(0)
    place = np.uint64(0)
    while place < n:
        top = place
        if size[place] == ONE:
            while parent[top] != NONE and size[parent[top]] <= leaf:
                top = np.uint64(parent[top])
        joins = size[place] > ONE and parent[place - ONE] == place
        if joins and count[place - ONE] != count[place] + ONE:
            joins = place - first[m - ONE] < chain
        if not joins:
            first[m] = place
            m += ONE
        front_of[place : top + ONE] = m - ONE
        place = top + ONE
    first[m] = n
    above = np.empty(m, np.uint32)
    descendants = np.ones(m, np.uint32)
    start = np.zeros(m + ONE, np.uint64)
    for front in range(m):
        last = first[front + ONE] - ONE
        start[front + ONE] = start[front] + (last - first[front]) + count[last]
        above[front] = NONE
        if parent[last] != NONE:
            above[front] = front_of[parent[last]]
            descendants[above[front]] += descendants[front]
    return first[: m + ONE].copy(), above, descendants, start, front_of[label]


@njit(cache=True, nogil=True)
def _members(both, vertex, first, parent, start, of):
    """Return the members, ascending: each row's subtree is walked once, from the row's entries up."""
    m = np.uint64(len(parent))
    members = np.empty(start[m], np.uint32)
    free = np.empty(m, np.uint64)
    walked_by = np.full(m, NONE, np.uint32)
    for front in range(m):
        pivots = vertex[first[front] : first[front + ONE]]
        free[front] = start[front] + np.uint64(len(pivots))
        members[start[front] : free[front]] = pivots
    for row in range(np.uint64(len(vertex))):
        for p in range(both.indptr[row], both.diagonal[row]):
            front = of[both.indices[p]]
            while front != of[row] and walked_by[front] != row:
                walked_by[front] = row
                members[free[front]] = row
                free[front] += ONE
                front = parent[front]
    return members


@njit(cache=True, nogil=True)
def _segments(label, of):
    n = np.uint64(len(label))
    first = np.empty(n + ONE, np.uint32)
    k = np.uint64(0)
    for vertex in range(n):
        before = vertex - ONE
        if vertex == 0 or label[vertex] != label[before] + ONE or of[vertex] != of[before]:
            first[k] = vertex
            k += ONE
    first[k] = n
    return first[: k + ONE].copy()


@njit(cache=True, nogil=True)
def _reaching(segment_first, label, first, parent, descendants, start, members, of):
    """Return `start` and `reaching` of Segments: counted, then filled in order."""
    n = np.uint64(len(label))
    row_start = np.zeros(n + ONE, np.uint64)
    segments = np.uint64(len(segment_first) - 1)
    for segment in range(segments):
        last = segment_first[segment + ONE] - ONE
        front = of[last]
        for p in range(start[front] + label[last] + ONE - first[front], start[front + ONE]):
            row_start[members[p] + ONE] += ONE
    for row in range(n):
        row_start[row + ONE] += row_start[row]
    free = row_start[:n].copy()
    reaching = np.empty(row_start[n], np.uint32)
    for segment in range(segments):
        last = segment_first[segment + ONE] - ONE
        front = of[last]
        for p in range(start[front] + label[last] + ONE - first[front], start[front + ONE]):
            row = members[p]
            reaching[free[row]] = segment
            free[row] += ONE
    return row_start, reaching
