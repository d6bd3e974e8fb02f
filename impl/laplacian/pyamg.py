"""PyAMG's multigrid as the preconditioner: N. Bell, L. N. Olson, J. Schroder, B. Southworth, JOSS 2023."""

from __future__ import annotations

from typing import Literal

import numpy as np

from fillpath.errors import UnsupportedError
from fillpath.nouns import Array, Solution, System, Work
from fillpath.peers import peer
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cholesky.graph import as_matrix
from impl.laplacian.pcg_cpu import RightHandSide, solved

MOST_ENTRIES = 2**31 - 1


@implementation(stage="laplacian", available=peer("pyamg").available, peer="pyamg")
def pyamg(
    system: System,
    *,
    method: Literal["ruge_stuben", "smoothed_aggregation"] = "ruge_stuben",
    rhs: RightHandSide = "random",
) -> tuple[Solution, Work]:
    """Solve with our conjugate gradients, one V-cycle of PyAMG's multigrid (sequential) per iteration.

    system : on the host
    method : PyAMG's solver, with its defaults
    rhs : as in parac_cpu

    The phase factor makes the levels. Facts: levels; nnz_factor, the entries of their matrices; iterations;
    residual. Raises the errors of parac_cpu, and UnsupportedError for 2^31 entries of L.
    """
    import pyamg as library

    graph = system.laplacian
    rows = graph.n - graph.grounded
    matrix = as_matrix(graph).tocsr()[:rows, :rows].astype(np.float64)
    if matrix.nnz > MOST_ENTRIES:
        raise UnsupportedError(f"{matrix.nnz} entries exceed what PyAMG counts ({MOST_ENTRIES})")
    matrix.indptr, matrix.indices = matrix.indptr.astype(np.int32), matrix.indices.astype(np.int32)
    with phase("factor"):
        build = getattr(library, f"{method}_solver")
        levels = build(matrix)
        cycle = levels.aspreconditioner(cycle="V")

    def apply(r: Array, z: Array) -> None:
        z[:rows] = cycle @ r[:rows]

    entries = sum(level.A.nnz for level in levels.levels)
    return solved(system, apply, rhs, {"levels": len(levels.levels), "nnz_factor": entries})
