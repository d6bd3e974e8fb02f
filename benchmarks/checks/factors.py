"""Check of a factor: A - L U, row by row and entry by entry.

Two numbers hold a row. The first is its arithmetic: every elimination without breakdown has, at each place,
|A - L U| <= (k + 2) u |L| |U|, where k products are summed (Higham, Accuracy and Stability, theorem 9.3). The
check itself rounds k times more. The second is its use: the row of A - L U is small compared with the row of
A, so that the factor solves something. Growth makes the second fail where the first holds.

Where pivots are inverted in blocks, an error spreads within a row by |D| |D^-1| of the block. So the row's
largest place is held there.

    held = verify_factor(factor, prepared, both, "float64", static=False)
    held.passes, held.value, held.facts["growth"]
"""

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numba import get_num_threads, njit

from benchmarks.checks.held import SINGLE_UNIT, UNIT, Held, advice_on_pivots, is_array
from fillpath.errors import FillpathError, UnsupportedError
from fillpath.nouns import Array, Factor, Filled, Prepared, TwoWay

ARITHMETIC = "|A - L U| over k u |L| |U| by entries"
# (k + 2) + k <= 4 k.
ARITHMETIC_BOUND = 4.0
# Bounds of ||(A - L U)_i||_1 over ||a_i||_1: half of the digits, and in float32 three.
USE_BOUND, SINGLE_USE_BOUND = UNIT**0.5, 1e-3
# Where k || |L| |U| || of a row is more times its ||A||, A - L U is taken in twice the digits. In float64 an
# eighth of what is asked would be lost otherwise, and often the very roundings that U lost.
CAREFUL = USE_BOUND / UNIT / 8
# A pivot below the root of the type's precision times ||A||_1 may be replaced by that number, up to this
# part: some codes round it to float32.
ROUNDED = 1e-6
# A row is multiplied by each in turn until its sums do not overflow. With the last no product does.
# The largest product stays far above the denormal numbers.
SCALES = (1.0, 2.0**-530, 2.0**-1060)


@dataclass(frozen=True, eq=False)
class Panels:
    """The blocks of pivots whose inverses a row is multiplied by; all (n,) float64.

    width : pivots of the widest; 0 for none
    condition : the largest || |D| |D^-1| ||, in the infinity norm; 1 for none
    """

    width: Array
    condition: Array


def verify_factor(
    result: Any,
    prepared: Prepared,
    both: TwoWay,
    dtype: str | None,
    static: bool,
    panels: Panels | None = None,
    flushes: bool = False,
) -> Held:
    """Hold L and U on F by their arithmetic; a result that is no factor, or of another dtype, has nan.

    result : its values are by columns of F, (nnz of F,)
    dtype : float32 or float64; None for the factor's own
    static : whether small pivots may be replaced. Rows with an excess on the diagonal pass then, as many as
        the factor counts replacements, unless the excess is larger than a replacement makes it.
    panels : of each row; None where pivots are eliminated one by one
    flushes : whether float32's denormal numbers may be 0, as in kernels that CuPy compiles (-ftz=true)

    Raises UnsupportedError for a row that lost its digits, FillpathError where the check overflows.
    """
    by = "A - L U on the filled pattern"
    values = np.asarray(result.values if isinstance(result, Factor) else np.empty(0))
    expected = np.dtype(dtype or values.dtype)
    whole = is_array(values, expected, both.filled.pattern.nnz) and expected in (np.float32, np.float64)
    if not whole or not np.isfinite(values).all():
        return Held(by, ARITHMETIC, float("nan"), ARITHMETIC_BOUND)
    single, info = expected == np.float32, np.finfo(expected)
    unit, bound = (SINGLE_UNIT, SINGLE_USE_BOUND) if single else (UNIT, USE_BOUND)
    # Arithmetic may lose that much near 0, in roundings.
    tiny = float(info.smallest_normal if flushes and single else info.smallest_subnormal) / unit
    rows = _rows_of(values[both.to_column].astype(np.float64), prepared, both, tiny)
    entries, diagonal = rows.roundings(unit, panels)
    replaced = np.zeros(prepared.pattern.n, bool)
    if static:
        part, columns = float(np.sqrt(info.eps)), prepared.pattern.indices
        # Part of ||A||_1, which itself may overflow.
        small = float(np.bincount(columns, part * np.abs(prepared.values), prepared.pattern.n).max())
        made = entries <= ARITHMETIC_BOUND
        if panels is None:
            off = np.abs(np.abs(values[both.to_column[both.filled.upper_start]]) - small)
            made &= off <= ROUNDED * small + tiny * unit
        replaced = _replaced(rows, made, diagonal, int(result.small_pivots), small, bound)
    worst = np.where(replaced, entries, np.maximum(entries, diagonal))
    row, growth = int(np.argmax(worst)), _over(rows.size, rows.norm)
    original = prepared.row_permutation
    pivot = int(original[np.argmax(np.where(replaced, diagonal, -1.0))]) if replaced.any() else None
    facts = {"growth": float(growth.max())}
    held = Held(by, ARITHMETIC, float(worst[row]), ARITHMETIC_BOUND, facts, int(original[row]), pivot)
    if held.passes:
        lost = rows.lost + np.where(replaced, 0.0, rows.diagonal)
        row = int(np.argmax(_over(lost, rows.norm)))
        if lost[row] > bound * rows.norm[row]:
            said = f"row {original[row]} lost its digits (growth {growth[row]:.2g})"
            raise UnsupportedError(said + advice_on_pivots(pivot, 0))
    return held


