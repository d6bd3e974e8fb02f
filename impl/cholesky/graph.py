"""The graph Laplacian that a matrix represents: the input of ParAC.

A matrix is read by its values:

- A pattern without values is a graph whose edges weigh 1.
- A matrix with a zero diagonal is the adjacency matrix of a graph. An edge weighs |a_ij|.
- Every other matrix has to be diagonally dominant. An edge weighs |a_ij|. The excess of a diagonal over its
  row is an edge to a ground vertex, appended last. If there are positive entries off the diagonal, the graph
  is the double cover (Gremban, 1996). Row r becomes the vertices 2 r and 2 r + 1. A negative entry joins the
  two even and the two odd vertices, a positive entry joins even to odd.

Explicit zeros are not edges, nor are loops of a pattern or of an adjacency matrix.

    graph = from_edges(3, np.array([0, 1]), np.array([1, 2]), np.array([1.0, 2.0]))
    graph.n, graph.pattern.nnz    # 3, 4
"""

from __future__ import annotations

import numpy as np
from numba import njit
from scipy.sparse import coo_array

from fillpath.errors import InputError, UnsupportedError
from fillpath.nouns import Array, Laplacian, Pattern, Prepared

# Relative difference allowed between mirrored entries: generators multiply in different orders.
SYMMETRY = 1e-12
# Relative to the moduli in a row: an excess below the rounding of a sum counts as 0. So does a deficit below
# the precision of a file with seven digits (G2_circuit's is 1.03e-7).
LEAST_EXCESS = 1e-12
LARGEST_DEFICIT = 1e-6
# Bound on the sum of all weights, so that sums and products with numbers below 1 stay finite.
LARGEST_WEIGHTS = 1e300
# Bounds of a weight: its sampled shares stay above 0 for many steps.
SMALLEST_WEIGHT = 1e-300
MOST_VERTICES = 2**31 - 1

_SYMMETRIC, _NOT_FINITE, _NOT_SYMMETRIC = 0, 1, 2


def laplacian(prepared: Prepared) -> Laplacian:
    """Return the Laplacian of a prepared matrix, its vertices in the matrix's order.

    prepared : n x n, symmetric, without a matching

    Time O(n + nnz). Raises InputError for nan or infinity; UnsupportedError for a matrix that is not
    symmetric, not diagonally dominant, or was matched.
    """
    if prepared.provenance.matching != "none":
        raise UnsupportedError(
            f"{prepared.provenance.matrix}: matching {prepared.provenance.matching} moves rows, where a "
            "Laplacian is symmetric: prepare it with --matching none"
        )
    indptr, indices = prepared.pattern.indptr, prepared.pattern.indices
    values = prepared.values
    if prepared.provenance.synthetic_values:
        values = np.ones(len(values))
    _require_symmetric(prepared, values)
    diagonal = values[_diagonal_places(indptr, indices)]
    if prepared.provenance.synthetic_values or not diagonal.any():
        return _adjacency(indptr, indices, -np.abs(values), np.zeros(len(diagonal)), doubled=False)
    excess, positive = _excess(indptr, indices, values)
    _require_dominant(prepared, excess)
    return _adjacency(indptr, indices, values, np.maximum(excess, 0.0), doubled=bool(positive))


def from_edges(n: int, rows: Array, columns: Array, weights: Array) -> Laplacian:
    """Return the Laplacian of a graph given by its edges, each listed once; parallel edges are kept apart.

    n : int, vertices
    rows, columns : (edges,) integers from 0 to n - 1
    weights : (edges,) float64

    Raises InputError for a loop and for an end outside of 0..n - 1. A weight that is not positive and finite,
    or too small or too large for sums, raises it too. More than MOST_VERTICES raise UnsupportedError.
    """
    rows, columns, weights = np.asarray(rows), np.asarray(columns), np.asarray(weights, np.float64)
    if n < 1 or not len(rows) == len(columns) == len(weights):
        raise InputError(f"{n} vertices, {len(rows)} and {len(columns)} ends, {len(weights)} weights")
    _require_few(n)
    ends = np.concatenate([rows, columns])
    if len(ends) and (ends.min() < 0 or ends.max() >= n):
        raise InputError(f"a graph on {n} vertices: an edge ends outside of 0..{n - 1}")
    if np.any(rows == columns):
        raise InputError(f"a graph on {n} vertices: vertex {rows[rows == columns][0]} has a loop")
    if not np.all((weights > 0) & np.isfinite(weights)):
        raise InputError(f"a graph on {n} vertices: a weight is not positive and finite")
    others, both = np.concatenate([columns, rows]), np.concatenate([weights, weights])
    order = np.lexsort((both, others, ends))
    indptr = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(ends, minlength=n), out=indptr[1:])
    pattern = Pattern(indptr, others[order].astype(np.int32))
    return _labelled(pattern, both[order], n, grounded=False, doubled=False)


