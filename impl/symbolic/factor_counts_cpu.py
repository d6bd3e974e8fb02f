"""Row and column counts of the Cholesky factor of A | A^T, without its rows.

J. R. Gilbert, E. G. Ng, B. W. Peyton, An efficient algorithm to compute row and column counts for sparse
Cholesky factorization, SIAM J. Matrix Anal. Appl. 15 (1994).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from fillpath.nouns import Array
from impl.symbolic.elimination_tree import NONE, ONE, Tree


class FactorCounts(NamedTuple):
    """Entries of the Cholesky factor of A | A^T.

    rows : (n,) int64, of each vertex's row, without the diagonal
    columns : (n,) int64, of each label's column, with the diagonal
    """

    rows: Array
    columns: Array


def factor_counts(tree: Tree) -> FactorCounts:
    """Return row and column counts from the leaves of the row subtrees, in nearly linear time."""
    rows, columns = _counts(tree.both, tree.parent, tree.size, tree.label, tree.vertex)
    return FactorCounts(rows.view(np.int64), columns.view(np.int64))


@njit(cache=True, nogil=True)
def _counts(both, parent, size, label, vertex):
    """Return row counts by vertex, column counts by label, uint64, which wrap around until summed."""
    n = np.uint64(len(parent))
    level = np.zeros(n, np.uint64)
    below = np.zeros(n, np.uint64)
    count = np.zeros(n, np.uint64)
    for number in range(n):
        place = n - ONE - number
        if parent[place] != NONE:
            level[place] = level[parent[place]] + ONE
        if size[place] == ONE:
            count[place] = ONE
    latest = np.zeros(n, np.uint32)  # per row, one past the last leaf of its subtree so far
    ancestor = np.arange(len(parent)).astype(np.uint32)
    for place in range(n):
        column, first = vertex[place], place + ONE - size[place]
        if parent[place] != NONE:
            count[parent[place]] -= ONE
        for p in range(both.diagonal[column] + ONE, both.indptr[column + ONE]):
            row = both.indices[p]
            leaf = np.uint64(latest[row])
            if leaf > first:
                continue
            latest[row] = place + ONE
            count[place] += ONE
            if leaf == np.uint64(0):
                below[row] += level[place] - level[label[row]]
                continue
            leaf -= ONE
            meeting = leaf
            while ancestor[meeting] != meeting:
                meeting = np.uint64(ancestor[meeting])
            while leaf != meeting:
                above = np.uint64(ancestor[leaf])
                ancestor[leaf] = meeting
                leaf = above
            count[meeting] -= ONE
            below[row] += level[place] - level[meeting]
        if parent[place] != NONE:
            ancestor[place] = parent[place]
    for place in range(n):
        if parent[place] != NONE:
            count[parent[place]] += count[place]
    return below, count
