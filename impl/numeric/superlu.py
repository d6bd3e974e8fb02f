"""SciPy's SuperLU as a peer in the stage numeric, which asks for L and U (X. S. Li, ACM TOMS 31)."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_array

from fillpath.nouns import Assembled, Factorised, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.peers.superlu import factorise


@implementation(stage="numeric", peer="scipy")
def superlu(assembled: Assembled) -> tuple[Factorised, Work]:
    """Factorise by SciPy's SuperLU (sequential), its symbolic part too, checked by a residual only.

    assembled : A on F; only the entries of A are passed on, without the zeros of F

    SuperLU finds its own supernodal pattern, keeps the order of A, and pivots if a pivot is 0. Its factors
    need not fit F, so the check is a residual of A x = b. Raises UnsupportedError if no pivot is left.
    """
    columns = assembled.two_way.columns
    with phase("convert"):
        held = np.flatnonzero(assembled.values)
        indptr = np.searchsorted(held, columns.indptr)
        matrix = csc_array((assembled.values[held], columns.indices[held], indptr), shape=(columns.n,) * 2)
    with phase("factorise"):
        factors = factorise(matrix)
    return Factorised(factors.solve, factors.nnz - columns.n), Work()
