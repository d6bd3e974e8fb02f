"""AmgX's algebraic multigrid and conjugate gradients, a peer, on the GPU: ParAC's Table 3.

The matrix goes to AmgX once; each restart from x computes b - A x by cuSPARSE.

    solution, work = amgx(system)                              # arrays on the device
    work.facts["iterations"], work.facts["residual"] <= 1e-6   # how many, True
"""

from __future__ import annotations

import math
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fillpath.errors import UnsupportedError
from fillpath.nouns import Array, Laplacian, Pattern, Solution, System, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cuda import kernels
from impl.laplacian.launches import launch
from impl.laplacian.lift import LIFT
from impl.laplacian.stopping import MOST_ITERATIONS, TOLERANCE, unconverged
from impl.laplacian.system import to_unknowns
from impl.peers import cusparse
from impl.peers.amgx import Solver, available, opened

KERNEL = Path(__file__).with_name("ic0.cu")
NAMES = ("ic0_last",)
# AmgX's tolerance over ours: its residual and ours differ by rounding at a restart.
CLOSER = 0.999


@implementation(
    stage="laplacian",
    device="gpu",
    paper="parac",
    section="6.2, Table 3",
    available=available,
    kernels=("ic0.cu",),
    peer="amgx",
)
def amgx(system: System) -> tuple[Solution, Work]:
    """Solve with AmgX's conjugate gradients, one V-cycle of multigrid by aggregation per iteration.

    system : on the device

    The settings are NVIDIA's own for this solver (PCG_AGGREGATION_JACOBI). Once the recurrence reaches the
    tolerance, b - A x is computed from scratch, as for every other preconditioner. If that is larger, the
    iteration starts again from x. The matrix that AmgX is given is lifted where L is singular
    (impl/laplacian/lift.py).

    Its phases: convert, to rows on the device; assemble, AmgX's own copies; factor, the levels; solve. Facts:
    iterations, residual. Raises UnsupportedError for 2^31 entries or more, after MOST_ITERATIONS, and where
    conjugate gradients break down.
    """
    import cupy

    graph = system.laplacian
    rows = graph.n - graph.grounded
    with phase("convert"):
        pattern, values, diagonal = _matrix(graph)
        lifted = _lifted_vertices(graph)
        regular = _regular(values, diagonal, lifted)
        b, matrix = system.b[:rows], cusparse.Matrix(pattern, values)
        size = _norm(b)
    y: Any = cupy.zeros(graph.n)
    with ExitStack() as stack:
        with phase("assemble"):
            tolerance = CLOSER * TOLERANCE * size
            own = stack.enter_context(opened(pattern, regular, b, tolerance, MOST_ITERATIONS))
        with phase("factor"):
            own.set_up()
        with phase("solve"):
            level = _Level(graph.component[:rows], lifted)
            y[:rows], iterations, left = _solved(own, matrix, b, size, level)
            x = to_unknowns(graph, y)
    return Solution(x), Work(facts={"iterations": iterations, "residual": left})


def _matrix(graph: Laplacian) -> tuple[Pattern, Array, Array]:
    """Return (pattern, values, places of the diagonal) of L without the ground, parallel edges added up."""
    import cupy

    rows = graph.n - graph.grounded
    indptr: Any = graph.pattern.indptr
    # The ground is the last vertex.
    entries = int(indptr[rows])
    columns: Any = graph.pattern.indices[:entries]
    weights: Any = graph.weights[:entries]
    of_row = cupy.searchsorted(indptr[1:], cupy.arange(entries), side="right")
    degrees = cupy.bincount(of_row, weights, rows)
    kept = columns < rows
    of_row, columns, weights = of_row[kept], columns[kept], weights[kept]
    first = cupy.ones(len(columns), np.bool_)
    first[1:] = (of_row[1:] != of_row[:-1]) | (columns[1:] != columns[:-1])
    of_row, columns, sums = of_row[first], columns[first], _sums(first, weights)
    starts = cupy.zeros(rows + 1, np.int64)
    starts[1:] = cupy.cumsum(cupy.bincount(of_row, minlength=rows) + 1)
    diagonal = starts[:-1] + cupy.bincount(of_row[columns < of_row], minlength=rows)
    # An entry follows the diagonals of the earlier rows, and its own row's diagonal if it is right of it.
    places = cupy.arange(len(columns)) + of_row + (columns > of_row)
    indices, values = cupy.empty(len(columns) + rows, np.int32), cupy.empty(len(columns) + rows)
    indices[places], values[places] = columns, -sums
    indices[diagonal], values[diagonal] = cupy.arange(rows), degrees
    return Pattern(starts, indices), values, diagonal


def _sums(first: Any, weights: Any) -> Any:
    """Return the sum of each run of weights; `first` marks where the runs begin."""
    import cupy

    return cupy.bincount(cupy.cumsum(first) - 1, weights, int(first.sum()))


def _lifted_vertices(graph: Laplacian) -> Any:
    import cupy

    last = cupy.full(graph.components, -1, np.int32)
    compiled = kernels.load(KERNEL, NAMES)
    launch(compiled["ic0_last"], graph.n, graph.component, np.uint32(graph.n), last)
    return last[last < graph.n - graph.grounded]


def _regular(values: Array, diagonal: Array, lifted: Array) -> Array:
    """Return values with lifted diagonals, and 1 where a vertex has no edges; there b and x are 0."""
    import cupy

    degrees: Any = values[diagonal]
    degrees[lifted] *= 1 + LIFT
    regular: Array = values.copy()
    regular[diagonal] = cupy.where(degrees == 0, 1.0, degrees)
    return regular


@dataclass(frozen=True, eq=False)
class _Level:
    """The vertices where a solution is 0: one in each component without the ground.

    component : (rows,) int32
    vertices : (k,) int32
    """

    component: Array
    vertices: Array

    def lowered(self, x: Array) -> Array:
        """Return x shifted by a constant per component, so that these vertices are 0; the residual stays."""
        import cupy

        levels: Any = cupy.zeros(int(self.component.max()) + 1)
        levels[self.component[self.vertices]] = x[self.vertices]
        lowered: Array = x - levels[self.component]
        return lowered


def _solved(
    own: Solver, matrix: cusparse.Matrix, b: Array, size: float, level: _Level
) -> tuple[Array, int, float]:
    """Return (x, iterations, ||b - A x|| / ||b||); size is ||b||."""
    iterations = 0
    if size == 0:
        return own.x, 0, 0.0
    while True:
        steps, is_sound = own.solve(from_zero=not iterations)
        iterations += steps
        x = own.x
        left = _norm(matrix.residual(b, x)) / size
        if left <= TOLERANCE:
            return x, iterations, left
        if iterations >= MOST_ITERATIONS:
            raise unconverged(left)
        if not (is_sound and steps):
            raise UnsupportedError(
                f"AmgX's conjugate gradients break down after {iterations} iterations, at a relative "
                f"residual of {left:.3g}"
            )
        own.start_at(level.lowered(x))


def _norm(vector: Any) -> float:
    return math.sqrt(float((vector * vector).sum()))
