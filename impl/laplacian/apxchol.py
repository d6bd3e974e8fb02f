"""apxchol's factor and conjugate gradients, a peer: O. Kulkov, Y. Baumann and R. Kyng, ETH Zürich."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from fillpath.errors import UnsupportedError
from fillpath.nouns import Array, Solution, System, Work
from fillpath.peers import peer
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.laplacian.rows import rows_of
from impl.laplacian.stopping import MOST_ITERATIONS, TOLERANCE, unconverged
from impl.laplacian.system import to_unknowns

# Its tolerance over ours: its residual and ours differ by rounding at a restart.
CLOSER = 0.999


@implementation(stage="laplacian", available=peer("apxchol").available, peer="apxchol")
def apxchol(system: System) -> tuple[Solution, Work]:
    """Solve with apxchol's own conjugate gradients and its sampled factor, with its defaults.

    system : on the host

    Factor and iteration run on all threads of the case, with the factor's values in float32. Once the
    recurrence reaches the tolerance, b - A x is computed from scratch, as for every other preconditioner. If
    that is larger, the iteration starts again from x.

    Its phases: convert, to L without the ground; factor; solve. Facts: nnz_factor, entries of its factor
    below the diagonal; iterations; residual. Raises UnsupportedError for 2^31 entries or more, after
    MOST_ITERATIONS, and where its conjugate gradients stop early.
    """
    import apxchol as library

    graph = system.laplacian
    with phase("convert"):
        matrix = rows_of(graph)
        b = np.ascontiguousarray(system.b[: matrix.shape[0]])
    with phase("factor"):
        own = library.factorize(matrix, keep_factor=False)
    with phase("solve"):
        y = np.zeros(graph.n)
        y[: len(b)], iterations, left = _solved(own, matrix, b)
        x = to_unknowns(graph, y)
    entries = own.factor_nnz - len(b)
    return Solution(x), Work(facts={"nnz_factor": entries, "iterations": iterations, "residual": left})


def _solved(own: Any, matrix: csr_array, b: Array) -> tuple[Array, int, float]:
    size, iterations = float(np.linalg.norm(b)), 0
    x: Array = np.zeros(len(b))
    if size == 0:
        return x, 0, 0.0
    while True:
        found = own.solve(b, rtol=CLOSER * TOLERANCE, maxiter=MOST_ITERATIONS - iterations, x0=x)
        x, iterations = found.x, iterations + found.iters
        left = float(np.linalg.norm(b - matrix @ x)) / size
        if left <= TOLERANCE:
            return x, iterations, left
        if iterations >= MOST_ITERATIONS:
            raise unconverged(left)
        if not (found.converged and found.iters):
            raise UnsupportedError(
                f"apxchol's conjugate gradients stop after {iterations} iterations, at a relative "
                f"residual of {left:.3g}"
            )
