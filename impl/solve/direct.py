"""The common steps of other libraries' direct solvers, from the matrix to the solution."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from typing import Literal, Protocol

import numpy as np
from scipy.sparse import csr_array

from fillpath.errors import InputError, UnsupportedError
from fillpath.nouns import Array, Prepared, Solution, Work
from fillpath.phase import phase
from impl.peers.kinds import Kind, kind_of, solved_as_known
from impl.solve.right_hand_side import as_matrix, right_hand_side

MOST_ENTRIES = 2**31 - 1
# The library's order, or the prepared matrix's.
Ordering = Literal["own", "given"]


class System(Protocol):
    """A matrix that a library holds."""

    def analyse(self) -> None:
        """Order the matrix, unless its order is given, and find what the factorisation needs to know."""

    def factorise(self) -> None:
        """Compute the factors, after `analyse`."""

    def solve(self, b: Array) -> Array:
        """Return x with A x = b, both (n,) float64, after `factorise`."""

    def facts(self) -> dict[str, float]:
        """Return the library's counts, after the last call of `solve`."""


def system_of(prepared: Prepared, refine: int) -> tuple[csr_array, Array]:
    """Return (A, b). Raises InputError for refine < 0, UnsupportedError for 2^31 entries or more."""
    if refine < 0:
        raise InputError(f"refine={refine}: expected a number of steps")
    if prepared.pattern.nnz > MOST_ENTRIES:
        raise UnsupportedError(f"{prepared.pattern.nnz} entries: 32-bit indices count {MOST_ENTRIES}")
    with phase("right_hand_side"):
        return as_matrix(prepared), right_hand_side(prepared)


def with_32_bits(matrix: csr_array) -> csr_array:
    """Return the matrix with 32-bit indices, as the libraries take it; the values are not copied."""
    indices, indptr = (array.astype(np.int32, copy=False) for array in (matrix.indices, matrix.indptr))
    return csr_array((matrix.data, indices, indptr), shape=matrix.shape)


def solution(
    system: System, matrix: csr_array, b: Array, refine: int, factorisation: str
) -> tuple[Solution, Work]:
    """Return x and the library's facts. factorisation : the name of that phase."""
    with phase("analysis"):
        system.analyse()
    with phase(factorisation):
        system.factorise()
    with phase("triangular"):
        x = system.solve(b)
    with phase("refine"):
        for _ in range(refine):
            x += system.solve(b - matrix @ x)
    return Solution(x), Work(facts=system.facts())


def solution_as_told(
    prepared: Prepared, refine: int, opened: Callable[..., AbstractContextManager[System]]
) -> tuple[Solution, Work]:
    """Return `solution` of a library that is given the kind of the matrix.

    opened : opens a matrix of a `kind` in the library; the phase `convert`
    """
    matrix, b = system_of(prepared, refine)

    def solve(kind: Kind) -> tuple[Solution, Work]:
        with ExitStack() as stack:
            with phase("convert"):
                system = stack.enter_context(opened(matrix, kind=kind))
            return solution(system, matrix, b, refine, "numeric")

    return solved_as_known(prepared, solve, lambda: kind_of(matrix))
