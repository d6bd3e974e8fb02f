"""Preconditioned conjugate gradients on the CPU, on Numba's threads.

Hestenes and Stiefel's two-term recurrence. L is applied from the weights of its edges: (L y)_i is the sum of
w_ij (y_i - y_j), exactly 0 for a constant, with the ground held at 0. Rows are divided into PARTS, and sums
are added part by part, so any number of threads takes the same steps.

L is singular on a component without the ground, but no preconditioner sees the constants there. The
right-hand side b sums to zero over the component, hence so does every residual. ParAC's factor, whose D is 0
at the last vertex of a component, holds that vertex at 0.

    path = from_edges(3, np.array([0, 1]), np.array([1, 2]), np.ones(2))
    factor, _ = ac_sequential(path)
    solution, work = factor_solved(system(path), factor, "random", {})
    work.facts["iterations"]    # 1: the factor of a path is exact
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np
from numba import njit, prange

from fillpath.nouns import Array, Laplacian, Preconditioner, Solution, System, Work
from fillpath.phase import phase
from impl.laplacian.stopping import MOST_ITERATIONS, TOLERANCE, Reached, broken_down, unconverged
from impl.laplacian.system import to_unknowns
from impl.laplacian.triangular_cpu import analysed

PARTS = 256

# Arguments r, z, both (n,) float64: z becomes the preconditioner's inverse times r.
Apply = Callable[[Array, Array], None]
# The right-hand side: the system's b, or L b, which is the text's other experiment.
RightHandSide = Literal["random", "product"]


def factor_solved(
    system: System, factor: Preconditioner, rhs: RightHandSide, facts: Mapping[str, float]
) -> tuple[Solution, Work]:
    """Return the solution of the system with a factor G D G^T of its Laplacian.

    facts : of the factor; nnz_factor (entries of G below the diagonal), iterations and residual are added
    """
    with phase("analysis"):
        apply = analysed(factor).apply
    facts = {**facts, "nnz_factor": factor.pattern.nnz}
    return solved(system, apply, rhs, facts)


def solved(
    system: System, apply: Apply, rhs: RightHandSide, facts: Mapping[str, float]
) -> tuple[Solution, Work]:
    """Solve as `factor_solved` does, with any preconditioner."""
    graph = system.laplacian
    with phase("right_hand_side"):
        b = system.b if rhs == "random" else product(graph, system.b)
    with phase("solve"):
        reached = conjugate_gradients(graph, b, apply)
        x = to_unknowns(graph, reached.y)
    return Solution(x), Work(facts={**facts, **reached.facts()})


def product(graph: Laplacian, x: Array) -> Array:
    """Return L x, with 0 in the ground's row. x : (n,) float64, 0 at the ground."""
    rows = _Rows(graph)
    y = np.zeros(graph.n)
    rows.product(x, y)
    return y


def conjugate_gradients(graph: Laplacian, b: Array, apply: Apply) -> Reached:
    """Return y with ||b - L y|| <= TOLERANCE ||b||.

    b : (n,) float64, 0 at the ground, with sum zero over each component without the ground

    Raises UnsupportedError after MOST_ITERATIONS, with the residual, and for an indefinite preconditioner.
    """
    rows = _Rows(graph)
    y, r, q, z, p = np.zeros(graph.n), b.copy(), *(np.zeros(graph.n) for _ in range(3))
    bound = TOLERANCE * np.sqrt(rows.dot(b, b))
    left, previous = bound / TOLERANCE, 0.0
    if left == 0:
        return Reached(y, 0, 0.0)
    for iteration in range(1, MOST_ITERATIONS + 1):
        apply(r, z)
        sloped = _positive(rows.dot(r, z), iteration - 1)
        _turn(rows.bounds, z, sloped / previous if previous else 0.0, p)
        curved = _positive(rows.product(p, q), iteration - 1)
        left, previous = rows.step(sloped / curved, p, q, y, r), sloped
        if left <= bound:
            left, previous = rows.residual(b, y, r), 0.0
            if left <= bound:
                return Reached(y, iteration, TOLERANCE * left / bound)
    raise unconverged(TOLERANCE * rows.residual(b, y, r) / bound)


def _positive(value: float, iterations: int) -> float:
    if not value > 0:
        raise broken_down(iterations, value)
    return value


class _Rows:
    """The rows of L without the ground's, in parts of similar numbers of entries and rows."""

    def __init__(self, graph: Laplacian) -> None:
        indptr = graph.pattern.indptr
        self._edges = indptr.view(np.uint64), graph.pattern.indices.view(np.uint32), graph.weights
        self.bounds = _bounds(indptr, graph.n - graph.grounded, PARTS)
        self._sums = np.empty(PARTS)

    def product(self, x: Array, y: Array) -> float:
        """Set y = L x; return x.y."""
        _product(*self._edges, self.bounds, x, y, self._sums)
        return float(self._sums.sum())

    def dot(self, x: Array, y: Array) -> float:
        _dot(self.bounds, x, y, self._sums)
        return float(self._sums.sum())

    def step(self, length: float, p: Array, q: Array, y: Array, r: Array) -> float:
        """Add length p to y, subtract length q from r, and return ||r||."""
        _step(self.bounds, length, p, q, y, r, self._sums)
        return float(np.sqrt(self._sums.sum()))

    def residual(self, b: Array, y: Array, r: Array) -> float:
        """Set r = b - L y; return ||r||."""
        self.product(y, r)
        np.subtract(b, r, out=r)
        return float(np.sqrt(self.dot(r, r)))


@njit(cache=True, nogil=True)
def _bounds(indptr, rows, parts):
    bounds = np.empty(parts + 1, np.int64)
    row = 0
    for part in range(parts):
        while row < rows and (indptr[row] + row) * parts < (indptr[rows] + rows) * part:
            row += 1
        bounds[part] = row
    bounds[parts] = rows
    return bounds


@njit(cache=True, parallel=True, nogil=True)
def _product(indptr, indices, weights, bounds, x, y, sums):
    one = np.uint64(1)
    for part in prange(len(sums)):
        dot = 0.0
        for row in range(np.uint64(bounds[part]), np.uint64(bounds[part + 1])):
            total = 0.0
            for place in range(indptr[row], indptr[row + one]):
                total += weights[place] * (x[row] - x[indices[place]])
            y[row] = total
            dot += x[row] * total
        sums[part] = dot


@njit(cache=True, parallel=True, nogil=True)
def _dot(bounds, x, y, sums):
    for part in prange(len(sums)):
        total = 0.0
        for row in range(bounds[part], bounds[part + 1]):
            total += x[row] * y[row]
        sums[part] = total


@njit(cache=True, parallel=True, nogil=True)
def _step(bounds, length, p, q, y, r, sums):
    for part in prange(len(sums)):
        total = 0.0
        for row in range(bounds[part], bounds[part + 1]):
            y[row] += length * p[row]
            r[row] -= length * q[row]
            total += r[row] * r[row]
        sums[part] = total


@njit(cache=True, parallel=True, nogil=True)
def _turn(bounds, z, share, p):
    for part in prange(len(bounds) - 1):
        for row in range(bounds[part], bounds[part + 1]):
            p[row] = z[row] + share * p[row]
