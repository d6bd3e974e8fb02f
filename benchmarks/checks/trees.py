"""How deep ParAC's factor is: its elimination trees and its longest path (Figure 4)."""

from __future__ import annotations

import numpy as np
from numba import njit

from fillpath.nouns import Laplacian, Preconditioner


def depths(graph: Laplacian, factor: Preconditioner) -> dict[str, float]:
    """Facts of a right factor on the host, whose ground is a vertex like the others. Time O(nnz log n).

    height_classical : vertices on the longest path of the elimination tree of L's complete factor.
    height_actual : of the tree in which a vertex's parent is the first row below the diagonal of its column
        of G (Definition 3.1).
    critical_path : vertices on the longest path of G as a graph, which a triangular solve takes one by one.
    nnz_l, nnz_g : entries of L and of G with their diagonals.
    """
    n, adjacency, pattern = graph.n, graph.pattern, factor.pattern
    return {
        "height_classical": float(_height(_classical(adjacency.indptr, adjacency.indices))),
        "height_actual": float(_height(_first_rows(pattern.indptr, pattern.indices))),
        "critical_path": float(_longest(pattern.indptr, pattern.indices)),
        "nnz_l": float(adjacency.nnz + n),
        "nnz_g": float(pattern.nnz + n),
    }


@njit(cache=True, nogil=True)
def _classical(indptr, indices):
    """(n,) int64: Liu's elimination tree of a symmetric pattern, by path compression; -1 for a root."""
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


@njit(cache=True, nogil=True)
def _first_rows(indptr, indices):
    """(n,) int64: the first row of each column, -1 for an empty one."""
    n = len(indptr) - 1
    parent = np.full(n, -1)
    for k in range(n):
        if indptr[k] < indptr[k + 1]:
            parent[k] = indices[indptr[k]]
    return parent


@njit(cache=True, nogil=True)
def _height(parent):
    """Vertices on the longest path to a root; parents come later than their children."""
    depth = np.ones(len(parent), np.int64)
    for k in range(len(parent)):
        if parent[k] >= 0:
            depth[parent[k]] = max(depth[parent[k]], depth[k] + 1)
    return depth.max()


@njit(cache=True, nogil=True)
def _longest(indptr, indices):
    """Vertices on the longest path of a graph whose edges lead from a column to its rows, which are later."""
    depth = np.ones(len(indptr) - 1, np.int64)
    for k in range(len(depth)):
        for p in range(indptr[k], indptr[k + 1]):
            depth[indices[p]] = max(depth[indices[p]], depth[k] + 1)
    return depth.max()
