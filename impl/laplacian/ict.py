"""Incomplete Cholesky with a drop tolerance at ParAC's fill, our own: the baseline of the paper's Table 2."""

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
    """Solve by thresholded incomplete Cholesky at ParAC's fill (one core), then conjugate gradients.

    system : on the host
    seed : int, of the ac_sequential factor whose fill is matched
    drop_tolerance : float, of `incomplete`. None gives the factor as many entries as ac_sequential's with
        that seed, up to 2 %, or as close as entries of equal size allow
    rhs : as in parac_cpu

    Conjugate gradients run on all threads, the factorisation on one core. Finding the tolerance takes some
    ten factorisations, in the phase `threshold`. They are part of the seconds; the factorisation itself is
    the phase `factor`. Other phases, facts and errors as in parac_cpu, and the facts drop_tolerance, tries
    and nnz_wanted. Raises InputError for a negative tolerance.
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
