"""ParAC on the CPU: its factor, then preconditioned conjugate gradients (Table 2)."""

from __future__ import annotations

from fillpath.nouns import Solution, System, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cholesky.parac_cpu import parac_cpu as factorised
from impl.laplacian.pcg_cpu import RightHandSide, factor_solved


@implementation(stage="laplacian", paper="parac", section="6.1, Table 2")
def parac_cpu(system: System, *, seed: int = 0, rhs: RightHandSide = "random") -> tuple[Solution, Work]:
    """Solve by ParAC's factor on all threads, then conjugate gradients.

    system : on the host
    seed : int, of the factor
    rhs : "random" for the system's b, "product" for L b, the text's other experiment

    Returns x with ||b - L y|| <= 1e-6 ||b||. Phases: factor; analysis, G by rows; right_hand_side, L b;
    solve. Facts: nnz_factor, entries of G below the diagonal; iterations; residual, relative. Raises
    UnsupportedError after 10000 iterations, with the residual reached, and the errors of the factorisation.
    """
    with phase("factor"):
        factor, work = factorised(system.laplacian, seed=seed)
    return factor_solved(system, factor, rhs, dict(work.facts or {}))
