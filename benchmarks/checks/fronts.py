"""A factor on fronts as L and U on F, so that the check of every other factor holds it too.

A postorder renumbers the tree of A | A^T without changing who is eliminated before whom on any path to a
root, and every entry of F lies on such a path. So the entries of L and U are the same as in the prepared
order.

    factor, panels = on_filled(front_factor, both)
    verify_factor(factor, prepared, both, "float64", static=False, panels=panels)
"""

import math

import numpy as np
from numba import njit

from benchmarks.checks.factors import ARITHMETIC_BOUND as ROUNDINGS
from benchmarks.checks.factors import Panels
from fillpath.errors import FillpathError
from fillpath.nouns import Array, Factor, FrontFactor, Fronts, TwoWay


def on_filled(factor: FrontFactor, both: TwoWay) -> tuple[Factor, Panels | None]:
    """Return L + U - I on F by columns, and the panels of its rows, None where no front has any.

    A result that is no factor on these fronts has no values. Panels are inverted again and factorised in
    float64, so that a value is off by the block's condition times a rounding. Outside of F, fronts hold
    zeros, in panels up to that, or there is no factor. Raises FillpathError where that overflows.

    factor : its fronts are of the matrix that F is of, as the gate made them
    both : F, n x n
    """
    values = np.asarray(factor.values)
    start, panel = np.asarray(factor.start), np.asarray(factor.panel)
    if not _fits(factor.fronts, start, panel, values):
        return Factor(both, np.empty(0, values.dtype), factor.small_pivots), None
    filled = both.filled
    out = np.full(filled.pattern.nnz, np.nan, values.dtype)
    fronts = factor.fronts
    lists = (fronts.first, fronts.list_start, fronts.list, fronts.label)
    by_rows = (filled.pattern.indptr, filled.pattern.indices, filled.upper_start, both.to_column)
    by_columns = (both.columns.indptr, both.columns.indices, both.lower_start)
    held = (start.astype(np.int64), panel.astype(np.int64), values)
    panels = Panels(np.zeros(both.columns.n), np.ones(both.columns.n))
    if _scatter(*lists, *by_rows, *by_columns, *held, out, panels.width, panels.condition) > 0:
        out = out[:0]
    elif np.isinf(panels.condition).any():
        raise FillpathError("a panel overflows: divide the matrix by a power of two")
    return Factor(both, out, factor.small_pivots), panels if panel.any() else None


def _fits(fronts: Fronts, start: Array, panel: Array, values: Array) -> bool:
    """Return whether every front's blocks lie within the values."""
    m = len(fronts.up)
    if start.shape != (m,) or panel.shape != (m,) or values.ndim != 1 or values.dtype.kind != "f":
        return False
    pivots, rows = np.diff(fronts.first).astype(np.int64), np.diff(fronts.list_start)
    last = len(values) - pivots * (pivots + 2 * rows)
    return bool(np.all(start >= 0) and np.all(start <= last) and np.all(panel >= 0))


@njit(cache=True, nogil=True)
def _scatter(
    first, list_start, lists, label,
    indptr, indices, upper_start, to_column, column_indptr, column_indices, lower_start,
    start, panel, values, out, width, condition,
):  # fmt: skip
    """Write the values of all entries of F that the fronts have. Returns how many other entries are not 0.

    Returns 1 at a value that is not finite: an infinity would hide all other entries of its row.
    """
    n, most, unit = len(label), np.finfo(values.dtype).max, np.finfo(values.dtype).eps / 2
    vertex, position = np.empty(n, np.int64), np.full(n, -1, np.int64)
    vertex[label] = np.arange(n)
    strays = 0
    for front in range(len(start)):
        begin, pivots = np.int64(first[front]), np.int64(first[front + 1] - first[front])
        rows = lists[list_start[front] : list_start[front + 1]]
        size, wide = pivots + len(rows), min(panel[front], pivots)
        behind = start[front] + pivots * size
        lower = values[start[front] : behind].astype(np.float64).reshape(pivots, size)
        upper = values[behind : behind + pivots * len(rows)].astype(np.float64).reshape(len(rows), pivots)
        if not _within(lower, upper, np.finfo(np.float64).max):
            return 1
        worst = _plain(lower, upper, wide, most) if wide else 1.0
        slack = ROUNDINGS * unit * (pivots + wide) * worst if wide else 0.0
        for k in range(size):
            place = begin + k if k < pivots else rows[k - pivots]
            row, position[place] = vertex[place], k
            width[row], condition[row] = max(width[row], wide), max(condition[row], worst)
        inside = np.zeros((size, size), np.bool_)
        for k in range(pivots):
            own = vertex[begin + k]
            for p in range(upper_start[own], indptr[own + 1]):
                c = position[label[indices[p]]]
                if c >= 0:
                    out[to_column[p]] = lower[c, k] if c < pivots else upper[c - pivots, k]
                    inside[k, c] = True
            for p in range(lower_start[own], column_indptr[own + 1]):
                r = position[label[column_indices[p]]]
                if r >= 0:
                    out[p], inside[r, k] = lower[k, r], True
        strays += _strays(lower, upper, inside, wide, slack)
        position[begin : begin + pivots] = -1
        position[rows] = -1
    return strays


