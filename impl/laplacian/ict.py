"""Incomplete Cholesky with a drop tolerance at ParAC's fill: the peer of the paper's Table 2, our own."""

from __future__ import annotations

from fillpath.errors import InputError
from fillpath.nouns import Solution, System, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cholesky.ac_sequential import ac_sequential
from impl.laplacian.incomplete import Threshold, incomplete, matching
from impl.laplacian.pcg_cpu import RightHandSide, factor_solved


@implementation(stage="laplacian", paper="parac", section="6.1, Table 2")
def ict(
    system: System,
    *,
    seed: int = 0,
    drop_tolerance: float | None = None,
    rhs: RightHandSide = "random",
) -> tuple[Solution, Work]:
    """Thresholded incomplete Cholesky at ParAC's fill (one core), then conjugate gradients on all threads.

    system : on the host. drop_tolerance : of `incomplete`; None: the one at which the factor has as many
    entries as ac_sequential's with that seed, up to 2% or as near as equal entries let it, which is found in
    a phase of its own, `threshold`, by some ten factorisations that are part of the seconds: what the factor
    takes is the phase `factor` alone. rhs, the other phases, facts and errors : as in parac_cpu; the facts
    drop_tolerance, tries and nnz_wanted as well. Raises InputError for a negative tolerance.
    """
    if drop_tolerance is not None and not drop_tolerance >= 0:
        raise InputError(f"drop_tolerance={drop_tolerance}: expected a number of at least 0")
    threshold, sought = Threshold(drop_tolerance or 0.0, 0), {}
    if drop_tolerance is None:
        with phase("threshold"):
            wanted, _ = ac_sequential(system.laplacian, seed=seed)
            threshold = matching(system.laplacian, wanted.pattern.nnz)
            sought = {"nnz_wanted": wanted.pattern.nnz}
    with phase("factor"):
        factor = incomplete(system.laplacian, threshold.tolerance)
    facts = {"drop_tolerance": threshold.tolerance, "tries": threshold.tries, **sought}
    return factor_solved(system, factor, rhs, facts)