@dataclass(frozen=True, eq=False)
class _Rows:
    """A - L U in each row, times `scale`; all (n,) float64.

    entry : the largest quotient of |A - L U| and |L| |U| at one place off the diagonal
    largest : the largest |A - L U| off the diagonal
    lost : the sum of |A - L U| off the diagonal
    diagonal : |A - L U| on the diagonal
    pivot : |L| |U| on the diagonal
    top : the largest |L| |U|
    size : the sum of |L| |U|
    norm : the sum of |A|
    terms : products that are summed at a place, at most
    scale : a power of two, 1 unless something overflows
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
    scale: Array

    def roundings(self, unit: float, panels: Panels | None) -> tuple[Array, Array]:
        """Count roundings of the terms off and on the diagonal; each (n,) float64."""
        if panels is None:
            return self.entry / (unit * self.terms), _over(self.diagonal, self.pivot) / (unit * self.terms)
        rounded = unit * (self.terms + panels.width) * panels.condition * self.top
        return _over(self.largest, rounded), _over(self.diagonal, rounded)


def _over(upper: Array, lower: Array) -> Array:
    """Return the quotient, 0 for 0 over 0."""
    with np.errstate(all="ignore"):
        return np.where(upper == 0, 0.0, upper / lower)


def _replaced(rows: _Rows, made: Array, diagonal: Array, count: int, small: float, bound: float) -> Array:
    """Find the rows whose pivot was replaced, (n,) bool.

    Candidates exceed on the diagonal alone, by what a replacement can make; the `count` of the most roundings
    are replaced.

    made : (n,) bool, rows that are right off the diagonal and whose pivot may be a replacement
    diagonal : (n,) float64, roundings on the diagonal
    small : the pivot of a replacement
    bound : of what a row may lose
    """
    usual = (diagonal <= ARITHMETIC_BOUND) & (rows.diagonal + rows.lost <= bound * rows.norm)
    with np.errstate(over="ignore"):
        made = made & (rows.diagonal / rows.scale <= 2 * (1 + ROUNDED) * small)
    excess = np.where(made & ~usual, diagonal, 0.0)
    found = np.zeros(len(excess), bool)
    found[np.argsort(-excess, kind="stable")[: max(count, 0)]] = True
    return found & (excess > 0)


def _rows_of(values: Array, prepared: Prepared, both: TwoWay, tiny: float) -> _Rows:
    """Compare all rows, every parts-th in one thread, because later rows take longer.

    values : (nnz of F,) float64 by rows, of L + U - I
    tiny : what a factor or a product may be off by near 0, in roundings

    Raises FillpathError for a row that overflows with each scale.
    """
    pattern, filled = prepared.pattern, both.filled
    found, scale, rows = np.zeros((8, pattern.n)), np.ones(pattern.n), np.arange(pattern.n)
    lu = (filled.pattern.indptr, filled.pattern.indices, filled.upper_start, values, _chains(filled))
    arrays = (lu, (pattern.indptr, pattern.indices, prepared.values), scale, tiny, found)
    parts = get_num_threads()
    for power in SCALES:
        scale[rows] = power
        with ThreadPoolExecutor(parts) as pool:
            list(pool.map(partial(_hold, parts, rows, *arrays), range(parts)))
        rows = np.flatnonzero(~np.isfinite(found[1:]).all(axis=0))
        if not rows.size:
            terms = (filled.upper_start - filled.pattern.indptr[:-1] + 1).astype(np.float64)
            return _Rows(*(*found, terms, scale))
    raise FillpathError("A - L U overflows: divide the matrix by a power of two")


def _chains(filled: Filled) -> Array:
    """Assign each row of U to a chain, (n,) int64.

    The next row of a chain has the row's columns without its diagonal. In F, which is closed under fill, row
    k + 1 follows row k where L has the entry (k + 1, k) and the row of U is one shorter.
    """
    n, start = filled.pattern.n, filled.upper_start
    length = filled.pattern.indptr[1:] - start
    apart = np.ones(n, bool)
    apart[1:] = (filled.pattern.indices[start[1:] - 1] != np.arange(n - 1)) | (length[:-1] != length[1:] + 1)
    return np.cumsum(apart)


@njit(cache=True, nogil=True, error_model="numpy")
def _hold(parts, rows, lu, a, scale, tiny, found, part):
    """Compare a thread's part of these rows, times their scale. found : (8, n), what `_Rows` begins with."""
    indptr, indices, upper_start, _, _ = lu
    n = len(upper_start)
    left, size, terms, sizes = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    for i in rows[part::parts]:
        own, row = scale[i], indices[indptr[i] : indptr[i + 1]]
        norm = _copy(i, a, own, left)
        _multiply(i, lu, own, tiny, left, size, terms, sizes)
        whole = 0.0
        for j in row:
            whole += size[j]
        if (upper_start[i] - indptr[i] + 1) * (whole / CAREFUL) > norm:
            left[row] = 0.0
            _copy(i, a, own, left)
            _subtract(i, lu, own, left, terms)
        found[3, i], found[4, i], found[6, i], found[7, i] = abs(left[i]), size[i], whole, norm
        left[i] = 0.0
        entry = largest = lost = top = 0.0
        for j in row:
            off = abs(left[j])
            if off > entry * size[j]:
                entry = off / size[j]
            largest, top = max(largest, off), max(top, size[j])
            lost += off
            left[j] = size[j] = 0.0
        found[0, i], found[1, i], found[2, i], found[5, i] = entry, largest, lost, top


