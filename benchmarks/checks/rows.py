"""Checks of the stage `symbolic`: the rows of F = L + U against the reference.

A filled pattern is compared by its digest, made in one pass over the entries and without temporaries. The
digest is made here on the host; `benchmarks/engine/device_digest.py` makes the same on a device.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numba import njit, prange

from benchmarks.checks.held import is_array
from fillpath.nouns import Array, Counts, Filled, Reference
from fillpath.record import Verified

# Rows that a thread takes at a time; fill-reducing orders have the long rows together, at the end.
_BLOCK = 64


@dataclass(frozen=True, eq=False)
class Digest:
    """Everything that is compared of a filled pattern. Malformed rows have 0 in each array.

    A row is malformed if it, or its diagonal, lies outside the arrays, or its columns lie outside the matrix
    or do not ascend strictly.

    counts : of its rows
    hashes : (n,) uint64, of each row, by its columns and their order
    """

    counts: Counts
    hashes: Array


def verify_symbolic(result: Any, reference: Reference) -> Verified:
    """Count rows whose counts or 64-bit hash differ. result : a filled pattern on the host, or a digest."""
    n = len(reference.row_hashes)
    result = digest(result) if has_shape(result, n) else result
    differing = n
    if isinstance(result, Digest):
        same = _same_counts(result.counts, reference) & (result.hashes == reference.row_hashes)
        differing = int(np.count_nonzero(~same))
    return Verified(_by(reference), method="row counts and row hashes", value=float(differing), bound=0.0)


def verify_counts(result: Counts, reference: Reference) -> Verified:
    """Count rows whose counts of L and U differ."""
    n = len(reference.row_hashes)
    well_formed = all(is_array(counts, np.int64, n) for counts in (result.lower, result.upper))
    differing = int(np.count_nonzero(~_same_counts(result, reference))) if well_formed else n
    return Verified(_by(reference), method="row counts", value=float(differing), bound=0.0)


def has_shape(result: Any, n: int, is_array: Callable[..., bool] = is_array) -> bool:
    """Return whether it is a filled pattern with the dtypes and shapes of n rows, on the host by default."""
    return (
        isinstance(result, Filled)
        and is_array(result.pattern.indptr, np.int64, n + 1)
        and is_array(result.pattern.indices, np.int32)
        and is_array(result.upper_start, np.int64, n)
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


def updates(filled: Filled) -> int:
    """Count gilbert_peierls' updates: for each entry of L, the entries of U in the row of its column."""
    pattern, upper = filled.pattern, filled.counts().upper - 1
    return int(_sum_over_lower(pattern.indptr, pattern.indices, filled.upper_start, upper))


def _by(reference: Reference) -> str:
    return f"reference ({reference.made_by}, checked by {reference.checked_by})"


def _same_counts(counts: Counts, reference: Reference) -> Array:
    expected = reference.counts
    same: Array = (counts.lower == expected.lower) & (counts.upper == expected.upper)
    return same


@njit(cache=True, parallel=True)
def _digest(threads, indptr, indices, upper_start, lower, upper, hashes):
    """Fill in the digest of each row that is not malformed."""
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
    """Hash a row's columns. Returns the hash, and whether they ascend strictly within 0..n-1."""
    state = np.uint64(0x9E3779B97F4A7C15)
    ascends, last = True, -1
    for p in range(start, end):
        column = indices[p]
        ascends &= last < column < n
        last = column
        state = folded(state, np.uint64(column))
    return state, ascends


@njit(inline="always")
def folded(state, word):
    """Fold a word into a hash by SplitMix64's finaliser (Steele, Lea and Flood); all uint64."""
    state = (state ^ word) + np.uint64(0x9E3779B97F4A7C15)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


@njit(cache=True)
def _sum_over_lower(indptr, indices, upper_start, upper):
    """Sum `upper` of the column of each entry of L."""
    total = 0
    for row in range(len(upper)):
        for p in range(indptr[row], upper_start[row]):
            total += upper[indices[p]]
    return total
