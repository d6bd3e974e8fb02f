"""HYPRE's algebraic multigrid and conjugate gradients, a peer, on ranks of MPI: ParAC's Table 2."""

from __future__ import annotations

from contextlib import ExitStack

import numpy as np
from scipy.sparse import csr_array

from fillpath.errors import UnsupportedError
from fillpath.nouns import Array, Solution, System, Work
from fillpath.peers import peer
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cholesky.graph import as_matrix
from impl.cpu.ranks import everyone
from impl.laplacian.stopping import MOST_ITERATIONS, TOLERANCE, unconverged
from impl.laplacian.system import to_unknowns
from impl.peers.hypre import Multigrid, Rows, multigrid, opened

MOST_ENTRIES = 2**31 - 1


@implementation(
    stage="laplacian", paper="parac", section="6.1, Table 2", available=peer("hypre").available, peer="hypre"
)
def hypre(system: System, *, ranks: int = 1) -> tuple[Solution, Work]:
    """BoomerAMG with its defaults, one V-cycle an iteration of HYPRE's conjugate gradients.

    system : on the host, the same on all ranks
    ranks : of MPI, each with its share of the rows

    Where the recurrence has come to the tolerance, b - A x is computed from scratch, as for every other
    preconditioner; where that is larger, the iteration starts again from x. Its phases: convert; assemble,
    HYPRE's own matrix; factor, the levels; solve. Facts: iterations, residual. Returns the solution on every
    rank. Raises UnsupportedError for 2^31 entries or more, and after MOST_ITERATIONS.
    """
    communicator, graph = everyone(ranks), system.laplacian
    with phase("convert"):
        rows = graph.n - graph.grounded
        matrix = as_matrix(graph).tocsr()[:rows, :rows].astype(np.float64)
        if matrix.nnz > MOST_ENTRIES:
            raise UnsupportedError(f"{matrix.nnz} entries: HYPRE is given 32-bit row pointers here")
        b = system.b[:rows]
        communicator.Barrier()
    with ExitStack() as stack:
        with phase("assemble"):
            own = stack.enter_context(opened(communicator, matrix, b))
        with phase("factor"):
            levels = stack.enter_context(multigrid(own))
            levels.set_up()
            communicator.Barrier()
        with phase("solve"):
            x, iterations, residual = _solved(own, levels, matrix, b)
    y = np.append(x, 0.0) if graph.grounded else x
    return Solution(to_unknowns(graph, y)), Work(facts={"iterations": iterations, "residual": residual})


def _solved(own: Rows, levels: Multigrid, matrix: csr_array, b: Array) -> tuple[Array, int, float]:
    """(x, iterations, ||b - A x|| / ||b||), the whole of x on every rank."""
    share, bound = matrix[own.begin : own.end], TOLERANCE * np.linalg.norm(b)
    iterations = 0
    while iterations < MOST_ITERATIONS:
        iterations += levels.solve(TOLERANCE, MOST_ITERATIONS - iterations)
        x = np.concatenate(own.communicator.allgather(own.x))
        squares = own.communicator.allreduce(float(np.sum((b[own.begin : own.end] - share @ x) ** 2)))
        if np.sqrt(squares) <= bound:
            return x, iterations, TOLERANCE * float(np.sqrt(squares) / bound) if bound else 0.0
    raise unconverged(TOLERANCE * float(np.sqrt(squares) / bound))
