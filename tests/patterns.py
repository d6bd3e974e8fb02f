"""Random patterns and the slow, plain definition of what fills."""

from collections.abc import Callable

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


def assert_same(one: Filled, other: Filled) -> None:
    assert np.array_equal(one.pattern.indptr, other.pattern.indptr)
    assert np.array_equal(one.pattern.indices, other.pattern.indices)
    assert np.array_equal(one.upper_start, other.upper_start)


def random_pattern(n: int, density: float, seed: int) -> Pattern:
    """An unsymmetric random pattern."""
    return from_dense(np.random.default_rng(seed).random((n, n)) < density)


def mirrored(pattern: Pattern) -> Pattern:
    """Of A | A^T."""
    n, rows, columns = pattern.n, pattern.rows(), pattern.indices.astype(np.int64)
    return from_entries(n, np.r_[rows, columns], np.r_[columns, rows])


def from_entries(n: int, rows: Array, columns: Array) -> Pattern:
    """The pattern of these entries and of the diagonal, in any order and with repetitions."""
    places = np.sort(np.r_[rows * n + columns, np.arange(n, dtype=np.int64) * (n + 1)])
    # Of a million rows, np.unique took 3 s and sorting 0.02.
    places = places[np.diff(places, prepend=-1) > 0]
    indptr = np.searchsorted(places, np.arange(n + 1, dtype=np.int64) * n).astype(np.int64)
    return Pattern(indptr, (places % max(n, 1)).astype(np.int32))


def chain(n: int, order: Array | None = None) -> Pattern:
    """A path, symmetric, its vertices numbered by `order`."""
    place = np.arange(n, dtype=np.int64) if order is None else order
    return from_entries(n, np.r_[place[:-1], place[1:]], np.r_[place[1:], place[:-1]])


def hub(n: int, vertex: int, row: bool, column: bool) -> Pattern:
    """A chain with one full row, or one full column, or both."""
    rows, columns = [np.arange(n - 1)], [np.arange(1, n)]
    every, one = np.arange(n), np.full(n, vertex)
    if row:
        rows, columns = [*rows, one], [*columns, every]
    if column:
        rows, columns = [*rows, every], [*columns, one]
    return from_entries(n, np.concatenate(rows), np.concatenate(columns))


def blocks(n: int) -> Pattern:
    """Random blocks of 20, unsymmetric, which no entry joins."""
    rows, columns = np.random.default_rng(n).integers(0, max(n, 1), (2, 30 * n))
    inside = rows // 20 == columns // 20
    return from_entries(n, rows[inside], columns[inside])


# Patterns that are hard on something, by order.
FAMILIES: dict[str, Callable[[int], Pattern]] = {
    "diagonal": lambda n: from_entries(n, *np.zeros((2, 0), np.int64)),
    "path": chain,
    "permuted path": lambda n: chain(n, np.random.default_rng(n).permutation(n)),
    "star": lambda n: hub(n, n - 1, row=True, column=True),
    "arrow": lambda n: hub(n, 0, row=True, column=True),
    "full row": lambda n: hub(n, n // 2, row=True, column=False),
    "full column": lambda n: hub(n, n // 2, row=False, column=True),
    "first column": lambda n: hub(n, 0, row=False, column=True),
    "blocks": blocks,
}


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
