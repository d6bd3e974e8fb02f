"""The elimination tree of A | A^T, postordered.

Vertex j's parent is the first row below j in column j of the Cholesky factor of A | A^T. Vertices keep the
numbers of A; a label is a vertex's place in a postorder of the tree. So a subtree is a range of labels that
ends with its root. A path to the root ascends both in labels and in vertices.

J. W. H. Liu, The role of elimination trees in sparse factorization, SIAM J. Matrix Anal. Appl. 11 (1990).

    tree = elimination_tree(Pattern(np.array([0, 2, 4, 7]), np.array([0, 2, 1, 2, 0, 1, 2], np.int32)))
    tree.parent, tree.label    # [2, 2, NONE], [0, 1, 2]
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from fillpath.nouns import Array, Pattern

ONE = np.uint64(1)
# The parent of a root.
NONE = np.uint32(0xFFFFFFFF)


class Rows(NamedTuple):
    """A pattern of which the diagonal is located.

    indptr : (n + 1,) uint64
    indices : (nnz,) uint32, ascending in each row
    diagonal : (n,) uint64, the position of each row's diagonal entry
    """

    indptr: Array
    indices: Array
    diagonal: Array


class Tree(NamedTuple):
    """The elimination tree, by labels, and the pattern that it is of.

    rows, columns, both : A by rows, A by columns, and A | A^T: one and the same if A is symmetric
    parent : (n,) uint32, NONE for roots
    size : (n,) uint32, labels in each subtree
    label : (n,) uint32, of each vertex
    vertex : (n,) uint32, of each label
    """

    rows: Rows
    columns: Rows
    both: Rows
    parent: Array
    size: Array
    label: Array
    vertex: Array


def elimination_tree(pattern: Pattern) -> Tree:
    """Return the tree of a pattern that is sorted and has its diagonal."""
    tree = symmetric_tree(pattern)
    if tree is not None:
        return tree
    indptr, indices = pattern.indptr.view(np.uint64), pattern.indices.view(np.uint32)
    rows = Rows(indptr, indices, _diagonal(indptr, indices))
    columns = Rows(*_transposed(indptr, indices))
    indptr, indices = _joined(rows, columns)
    _, parents, diagonal = _symmetric_tree(indptr, indices)
    return Tree(rows, columns, Rows(indptr, indices, diagonal), *_postorder(parents))


def symmetric_tree(pattern: Pattern) -> Tree | None:
    """Return the tree of a structurally symmetric pattern; None as soon as an entry has no mirror."""
    indptr, indices = pattern.indptr.view(np.uint64), pattern.indices.view(np.uint32)
    symmetric, parents, diagonal = _symmetric_tree(indptr, indices)
    if not symmetric:
        return None
    rows = Rows(indptr, indices, diagonal)
    return Tree(rows, rows, rows, *_postorder(parents))


# Some loops are nested rather than called: a call counts references to each array, which takes longer.


@njit(cache=True, nogil=True)
def _symmetric_tree(indptr, indices):
    """Return whether the pattern is symmetric, then each vertex's parent, and the diagonal's positions."""
    n = np.uint64(len(indptr) - 1)
    parents = np.full(n, NONE, np.uint32)
    ancestor = np.full(n, NONE, np.uint32)
    diagonal = np.empty(n, np.uint64)
    # The row in which each column's next lower entry must have its mirror.
    mirror = np.empty(n, np.uint64)
    for number in range(n):
        row = np.uint32(number)
        p = indptr[row]
        while indices[p] < row:
            vertex = indices[p]
            at = mirror[vertex]
            if indices[at] != row or at >= indptr[vertex + ONE]:
                return False, parents, diagonal
            mirror[vertex] = at + ONE
            above = ancestor[vertex]
            while above != row and above != NONE:
                ancestor[vertex] = row
                vertex = above
                above = ancestor[vertex]
            if above == NONE:
                ancestor[vertex] = row
                parents[vertex] = row
            p += ONE
        diagonal[row] = p
        mirror[row] = p + ONE
    for number in range(n):
        if mirror[number] != indptr[number + ONE]:
            return False, parents, diagonal
    return True, parents, diagonal


@njit(cache=True, nogil=True)
def _diagonal(indptr, indices):
    n = np.uint64(len(indptr) - 1)
    diagonal = np.empty(n, np.uint64)
    for row in range(n):
        p = indptr[row]
        while indices[p] != row:
            p += ONE
        diagonal[row] = p
    return diagonal


@njit(cache=True, nogil=True)
def _joined(rows, columns):
    """Return (indptr, indices) of A | A^T: rows merged with columns."""
    n = np.uint64(len(rows.diagonal))
    indptr = np.zeros(n + ONE, np.uint64)
    indices = np.empty(2 * len(rows.indices), np.uint32)
    at = np.uint64(0)
    for row in range(n):
        p, p_end = rows.indptr[row], rows.indptr[row + ONE]
        q, q_end = columns.indptr[row], columns.indptr[row + ONE]
        while p < p_end or q < q_end:
            left = rows.indices[p] if p < p_end else NONE
            right = columns.indices[q] if q < q_end else NONE
            indices[at] = min(left, right)
            at += ONE
            p += np.uint64(left <= right)
            q += np.uint64(right <= left)
        indptr[row + ONE] = at
    return indptr, indices[:at].copy()


@njit(cache=True, nogil=True)
def _transposed(indptr, indices):
    n = np.uint64(len(indptr) - 1)
    starts = np.zeros(n + ONE, np.uint64)
    for p in range(np.uint64(len(indices))):
        starts[indices[p] + ONE] += ONE
    for column in range(n):
        starts[column + ONE] += starts[column]
    free = starts[:n].copy()
    rows = np.empty(len(indices), np.uint32)
    diagonal = np.empty(n, np.uint64)
    for row in range(n):
        diagonal[row] = free[row]
        for p in range(indptr[row], indptr[row + ONE]):
            column = indices[p]
            rows[free[column]] = row
            free[column] += ONE
    return starts, rows, diagonal


@njit(cache=True, nogil=True)
def _postorder(parents):
    """Return (parent, size) by labels, and (label, vertex); children keep the order of their vertices."""
    n = np.uint64(len(parents))
    sizes = np.ones(n, np.uint32)
    for vertex in range(n):
        if parents[vertex] != NONE:
            sizes[parents[vertex]] += sizes[vertex]
    # One past the last label that is free below each vertex; descending vertices take theirs from the end.
    free = np.empty(n, np.uint32)
    label = np.empty(n, np.uint32)
    end = n
    for number in range(n):
        vertex = n - ONE - number
        above = parents[vertex]
        if above == NONE:
            label[vertex] = end - ONE
            end -= sizes[vertex]
        else:
            label[vertex] = free[above] - ONE
            free[above] -= sizes[vertex]
        free[vertex] = label[vertex]
    parent = np.empty(n, np.uint32)
    size = np.empty(n, np.uint32)
    order = np.empty(n, np.uint32)
    for vertex in range(n):
        place = label[vertex]
        parent[place] = NONE if parents[vertex] == NONE else label[parents[vertex]]
        size[place] = sizes[vertex]
        order[place] = vertex
    return parent, size, label, order