def as_matrix(graph: Laplacian) -> coo_array:
    """Return L = Deg - W, n x n float64, with parallel edges still apart."""
    rows, columns, weights = graph.pattern.rows(), graph.pattern.indices, graph.weights
    every = np.arange(graph.n)
    degrees = np.bincount(rows, weights, graph.n)
    coordinates = (np.concatenate([rows, every]), np.concatenate([columns, every]))
    return coo_array((np.concatenate([-weights, degrees]), coordinates), shape=(graph.n, graph.n))


def _require_symmetric(prepared: Prepared, values: Array) -> None:
    problem, row, column, value, mirror = _asymmetry(
        prepared.pattern.indptr, prepared.pattern.indices, values, SYMMETRY
    )
    if problem == _SYMMETRIC:
        return
    source = prepared.column_permutation
    where = f"{prepared.provenance.matrix}: entry ({source[row]}, {source[column]}) is {value}"
    if problem == _NOT_FINITE:
        raise InputError(f"{where}: a Laplacian's weights are finite; mend the file")
    raise UnsupportedError(f"{where}, its mirror {mirror}: a Laplacian is symmetric; take A + A^T first")


def _require_dominant(prepared: Prepared, excess: Array) -> None:
    row = int(np.argmin(excess))
    if excess[row] < 0:
        source = prepared.column_permutation[row]
        raise UnsupportedError(
            f"{prepared.provenance.matrix}: the diagonal of row {source} is {-excess[row]:.6g} less than the "
            "moduli of the rest of the row: it is not diagonally dominant, and stands for no Laplacian"
        )


def _adjacency(indptr: Array, indices: Array, values: Array, excess: Array, *, doubled: bool) -> Laplacian:
    """Return the graph of a checked matrix. excess : (rows,) float64, of each diagonal."""
    n, copies, grounded = len(excess), 2 if doubled else 1, bool(excess.any())
    vertices = copies * n + grounded
    _require_few(vertices)
    starts = _starts(indptr, indices, values, excess, copies, vertices)
    # NumPy's arrays ask for huge pages, Numba's do not: kernels read these in any order.
    ends, weights = np.empty(starts[-1], np.int32), np.empty(starts[-1])
    _fill_edges(indptr, indices, values, excess, copies, starts[:-1].copy(), ends, weights)
    return _labelled(Pattern(starts, ends), weights, n, grounded=grounded, doubled=doubled)


def _require_few(vertices: int) -> None:
    if vertices > MOST_VERTICES:
        raise UnsupportedError(f"{vertices} vertices exceed what int32 counts ({MOST_VERTICES})")


def _labelled(pattern: Pattern, weights: Array, unknowns: int, *, grounded: bool, doubled: bool) -> Laplacian:
    total, least = float(weights.sum()), float(weights.min(initial=np.inf))
    if not total < LARGEST_WEIGHTS or not least >= SMALLEST_WEIGHT:
        raise InputError(
            f"weights that add up to {total}, the least of them {least}: beyond what sums of float64 hold "
            f"({LARGEST_WEIGHTS}, {SMALLEST_WEIGHT}); scale the matrix"
        )
    component, components = _components(pattern.indptr, pattern.indices)
    return Laplacian(pattern, weights, component, int(components), unknowns, grounded, doubled)


