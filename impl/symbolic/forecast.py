"""The work of fill2 on a pattern, in advance: exact for a symmetric pattern, else from a sample.

For a source i, fill2 expands every vertex below i that is reached by a path through vertices below i. In the
graph of A + A^T these are the descendants of i in its elimination tree. So their rows of A add up to the
edges of i, and row i of F has as many entries as row i and column i of the factor. Both are computed in
nearly linear time; they are exact if A is symmetric and an upper bound for every source if it is not. How far
the true values lie below the bound is estimated from sources sampled in proportion to it.

J. W. H. Liu, The role of elimination trees in sparse factorization, SIAM J. Matrix Anal. Appl. 11 (1990).
J. R. Gilbert, E. G. Ng, B. W. Peyton, An efficient algorithm to compute row and column counts for sparse
Cholesky factorization, SIAM J. Matrix Anal. Appl. 15 (1994).

    forecast = sample_sources(pattern, count=100, seed=0)
    forecast.filled, forecast.exact
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.sparse import csr_array

from fillpath.nouns import Array, Pattern
from fillpath.phase import phase
from impl.cpu.bitset import drain, empty_set
from impl.symbolic.fill2_cpu import marks, reach

# Two to ten seconds on one core: a source near the root of a large matrix examines nearly all of its entries.
MOST_EDGES = 2e9
LEAST_SOURCES = 20


@dataclass(frozen=True)
class Forecast:
    """The work that a pattern will take.

    edges : of fill2, over all sources
    filled : entries of F, including A's
    updates : of fill1, entries of U examined
    exact : whether edges and filled are exact, not estimates
    sources : the number of sources that fill2 was run on, in the phase `sample`
    sampled_edges : the edges that it examined there
    """

    edges: float
    filled: float
    updates: float
    exact: bool
    sources: int
    sampled_edges: int


@dataclass(frozen=True, eq=False)
class _Bounds:
    """Upper bounds.

    edges, filled : (n,) int64, per source.
    updates : over all sources.
    """

    edges: Array
    filled: Array
    updates: float
    exact: bool


def sample_sources(pattern: Pattern, count: int = 600, seed: int = 0) -> Forecast:
    """Return the forecast of a pattern, with fill2 run on `count` of its sources, on one thread.

    pattern : n x n, sorted, diagonal present
    count : sources to sample: all if n is no larger, fewer if they would examine more than MOST_EDGES
    seed : of the sample

    For an unsymmetric pattern the estimate is Hansen and Hurwitz's (Ann. Math. Stat. 14, 1943).
    """
    bounds = _bounds(pattern)
    sources, weights = _draw(bounds, count, seed)
    with phase("sample"):
        edges, filled = _sample(pattern.indptr.view(np.uint64), pattern.indices.view(np.uint32), sources)
    bound_of_filled = float(bounds.filled.sum())
    estimated = bound_of_filled if bounds.exact else float(filled @ weights)
    return Forecast(
        edges=float(bounds.edges.sum()) if bounds.exact else float(edges @ weights),
        filled=estimated,
        # Both factors of an update shrink in proportion to F.
        updates=bounds.updates * (estimated / bound_of_filled) ** 2 if pattern.n else 0.0,
        exact=bounds.exact or len(sources) == pattern.n,
        sources=len(sources),
        sampled_edges=int(edges.sum()),
    )


def _bounds(pattern: Pattern) -> _Bounds:
    symmetrised, symmetric = _symmetrised(pattern)
    lengths = np.diff(pattern.indptr)
    edges, below, column_counts = _analyse(symmetrised.indptr, symmetrised.indices, lengths)
    updates = float(column_counts.astype(np.float64) @ (column_counts - 1))
    return _Bounds(edges, below + column_counts, updates, symmetric)


def _symmetrised(pattern: Pattern) -> tuple[Pattern, bool]:
    """Return the pattern of A + A^T, and whether it equals A's."""
    n, ones = pattern.n, np.ones(pattern.nnz, np.int8)
    matrix = csr_array((ones, pattern.indices, pattern.indptr), shape=(n, n))
    mirror = csr_array(matrix.T)
    if np.array_equal(mirror.indptr, pattern.indptr) and np.array_equal(mirror.indices, pattern.indices):
        return pattern, True
    both = csr_array(matrix + mirror)
    return Pattern(both.indptr.astype(np.int64), both.indices.astype(np.int32)), False


def _draw(bounds: _Bounds, count: int, seed: int) -> tuple[Array, Array]:
    """Draw (sources, weights): one from each of `count` strata of equal size, in the sources' order.

    The size of a source is its share of the bound on edges plus its share of the bound on F, so neither
    estimate has heavy tails.
    """
    n = len(bounds.edges)
    if count >= n:
        return np.arange(n), np.ones(n)
    share = bounds.edges / max(1, bounds.edges.sum()) + bounds.filled / bounds.filled.sum()
    share /= share.sum()
    affordable = int(MOST_EDGES / max(1.0, float(share @ bounds.edges)))
    count = min(count, max(LEAST_SOURCES, affordable))
    points = (np.arange(count) + np.random.default_rng(seed).random(count)) / count
    drawn = np.minimum(np.searchsorted(np.cumsum(share), points, side="right"), n - 1)
    sources, times = np.unique(drawn, return_counts=True)
    return sources, times / (count * share[sources])


