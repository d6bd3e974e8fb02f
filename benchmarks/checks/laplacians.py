"""Checks of the stages on Laplacians: ParAC's factor with its depth (Figure 4), and the solution of a system.

A factor is held against another code's of the same seed:

    verify_preconditioner(factor, graph, "ac_sequential", column_hashes(other)).passes
    depths(graph, factor)["critical_path"]
"""

from typing import Any

import numpy as np
from numba import njit

from benchmarks.checks.held import Held, is_array
from benchmarks.checks.rows import folded
from fillpath.errors import FillpathError, InputError
from fillpath.nouns import Array, Laplacian, Preconditioner, Solution, System
from fillpath.record import Verified

COMPONENTS = "||b - L x|| / ||b|| of the graph and of each component"
# In Euclidean norms. Every solver has to reach the first over all rows, up to rounding, and stops by that.
# The b of a component may be far smaller, so it needs three digits, and without its share two.
SOLUTION_BOUND, COMPONENT_BOUND, LEAST_BOUND = 1e-6, 1e-3, 1e-2
# A column of G sums to -1 up to this, and to one rounding per entry.
ROUNDING = 1e-13


def verify_preconditioner(result: Any, graph: Laplacian, by: str, expected: Array) -> Verified:
    """Count columns of G that are malformed, or differ in any bit from the same seed's factor.

    In a well-formed column the rows ascend below the diagonal, and the entries are in [-1, 0] and sum to -1.
    Its entry of D is positive, or 0 if the column is empty.

    by : the code that made the other factor
    expected : (n,) uint64, `column_hashes` of the other factor
    """
    wrong = graph.n
    if _is_readable(result, graph.n):
        pattern = result.pattern
        formed = _well_formed(pattern.indptr, pattern.indices, result.values, result.diagonal)
        wrong = int(np.count_nonzero(~formed | (column_hashes(result) != expected)))
    return Verified(by, method="structure and hash of each column", value=float(wrong), bound=0.0)


def verify_potentials(result: Any, system: System, *, product: bool) -> Held:
    """Hold x by ||b - A x|| / ||b|| in float64; A is the matrix that the graph represents.

    All rows are held, and those of each component c of the graph, times sqrt(n_c / n): no large component
    hides a small one. Raises InputError for an x of another shape, FillpathError where the check overflows.

    product : whether b is L times the system's b instead
    """
    graph = system.laplacian
    x = np.asarray(result.x if isinstance(result, Solution) else np.empty(0))
    if x.shape != (graph.unknowns,):
        raise InputError(f"a solution of shape {x.shape} where {(graph.unknowns,)} was expected")
    by = "L x = b, b = L times random numbers" if product else "L x = b, b random"
    if x.dtype != np.float64 or not np.isfinite(x).all():
        return Held(by, COMPONENTS, float("nan"), SOLUTION_BOUND)
    b = _applied(graph, system.b)[0] if product else system.b
    spread = np.column_stack([x, -x]).ravel() if graph.doubled else x
    applied, terms = _applied(graph, np.append(spread, 0.0) if graph.grounded else spread)
    left, size, rounding, share = (_norms(graph, each) for each in (b - applied, b, terms, np.ones(graph.n)))
    if not np.isfinite(np.concatenate([left, size, rounding])).all():
        raise FillpathError("b - L x overflows: divide the weights by a power of two")
    share /= max(share[-1], 1.0)
    with np.errstate(over="ignore"):
        size = np.where(size == 0, 1.0, size)
        residuals, rounded = left / size * share, rounding / size * share
    bounds = np.append(np.minimum(COMPONENT_BOUND, LEAST_BOUND * share[:-1]), SOLUTION_BOUND * (1 + 1e-6))
    # With a larger allowance for rounding, x = 0 would pass.
    bounds = np.minimum(bounds + 4 * np.finfo(np.float64).eps * rounded, LEAST_BOUND * share)
    worst = int(np.argmax(np.divide(residuals, bounds, out=np.zeros_like(bounds), where=residuals > 0)))
    facts = {"normwise_error": float(residuals[-1])}
    return Held(by, COMPONENTS, float(residuals[worst]), float(bounds[worst]), facts)


