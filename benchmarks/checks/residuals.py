"""Checks of the stages that work with values: A - L U, and b - A x."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import get_num_threads, njit
from scipy.sparse import csr_array
from scipy.sparse.linalg import norm

from fillpath.errors import InputError
from fillpath.nouns import Array, Factor, Factorised, Prepared, Solution, TwoWay
from fillpath.record import Verified

# Of a solution in float64 without pivoting for size, which loses some of the 16 digits; of one in float32.
RESIDUAL_BOUND = 1e-8
SINGLE_RESIDUAL_BOUND = 1e-4
RESIDUAL = "relative residual"
# ||A - L U|| / ||A||. In float64, per column, some 10^4 roundings of 1.1e-16: room for the growth of
# elimination without pivoting for size. In float32 as many roundings of 6e-8 would let anything pass: some
# 2000 of them, or SINGLE_ROUNDINGS of || |L| |U| || / ||A|| if that is more (0.1 to 6 were seen on real
# matrices), as long as two digits are left.
FACTOR_BOUND = 1e-12
SINGLE_FACTOR_BOUND = 1e-4
SINGLE_ROUNDINGS = 4.0
LOOSEST_BOUND = 1e-2
# A pivot below the root of the type's precision times ||A||_1 in modulus may be replaced by one of that
# modulus, rounded to float32.
ROUNDED = 1 + 1e-6


def verify_factor(result: Any, prepared: Prepared, both: TwoWay, dtype: str | None, static: bool) -> Verified:
    """||A - L U||_F / ||A||_F on F, in float64; nan for a result that is no factor, or of another dtype.

    result : its values are by columns of F, (nnz of F,).
    dtype : float32 or float64; None: whichever the factor has.
    static : whether small pivots may be replaced. As many differences on the diagonal as the factor says that
        it replaced are left out then, the largest first, unless larger than a replacement makes them.
    """
    values = np.asarray(result.values if isinstance(result, Factor) else np.empty(0))
    expected = np.dtype(dtype or values.dtype)
    residual, bound = float("nan"), FACTOR_BOUND * both.filled.pattern.n
    if values.shape == (both.filled.pattern.nnz,) and values.dtype == expected:
        rows = _Rows(prepared, both, values[both.to_column].astype(np.float64))
        small = ROUNDED * float(np.sqrt(np.finfo(expected).eps))
        residual = rows.residual(int(result.small_pivots) if static else 0, small)
        bound = rows.single_bound() if expected == np.float32 else bound
    return Verified("A - L U on the filled pattern", "||A - L U||_F / ||A||_F", residual, bound)


def verify_residual(result: Factorised, prepared: Prepared) -> Verified:
    """||b - A x|| / (||A|| ||x|| + ||b||) in infinity norms, for b = A times seeded random numbers: no
    constant vector, which a singular Laplacian takes to 0."""
    matrix, b = _system(prepared)
    return _solved(matrix, b, result.solve(b), RESIDUAL_BOUND)


def verify_solution(result: Any, prepared: Prepared, dtype: str | None) -> Verified:
    """The same residual of a solution for the same b. dtype : of the factors behind it, None for float64."""
    matrix, b = _system(prepared)
    bound = SINGLE_RESIDUAL_BOUND if dtype == "float32" else RESIDUAL_BOUND
    return _solved(matrix, b, result.x if isinstance(result, Solution) else None, bound)


def _system(prepared: Prepared) -> tuple[csr_array, Array]:
    pattern = prepared.pattern
    matrix = csr_array((prepared.values, pattern.indices, pattern.indptr), shape=(pattern.n, pattern.n))
    return matrix, matrix @ np.random.default_rng(0).uniform(1.0, 2.0, pattern.n)


def _solved(matrix: csr_array, b: Array, solution: Any, bound: float) -> Verified:
    x = np.asarray(solution, np.float64)
    if x.shape != b.shape:
        raise InputError(f"a solution of shape {x.shape} where {b.shape} was expected")
    scale = norm(matrix, np.inf) * np.abs(x).max() + np.abs(b).max()
    with np.errstate(invalid="ignore"):
        residual = float(np.abs(b - matrix @ x).max() / scale)
    return Verified("A x = b, b = A times random numbers", RESIDUAL, residual, bound)


@dataclass(frozen=True, eq=False)
class _Rows:
    """A factor by rows. values : (nnz of F,) float64, of L + U - I."""

    prepared: Prepared
    both: TwoWay
    values: Array

    def residual(self, replaced: int, small: float) -> float:
        """Without the `replaced` largest differences on the diagonal that are as small as they may be.
        small : of ||A||_1, what a replaced pivot is at most."""
        pattern, filled = self.prepared.pattern, self.both.filled
        diagonal = np.empty(pattern.n)
        squares = _over_rows(
            _differences,
            *(filled.pattern.indptr, filled.pattern.indices, filled.upper_start, self.values),
            *(pattern.indptr, pattern.indices, self.prepared.values, diagonal),
        )
        columns = np.bincount(pattern.indices, np.abs(self.prepared.values), minlength=pattern.n)
        # A nan stands first and is never small.
        largest = np.sort(np.abs(diagonal))[::-1]
        left_out = np.flatnonzero(largest[:replaced] <= 2 * small * columns.max())
        squares += np.square(np.delete(largest, left_out)).sum()
        return float(np.sqrt(squares) / np.linalg.norm(self.prepared.values))

    def single_bound(self) -> float:
        filled = self.both.filled
        squares = _over_rows(
            _squares, filled.pattern.indptr, filled.pattern.indices, filled.upper_start, np.abs(self.values)
        )
        growth = np.sqrt(squares) / np.linalg.norm(self.prepared.values)
        rounded = SINGLE_ROUNDINGS * float(np.finfo(np.float32).eps) / 2 * float(growth)
        # A nan is no growth.
        return max(SINGLE_FACTOR_BOUND, min(LOOSEST_BOUND, rounded) if rounded >= 0 else 0.0)


def _over_rows(function: Callable[..., float], *arrays: Array) -> float:
    """The sum of what the function makes of each thread's rows: of `parts` threads the i-th has the rows i,
    i + parts, and so on, as later rows take longer."""
    parts = get_num_threads()
    with ThreadPoolExecutor(parts) as pool:
        return sum(pool.map(lambda part: function(part, parts, *arrays), range(parts)))


@njit(cache=True, nogil=True)
def _differences(part, parts, indptr, indices, upper_start, values, a_indptr, a_indices, a_values, diagonal):
    """Row by row of A - L U: the sum of squares off the diagonal, and the diagonal itself, written."""
    n = len(upper_start)
    row = np.zeros(n)
    squares = 0.0
    for i in range(part, n, parts):
        for p in range(a_indptr[i], a_indptr[i + 1]):
            row[a_indices[p]] = a_values[p]
        for p in range(indptr[i], upper_start[i]):
            k = indices[p]
            for q in range(upper_start[k], indptr[k + 1]):
                row[indices[q]] -= values[p] * values[q]
        for q in range(upper_start[i], indptr[i + 1]):
            row[indices[q]] -= values[q]
        diagonal[i] = row[i]
        row[i] = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            squares += row[indices[p]] ** 2
            row[indices[p]] = 0.0
    return squares


@njit(cache=True, nogil=True)
def _squares(part, parts, indptr, indices, upper_start, moduli):
    """|| |L| |U| ||_F^2 of L + U - I in moduli."""
    n = len(upper_start)
    row = np.zeros(n)
    squares = 0.0
    for i in range(part, n, parts):
        for p in range(indptr[i], upper_start[i]):
            k = indices[p]
            for q in range(upper_start[k], indptr[k + 1]):
                row[indices[q]] += moduli[p] * moduli[q]
        for q in range(upper_start[i], indptr[i + 1]):
            row[indices[q]] += moduli[q]
        for p in range(indptr[i], indptr[i + 1]):
            squares += row[indices[p]] ** 2
            row[indices[p]] = 0.0
    return squares
