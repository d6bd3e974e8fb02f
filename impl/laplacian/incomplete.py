"""Incomplete Cholesky factors with a drop tolerance, which MATLAB's ichol calls ict.

G D G^T, with G unit lower triangular, is computed column by column, left-looking. An entry of the Schur
complement's column j is dropped if its modulus is below a bound, a diagonal never. The bound is the tolerance
times the sum of moduli in L's column j, from the diagonal down. A dropped edge leaves its weight as excess on
both ends, so every pivot is positive in exact arithmetic. This takes a ground in each component, held at 0,
or a last diagonal that is lifted a little. Holding the last vertex at 0 instead takes a fifth more
iterations. D is 0 for the ground and for vertices without edges.

    path = from_edges(4, np.arange(3), np.arange(1, 4), np.ones(3))
    found = matching(path, wanted=3)
    len(incomplete(path, found.tolerance).values)    # 3: a path has no fill
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from fillpath.errors import UnsupportedError
from fillpath.nouns import Array, Laplacian, Pattern, Preconditioner
from impl.cpu.memory import buffer, reserve

# Largest relative difference from the wanted number of entries.
CLOSE = 0.02
# Range in which a tolerance is searched.
LEAST, MOST = 1e-12, 1.0
FIRST = 1e-2
TRIES = 40
# Relative difference below which two tolerances are the same.
NARROW = 1e-6
# The share by which the last diagonal of a component without the ground is lifted, as L is singular there.
LIFT = 1e-6
# Initial room, in entries.
SCRATCH = np.uint64(2**16)

ZERO, ONE = np.uint64(0), np.uint64(1)
NONE = np.uint32(0xFFFFFFFF)


@dataclass(frozen=True)
class Threshold:
    """A tolerance, and the factorisations (tries) that the search for it took."""

    tolerance: float
    tries: int


def incomplete(graph: Laplacian, tolerance: float) -> Preconditioner:
    """Return the factor with this tolerance, 0 to drop nothing. Raises UnsupportedError for a pivot <= 0."""
    indptr, rows, values, diagonal = _factorised(graph, tolerance, np.iinfo(np.int64).max)
    return Preconditioner(Pattern(indptr, rows), values, diagonal)


def matching(graph: Laplacian, wanted: int) -> Threshold:
    """Return the tolerance whose factor has `wanted` entries below the diagonal, up to CLOSE.

    The search is a bisection of the logarithm; a try ends at twice the wanted entries. The result is 0 if the
    factor without dropping has no more entries. Equal entries are dropped together, so the closest try is
    taken.
    """
    if _entries(graph, 0.0, wanted) <= (1 + CLOSE) * wanted:
        return Threshold(0.0, 1)
    tolerance, low, high = FIRST, LEAST, MOST
    closest, off = tolerance, np.inf
    for tries in range(2, TRIES + 1):
        entries = _entries(graph, tolerance, wanted)
        if abs(entries - wanted) < off:
            closest, off = tolerance, abs(entries - wanted)
        if off <= CLOSE * wanted or high <= low * (1 + NARROW):
            return Threshold(closest, tries)
        low, high = (low, tolerance) if entries < wanted else (tolerance, high)
        tolerance = float(np.sqrt(low * high))
    return Threshold(closest, TRIES)


def _entries(graph: Laplacian, tolerance: float, wanted: int) -> int:
    return int(_factorised(graph, tolerance, 2 * wanted)[0][-1])


def held(graph: Laplacian) -> Array:
    """Return (n,) bool: the vertices held at 0, which are the ground and vertices without edges."""
    marked: Array = np.diff(graph.pattern.indptr) == 0
    if graph.grounded:
        marked[-1] = True
    return marked


def lifts(graph: Laplacian) -> Array:
    """Return (n,) float64: the factor by which each diagonal of L is multiplied."""
    last = np.zeros(graph.components, np.int64)
    last[graph.component] = np.arange(graph.n)
    factors = np.ones(graph.n)
    factors[last] += LIFT
    return factors


def _factorised(graph: Laplacian, tolerance: float, most: int) -> tuple[Array, Array, Array, Array]:
    """Return (indptr, rows, values, diagonal); with more than `most` entries only indptr[-1] is valid."""
    edges = graph.pattern.indptr.view(np.uint64), graph.pattern.indices.view(np.uint32), graph.weights
    failed, pivot, indptr, rows, values, diagonal = _columns(
        *edges, held(graph), lifts(graph), tolerance, np.uint64(most)
    )
    if failed >= 0:
        what = f"incomplete Cholesky, drop tolerance {tolerance:g}"
        raise UnsupportedError(f"{what}: pivot {failed} is {pivot:.3g}, which is not positive")
    return indptr.view(np.int64), rows[: indptr[-1]].view(np.int32), values[: indptr[-1]], diagonal


@njit(cache=True, nogil=True)
def _columns(starts, ends, weights, at_zero, lift, tolerance, most):
    """Return (column whose pivot is not positive or -1, that pivot, indptr, rows, values, diagonal).

    waiting, following : lists of the columns whose next entry is in a row
    places : the position of that entry
    """
    n = np.uint64(len(starts) - 1)
    indptr, diagonal = np.zeros(n + ONE, np.uint64), np.zeros(n)
    rows, values = buffer(SCRATCH, np.uint32), buffer(SCRATCH, np.float64)
    waiting, following = np.full(n, NONE), np.full(n, NONE)
    places = np.zeros(n, np.uint64)
    column, kept = np.zeros(n), np.empty(n, np.uint32)
    marked_by = np.full(n, NONE)
    for j in range(n):
        indptr[j + ONE] = indptr[j]
        if at_zero[j]:
            continue
        pivot, size, count = 0.0, 0.0, ZERO
        for p in range(starts[j], starts[j + ONE]):
            i = ends[p]
            pivot += weights[p]
            if i > j and not at_zero[i]:
                size += weights[p]
                count = _add(column, marked_by, kept, count, j, i, -weights[p])
        pivot *= lift[j]
        bound = tolerance * (size + pivot)
        k = waiting[j]
        while k != NONE:
            after, place, end = following[k], places[k], indptr[np.uint64(k) + ONE]
            share = values[place] * diagonal[k]
            pivot -= share * values[place]
            for p in range(place + ONE, end):
                count = _add(column, marked_by, kept, count, j, rows[p], -share * values[p])
            _wait(waiting, following, places, rows, k, place + ONE, end)
            k = after
        if not pivot > 0.0:
            return np.int64(j), pivot, indptr, rows, values, diagonal
        count = _largest(column, kept, count, bound)
        end = indptr[j] + count
        rows, values = reserve(rows, indptr[j], end), reserve(values, indptr[j], end)
        for p in range(count):
            rows[indptr[j] + p] = kept[p]
            values[indptr[j] + p] = column[kept[p]] / pivot
        diagonal[j] = pivot
        indptr[j + ONE] = end
        _wait(waiting, following, places, rows, np.uint32(j), indptr[j], end)
        if end > most:
            indptr[n] = end
            break
    return np.int64(-1), 0.0, indptr, rows, values, diagonal


@njit(inline="always")
def _add(column, marked_by, kept, count, j, i, value):
    """Add to column[i], or append a new row; return the number of rows."""
    if marked_by[i] == j:
        column[i] += value
        return count
    marked_by[i] = j
    column[i] = value
    kept[count] = i
    return count + ONE


@njit
def _largest(column, kept, count, bound):
    """Keep, ascending, the rows whose entry is not below the bound. Returns their number."""
    left = ZERO
    for p in range(count):
        kept[left] = kept[p]
        left += np.uint64(np.abs(column[kept[p]]) >= bound)
    kept[:left].sort()
    return left


@njit(inline="always")
def _wait(waiting, following, places, rows, column, place, end):
    """Add a column to the list of the row of its entry at `place`, if there is one."""
    if place < end:
        places[column] = place
        following[column] = waiting[rows[place]]
        waiting[rows[place]] = column
