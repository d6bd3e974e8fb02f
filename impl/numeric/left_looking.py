"""Left-looking LU by columns on one CPU core: the reference for the values of L and U.

J. R. Gilbert and T. Peierls, Sparse partial pivoting in time proportional to arithmetic operations, SIAM J.
Sci. Stat. Comput. 9 (1988), without the pivoting, so that F is known in advance; Algorithm 1 of GLU3.0's
slides.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numba import njit

from fillpath.errors import InputError, UnsupportedError
from fillpath.nouns import Array, Assembled, Factor, Pattern, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.numeric.pivots import small_pivot


@implementation(stage="numeric", paper="glu3", section="Algorithm 1, G/P left-looking")
def left_looking(
    assembled: Assembled,
    *,
    dtype: Literal["float32", "float64"] = "float64",
    static_pivoting: bool = False,
) -> tuple[Factor, Work]:
    """Factorise column by column, each updated by earlier columns (sequential).

    assembled : the values on F, n x n, by columns; its levels are not read
    dtype : of the factor and of all arithmetic
    static_pivoting : bool, replace a pivot below eps in modulus by sign(pivot) eps, where eps =
        small_pivot(dtype) ||A||_1, and count it

    Returns L + U - I; facts: updates (multiply-adds), small_pivots. Raises InputError for a value that is not
    finite in that dtype. A pivot of 0 without static_pivoting, and a pivot that overflowed, raise
    UnsupportedError, naming the column in the prepared order, from 0.
    """
    columns, lower_start = assembled.two_way.columns, assembled.two_way.lower_start
    with phase("convert"):
        values = converted(assembled.values, columns, dtype)
        least = small_pivot(dtype) * norm_1(assembled.values, columns) if static_pivoting else 0.0
    with phase("factorise"):
        stopped, small, updates = _left_looking(
            columns.indptr.view(np.uint64),
            columns.indices.view(np.uint32),
            lower_start.view(np.uint64),
            values,
            values.dtype.type(least),
        )
    if stopped < columns.n:
        raise UnsupportedError(refusal(int(stopped), float(values[lower_start[stopped] - 1]), dtype))
    facts = {"updates": updates, "small_pivots": small}
    return Factor(assembled.two_way, values, int(small)), Work(facts=facts)


def converted(values: Array, columns: Pattern, dtype: str) -> Array:
    """Return a copy in that dtype. Raises InputError naming the first value that is not finite in it."""
    with np.errstate(over="ignore"):
        copied: Array = values.astype(dtype)
    finite = np.isfinite(copied)
    if not finite.all():
        place = int(np.argmin(finite))
        column = int(np.searchsorted(columns.indptr, place, side="right")) - 1
        raise InputError(
            f"row {columns.indices[place]}, column {column}: {values[place]} is not a finite {dtype}"
        )
    return copied


def norm_1(values: Array, columns: Pattern) -> float:
    """Return ||A||_1: the largest sum of moduli of a column. columns : none of them empty."""
    return float(np.add.reduceat(np.abs(values), columns.indptr[:-1]).max())


def refusal(column: int, pivot: float, dtype: str) -> str:
    """Return the error that stops the factorisation at this column, with advice."""
    why = "is 0" if pivot == 0 else f"is {pivot}, the elimination overflowed"
    double = " dtype=float64 or" if dtype == "float32" else ""
    return f"the pivot of column {column} {why}: try --matching mc64, or{double} static_pivoting=true"


@njit(cache=True, nogil=True)
def _left_looking(starts, rows, lower_start, values, least):
    """Factorise in place; return (first unusable pivot's column or n, pivots replaced, multiply-adds)."""
    n = np.uint64(len(lower_start))
    one = np.uint64(1)
    column = np.zeros(n, values.dtype)
    small, updates = 0, np.uint64(0)
    for k in range(n):
        start, below, end = starts[k], lower_start[k], starts[k + one]
        for p in range(start, end):
            column[rows[p]] = values[p]
        # Rows ascend, so column[j] is final at its turn.
        for p in range(start, below - one):
            j = np.uint64(rows[p])
            factor = column[j]
            first, last = lower_start[j], starts[j + one]
            updates += last - first
            for q in range(first, last):
                column[rows[q]] -= values[q] * factor
        pivot = column[k]
        if abs(pivot) < least:
            pivot = -least if pivot < 0 else least
            column[k] = pivot
            small += 1
        for p in range(start, below):
            values[p] = column[rows[p]]
        if pivot == 0 or not np.isfinite(pivot):
            return k, small, updates
        for p in range(below, end):
            values[p] = column[rows[p]] / pivot
    return n, small, updates
