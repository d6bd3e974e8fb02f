"""Checks of the stage `symbolic`: the rows of F = L + U against the reference.

What is compared of a filled pattern is its digest, made in one pass over the entries and without
temporaries: here on the host, and on the device, the same, by `benchmarks/engine/device_digest.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numba import njit, prange

from fillpath.nouns import Array, Counts, Filled, Reference
from fillpath.record import Verified

# Rows that a thread takes at a time; in fill-reducing orders the long ones stand together, at the end.
_BLOCK = 64


@dataclass(frozen=True, eq=False)
class Digest:
    """What is compared of a filled pattern.

    counts : of its rows; 0 and 0, as of no row with a diagonal, for a row that is malformed: not within the
        arrays, upper_start outside of it, columns outside the matrix or not strictly ascending
    hashes : (n,) uint64, of each row, by its columns and their order; 0 for a malformed one
    """

    counts: Counts
    hashes: Array


def verify_symbolic(result: Any, reference: Reference) -> Verified:
    """Row counts of L and U and 64-bit row hashes equal the reference's; value: rows that differ.

    result : a filled pattern on the host, or the digest of one.
    """
    n = len(reference.row_hashes)
    result = digest(result) if has_shape(result, n) else result
    differing = _differing_rows(result, reference) if isinstance(result, Digest) else n
    return Verified(_by(reference), method="row counts and row hashes", value=float(differing), bound=0.0)


def verify_counts(result: Counts, reference: Reference) -> Verified:
    """Row counts of L and U equal the reference's; value: rows that differ."""
    n = len(reference.row_hashes)
    well_formed = all(_is_host_array(counts, np.int64, n) for counts in (result.lower, result.upper))
    differing = int(np.count_nonzero(~_same_counts(result, reference))) if well_formed else n
    return Verified(_by(reference), method="row counts", value=float(differing), bound=0.0)


def has_shape(result: Any, n: int) -> bool:
    """Return whether it is a filled pattern on the host whose arrays have the dtypes and shapes for n
    rows, whatever they hold."""
    return (
        isinstance(result, Filled)
        and _is_host_array(result.pattern.indptr, np.int64, n + 1)
        and _is_host_array(result.pattern.indices, np.int32)
        and _is_host_array(result.upper_start, np.int64, n)
    )


def digest(filled: Filled) -> Digest:
    """Return the digest of a filled pattern that `has_shape`."""
    n = filled.pattern.n
    counts, hashes = Counts(np.zeros(n, np.int64), np.zeros(n, np.int64)), np.zeros(n, np.uint64)
    arrays = filled.pattern.indptr, filled.pattern.indices, filled.upper_start
    indptr, indices, upper_start = map(np.ascontiguousarray, arrays)
    threads = numba.get_num_threads()
    _digest(threads, indptr, indices, upper_start, counts.lower, counts.upper, hashes)
    return Digest(counts, hashes)


def _by(reference: Reference) -> str:
    return f"reference ({reference.made_by}, checked by {reference.checked_by})"


def _differing_rows(result: Digest, reference: Reference) -> int:
    same = _same_counts(result.counts, reference) & (result.hashes == reference.row_hashes)
    return int(np.count_nonzero(~same))


def _same_counts(counts: Counts, reference: Reference) -> Array:
    expected = reference.counts
    same: Array = (counts.lower == expected.lower) & (counts.upper == expected.upper)
    return same


def _is_host_array(array: Any, dtype: Any, length: int | None = None) -> bool:
    vector = isinstance(array, np.ndarray) and array.ndim == 1 and array.dtype == dtype
    return vector and length in (None, len(array))


@njit(cache=True, parallel=True)
def _digest(threads, indptr, indices, upper_start, lower, upper, hashes):
    """Fill in what a digest holds of each row that is not malformed."""
    n = len(hashes)
    for thread in prange(threads):
        for first in range(thread * _BLOCK, n, threads * _BLOCK):
            for row in range(first, min(first + _BLOCK, n)):
                start, above, end = indptr[row], upper_start[row], indptr[row + 1]
                spans = (row > 0 or start == 0) and (row < n - 1 or end == len(indices))
                if spans and 0 <= start <= above < end <= len(indices):
                    state, ascends = _fold(indices, start, end, n)
                    if ascends:
                        lower[row], upper[row], hashes[row] = above - start, end - above, state


@njit(cache=True)
def _fold(indices, start, end, n):
    """Steele, Lea and Flood's SplitMix64 finaliser folded over a row's columns; and whether these ascend
    strictly, from 0 or more to below n."""
    state = np.uint64(0x9E3779B97F4A7C15)
    ascends, last = True, -1
    for p in range(start, end):
        column = indices[p]
        ascends &= last < column < n
        last = column
        state = (state ^ np.uint64(column)) + np.uint64(0x9E3779B97F4A7C15)
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        state ^= state >> np.uint64(31)
    return state, ascends
