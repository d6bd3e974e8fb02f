"""HYPRE's algebraic multigrid and conjugate gradients, a peer, on ranks of MPI: ParAC's Table 2."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Literal

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import reverse_cuthill_mckee

from fillpath.errors import UnsupportedError
from fillpath.nouns import Array, Laplacian, Solution, System, Work
from fillpath.peers import peer
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cpu.ranks import everyone
from impl.laplacian.lift import LIFT, lifted_vertices
from impl.laplacian.stopping import MOST_ITERATIONS, TOLERANCE, unconverged
from impl.laplacian.system import to_unknowns
from impl.peers.hypre import Multigrid, Product, Rows, multigrid, opened

MOST_ENTRIES = 2**31 - 1

Order = Literal["given", "rcm"]


@implementation(
    stage="laplacian", paper="parac", section="6.1, Table 2", available=peer("hypre").available, peer="hypre"
)
def hypre(
    system: System, *, ranks: int = 1, order: Order = "given", product: Product = "triple"
) -> tuple[Solution, Work]:
    """Solve with HYPRE's conjugate gradients, one V-cycle of BoomerAMG per iteration.

    system : on the host, the same on all ranks
    ranks : int, of MPI, each with an equal block of consecutive rows
    order : of the rows in HYPRE, the vertices' own or reverse Cuthill and McKee's. Orders that reduce fill or
        sort by degree tear neighbours apart; HYPRE's users keep them together
    product : for the operators of coarse levels, the same but for rounding. HYPRE's default, `triple`, is
        slow where interpolation crosses a rank's bounds: for each coarse row it searches all rows there

    HYPRE's defaults are its recommendation with conjugate gradients: HMIS coarsening, extended+i
    interpolation, one symmetric sweep. Once the recurrence reaches the tolerance, b - A x is computed from
    scratch, as for every other preconditioner. If that is larger, the iteration starts again from x. The
    matrix that HYPRE is given is lifted where L is singular (impl/laplacian/lift.py).

    Its phases: order; convert; assemble, HYPRE's own matrix; factor, the levels; solve. Facts: iterations,
    residual. Returns the solution on every rank. Raises UnsupportedError for 2^31 entries or more, after
    MOST_ITERATIONS, and where conjugate gradients break down.
    """
    communicator, graph = everyone(ranks), system.laplacian
    _require_few(graph)
    rows, number = graph.n - graph.grounded, communicator.Get_rank()
    begin, end = rows * number // ranks, rows * (number + 1) // ranks
    vertices = np.arange(rows)
    if order == "rcm":
        with phase("order"):
            vertices = communicator.bcast(_close_together(graph) if number == 0 else None)
    with phase("convert"):
        share, b = _share(graph, vertices, begin, end), system.b[vertices]
        lifted = np.isin(vertices[begin:end], lifted_vertices(graph))
        regular = _regular(share, begin, lifted)
        communicator.Barrier()
    with ExitStack() as stack:
        with phase("assemble"):
            own = stack.enter_context(opened(communicator, begin, regular, b[begin:end]))
        with phase("factor"):
            levels = stack.enter_context(multigrid(own, product))
            levels.set_up()
            communicator.Barrier()
        with phase("solve"):
            x, iterations, residual = _solved(own, levels, share, b)
    y = np.zeros(graph.n)
    y[vertices] = x
    return Solution(to_unknowns(graph, y)), Work(facts={"iterations": iterations, "residual": residual})


def _require_few(graph: Laplacian) -> None:
    entries = graph.pattern.nnz + graph.n
    if entries > MOST_ENTRIES:
        raise UnsupportedError(f"{entries} entries: HYPRE is given 32-bit row pointers here")


def _close_together(graph: Laplacian) -> Array:
    """Return the vertices without the ground, neighbours close to each other."""
    rows, pattern = graph.n - graph.grounded, graph.pattern
    arrays = np.ones(pattern.nnz, np.int8), pattern.indices, pattern.indptr
    edges = csr_array(arrays, shape=(graph.n, graph.n))[:rows, :rows]
    order: Array = reverse_cuthill_mckee(edges, symmetric_mode=True)
    return order


def _share(graph: Laplacian, vertices: Array, begin: int, end: int) -> csr_array:
    """Return (end - begin, rows) float64: rows of L, without the ground, in order; parallel edges add up."""
    rows, indptr = len(vertices), graph.pattern.indptr
    places = np.empty(rows, np.int64)
    places[vertices] = np.arange(rows)
    lengths = np.diff(indptr)[vertices[begin:end]]
    of_entries = np.repeat(np.arange(end - begin), lengths)
    starts = indptr[vertices[begin:end]] - np.cumsum(lengths) + lengths
    entries = starts[of_entries] + np.arange(len(of_entries))
    ends, weights = graph.pattern.indices[entries], graph.weights[entries]
    degrees = np.bincount(of_entries, weights, end - begin)
    kept = ends < rows
    values = np.concatenate([-weights[kept], degrees])
    row = np.concatenate([of_entries[kept], np.arange(end - begin)])
    column = np.concatenate([places[ends[kept]], np.arange(begin, end)])
    return coo_array((values, (row, column)), shape=(end - begin, rows)).tocsr()


def _regular(share: csr_array, begin: int, lifted: Array) -> csr_array:
    """Return the rows with the lifted diagonals, and 1 on the diagonal of a vertex without edges.

    There b and the solution are 0. lifted : (rows,) bool
    """
    diagonal = share.diagonal(begin)
    more = np.where(diagonal == 0, 1.0, LIFT * diagonal * lifted)
    changed = np.flatnonzero(more)
    if not len(changed):
        return share
    added = coo_array((more[changed], (changed, begin + changed)), shape=share.shape)
    regular: csr_array = share + added.tocsr()
    return regular


def _solved(own: Rows, levels: Multigrid, share: csr_array, b: Array) -> tuple[Array, int, float]:
    """Return (x, iterations, ||b - A x|| / ||b||), the whole of x on every rank."""
    size, iterations = float(np.linalg.norm(b)), 0
    while True:
        steps, done = levels.solve(TOLERANCE, MOST_ITERATIONS - iterations)
        iterations += steps
        x = _gathered(own, len(b))
        squares = float(np.sum((b[own.begin : own.end] - share @ x) ** 2))
        left = float(np.sqrt(own.communicator.allreduce(squares))) / (size or 1.0)
        if left <= TOLERANCE:
            return x, iterations, left
        if iterations >= MOST_ITERATIONS:
            raise unconverged(left)
        if not done:
            raise UnsupportedError(
                f"HYPRE's conjugate gradients break down after {iterations} iterations, at a relative "
                f"residual of {left:.3g}"
            )


def _gathered(own: Rows, n: int) -> Array:
    x, counts = np.empty(n), own.communicator.allgather(own.end - own.begin)
    own.communicator.Allgatherv(own.x, (x, counts))
    return x
