"""Checks of the stage `symbolic`: the rows of F = L + U against the reference."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from fillpath.errors import InputError
from fillpath.nouns import Array, Counts, Filled, Reference
from fillpath.record import Verified


def verify_symbolic(result: Any, reference: Reference) -> Verified:
    """Row counts of L and U and 64-bit row hashes equal the reference's; value: rows that differ."""
    n = len(reference.row_hashes)
    differing = _differing_rows(result, reference) if _well_formed(result, n) else n
    return Verified(_by(reference), method="row counts and row hashes", value=float(differing), bound=0.0)


def verify_counts(result: Counts, reference: Reference) -> Verified:
    """Row counts of L and U equal the reference's; value: rows that differ."""
    n = len(reference.row_hashes)
    well_formed = all(_is_row_array(counts, n) for counts in (result.lower, result.upper))
    differing = int(np.count_nonzero(~_same_counts(result, reference))) if well_formed else n
    return Verified(_by(reference), method="row counts", value=float(differing), bound=0.0)


def row_hashes(filled: Filled) -> Array:
    """(n,) uint64: a hash of each row that depends on its columns and on their order."""
    hashes: Array = _row_hashes(filled.pattern.indptr, filled.pattern.indices)
    return hashes


def _by(reference: Reference) -> str:
    return f"reference ({reference.made_by}, checked by {reference.checked_by})"


def _well_formed(result: Any, n: int) -> bool:
    """Whether the arrays can be read at all without leaving them."""
    if not isinstance(result, Filled) or result.pattern.n != n or not _is_row_array(result.upper_start, n):
        return False
    indptr = result.pattern.indptr
    try:
        result.pattern.validate()
    except InputError:
        return False
    return bool(np.all(result.upper_start >= indptr[:-1]) and np.all(result.upper_start < indptr[1:]))


def _differing_rows(result: Filled, reference: Reference) -> int:
    same = _same_counts(result.counts(), reference) & (row_hashes(result) == reference.row_hashes)
    return int(np.count_nonzero(~same))


def _same_counts(counts: Counts, reference: Reference) -> Array:
    expected = reference.counts
    same: Array = (counts.lower == expected.lower) & (counts.upper == expected.upper)
    return same


def _is_row_array(array: Any, n: int) -> bool:
    return isinstance(array, np.ndarray) and array.shape == (n,) and array.dtype == np.int64


@njit(cache=True)
def _row_hashes(indptr, indices):
    """Per row, Steele, Lea and Flood's SplitMix64 finaliser folded over the columns."""
    n = len(indptr) - 1
    hashes = np.empty(n, np.uint64)
    for row in range(n):
        state = np.uint64(0x9E3779B97F4A7C15)
        for p in range(indptr[row], indptr[row + 1]):
            state = (state ^ np.uint64(indices[p])) + np.uint64(0x9E3779B97F4A7C15)
            state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            state ^= state >> np.uint64(31)
        hashes[row] = state
    return hashes
