"""Solves with ParAC's factor on the CPU: z = (G D G^T)^+ r, where 1 / 0 counts as 0.

One thread solves by columns, as the factor is stored. With several threads each element is one dot product,
of a row of G on the way down and of a column on the way up. A thread takes the next CHUNK elements, in an
order in which they can be computed, and waits for elements that are not available yet. An element is its own
flag: its place holds MISSING until it is written. One thread and several add in the same order, so their
results are equal to the last bit.

    factor, _ = ac_sequential(from_edges(3, np.array([0, 1]), np.array([1, 2]), np.ones(2)))
    z = np.empty(3)
    analysed(factor).apply(np.array([1.0, 0.0, -1.0]), z)
    z    # [2, 1, 0]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import get_num_threads, njit, prange

from fillpath.errors import FillpathError
from fillpath.nouns import Array, Preconditioner
from impl.cpu.atomics import fetch_add, load
from impl.cpu.ordered import give_way, release

# Elements that a thread takes at a time.
CHUNK = np.uint64(128)
# The bits of a NaN that no arithmetic produces.
MISSING = np.uint64(0xFFFFFFFFFFFFFFFF)
ONE = np.uint64(1)


@dataclass(frozen=True, eq=False)
class Solves:
    """A factor, ready to be applied.

    inverse : (n,) float64, 1 / D
    rows : G by rows, (indptr, indices, values); None for one thread
    y : (n,) float64, the vector between the two triangular solves
    """

    columns: tuple[Array, Array, Array]
    inverse: Array
    rows: tuple[Array, Array, Array] | None
    y: Array

    def apply(self, r: Array, z: Array) -> None:
        """Set z = (G D G^T)^+ r. r, z : (n,) float64, different arrays; r is not changed."""
        if self.rows is None:
            z[...] = r
            _alone(*self.columns, self.inverse, z)
            return
        bits = self.y.view(np.uint64), z.view(np.uint64)
        tickets = np.zeros(2, np.uint64)
        _together(*self.rows, *self.columns, self.inverse, r, *bits, self.y, z, tickets, get_num_threads())


def analysed(factor: Preconditioner) -> Solves:
    """Return the solves with a factor on Numba's threads.

    For more than one thread the factor is transposed in O(n + nnz). Raises FillpathError for a factor whose
    elements would then wait for each other.
    """
    columns = (factor.pattern.indptr.view(np.uint64), factor.pattern.indices.view(np.uint32), factor.values)
    inverse = np.zeros(len(factor.diagonal))
    np.divide(1.0, factor.diagonal, out=inverse, where=factor.diagonal != 0)
    if get_num_threads() == 1:
        return Solves(columns, inverse, None, np.empty(len(inverse)))
    above = _not_below(*columns[:2])
    if above >= 0:
        raise FillpathError(
            f"the triangular solves: column {above} has an entry that is not below the diagonal"
        )
    return Solves(columns, inverse, _transposed(*columns), np.empty(len(inverse)))


@njit(cache=True, nogil=True)
def _not_below(indptr, indices):
    """Return the first column with an entry not below the diagonal, where threads would hang; -1 if none."""
    for column in range(len(indptr) - 1):
        for p in range(indptr[column], indptr[column + 1]):
            if not column < indices[p] < len(indptr) - 1:
                return column
    return -1


@njit(cache=True, nogil=True)
def _transposed(indptr, indices, values):
    """Return a matrix by columns as one by rows: (indptr, indices, values), columns ascending in each row."""
    n = len(indptr) - 1
    starts = np.zeros(n + 2, np.uint64)
    for p in range(len(indices)):
        starts[indices[p] + np.uint64(2)] += ONE
    for row in range(n):
        starts[row + 2] += starts[row + 1]
    columns = np.empty(len(indices), np.uint32)
    moved = np.empty(len(indices), values.dtype)
    for column in range(np.uint64(n)):
        for p in range(indptr[column], indptr[column + ONE]):
            place = starts[indices[p] + ONE]
            starts[indices[p] + ONE] = place + ONE
            columns[place] = column
            moved[place] = values[p]
    return starts[: n + 1], columns, moved


@njit(cache=True, nogil=True)
def _alone(indptr, indices, values, inverse, z):
    n = np.uint64(len(inverse))
    for column in range(n):
        known = z[column]
        for p in range(indptr[column], indptr[column + ONE]):
            z[indices[p]] -= values[p] * known
    for back in range(n):
        column = n - ONE - np.uint64(back)
        total = z[column] * inverse[column]
        for p in range(indptr[column], indptr[column + ONE]):
            total -= values[p] * z[indices[p]]
        z[column] = total


@njit(cache=True, parallel=True, nogil=True)
def _together(
    starts, columns, by_rows, indptr, rows, by_columns, inverse, r, y_bits, z_bits, y, z, tickets, threads
):
    """Solve with all threads. y and y_bits are one array, and so are z and z_bits.

    tickets : (2,) uint64 of 0, chunks taken down and up
    """
    n = np.uint64(len(inverse))
    for i in prange(len(inverse)):
        y_bits[i] = MISSING
        z_bits[i] = MISSING
    chunks = (n + CHUNK - ONE) // CHUNK
    for _ in prange(threads):
        chunk = fetch_add(tickets, 0, ONE)
        while chunk < chunks:
            for row in range(chunk * CHUNK, min(n, (chunk + ONE) * CHUNK)):
                total = _gathered(columns, by_rows, starts[row], starts[row + ONE], r[row], y_bits, y)
                release(y, row, total)
            chunk = fetch_add(tickets, 0, ONE)
        chunk = fetch_add(tickets, 1, ONE)
        while chunk < chunks:
            for back in range(chunk * CHUNK, min(n, (chunk + ONE) * CHUNK)):
                column = n - ONE - back
                start = _awaited(y_bits, y, column) * inverse[column]
                total = _gathered(rows, by_columns, indptr[column], indptr[column + ONE], start, z_bits, z)
                release(z, column, total)
            chunk = fetch_add(tickets, 1, ONE)


@njit(inline="always")
def _gathered(indices, values, first, last, start, bits, vector):
    """Return start minus a row's dot product; a sum is NaN if an element is MISSING."""
    total = start
    for p in range(first, last):
        total -= values[p] * load(vector, indices[p])
    if np.isnan(total):
        total = start
        for p in range(first, last):
            total -= values[p] * _awaited(bits, vector, indices[p])
        if np.isnan(total):
            return np.nan  # Not the NaN that was read: it might be MISSING.
    return total


@njit
def _awaited(bits, vector, index):
    while load(bits, index) == MISSING:
        give_way()
    return load(vector, index)