@njit(cache=True, nogil=True)
def _asymmetry(indptr, indices, values, tolerance):
    """Return (problem, row, column, value, value of the mirror) for the first entry that has a problem.

    Rows ascend, so the mirrors of a column's entries come one after the other in that column's own row.
    """
    n = len(indptr) - 1
    place = indptr[:n].copy()
    for row in range(n):
        for p in range(indptr[row], indptr[row + 1]):
            column, value = indices[p], values[p]
            if not np.isfinite(value):
                return _NOT_FINITE, row, column, value, value
            at = place[column]
            if at == indptr[column + 1] or indices[at] > row:
                return _NOT_SYMMETRIC, row, column, value, 0.0
            if indices[at] < row:  # This entry had no mirror in the earlier rows.
                return _NOT_SYMMETRIC, column, indices[at], values[at], 0.0
            if abs(value - values[at]) > tolerance * max(abs(value), abs(values[at])):
                return _NOT_SYMMETRIC, row, column, value, values[at]
            place[column] = at + 1
    return _SYMMETRIC, 0, 0, 0.0, 0.0


@njit(cache=True, nogil=True)
def _diagonal_places(indptr, indices):
    n = len(indptr) - 1
    places = np.empty(n, np.int64)
    for row in range(n):
        for p in range(indptr[row], indptr[row + 1]):
            if indices[p] == row:
                places[row] = p
    return places


@njit(cache=True, nogil=True)
def _excess(indptr, indices, values):
    """Return each diagonal's excess over its row, and the number of positive entries off the diagonal."""
    n = len(indptr) - 1
    excess = np.empty(n)
    positive = 0
    for row in range(n):
        diagonal, rest = 0.0, 0.0
        for p in range(indptr[row], indptr[row + 1]):
            if indices[p] == row:
                diagonal = values[p]
            else:
                rest += abs(values[p])
                positive += values[p] > 0
        size = abs(diagonal) + rest
        more = diagonal - rest
        excess[row] = more if more > LEAST_EXCESS * size or more < -LARGEST_DEFICIT * size else 0.0
    return excess, positive


@njit(cache=True, nogil=True)
def _starts(indptr, indices, values, excess, copies, vertices):
    """Return (vertices + 1,) int64: where the edges of each vertex begin."""
    n = len(excess)
    starts = np.zeros(vertices + 1, np.int64)
    for row in range(n):
        length = excess[row] > 0
        for p in range(indptr[row], indptr[row + 1]):
            length += indices[p] != row and values[p] != 0
        for copy in range(copies):
            starts[copies * row + copy + 1] = length
        if excess[row] > 0:
            starts[vertices] += copies
    for vertex in range(vertices):
        starts[vertex + 1] += starts[vertex]
    return starts


@njit(cache=True, nogil=True)
def _fill_edges(indptr, indices, values, excess, copies, place, ends, weights):
    """Write the edges of each vertex from its place on. Two mirrored entries both become their mean."""
    n = len(excess)
    ground = copies * n
    mirrors = indptr[:n].copy()
    for row in range(n):
        for p in range(indptr[row], indptr[row + 1]):
            column = indices[p]
            mirror = values[mirrors[column]]
            mirrors[column] += 1
            if column == row or values[p] == 0:
                continue
            for copy in range(copies):
                vertex = copies * row + copy
                other = copy if values[p] < 0 else 1 - copy
                ends[place[vertex]] = copies * column + other
                weights[place[vertex]] = 0.5 * abs(values[p]) + 0.5 * abs(mirror)
                place[vertex] += 1
        if excess[row] > 0:
            for copy in range(copies):
                vertex = copies * row + copy
                for end, other in ((vertex, ground), (ground, vertex)):
                    ends[place[end]] = other
                    weights[place[end]] = excess[row]
                    place[end] += 1


@njit(cache=True, nogil=True)
def _components(indptr, indices):
    """Return ((n,) int32, count): each vertex's connected component, numbered in order of first vertices."""
    n = len(indptr) - 1
    label = np.full(n, np.int32(-1))
    stack = np.empty(n, np.int32)
    found = 0
    for first in range(n):
        if label[first] >= 0:
            continue
        label[first] = found
        stack[0] = first
        depth = 1
        while depth > 0:
            depth -= 1
            vertex = stack[depth]
            for p in range(indptr[vertex], indptr[vertex + 1]):
                other = indices[p]
                if label[other] < 0:
                    label[other] = found
                    stack[depth] = other
                    depth += 1
        found += 1
    return label, found
