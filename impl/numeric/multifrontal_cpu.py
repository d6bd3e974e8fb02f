"""Multifrontal LU on the host: dense fronts along the elimination tree of A | A^T.

I. S. Duff and J. K. Reid, The multifrontal solution of indefinite sparse symmetric linear equations, ACM
Trans. Math. Softw. 9 (1983); J. W. H. Liu, The multifrontal method for sparse matrix solution: theory and
practice, SIAM Review 34 (1992); T. A. Davis and I. S. Duff, An unsymmetric-pattern multifrontal method for
sparse LU factorization, SIAM J. Matrix Anal. Appl. 18 (1997). The last paper's fronts that are not square are
left out: fronts here have the symmetric pattern A | A^T.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numba import get_num_threads

from fillpath.errors import UnsupportedError
from fillpath.nouns import Array, FrontFactor, Fronts, Prepared, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.multifrontal.elimination_cpu import Eliminated, eliminated, entries_of, plan_of
from impl.numeric.pivots import small_pivot


@implementation(stage="numeric", paper="")
def multifrontal_cpu(
    fronts: Fronts,
    *,
    dtype: Literal["float32", "float64"] = "float64",
    static_pivoting: bool = False,
) -> tuple[FrontFactor, Work]:
    """Factorise on fronts, subtrees of the elimination tree by thread, large fronts by BLAS.

    fronts : of the matrix, n x n, m fronts
    dtype : of the factor and of all arithmetic
    static_pivoting : bool, replace a pivot below eps in modulus by sign(pivot) eps, where eps =
        small_pivot(dtype) ||A||_1, and count it

    Returns L and U on the fronts, panel = 0 everywhere: the same bits on any number of threads. Facts:
    fronts, largest_front (rows of the largest), flops (2 per multiply-add, 1 per division, zeros of fronts
    included), small_pivots. The peak_memory counts own arrays and the factor. Raises UnsupportedError, naming
    the first column of the prepared matrix with pivot 0, without static_pivoting, or a value not finite.
    """
    with phase("convert"):
        plan, entries = plan_of(fronts), entries_of(fronts, dtype)
        least = small_pivot(dtype) * norm_1(fronts.prepared) if static_pivoting else 0.0
    with phase("factorise"):
        done = eliminated(plan, entries, least, get_num_threads())
    _require_finite(done, len(plan.column), dtype)
    panel = np.zeros(len(plan.up), np.int32)
    pivots, rows = np.diff(fronts.first).astype(np.int64), np.diff(fronts.list_start)
    facts = {
        "fronts": len(panel),
        "largest_front": int((pivots + rows).max(initial=0)),
        "flops": flops(pivots, rows),
        "small_pivots": done.replaced,
    }
    factor = FrontFactor(fronts, plan.start[:-1], panel, done.values, done.replaced)
    return factor, Work(peak_memory=done.nbytes, facts=facts)


def norm_1(prepared: Prepared) -> float:
    """Return ||A||_1: the largest sum of moduli of a column."""
    pattern = prepared.pattern
    sums = np.bincount(pattern.indices, np.abs(prepared.values), minlength=pattern.n)
    return float(sums.max(initial=0.0))


def flops(pivots: Array, rows: Array) -> float:
    """Return the flops of dense LU of fronts: a pivot takes m divisions and m^2 multiply-adds.

    pivots, rows : (m,) int64, eliminated and left over; m counts the rows below a pivot
    """
    size = (pivots + rows).astype(np.float64)
    left = rows.astype(np.float64)

    def below(m: Array) -> Array:
        """Return the flops of a front of m rows and as many pivots."""
        return np.asarray((m - 1) * m / 2 + (m - 1) * m * (2 * m - 1) / 3)

    return float((below(size) - below(left)).sum())


def _require_finite(done: Eliminated, n: int, dtype: str) -> None:
    """Raise UnsupportedError for a pivot of zero, and for a value that is not finite."""
    if done.zero < n and done.zero <= done.not_finite:
        raise UnsupportedError(
            f"column {done.zero}: the pivot is zero (static_pivoting=true replaces small ones)"
        )
    if done.not_finite < n:
        raise UnsupportedError(f"column {done.not_finite}: a value is infinite or not a number in {dtype}")
