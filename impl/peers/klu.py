"""KLU through the package nbklu: LU by Gilbert and Peierls's method, block by block of a triangular form.

T. A. Davis and E. Palamadai Natarajan, Algorithm 907: KLU, ACM TOMS 37 (2010).
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csc_array

from fillpath.errors import FillpathError, MemoryBudgetError, UnsupportedError
from fillpath.nouns import Array

# No block triangular form, no scaling, and no pivot off the diagonal unless the diagonal is 0.
BARE = {"btf": 0, "scale": 0, "tol": 0.0}


@dataclass(frozen=True, eq=False)
class System:
    """A matrix in KLU.

    columns : n x n, float64, with 32-bit indices
    solver : of nbklu
    given : bool, whether KLU keeps its order
    """

    columns: csc_array
    solver: Any
    given: bool

    def analyse(self) -> None:
        from nbklu.solver import KLUException, KLUSingularException

        columns, solver = self.columns, self.solver
        n, indptr, indices = columns.shape[0], columns.indptr, columns.indices
        try:
            if self.given:
                order = np.arange(n, dtype=np.int32)
                solver.analyze_given(n, indptr, indices, order, order)
            else:
                solver.analyze(n, indptr, indices)
        except KLUException as error:
            if not isinstance(error, KLUSingularException):
                # Nothing is left to free, and nbklu would pass on a null pointer.
                solver.symbolic = None
            raise _reason(error) from None

    def factorise(self) -> None:
        """Factorise. Raises UnsupportedError for a singular matrix: `solve` would crash the process."""
        from nbklu.solver import KLUException

        try:
            self.solver.factor(self.columns.data)
        except KLUException as error:
            # KLU has freed the factors.
            self.solver.numeric = None
            raise _reason(error) from None

    def factorise_again(self) -> None:
        """Compute the factors again in the structure that `factorise` has found."""
        from nbklu.solver import KLUException

        try:
            self.solver.refactor(self.columns.data)
        except KLUException as error:
            raise _reason(error) from None

    def solve(self, b: Array) -> Array:
        x: Array = self.solver.solve(b)
        return x

    def facts(self) -> dict[str, float]:
        """Return nnz_factor, blocks of the block triangular form, and off_diagonal_pivots.

        nnz_factor : entries of L and U, the diagonal once, with entries between blocks
        """
        numeric, n = self.solver.numeric, self.columns.shape[0]
        return {
            "nnz_factor": numeric.lnz + numeric.unz + numeric.nzoff - n,
            "blocks": self.solver.symbolic.nblocks,
            "off_diagonal_pivots": self.solver.common.noffdiag,
        }


def system(columns: csc_array, *, given: bool, **settings: float) -> System:
    """Return a matrix in KLU, which frees its memory with the last reference to the result.

    given : bool, whether KLU keeps its order
    settings : of klu_common, in place of its defaults
    """
    from nbklu import KLUSolver32Real

    solver = KLUSolver32Real(singular_as_error=True)
    for name, value in settings.items():
        setattr(solver.common, name, value)
    held = System(columns, solver, given)
    weakref.finalize(held, solver.close)
    return held


def _reason(error: Exception) -> FillpathError:
    from nbklu.solver import KLUOutOfMemoryException, KLUSingularException, KLUTooLargeException

    if isinstance(error, KLUSingularException):
        return UnsupportedError(
            "KLU: a pivot is 0 in this order of the values: try --matching mc64, or --matching none "
            "--diagonal 1000"
        )
    if isinstance(error, KLUTooLargeException):
        return UnsupportedError("KLU: the factors are too large for 32-bit indices")
    if isinstance(error, KLUOutOfMemoryException):
        return MemoryBudgetError("KLU is out of memory")
    return FillpathError(f"KLU: {error}")
