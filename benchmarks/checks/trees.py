"""The depth of ParAC's factor: its elimination trees and its longest path (Figure 4)."""

from __future__ import annotations

import numpy as np
from numba import njit

from fillpath.nouns import Array, Laplacian, Preconditioner


def depths(graph: Laplacian, factor: Preconditioner) -> dict[str, float]:
    """Return facts of a right factor on the host, in time O(nnz log n). The ground is a vertex too.

    height_classical : vertices on the longest path of the elimination tree of L's complete factor
    height_actual : of the tree in which a vertex's parent is the first row below the diagonal of its column
        of G (Definition 3.1)
    critical_path : vertices on the longest path of G as a graph, which a triangular solve takes one by one
    nnz_l, nnz_g : entries of L and of G with their diagonals
    """
    n, adjacency, pattern = graph.n, graph.pattern, factor.pattern
    first = np.full(n, -1, np.int64)
    filled = np.diff(pattern.indptr) > 0
    first[filled] = pattern.indices[pattern.indptr[:-1][filled]]
    return {
        "height_classical": float(_height(_classical(adjacency.indptr, adjacency.indices))),
        "height_actual": float(_height(first)),
        "critical_path": float(_longest(pattern.indptr, pattern.indices)),
        "nnz_l": float(adjacency.nnz + n),
        "nnz_g": float(pattern.nnz + n),
    }


@njit(cache=True, nogil=True)
def _classical(indptr, indices):
    """Return Liu's elimination tree of a symmetric pattern, by path compression: (n,) int64, -1 for roots."""
    n = len(indptr) - 1
    parent, ancestor = np.full(n, -1), np.full(n, -1)
    for k in range(n):
        for p in range(indptr[k], indptr[k + 1]):
            i = np.int64(indices[p])
            while i != -1 and i < k:
                following = ancestor[i]
                ancestor[i] = k
                if following == -1:
                    parent[i] = k
                i = following
    return parent


def _height(parent: Array) -> int:
    """Return the vertices on the longest path to a root; parents, -1 for none, come after their children."""
    indptr = np.append(0, np.cumsum(parent >= 0))
    return int(_longest(indptr, parent[parent >= 0]))


@njit(cache=True, nogil=True)
def _longest(indptr, indices):
    """Count the vertices on the longest path of a graph whose edges lead from a column to its later rows."""
    depth = np.ones(len(indptr) - 1, np.int64)
    for k in range(len(depth)):
        for p in range(indptr[k], indptr[k + 1]):
            depth[indices[p]] = max(depth[indices[p]], depth[k] + 1)
    return depth.max()
