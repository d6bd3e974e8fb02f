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
from scipy.sparse import csr_array, triu

from fillpath.errors import FillpathError, MemoryBudgetError, UnsupportedError
from fillpath.nouns import Array
from impl.peers.kinds import NUMBERS, IndefiniteError, Kind

_NUMERIC = 22
_GIVEN, _MATCHING, _PIVOTS, _ENTRIES = 4, 12, 13, 17
# MKL's types of a matrix, and its own defaults for each, which the package leaves at 0. General: pivots below
# 10^-13 of the matrix's norm replaced, scaling, matching. Symmetric: below 10^-8, pivots of 1 x 1 and 2 x 2.
_TYPES: dict[Kind, tuple[int, dict[int, int]]] = {
    "general": (11, {9: 13, 10: 1, _MATCHING: 1}),
    "symmetric": (-2, {9: 8, 20: 1}),
    "spd": (2, {}),
}
# Nested dissection for all, and the factors' entries counted.
_SETTINGS = {1: 2, _ENTRIES: -1}
# The package names PARDISO's errors in words.
_MEMORY = "not enough memory"
_INDEFINITE = "zero pivot"
_REFUSALS = (_INDEFINITE, "reordering", "diagonal matrix problem", "overflow")


@dataclass(frozen=True, eq=False)
class System:
    """A matrix in PARDISO.

    solver : of py-mkl-pardiso
    kind : given to PARDISO
    """

    solver: Any
    kind: Kind

    def analyse(self) -> None:
        _call(self.solver.analyze)

    def factorise(self) -> None:
        """Factorise. Raises IndefiniteError for a matrix of kind spd that is not positive definite."""
        try:
            _call(self.solver.run_phase, _NUMERIC)
        except UnsupportedError as error:
            if self.kind == "spd" and _INDEFINITE in str(error):
                raise IndefiniteError(str(error)) from None
            raise

    def solve(self, b: Array) -> Array:
        x: Array = _call(self.solver.solve, b)
        return x

    def facts(self) -> dict[str, float]:
        """Return nnz_factor, pivots replaced because they were small, and the kind (`kinds.NUMBERS`).

        nnz_factor : entries of L and U as PARDISO counts them, of L alone where PARDISO knows of the symmetry
        """
        numbers = {"nnz_factor": _ENTRIES, "pivots": _PIVOTS}
        facts = {name: float(self.solver.get_iparm_value(place)) for name, place in numbers.items()}
        return {**facts, "kind": NUMBERS[self.kind]}


@contextmanager
def opened(matrix: csr_array, *, kind: Kind, given: bool) -> Iterator[System]:
    """Open a matrix in PARDISO until the end of the block. given : bool, whether it keeps its order."""
    # The package's public class analyses and factorises at once.
    from pymklpardiso._mkl_pardiso import PardisoSolver

    number, settings = _TYPES[kind]
    solver = PardisoSolver(number)
    entries = matrix if kind == "general" else triu(matrix, format="csr")
    try:
        for place, value in {**_SETTINGS, **settings}.items():
            solver.set_iparm(place, value)
        solver.set_pattern(entries.indptr, entries.indices, matrix.shape[0])
        solver.set_values(entries.data)
        if given:
            solver.set_iparm(_GIVEN, 1)
            # A matching would permute the rows.
            solver.set_iparm(_MATCHING, 0)
            solver.set_perm(np.arange(matrix.shape[0]))
        yield System(solver, kind)
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
