"""PARDISO of oneMKL through the package py-mkl-pardiso, which holds MKL's sequential part.

O. Schenk and K. Gärtner, Solving unsymmetric sparse systems of linear equations with PARDISO, Future
Generation Computer Systems 20 (2004). Places in iparm count from 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from fillpath.errors import FillpathError, MemoryBudgetError, UnsupportedError
from fillpath.nouns import Array

_NUMERIC = 22
_GIVEN, _MATCHING, _PIVOTS, _ENTRIES = 4, 12, 13, 17
# MKL's own defaults for an unsymmetric matrix, which the package leaves at 0: nested dissection, pivots below
# 10^-13 of the matrix's norm replaced, scaling, matching. The last one has the factors' entries counted.
_SETTINGS = {1: 2, 9: 13, 10: 1, _MATCHING: 1, _ENTRIES: -1}
# The package says in words which of PARDISO's errors it was.
_MEMORY = "not enough memory"
_REFUSALS = ("zero pivot", "reordering", "diagonal matrix problem", "overflow")


@dataclass(frozen=True, eq=False)
class System:
    """A matrix in PARDISO. solver : of py-mkl-pardiso."""

    solver: Any

    def analyse(self) -> None:
        _call(self.solver.analyze)

    def factorise(self) -> None:
        _call(self.solver.run_phase, _NUMERIC)

    def solve(self, b: Array) -> Array:
        x: Array = _call(self.solver.solve, b)
        return x

    def facts(self) -> dict[str, float]:
        """nnz_factor, entries of L and U as PARDISO counts them; pivots, replaced because they were small."""
        numbers = {"nnz_factor": _ENTRIES, "pivots": _PIVOTS}
        return {name: float(self.solver.get_iparm_value(place)) for name, place in numbers.items()}


@contextmanager
def opened(matrix: csr_array, *, given: bool) -> Iterator[System]:
    """A matrix in PARDISO until the end of the block. given : whether it keeps its order."""
    # The package's public class analyses and factorises at once.
    from pymklpardiso._mkl_pardiso import MTYPE_REAL_NONSYM, PardisoSolver

    solver = PardisoSolver(MTYPE_REAL_NONSYM)
    try:
        for place, value in _SETTINGS.items():
            solver.set_iparm(place, value)
        solver.set_pattern(matrix.indptr, matrix.indices, matrix.shape[0])
        solver.set_values(matrix.data)
        if given:
            solver.set_iparm(_GIVEN, 1)
            # It would permute the rows.
            solver.set_iparm(_MATCHING, 0)
            solver.set_perm(np.arange(matrix.shape[0]))
        yield System(solver)
    finally:
        solver.release()


def _call(function: Any, *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except RuntimeError as error:
        message = str(error)
    if _MEMORY in message:
        raise MemoryBudgetError(message)
    refused = any(words in message for words in _REFUSALS)
    raise UnsupportedError(message) if refused else FillpathError(message)
