"""Fronts: pivots that are eliminated together, and all rows and columns that this touches.

A front's pivots are a range of labels. Its members are these and, beyond them, the rows that its last pivot's
column of the Cholesky factor of A | A^T has: one path to the root, ascending in labels and in vertices.

I. S. Duff, J. K. Reid, The multifrontal solution of indefinite sparse symmetric linear equations, ACM Trans.
Math. Softw. 9 (1983).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from fillpath.nouns import Array
from impl.symbolic.elimination_tree import FactorCounts, Tree

# Subtrees of at most so many vertices are one front.
LEAF = 32
# A front with fewer pivots takes in the parent of its last one, though it has fewer rows than that.
CHAIN = 16


class Fronts(NamedTuple):
    """m fronts in postorder.

    first : (m + 1,) int32, first pivot of each, a label, and n
    parent : (m,) int32, -1 for roots
    descendants : (m,) int32, fronts in the subtree of each, itself included: the fronts before it
    start : (m + 1,) int64, where the members of each begin
    members : (start[m],) int32, vertices: the pivots by labels, then the others ascending
    of : (n,) int32, the front whose pivot a vertex is
    """

    first: Array
    parent: Array
    descendants: Array
    start: Array
    members: Array
    of: Array

    @property
    def sizes(self) -> Array:
        """(m,) int64: members of each."""
        return np.diff(self.start)


class Segments(NamedTuple):
    """Vertices in k runs that are consecutive, and consecutive pivots of a front.

    first : (k + 1,) int32, first vertex of each, ascending, and n
    start : (n + 1,) int64, where the segments of a row begin
    reaching : (start[n],) uint32, the segments to whose front each row belongs, beyond the segment, ascending
    """

    first: Array
    start: Array
    reaching: Array


def fronts_of(tree: Tree, counts: FactorCounts, leaf: int = LEAF, chain: int = CHAIN) -> Fronts:
    """The fronts of a tree. With leaf=1 and chain=0 no member is one that a pivot of a symmetric pattern
    lacks."""
    first, parent, descendants, start, of = _amalgamated(
        tree.parent, tree.size, tree.label, counts.columns, leaf, chain
    )
    sides = 1 if tree.symmetric else 2
    members = _members(tree.rows, tree.columns, sides, tree.vertex, first, parent, start, of)
    return Fronts(first, parent, descendants, start, members, of)


def segments_of(tree: Tree, fronts: Fronts) -> Segments:
    """The segments of the fronts."""
    first = _segments(tree.label, fronts.of)
    return Segments(first, *_reaching(first, tree.label, *fronts))


@njit(cache=True, nogil=True)
def _amalgamated(parent, size, label, count, leaf, chain):
    """All of Fronts but the members."""
    n = len(parent)
    first = np.empty(n + 1, np.int32)
    front_of = np.empty(n, np.int32)
    m = 0
    place = 0
    while place < n:
        if size[place] == 1:
            top = place
            while parent[top] >= 0 and size[parent[top]] <= leaf:
                top = parent[top]
            first[m] = place
            m += 1
            front_of[place : top + 1] = m - 1
            place = top + 1
            continue
        exact = count[place - 1] == count[place] + 1
        joins = parent[place - 1] == place and (exact or place - first[m - 1] < chain)
        if not joins:
            first[m] = place
            m += 1
        front_of[place] = m - 1
        place += 1
    first[m] = n
    above = np.empty(m, np.int32)
    descendants = np.ones(m, np.int32)
    start = np.zeros(m + 1, np.int64)
    for front in range(m):
        last = first[front + 1] - 1
        above[front] = -1 if parent[last] < 0 else front_of[parent[last]]
        start[front + 1] = start[front] + (last - first[front]) + count[last]
        if above[front] >= 0:
            descendants[above[front]] += descendants[front]
    return first[: m + 1].copy(), above, descendants, start, front_of[label]


@njit(cache=True, nogil=True)
def _members(rows, columns, sides, vertex, first, parent, start, of):
    """The members, rows ascending: each row's subtree is walked once, from the entries of the row up."""
    m = len(parent)
    members = np.empty(start[m], np.int32)
    free = np.empty(m, np.int64)
    walked_by = np.full(m, -1, np.int32)
    for front in range(m):
        pivots = first[front + 1] - first[front]
        members[start[front] : start[front] + pivots] = vertex[first[front] : first[front + 1]]
        free[front] = start[front] + pivots
    for row in range(len(vertex)):
        _walk(rows, row, of, parent, walked_by, free, members)
        if sides == 2:
            _walk(columns, row, of, parent, walked_by, free, members)
    return members


@njit(inline="always")
def _walk(side, row, of, parent, walked_by, free, members):
    """Append the row to all fronts on the paths from its entries left of the diagonal to its front."""
    end = of[row]
    for p in range(side.indptr[row], side.diagonal[row]):
        front = of[side.indices[p]]
        while front != end and walked_by[front] != row:
            walked_by[front] = row
            members[free[front]] = row
            free[front] += 1
            front = parent[front]


@njit(cache=True, nogil=True)
def _segments(label, of):
    """The first vertex of each segment, and n."""
    n = len(label)
    first = np.empty(n + 1, np.int32)
    k = 0
    for vertex in range(n):
        if vertex == 0 or label[vertex] != label[vertex - 1] + 1 or of[vertex] != of[vertex - 1]:
            first[k] = vertex
            k += 1
    first[k] = n
    return first[: k + 1].copy()


@njit(cache=True, nogil=True)
def _reaching(segment_first, label, first, parent, descendants, start, members, of):
    """By rows, the segments that they lie beyond in a front: counted, then filled in the segments' order."""
    n = len(label)
    row_start = np.zeros(n + 1, np.int64)
    for segment in range(len(segment_first) - 1):
        last = segment_first[segment + 1] - 1
        front = of[last]
        for p in range(start[front] + label[last] + 1 - first[front], start[front + 1]):
            row_start[members[p] + 1] += 1
    for row in range(n):
        row_start[row + 1] += row_start[row]
    free = row_start[:n].copy()
    reaching = np.empty(row_start[n], np.uint32)
    for segment in range(len(segment_first) - 1):
        last = segment_first[segment + 1] - 1
        front = of[last]
        for p in range(start[front] + label[last] + 1 - first[front], start[front + 1]):
            row = members[p]
            reaching[free[row]] = segment
            free[row] += 1
    return row_start, reaching
