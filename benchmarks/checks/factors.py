"""Check of a factor: A - L U, row by row and entry by entry.

Two numbers hold a row. Its arithmetic: every elimination without breakdown has |A - L U| <= (k + 2) u |L| |U|
at each place, where k products are summed (Higham, Accuracy and Stability, theorem 9.3). The check itself
rounds k times more. Its use: the row of A - L U is small beside the row of A, so that the factor solves
something. Growth makes the second fail where the first holds.

Where pivots are inverted in blocks, an error spreads within a row by |D| |D^-1| of the block. So the row's
largest place is held there.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import get_num_threads, njit

from benchmarks.checks.held import SINGLE_UNIT, UNIT, Held
from fillpath.errors import FillpathError, UnsupportedError
from fillpath.nouns import Array, Factor, Prepared, TwoWay

ARITHMETIC = "|A - L U| over k u |L| |U| by entries"
# (k + 2) + k <= 4 k.
ARITHMETIC_BOUND = 4.0
# Of ||(A - L U)_i||_1 over ||a_i||_1: half of the digits, and in float32 three.
USE_BOUND, SINGLE_USE_BOUND = UNIT**0.5, 1e-3
# Where k || |L| |U| || of a row is more times its ||A||, A - L U is taken in twice the digits. In float64 an
# eighth of what is asked would be lost otherwise, and often the very roundings that U lost.
CAREFUL = USE_BOUND / UNIT / 8
# A pivot below the root of the type's precision times ||A||_1 in modulus may be replaced by one of that
# modulus, rounded to float32.
ROUNDED = 1 + 1e-6


def verify_factor(
    result: Any,
    prepared: Prepared,
    both: TwoWay,
    dtype: str | None,
    static: bool,
    panels: Panels | None = None,
) -> Held:
    """Hold L and U on F by their arithmetic; a result that is no factor, or of another dtype, has nan.

    result : its values are by columns of F, (nnz of F,)
    dtype : float32 or float64; None: whichever the factor has
    static : whether small pivots may be replaced. An excess on the diagonal is left out of as many rows as
        the factor says that it replaced, unless it is larger than a replacement makes it.
    panels : of each row; None where pivots are eliminated one by one

    Raises UnsupportedError for a row that lost its digits, FillpathError where the check overflows.
    """
    by = "A - L U on the filled pattern"
    values = np.asarray(result.values if isinstance(result, Factor) else np.empty(0))
    expected = np.dtype(dtype or values.dtype)
    whole = values.shape == (both.filled.pattern.nnz,) and values.dtype == expected
    if not whole or not np.isfinite(values).all():
        return Held(by, ARITHMETIC, float("nan"), ARITHMETIC_BOUND)
    unit = SINGLE_UNIT if expected == np.float32 else UNIT
    tiny = float(np.finfo(expected).smallest_subnormal) / unit
    rows = _rows_of(values[both.to_column].astype(np.float64), prepared, both, tiny)
    entries, diagonal = rows.roundings(unit, panels)
    replaced = np.zeros(prepared.pattern.n, bool)
    if static:
        small = ROUNDED * float(np.sqrt(np.finfo(expected).eps)) * _largest_column(prepared)
        replaced = _replaced(rows, diagonal, int(result.small_pivots), small)
    worst = np.where(replaced, entries, np.maximum(entries, diagonal))
    row, growth = int(np.argmax(worst)), _over(rows.size, rows.norm)
    original = int(prepared.row_permutation[row])
    facts = {"growth": float(growth.max())}
    held = Held(by, ARITHMETIC, float(worst[row]), ARITHMETIC_BOUND, facts, original)
    if held.passes:
        bound = SINGLE_USE_BOUND if expected == np.float32 else USE_BOUND
        _require_use(rows.lost + np.where(replaced, 0.0, rows.diagonal), rows.norm, bound, growth, prepared)
    return held


def _require_use(lost: Array, norm: Array, bound: float, growth: Array, prepared: Prepared) -> None:
    """Raise UnsupportedError for the row that lost the most. lost, norm : (n,), of A - L U and of A."""
    worst = int(np.argmax(_over(lost, norm)))
    if lost[worst] > bound * norm[worst]:
        row = int(prepared.row_permutation[worst])
        raise UnsupportedError(f"row {row} lost its digits (growth {growth[worst]:.2g})")


@dataclass(frozen=True, eq=False)
class Panels:
    """The blocks of pivots whose inverses a row is multiplied by; all (n,) float64.

    width : pivots of the widest; 0 for none
    condition : the largest || |D| |D^-1| ||, in the infinity norm; 1 for none
    """

    width: Array
    condition: Array


@dataclass(frozen=True, eq=False)
class _Rows:
    """A - L U in each row; all (n,) float64.

    entry : the largest quotient of |A - L U| and |L| |U| at one place off the diagonal
    largest : the largest |A - L U| off the diagonal
    lost : the sum of |A - L U| off the diagonal
    diagonal : |A - L U| on the diagonal
    pivot : |L| |U| on the diagonal
    top : the largest |L| |U|
    size : the sum of |L| |U|
    norm : the sum of |A|
    terms : products that are summed at a place, at most
    """

    entry: Array
    largest: Array
    lost: Array
    diagonal: Array
    pivot: Array
    top: Array
    size: Array
    norm: Array
    terms: Array

    def roundings(self, unit: float, panels: Panels | None) -> tuple[Array, Array]:
        """Count roundings of the terms off and on the diagonal; each (n,) float64."""
        if panels is None:
            return self.entry / (unit * self.terms), _over(self.diagonal, self.pivot) / (unit * self.terms)
        rounded = unit * (self.terms + panels.width) * panels.condition * self.top
        return _over(self.largest, rounded), _over(self.diagonal, rounded)


def _over(upper: Array, lower: Array) -> Array:
    """The quotient, 0 for 0 over 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(upper == 0, 0.0, upper / lower)