@njit(cache=True, nogil=True, error_model="numpy")
def _copy(i, a, own, left):
    """Write row i of A, times `own`, to `left`. Returns the sum of its sizes."""
    indptr, indices, values = a
    norm = 0.0
    for p in range(indptr[i], indptr[i + 1]):
        left[indices[p]] = own * values[p]
        norm += abs(left[indices[p]])
    return norm


@njit(cache=True, nogil=True, error_model="numpy")
def _multiply(i, lu, own, tiny, left, size, terms, sizes):
    """Subtract row i of L U, times `own`, from `left`, and add the sizes of its products to `size`.

    The products of a chain are summed side by side before their columns are looked up. No product with `tiny`
    is a denormal number, on which processors take a hundred cycles.

    terms, sizes : zeros, and again after
    """
    indptr, indices, upper_start, values, chain = lu
    p, end = indptr[i], upper_start[i]
    while p <= end:
        first = indices[p]
        while p <= end and chain[indices[p]] == chain[first]:
            k, factor = indices[p], own * (values[p] if p < end else 1.0)
            row, near = values[upper_start[k] : indptr[k + 1]], 1.0 if p < end else 0.0
            its_terms, its_sizes = terms[k - first :], sizes[k - first :]
            for q in range(len(row)):
                term = factor * row[q]
                its_terms[q] += term
                its_sizes[q] += abs(term) + tiny * (1.0 + near * abs(row[q]))
            p += 1
        columns = indices[upper_start[first] : indptr[first + 1]]
        for q in range(len(columns)):
            left[columns[q]] -= terms[q]
            size[columns[q]] += sizes[q]
            terms[q] = sizes[q] = 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def _subtract(i, lu, own, left, low):
    """Subtract row i of L U, times `own`, from `left` in twice the digits. low : zeros, and again after."""
    indptr, indices, upper_start, values, _ = lu
    end = upper_start[i]
    for p in range(indptr[i], end + 1):
        k, factor = indices[p], own * (values[p] if p < end else 1.0)
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