def _norms(graph: Laplacian, vector: Array) -> Array:
    """Take the Euclidean norm over each component of the graph, and last over all.

    Returns (components + 1,) float64. vector : (n,) float64, by vertices
    """
    counted = graph.n - graph.grounded
    parts = _norm(vector[:counted], graph.component[:counted], graph.components)
    return np.append(parts, _norm(parts, np.zeros(graph.components, np.intp), 1))


@njit(cache=True, error_model="numpy")
def _norm(vector, part, parts):
    """Take the norm over each part, (parts,), relative to its largest number, so that no square overflows."""
    largest, squares = np.zeros(parts), np.zeros(parts)
    for i in range(len(vector)):
        largest[part[i]] = max(largest[part[i]], abs(vector[i]))
    for i in range(len(vector)):
        if vector[i] != 0:
            squares[part[i]] += (vector[i] / largest[part[i]]) ** 2
    return largest * np.sqrt(squares)


def column_hashes(factor: Preconditioner) -> Array:
    """Return a hash of each column, (n,) uint64, by every bit of its rows, values and entry of D."""
    pattern = factor.pattern
    values, diagonal = factor.values.view(np.uint64), factor.diagonal.view(np.uint64)
    hashes: Array = _column_hashes(pattern.indptr, pattern.indices, values, diagonal)
    return hashes


def _applied(graph: Laplacian, y: Array) -> tuple[Array, Array]:
    """Return L y, and the sum of its terms' moduli, which bounds its rounding error; (n,) float64 each."""
    applied, terms = np.empty(graph.n), np.empty(graph.n)
    _differences(graph.pattern.indptr, graph.pattern.indices, graph.weights, y, applied, terms)
    return applied, terms


@njit(cache=True)
def _differences(indptr, indices, weights, y, applied, terms):
    """Sum w (y_i - y_j) of each row, compensated (Neumaier): degree times y_i less the rest cancels."""
    for row in range(len(y)):
        total = lost = size = 0.0
        for p in range(indptr[row], indptr[row + 1]):
            term = weights[p] * (y[row] - y[indices[p]])
            after = total + term
            lost += (total - after) + term if abs(total) >= abs(term) else (term - after) + total
            total = after
            size += abs(term)
        applied[row], terms[row] = total + lost, size


def _is_readable(result: Any, n: int) -> bool:
    """Return whether the arrays can be read without leaving them."""
    if not isinstance(result, Preconditioner):
        return False
    indptr, indices = result.pattern.indptr, result.pattern.indices
    arrays = (indptr, np.int64, n + 1), (indices, np.int32), (result.diagonal, np.float64, n)
    if not (all(is_array(*each) for each in arrays) and is_array(result.values, np.float64, len(indices))):
        return False
    return bool(indptr[0] == 0 and indptr[-1] == len(indices) and np.all(indptr[1:] >= indptr[:-1]))


@njit(cache=True)
def _well_formed(indptr, indices, values, diagonal):
    """Return whether each column is well formed, (n,) bool; a nan is never in range."""
    n = len(diagonal)
    formed = np.empty(n, np.bool_)
    for k in range(n):
        total, last, entries = 0.0, k, indptr[k + 1] - indptr[k]
        right = diagonal[k] > 0 if entries > 0 else diagonal[k] == 0
        for p in range(indptr[k], indptr[k + 1]):
            right &= last < indices[p] < n and -1 <= values[p] <= 0
            last = indices[p]
            total += values[p]
        formed[k] = right and (entries == 0 or abs(total + 1) <= ROUNDING + entries * 2.3e-16)
    return formed


@njit(cache=True)
def _column_hashes(indptr, indices, values, diagonal):
    """Fold D, rows and values of each column, as bits."""
    n = len(diagonal)
    hashes = np.empty(n, np.uint64)
    for k in range(n):
        state = folded(np.uint64(0), diagonal[k])
        for p in range(indptr[k], indptr[k + 1]):
            state = folded(folded(state, np.uint64(indices[p])), values[p])
        hashes[k] = state
    return hashes


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
