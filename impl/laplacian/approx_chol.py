"""approx-chol's factor as the preconditioner: Y. Gao, R. Kyng, D. A. Spielman, SIAM J. Sci. Comput. 2025."""

from __future__ import annotations

import numpy as np

from fillpath.nouns import Array, Solution, System, Work
from fillpath.peers import peer
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.laplacian.pcg_cpu import solved
from impl.laplacian.rows import rows_of


@implementation(stage="laplacian", available=peer("approx_chol").available, peer="approx_chol")
def approx_chol(system: System) -> tuple[Solution, Work]:
    """Solve with our conjugate gradients and approx-chol's sampled factor AC (sequential).

    system : on the host

    It has its defaults: edges are not split, and blocks of up to 24 vertices are factorised exactly. Its
    phases: convert, to L without the ground; factor; right_hand_side; solve. Facts: iterations, residual.
    Raises the errors of parac_cpu, and UnsupportedError for 2^31 entries of L.
    """
    import approx_chol as library

    with phase("convert"):
        matrix = rows_of(system.laplacian)
        places = matrix.indptr.astype(np.uint32), matrix.indices.astype(np.uint32)
    rows = matrix.shape[0]
    with phase("factor"):
        factor = library.factorize_raw(*places, matrix.data, n=rows)

    def apply(r: Array, z: Array) -> None:
        factor.solve_into(r[:rows], z[:rows])

    return solved(system, apply, "random", {})
