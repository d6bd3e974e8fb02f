"""The elimination tree of A | A^T, postordered, and what it says of the factors.

Vertex j's parent is the first row below j in column j of the Cholesky factor of A | A^T. Vertices keep the
numbers of A; a label is a vertex's place in a postorder of the tree, so that a subtree is a range of labels
that ends with its root, and a path to the root ascends both in labels and in vertices.

J. W. H. Liu, The role of elimination trees in sparse factorization, SIAM J. Matrix Anal. Appl. 11 (1990).
J. R. Gilbert, E. G. Ng, B. W. Peyton, An efficient algorithm to compute row and column counts for sparse
Cholesky factorization, SIAM J. Matrix Anal. Appl. 15 (1994).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from fillpath.nouns import Array, Pattern


class Side(NamedTuple):
    """A by rows, or by columns.

    indptr : (n + 1,) int64
    indices : (nnz,) int32, ascending in each row
    diagonal : (n,) int64, the position of each row's diagonal entry
    """

    indptr: Array
    indices: Array
    diagonal: Array


class Tree(NamedTuple):
    """The elimination tree, by labels, and the pattern that it is of.

    symmetric : whether A equals A^T
    rows, columns : A by rows and by columns, one and the same if symmetric
    parent : (n,) int32, -1 for roots
    size : (n,) int32, labels in each subtree
    label : (n,) int32, of each vertex
    vertex : (n,) int32, of each label
    """

    symmetric: bool
    rows: Side
    columns: Side
    parent: Array
    size: Array
    label: Array
    vertex: Array


class FactorCounts(NamedTuple):
    """Entries of the Cholesky factor of A | A^T.

    rows : (n,) int64, of each vertex's row, without the diagonal
    columns : (n,) int64, of each label's column, with the diagonal
    """

    rows: Array
    columns: Array


def elimination_tree(pattern: Pattern) -> Tree:
    """The tree of a pattern that is sorted and has its diagonal. It is known to be symmetric, or not, as soon
    as the tree of its lower triangle is."""
    indptr, indices = pattern.indptr, pattern.indices
    parents, diagonal, symmetric = _symmetric_tree(indptr, indices)
    rows = columns = Side(indptr, indices, diagonal)
    if not symmetric:
        columns = Side(*_transposed(indptr, indices))
        parents = _tree(rows, columns)
    return Tree(bool(symmetric), rows, columns, *_postorder(parents))


def factor_counts(tree: Tree) -> FactorCounts:
    """Row and column counts from the leaves of the row subtrees, in nearly linear time."""
    sides = 1 if tree.symmetric else 2
    return FactorCounts(
        *_counts(tree.rows, tree.columns, sides, tree.parent, tree.size, tree.label, tree.vertex)
    )


@njit(inline="always")
def _climb(ancestor, parents, vertex, row):
    """Make `row` an ancestor of the vertex; compresses the path."""
    while True:
        above = ancestor[vertex]
        if above == row:
            return
        ancestor[vertex] = row
        if above < 0:
            parents[vertex] = row
            return
        vertex = above


@njit(cache=True, nogil=True)
def _symmetric_tree(indptr, indices):
    """The parents by the lower triangle alone, the diagonal's positions, and whether A equals A^T; if not, the
    parents are not complete."""
    n = len(indptr) - 1
    parents = np.full(n, -1, np.int32)
    ancestor = np.full(n, -1, np.int32)
    diagonal = np.empty(n, np.int64)
    # Where the next lower entry of each column must have its mirror: in the row of that number.
    mirror = np.empty(n, np.int64)
    symmetric = True
    for row in range(n):
        p = indptr[row]
        while indices[p] < row:
            if symmetric:
                vertex = indices[p]
                at = mirror[vertex]
                symmetric = at < indptr[vertex + 1] and indices[at] == row
                mirror[vertex] = at + 1
                _climb(ancestor, parents, vertex, row)
            p += 1
        diagonal[row] = p
        mirror[row] = p + 1
    for row in range(n):
        symmetric = symmetric and mirror[row] == indptr[row + 1]
    return parents, diagonal, symmetric


@njit(cache=True, nogil=True)
def _tree(rows, columns):
    """(n,) int32: the parent of each vertex, by both triangles."""
    n = len(rows.diagonal)
    parents = np.full(n, -1, np.int32)
    ancestor = np.full(n, -1, np.int32)
    for row in range(n):
        for p in range(rows.indptr[row], rows.diagonal[row]):
            _climb(ancestor, parents, rows.indices[p], row)
        for p in range(columns.indptr[row], columns.diagonal[row]):
            _climb(ancestor, parents, columns.indices[p], row)
    return parents


@njit(cache=True, nogil=True)
def _transposed(indptr, indices):
    """The three arrays of A by columns."""
    n = len(indptr) - 1
    starts = np.zeros(n + 1, np.int64)
    for p in range(len(indices)):
        starts[indices[p] + 1] += 1
    for column in range(n):
        starts[column + 1] += starts[column]
    free = starts[:n].copy()
    rows = np.empty(len(indices), np.int32)
    diagonal = np.empty(n, np.int64)
    for row in range(n):
        for p in range(indptr[row], indptr[row + 1]):
            column = indices[p]
            if column == row:
                diagonal[row] = free[column]
            rows[free[column]] = row
            free[column] += 1
    return starts, rows, diagonal


@njit(cache=True, nogil=True)
def _postorder(parents):
    """(parent, size) by labels, and (label, vertex). Children keep the order of their vertices, so that an
    order that is a postorder already stays as it is."""
    n = len(parents)
    sizes = np.ones(n, np.int32)
    for vertex in range(n):
        if parents[vertex] >= 0:
            sizes[parents[vertex]] += sizes[vertex]
    # One past the last label that is free below each vertex; descending vertices take theirs from the end.
    free = np.empty(n, np.int32)
    label = np.empty(n, np.int32)
    end = n
    for vertex in range(n - 1, -1, -1):
        above = parents[vertex]
        if above < 0:
            label[vertex] = end - 1
            end -= sizes[vertex]
        else:
            label[vertex] = free[above] - 1
            free[above] -= sizes[vertex]
        free[vertex] = label[vertex]
    parent = np.empty(n, np.int32)
    size = np.empty(n, np.int32)
    order = np.empty(n, np.int32)
    for vertex in range(n):
        place = label[vertex]
        parent[place] = -1 if parents[vertex] < 0 else label[parents[vertex]]
        size[place] = sizes[vertex]
        order[place] = vertex
    return parent, size, label, order


@njit(cache=True, nogil=True)
def _counts(rows, columns, sides, parent, size, label, vertex):
    """Row counts by vertex, column counts by label."""
    n = len(parent)
    level = np.empty(n, np.int32)
    below = np.zeros(n, np.int64)
    count = np.empty(n, np.int64)
    for place in range(n - 1, -1, -1):
        level[place] = 0 if parent[place] < 0 else level[parent[place]] + 1
        count[place] = size[place] == 1
    latest = np.full(n, -1, np.int32)  # per row, the last leaf of its subtree so far
    ancestor = np.arange(n).astype(np.int32)
    for place in range(n):
        above = parent[place]
        if above >= 0:
            count[above] -= 1
        column = vertex[place]
        _leaves(rows, column, place, size, label, level, latest, ancestor, below, count)
        if sides == 2:
            _leaves(columns, column, place, size, label, level, latest, ancestor, below, count)
        if above >= 0:
            ancestor[place] = above
    for place in range(n):
        if parent[place] >= 0:
            count[parent[place]] += count[place]
    return below, count


@njit(inline="always")
def _leaves(side, column, place, size, label, level, latest, ancestor, below, count):
    """Of the entries below the diagonal of a column, those that are leaves of their row's subtree."""
    first = place - size[place] + 1
    for p in range(side.diagonal[column] + 1, side.indptr[column + 1]):
        row = side.indices[p]
        leaf = latest[row]
        if leaf >= first:
            continue
        latest[row] = place
        count[place] += 1
        if leaf < 0:
            below[row] += level[place] - level[label[row]]
            continue
        meeting = leaf
        while ancestor[meeting] != meeting:
            meeting = ancestor[meeting]
        while leaf != meeting:
            above = ancestor[leaf]
            ancestor[leaf] = meeting
            leaf = above
        count[meeting] -= 1
        below[row] += level[place] - level[meeting]