@njit
def _strays(lower, upper, inside, width, slack):
    """Count the places outside of F where L U is no zero, but for roundings of the row's largest product.

    inside : (f, f) bool, the places of F
    width : of the panels, 0 for none
    slack : roundings
    """
    pivots, size = lower.shape
    strays, top = 0, _largest(lower, upper)
    for r in range(size):
        for c in range(size if r < pivots else pivots):
            value = lower[c, r] if c < pivots else upper[c - pivots, r]
            if inside[r, c] or value == 0:
                continue
            k = min(r, c)
            if r > c:
                value *= lower[c, c]
            for j in range(k - k % width if width else k, k):
                value += lower[j, r] * (lower[c, j] if c < pivots else upper[c - pivots, j])
            strays += int(width == 0 or not abs(value) <= slack * top[r])
    return strays


@njit
def _largest(lower, upper):
    """Find the largest |l| |u| of each row of L U, (f,)."""
    pivots, size = lower.shape
    right, top = np.zeros(pivots), np.zeros(size)
    for k in range(pivots):
        for r in range(k + 1):
            right[r] = max(right[r], abs(lower[k, r]))
        for c in range(len(upper)):
            right[k] = max(right[k], abs(upper[c, k]))
    for k in range(pivots):
        top[k] = max(top[k], right[k])
        for r in range(k + 1, size):
            top[r] = max(top[r], abs(lower[k, r]) * right[k])
    return top


@njit(error_model="numpy")
def _plain(lower, upper, width, most):
    """Turn panels into L and U, in place. Returns the largest || |D| |D^-1| ||, inf for overflow.

    With D the inverse of a stored block, D = L_D U_D: below it S becomes S D U_D^-1 = S L_D, right of it A_KJ
    becomes L_D^-1 A_KJ.

    lower : (s, f), the pivots' columns
    upper : (r, s), the columns right of them
    most : the largest number that may be written
    """
    pivots, size = lower.shape
    worst, finite, regular = 1.0, _within(lower, upper, most), True
    for begin in range(0, pivots, width):
        end = min(begin + width, pivots)
        block, condition = _opened(lower[begin:end, begin:end])
        worst, regular = max(worst, condition), regular and condition > 0
        _factorise(block)
        for k in range(end - begin):
            for r in range(end, size):
                value = lower[begin + k, r]
                for j in range(k + 1, end - begin):
                    value += lower[begin + j, r] * block[k, j]
                lower[begin + k, r] = value
        for c in range(end, size):
            column = lower[c] if c < pivots else upper[c - pivots]
            for k in range(end - begin):
                for i in range(k + 1, end - begin):
                    column[begin + i] -= block[k, i] * column[begin + k]
        lower[begin:end, begin:end] = block
    return np.inf if finite and regular and not _within(lower, upper, most) else worst


@njit
def _within(lower, upper, most):
    return np.all(np.abs(lower) <= most) and np.all(np.abs(upper) <= most)


@njit(error_model="numpy")
def _opened(stored):
    """Invert a stored block. Returns D, and || |D| |D^-1| ||, 0 where there is no inverse.

    Overflowing blocks are inverted once more with rows and columns divided by powers of two.
    """
    block = scaled = stored.copy()
    columns = rows = np.zeros(len(scaled), np.int64)
    for attempt in range(2):
        if attempt == 1:
            columns, rows = _divided(scaled), _divided(scaled.T)
        block = _inverse(scaled)
        condition = _condition(block, scaled) if _within(block, block, np.finfo(np.float64).max) else 0.0
        if 0 < condition < np.inf:
            break
    for c in range(len(block)):
        for r in range(len(block)):
            block[c, r] = math.ldexp(block[c, r], -columns[r] - rows[c])
    return block, condition


@njit
def _divided(lines):
    """Divide each line by a power of two, so that its largest number is near 1. Returns the exponents."""
    exponents = np.zeros(len(lines), np.int64)
    for k in range(len(lines)):
        exponents[k] = math.frexp(np.abs(lines[k]).max())[1]
        for i in range(len(lines)):
            lines[k, i] = math.ldexp(lines[k, i], -exponents[k])
    return exponents


@njit
def _condition(block, inverse):
    """Return || |D| |D^-1| || in the infinity norm, both by columns; nan counts as 1."""
    worst = 1.0
    for row in range(len(block)):
        total = 0.0
        for k in range(len(block)):
            for column in range(len(block)):
                total += abs(block[k, row]) * abs(inverse[column, k])
        worst = max(worst, total)
    return worst


@njit(error_model="numpy")
def _factorise(block):
    """Dense LU without pivoting, in place. block : by columns."""
    width = len(block)
    for k in range(width):
        block[k, k + 1 :] /= block[k, k]
        for c in range(k + 1, width):
            for i in range(k + 1, width):
                block[c, i] -= block[k, i] * block[c, k]


@njit(error_model="numpy")
def _inverse(block):
    """Return the inverse, by Gauss and Jordan with partial pivoting; not finite where there is none."""
    width = len(block)
    left, right = block.copy(), np.eye(width)
    for k in range(width):
        best = k + np.argmax(np.abs(left[k:, k]))
        for c in range(width):
            left[k, c], left[best, c] = left[best, c], left[k, c]
            right[k, c], right[best, c] = right[best, c], right[k, c]
        pivot = left[k, k]
        left[k] /= pivot
        right[k] /= pivot
        for i in range(width):
            factor = left[i, k]
            if i != k and factor != 0:
                for c in range(width):
                    left[i, c] -= factor * left[k, c]
                    right[i, c] -= factor * right[k, c]
    return right
