"""Random patterns and the slow, plain definition of what fills."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from fillpath.nouns import Array, Filled, Pattern


def from_dense(dense: Array) -> Pattern:
    """The pattern of a dense boolean matrix, its diagonal completed."""
    full = dense | np.eye(len(dense), dtype=bool)
    indptr = np.concatenate([[0], np.cumsum(full.sum(axis=1))]).astype(np.int64)
    return Pattern(indptr, np.nonzero(full)[1].astype(np.int32))


def to_dense(filled: Filled) -> Array:
    dense = np.zeros((filled.pattern.n, filled.pattern.n), dtype=bool)
    dense[filled.pattern.rows(), filled.pattern.indices] = True
    return dense


def random_pattern(n: int, density: float, seed: int) -> Pattern:
    """An unsymmetric random pattern."""
    return from_dense(np.random.default_rng(seed).random((n, n)) < density)


def eliminated(pattern: Pattern) -> Array:
    """Fill by Gaussian elimination on the dense boolean matrix: row i gains row k where A[i,k]."""
    dense = np.zeros((pattern.n, pattern.n), dtype=bool)
    dense[pattern.rows(), pattern.indices] = True
    for k in range(pattern.n):
        below = np.nonzero(dense[k + 1 :, k])[0] + k + 1
        dense[np.ix_(below, np.arange(k, pattern.n))] |= dense[k, k:]
    return dense


@st.composite
def patterns(draw: st.DrawFn, largest: int = 40) -> Pattern:
    n = draw(st.integers(1, largest))
    return random_pattern(n, draw(st.floats(0.0, 0.4)), draw(st.integers(0, 2**32 - 1)))