@njit(cache=True, nogil=True)
def _sample(indptr, indices, sources):
    """Return (k,) int64 each: the edges that the sources examine, and the entries of their rows of F."""
    n = np.uint64(len(indptr) - 1)
    words, summary = empty_set(np.int64(n))
    visited_by, stack = marks(n)
    row = np.empty(n, np.uint32)
    edges = np.zeros(len(sources), np.int64)
    filled = np.zeros(len(sources), np.int64)
    for k in range(len(sources)):
        source = np.uint64(sources[k])
        _, examined = reach(indptr, indices, source, words, summary, visited_by, stack)
        edges[k] = examined
        filled[k] = drain(words, summary, row, np.uint64(0))
    return edges, filled


@njit(cache=True, nogil=True)
def _analyse(indptr, indices, lengths):
    """Return three (n,) int64 for a symmetric pattern: sums of `lengths`, row counts of L, column counts.

    The sums are over a vertex's proper descendants in the tree. Only column counts have the diagonal.
    """
    n = len(indptr) - 1
    parent = _elimination_tree(indptr, indices)
    order = _postorder(parent)
    descending = np.zeros(n, np.int64)
    for vertex in range(n):
        if parent[vertex] >= 0:
            descending[parent[vertex]] += descending[vertex] + lengths[vertex]
    below, column_counts = _counts(indptr, indices, parent, order)
    return descending, below, column_counts


@njit(cache=True, nogil=True)
def _elimination_tree(indptr, indices):
    """Return (n,) int32: the parent of each vertex, -1 for roots (Liu's algorithm with path compression)."""
    n = len(indptr) - 1
    parent = np.full(n, -1, np.int32)
    ancestor = np.full(n, -1, np.int32)
    for row in range(n):
        for p in range(indptr[row], indptr[row + 1]):
            vertex = indices[p]
            while vertex != -1 and vertex < row:
                above = ancestor[vertex]
                ancestor[vertex] = row
                if above == -1:
                    parent[vertex] = row
                vertex = above
    return parent


@njit(cache=True, nogil=True)
def _postorder(parent):
    n = len(parent)
    child = np.full(n, -1, np.int32)
    sibling = np.full(n, -1, np.int32)
    for vertex in range(n - 1, -1, -1):
        if parent[vertex] >= 0:
            sibling[vertex] = child[parent[vertex]]
            child[parent[vertex]] = vertex
    order = np.empty(n, np.int32)
    done = 0
    for root in range(n):
        vertex = root if parent[root] == -1 else -1
        while vertex != -1:
            while child[vertex] != -1:
                vertex = child[vertex]
            order[done] = vertex
            done += 1
            above = parent[vertex]
            if above != -1:
                child[above] = sibling[vertex]
            vertex = above
    return order


@njit(cache=True, nogil=True)
def _counts(indptr, indices, parent, order):
    """Return row counts without the diagonal and column counts with it, from the row subtrees' leaves."""
    n = len(parent)
    level = np.zeros(n, np.int32)
    for vertex in range(n - 1, -1, -1):
        if parent[vertex] >= 0:
            level[vertex] = level[parent[vertex]] + 1
    first = np.full(n, -1, np.int32)  # the position in the order of the first descendant
    columns = np.zeros(n, np.int64)
    for place in range(n):
        vertex = order[place]
        columns[vertex] = first[vertex] == -1
        while vertex != -1 and first[vertex] == -1:
            first[vertex] = place
            vertex = parent[vertex]
    rows = np.zeros(n, np.int64)
    latest = np.full(n, -1, np.int32)  # per row, the last leaf so far, and the largest `first` of its leaves
    largest = np.full(n, -1, np.int32)
    ancestor = np.arange(n).astype(np.int32)
    for place in range(n):
        vertex = order[place]
        if parent[vertex] >= 0:
            columns[parent[vertex]] -= 1
        for p in range(indptr[vertex], indptr[vertex + 1]):
            row = indices[p]
            if row <= vertex or first[vertex] <= largest[row]:
                continue
            largest[row] = first[vertex]
            meeting = row
            if latest[row] != -1:
                meeting = _root(ancestor, latest[row])
                columns[meeting] -= 1
            latest[row] = vertex
            columns[vertex] += 1
            rows[row] += level[vertex] - level[meeting]
        if parent[vertex] >= 0:
            ancestor[vertex] = parent[vertex]
    for vertex in range(n):
        if parent[vertex] >= 0:
            columns[parent[vertex]] += columns[vertex]
    return rows, columns


@njit
def _root(ancestor, vertex):
    """Return the end of a vertex's path through `ancestor`, and compress the path."""
    end = vertex
    while end != ancestor[end]:
        end = ancestor[end]
    while vertex != end:
        above = ancestor[vertex]
        ancestor[vertex] = end
        vertex = above
    return end
