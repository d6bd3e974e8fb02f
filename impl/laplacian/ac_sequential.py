"""Gao, Kyng and Spielman's approximate Cholesky factor, then conjugate gradients."""

from __future__ import annotations

from fillpath.nouns import Solution, System, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cholesky.ac_sequential import ac_sequential as factorised
from impl.laplacian.pcg_cpu import RightHandSide, factor_solved


@implementation(stage="laplacian", paper="parac", section="2, Algorithms 1 and 2")
def ac_sequential(system: System, *, seed: int = 0, rhs: RightHandSide = "random") -> tuple[Solution, Work]:
    """Solve by ac_sequential's factor on one core, then conjugate gradients.

    system : on the host
    seed : int, of the factor
    rhs : as in parac_cpu

    Phases, facts and errors as in parac_cpu.
    """
    with phase("factor"):
        factor, _ = factorised(system.laplacian, seed=seed)
    return factor_solved(system, factor, rhs, {})