def _replaced(rows: _Rows, diagonal: Array, count: int, small: float) -> Array:
    """Find the rows whose pivot was replaced, (n,) bool: of those with an excess on the diagonal that a
    replacement can make, the `count` with the largest."""
    usual = (diagonal <= ARITHMETIC_BOUND) & (rows.diagonal + rows.lost <= USE_BOUND * rows.norm)
    excess = np.where(~usual & (rows.diagonal <= 2 * small), rows.diagonal, 0.0)
    found = np.zeros(len(excess), bool)
    found[np.argsort(-excess, kind="stable")[:count]] = True
    return found & (excess > 0)


def _largest_column(prepared: Prepared) -> float:
    """||A||_1."""
    pattern = prepared.pattern
    return float(np.bincount(pattern.indices, np.abs(prepared.values), minlength=pattern.n).max())


def _rows_of(values: Array, prepared: Prepared, both: TwoWay, tiny: float) -> _Rows:
    """Compare all rows. Of `parts` threads the i-th has the rows i, i + parts, and so on: later rows take
    longer.

    values : (nnz of F,) float64 by rows, of L + U - I
    tiny : what a factor or a product may be off by near 0, in roundings

    Raises FillpathError where a number leaves the range of float64.
    """
    pattern, filled = prepared.pattern, both.filled
    found = np.zeros((8, pattern.n))
    arrays = (
        *(filled.pattern.indptr, filled.pattern.indices, filled.upper_start, values),
        *(pattern.indptr, pattern.indices, prepared.values, tiny, found),
    )
    parts = get_num_threads()
    with ThreadPoolExecutor(parts) as pool:
        list(pool.map(lambda part: _hold(part, parts, *arrays), range(parts)))
    if not np.isfinite(found[1:]).all():
        raise FillpathError("A - L U overflows: divide the matrix by a power of two")
    terms = (filled.upper_start - filled.pattern.indptr[:-1] + 1).astype(np.float64)
    return _Rows(*(*found, terms))


@njit(cache=True, nogil=True, error_model="numpy")
def _hold(part, parts, indptr, indices, upper_start, values, a_indptr, a_indices, a_values, tiny, found):
    """tiny : what a factor or a product may be off by near 0, in roundings"""
    n = len(upper_start)
    left, size, low = np.zeros(n), np.zeros(n), np.zeros(n)
    for i in range(part, n, parts):
        norm = 0.0
        for p in range(a_indptr[i], a_indptr[i + 1]):
            left[a_indices[p]] = a_values[p]
            norm += abs(a_values[p])
        for p in range(indptr[i], upper_start[i]):
            k, factor = indices[p], values[p]
            for q in range(upper_start[k], indptr[k + 1]):
                term = factor * values[q]
                left[indices[q]] -= term
                size[indices[q]] += abs(term) + tiny * (1.0 + abs(values[q]))
        for q in range(upper_start[i], indptr[i + 1]):
            left[indices[q]] -= values[q]
            size[indices[q]] += abs(values[q]) + tiny
        whole = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            whole += size[indices[p]]
        if (upper_start[i] - indptr[i] + 1) * whole > CAREFUL * norm:
            for p in range(indptr[i], indptr[i + 1]):
                left[indices[p]] = 0.0
            for p in range(a_indptr[i], a_indptr[i + 1]):
                left[a_indices[p]] = a_values[p]
            _subtract(i, indptr, indices, upper_start, values, left, low)
        found[3, i], found[4, i], found[6, i], found[7, i] = abs(left[i]), size[i], whole, norm
        left[i] = 0.0
        entry = largest = lost = top = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            off = abs(left[j])
            if off > entry * size[j]:
                entry = off / size[j]
            largest, top = max(largest, off), max(top, size[j])
            lost += off
            left[j] = size[j] = 0.0
        found[0, i], found[1, i], found[2, i], found[5, i] = entry, largest, lost, top


@njit(cache=True, nogil=True, error_model="numpy")
def _subtract(i, indptr, indices, upper_start, values, left, low):
    """Subtract row i of L U from `left` in twice the digits. low : zeros, and zeros again after."""
    for p in range(indptr[i], upper_start[i] + 1):
        k, factor = (indices[p], values[p]) if p < upper_start[i] else (i, 1.0)
        for q in range(upper_start[k], indptr[k + 1]):
            j, term = indices[q], factor * values[q]
            after = left[j] - term
            back = after - left[j]
            lost = (left[j] - (after - back)) - (term + back)
            left[j] = after
            low[j] += lost - _rounding(factor, values[q], term)
    for p in range(indptr[i], indptr[i + 1]):
        left[indices[p]] += low[indices[p]]
        low[indices[p]] = 0.0


@njit(cache=True, nogil=True)
def _rounding(first, second, product):
    """Return what a product lost, by Dekker and Veltkamp, of mantissas, so that nothing overflows."""
    (first, one), (second, other) = math.frexp(first), math.frexp(second)
    scaled = math.ldexp(product, -one - other)
    high, top = 134217729.0 * first, 134217729.0 * second
    high, top = high - (high - first), top - (top - second)
    low, rest = first - high, second - top
    return math.ldexp(((high * top - scaled) + high * rest + low * top) + low * rest, one + other)
