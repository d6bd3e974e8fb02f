"""The system of the stage `solve`: A x = b with a known x, the same for every implementation."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from fillpath.nouns import Array, Prepared


def known_solution(n: int) -> Array:
    """Return (n,) float64: uniform random numbers of [1, 2), from NumPy's default generator seeded with 0."""
    return np.random.default_rng(0).uniform(1.0, 2.0, n)


def known_solutions(n: int, columns: int) -> Array:
    """Return (columns, n) float64: solutions of several systems; the first is `known_solution`."""
    return np.random.default_rng(0).uniform(1.0, 2.0, (columns, n))


def as_matrix(prepared: Prepared) -> csr_array:
    """Return the prepared matrix, its arrays not copied."""
    pattern = prepared.pattern
    return csr_array((prepared.values, pattern.indices, pattern.indptr), shape=(pattern.n, pattern.n))


def right_hand_side(prepared: Prepared) -> Array:
    """Return (n,) float64: b = A times `known_solution`, in the order of the prepared matrix."""
    b: Array = as_matrix(prepared) @ known_solution(prepared.pattern.n)
    return b
