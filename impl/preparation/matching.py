"""Row matching that maximises the product of the diagonal, with scalings that make the diagonal 1.

Duff and Koster, "On algorithms for permuting large entries to the diagonal of a sparse matrix", SIAM J.
Matrix Anal. Appl. 22(4), 2001: the matching of MC64's job 5, by shortest augmenting paths on
c_ij = log max_k |a_kj| - log |a_ij| >= 0.

    found = maximum_product(csr_array([[1.0, 4.0], [2.0, 1.0]]), "example")
    found.rows    # [1, 0]: |a_10 a_01| = 8 is the largest product
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from scipy.sparse import csr_array

from fillpath.errors import InputError
from fillpath.nouns import Array


@dataclass(frozen=True, eq=False)
class Matching:
    """A matching of rows to columns, with scalings.

    rows : (n,) int32, the row matched to each column
    row_scale, column_scale : (n,) float64, positive: |row_scale_i a_ij column_scale_j| <= 1 up to rounding,
        and = 1 if row i is matched to column j
    """

    rows: Array
    row_scale: Array
    column_scale: Array


def maximum_product(matrix: csr_array, name: str) -> Matching:
    """Return the matching of nonzero entries with the largest product of moduli.

    matrix : n x n, finite
    name : of the matrix, for errors

    Raises InputError with the structural rank if no matching is complete, and for scalings beyond float64.
    """
    n = matrix.shape[0]
    keep = matrix.data != 0
    rows = np.repeat(np.arange(n), np.diff(matrix.indptr))[keep]
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=n))]).astype(np.int64)
    indices = matrix.indices[keep].astype(np.int32)
    logs = np.log(np.abs(matrix.data[keep]))
    largest = np.full(n, -np.inf)
    np.maximum.at(largest, indices, logs)
    cost = largest[indices] - logs
    of_row, of_column, u, v = _assign(indptr, indices, cost)
    rank = int(np.count_nonzero(of_row >= 0))
    if rank < n:
        raise InputError(
            f"{name}: structurally singular: its nonzero entries have structural rank {rank} of {n}; "
            "choose matching none (with a value for the missing diagonal entries, if need be), "
            "or another matrix"
        )
    row_scale, column_scale = _scalings(u, v - largest)
    scales = np.concatenate([row_scale, column_scale])
    if not np.all(np.isfinite(scales) & (scales > 0)):
        raise InputError(f"{name}: the scalings exceed the range of float64; choose matching none")
    return Matching(of_column, row_scale, column_scale)


def _scalings(u: Array, v: Array) -> tuple[Array, Array]:
    """Return exponentials of the duals, shifted by a constant so that neither side overflows first."""
    shift = (v.mean() - u.mean()) / 2
    with np.errstate(over="ignore", under="ignore"):
        return np.exp(u + shift), np.exp(v - shift)


@njit(cache=True, nogil=True)
def _assign(indptr: Array, indices: Array, cost: Array) -> tuple[Array, Array, Array, Array]:
    """Match rows and columns at minimum cost.

    indptr : (n + 1,) int64
    indices : (nnz,) int32
    cost : (nnz,) float64, not negative

    Returns the column of each row and the row of each column (int32, -1 for none), and duals with
    u_i + v_j <= c_ij, equal for matched pairs.
    """
    n = indptr.size - 1
    of_row = np.full(n, -1, np.int32)
    of_column = np.full(n, -1, np.int32)
    u = np.zeros(n)
    v = np.zeros(n)
    _start(indptr, indices, cost, of_row, of_column, u, v)
    distance = np.full(n, np.inf)
    place = np.full(n, -1, np.int32)  # position in the heap; -1: not in it, -2: final
    parent, heap, touched = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
    scratch = (distance, place, parent, heap, touched)
    for row in range(n):
        if of_row[row] < 0:
            _augment(row, indptr, indices, cost, of_row, of_column, u, v, scratch)
    for row in range(n):  # removes accumulated rounding from the diagonal, which is exactly 1 then
        for e in range(indptr[row], indptr[row + 1]):
            if indices[e] == of_row[row]:
                u[row] = cost[e] - v[indices[e]]
    return of_row, of_column, u, v


@njit(cache=True, nogil=True)
def _start(
    indptr: Array, indices: Array, cost: Array, of_row: Array, of_column: Array, u: Array, v: Array
) -> None:
    """Write feasible duals and a greedy matching of tight entries, for which matched rows may move."""
    n = indptr.size - 1
    least = np.full(n, np.inf)
    for row in range(n):
        smallest = np.inf
        for e in range(indptr[row], indptr[row + 1]):
            smallest = min(smallest, cost[e])
        u[row] = smallest if smallest < np.inf else 0.0
        for e in range(indptr[row], indptr[row + 1]):
            least[indices[e]] = min(least[indices[e]], cost[e] - u[row])
    for column in range(n):
        v[column] = least[column] if least[column] < np.inf else 0.0
    for row in range(n):
        for e in range(indptr[row], indptr[row + 1]):
            j = indices[e]
            if of_column[j] < 0 and cost[e] - u[row] - v[j] <= 0.0:
                of_row[row] = j
                of_column[j] = row
                break
    for row in range(n):
        if of_row[row] < 0:
            _step_aside(row, indptr, indices, cost, of_row, of_column, u, v)


@njit(cache=True, nogil=True)
def _step_aside(
    row: int, indptr: Array, indices: Array, cost: Array, of_row: Array, of_column: Array, u: Array, v: Array
) -> None:
    for e in range(indptr[row], indptr[row + 1]):
        j = indices[e]
        if cost[e] - u[row] - v[j] > 0.0:
            continue
        other = of_column[j]
        for f in range(indptr[other], indptr[other + 1]):
            free = indices[f]
            if of_column[free] < 0 and cost[f] - u[other] - v[free] <= 0.0:
                of_row[other] = free
                of_column[free] = other
                of_row[row] = j
                of_column[j] = row
                return


@njit(cache=True, nogil=True)
def _augment(
    source: int,
    indptr: Array,
    indices: Array,
    cost: Array,
    of_row: Array,
    of_column: Array,
    u: Array,
    v: Array,
    scratch: tuple[Array, Array, Array, Array, Array],
) -> None:
    """Match `source` along the shortest augmenting path in reduced costs, and keep the duals feasible.

    scratch : five (n,) arrays; the first two are restored

    Without a path the row stays unmatched; the number of matched rows still becomes the structural rank.
    """
    distance, place, parent, heap, touched = scratch
    size = 0
    seen = 0
    best = np.inf
    end = -1
    row = source
    base = 0.0
    while True:
        for e in range(indptr[row], indptr[row + 1]):
            j = indices[e]
            if place[j] == -2:
                continue
            reach = base + max(cost[e] - u[row] - v[j], 0.0)
            if reach >= best or reach >= distance[j]:
                continue
            if place[j] == -1 and distance[j] == np.inf:
                touched[seen] = j
                seen += 1
            distance[j] = reach
            parent[j] = row
            if of_column[j] < 0:
                best = reach
                end = j
                continue
            if place[j] == -1:
                place[j] = size
                heap[size] = j
                size += 1
            _sift_up(heap, place, distance, place[j])
        if size == 0 or distance[heap[0]] >= best:
            break
        column = heap[0]
        size -= 1
        place[column] = -2
        if size > 0:
            heap[0] = heap[size]
            place[heap[0]] = 0
            _sift_down(heap, place, distance, size)
        base = distance[column]
        row = of_column[column]
    if end >= 0:
        u[source] += best
        for t in range(seen):
            j = touched[t]
            if place[j] == -2:
                u[of_column[j]] += best - distance[j]
                v[j] -= best - distance[j]
        _flip(source, end, parent, of_row, of_column)
    for t in range(seen):
        distance[touched[t]] = np.inf
        place[touched[t]] = -1


@njit(cache=True, nogil=True)
def _flip(source: int, end: int, parent: Array, of_row: Array, of_column: Array) -> None:
    column = end
    while True:
        row = parent[column]
        following = of_row[row]
        of_row[row] = column
        of_column[column] = row
        if row == source:
            return
        column = following


@njit(cache=True, nogil=True)
def _sift_up(heap: Array, place: Array, distance: Array, at: int) -> None:
    item = heap[at]
    while at > 0:
        above = (at - 1) // 2
        if distance[heap[above]] <= distance[item]:
            break
        heap[at] = heap[above]
        place[heap[at]] = at
        at = above
    heap[at] = item
    place[item] = at


@njit(cache=True, nogil=True)
def _sift_down(heap: Array, place: Array, distance: Array, size: int) -> None:
    item = heap[0]
    at = 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and distance[heap[below + 1]] < distance[heap[below]]:
            below += 1
        if distance[heap[below]] >= distance[item]:
            break
        heap[at] = heap[below]
        place[heap[at]] = at
        at = below
    heap[at] = item
    place[item] = at
