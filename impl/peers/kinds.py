"""The kind of matrix that a library is given: one rule for every peer with a factorisation for each kind.

Users of these libraries declare the kind of their matrix. Here the values decide, once per matrix, before the
samples.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from fillpath.errors import UnsupportedError
from fillpath.nouns import Array, Prepared, Solution, Work

# spd : symmetric positive definite
Kind = Literal["general", "symmetric", "spd"]
# As a fact of a record.
NUMBERS: dict[Kind, int] = {"general": 0, "symmetric": 1, "spd": 3}

# The values of the last matrix, and its kind.
_known: list[tuple[Array, Kind]] = []


class IndefiniteError(UnsupportedError):
    """A matrix that was given to a library as positive definite, and that the library finds is not."""


def solved_as_known(
    prepared: Prepared, solve: Callable[[Kind], tuple[Solution, Work]], tell: Callable[[], Kind]
) -> tuple[Solution, Work]:
    """Return what `solve` does for the matrix's kind, which `tell` finds.

    A matrix of kind spd that a library finds indefinite is solved again, and remembered, as symmetric.
    """
    try:
        return solve(known_kind(prepared, tell))
    except IndefiniteError:
        _remember(prepared, "symmetric")
    return solve("symmetric")


def known_kind(prepared: Prepared, tell: Callable[[], Kind]) -> Kind:
    """Return the kind of the matrix. tell : finds the kind, for a matrix that is not the last one."""
    if not _known or _known[0][0] is not prepared.values:
        _remember(prepared, tell())
    return _known[0][1]


def _remember(prepared: Prepared, kind: Kind) -> None:
    _known[:] = [(prepared.values, kind)]


def kind_of(matrix: csr_array) -> Kind:
    """Return spd for a symmetric matrix with a positive diagonal. matrix : rows sorted, with a diagonal."""
    columns = matrix.tocsc()
    names = "indptr", "indices", "data"
    if not all(np.array_equal(getattr(matrix, name), getattr(columns, name)) for name in names):
        return "general"
    return "spd" if np.all(matrix.diagonal() > 0) else "symmetric"
