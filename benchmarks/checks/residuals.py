"""Check of a solution: b - A x, row by row.

The measure is the componentwise backward error of Oettli and Prager (1964). It is the least w so that x
solves a system whose every entry differs by a part w from the given one. A row is held against its own terms,
so that no large row hides a small one.

Arioli, Demmel and Duff (1989) widen the denominator where a row's terms are tiny next to ||a_i|| ||x||. That
is left out. The known solution lies in [1, 2], so that no honest x needs it, and a wrong x would excuse
itself by its own size.
"""

import math
from typing import Any

import numpy as np
from numba import njit
from scipy.sparse import csr_array

from benchmarks.checks.held import UNIT, Held
from fillpath.errors import FillpathError, InputError
from fillpath.nouns import Array, Factorised, Prepared, Solution

BACKWARD = "max |b - A x| / (|A| |x| + |b|) over the rows"
# Half of the digits, and of factors in float32 three.
BOUND, SINGLE_BOUND = UNIT**0.5, 1e-3


def verify_residual(result: Factorised, prepared: Prepared) -> Held:
    """Hold what a peer's factorisation solves as `verify_solution` does."""
    return _held(prepared, result.solve, BOUND)


def verify_solution(result: Any, prepared: Prepared, dtype: str | None, columns: int = 1) -> Held:
    """Hold x by its componentwise backward error, for b = A times seeded random numbers in [1, 2].

    No constant vector is used, because a singular Laplacian takes that to 0.

    dtype : of the factors behind x, None for float64
    columns : right-hand sides; for several, x is (columns, n), and a row counts by its worst

    Raises InputError for an x of another shape, FillpathError where b or the check overflows.
    """
    bound = SINGLE_BOUND if dtype == "float32" else BOUND
    return _held(prepared, lambda b: result.x if isinstance(result, Solution) else None, bound, columns)


def backward_errors(prepared: Prepared, x: Array, b: Array) -> Array:
    """Return the backward error of each row, (n,) float64; 0 for a row without terms. x, b : (n,) float64."""
    pattern, errors = prepared.pattern, np.empty(prepared.pattern.n)
    _quotients(pattern.indptr, pattern.indices, prepared.values, x, b, errors)
    return errors


def _held(prepared: Prepared, solve: Any, bound: float, columns: int = 1) -> Held:
    by, pattern = "A x = b, b = A times random numbers", prepared.pattern
    matrix = csr_array((prepared.values, pattern.indices, pattern.indptr), shape=(pattern.n, pattern.n))
    known = np.random.default_rng(0).uniform(1.0, 2.0, (columns, pattern.n))
    b = np.ascontiguousarray((matrix @ known.T).T)
    if not np.isfinite(b).all():
        raise FillpathError("b = A x overflows: divide the matrix by a power of two")
    shape = b.shape if columns > 1 else (pattern.n,)
    x = np.asarray(solve(b.reshape(shape).copy()))
    if x.shape != shape:
        raise InputError(f"a solution of shape {x.shape} where {shape} was expected")
    if x.dtype.kind != "f" or not np.isfinite(x).all():
        return Held(by, BACKWARD, float("nan"), bound)
    x = x.astype(np.float64, copy=False).reshape(columns, pattern.n)
    errors = np.max([backward_errors(prepared, *pair) for pair in zip(x, b, strict=True)], axis=0)
    row = int(np.argmax(errors))
    with np.errstate(all="ignore"):
        scale = abs(matrix).sum(axis=1).max() * np.abs(x).max() + np.abs(b).max()
        facts = {
            "normwise_error": float(np.abs(b - (matrix @ x.T).T).max() / scale),
            "forward_error": float(np.abs(x - known).max() / known.max()),
        }
    return Held(by, BACKWARD, float(errors[row]), bound, facts, int(prepared.row_permutation[row]))


@njit(cache=True)
def _quotients(indptr, indices, values, x, b, errors):
    """Write |b - A x| over |A| |x| + |b| of each row, scaled where its terms leave the range of float64."""
    for i in range(len(b)):
        left, size = b[i], abs(b[i])
        for p in range(indptr[i], indptr[i + 1]):
            term = values[p] * x[indices[p]]
            left -= term
            size += abs(term)
        if not 1e-280 < size < 1e300:
            left, size = _scaled(
                values[indptr[i] : indptr[i + 1]], x[indices[indptr[i] : indptr[i + 1]]], b[i]
            )
        errors[i] = abs(left) / size if size > 0 else 0.0


@njit(cache=True)
def _scaled(row, x, right):
    """Return the same of a row by mantissas and exponents, the largest exponent taken out."""
    most = math.frexp(right)[1] if right != 0 else -(10**6)
    for p in range(len(row)):
        if row[p] != 0 and x[p] != 0:
            most = max(most, math.frexp(row[p])[1] + math.frexp(x[p])[1])
    left = math.ldexp(right, -most) if right != 0 else 0.0
    size = abs(left)
    for p in range(len(row)):
        first, second = math.frexp(row[p]), math.frexp(x[p])
        term = math.ldexp(first[0] * second[0], first[1] + second[1] - most)
        left -= term
        size += abs(term)
    return left, size
