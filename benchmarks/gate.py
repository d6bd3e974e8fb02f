"""The gate: no result is timed that was not verified first, and none is verified by its own code."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from fillpath.errors import InputError, UnsupportedError
from fillpath.nouns import Array, Filled, Reference
from fillpath.record import Verified


def verify(stage: str, result: Any, reference: Reference) -> Verified:
    """Hold a result of a stage against the reference. Passed where value <= bound.

    Raises UnsupportedError for a stage without a gate: what cannot be verified is not measured.
    """
    if stage != "symbolic":
        raise UnsupportedError(f"stage {stage} has no gate yet, so that nothing of it is measured")
    return verify_symbolic(result, reference)


def verify_symbolic(result: Any, reference: Reference) -> Verified:
    """Row counts of L and U and 64-bit row hashes equal the reference's; value: rows that differ."""
    n = len(reference.row_hashes)
    by = f"reference ({reference.made_by}, checked by {reference.checked_by})"
    differing = _differing_rows(result, reference) if _well_formed(result, n) else n
    return Verified(by=by, method="row counts and row hashes", value=float(differing), bound=0.0)


def row_hashes(filled: Filled) -> Array:
    """(n,) uint64: a hash of each row that depends on its columns and on their order."""
    hashes: Array = _row_hashes(filled.pattern.indptr, filled.pattern.indices)
    return hashes


def _well_formed(result: Any, n: int) -> bool:
    """Whether the arrays can be read at all without leaving them."""
    if not isinstance(result, Filled) or result.pattern.n != n or result.upper_start.shape != (n,):
        return False
    indptr = result.pattern.indptr
    try:
        result.pattern.validate()
    except InputError:
        return False
    return bool(np.all(result.upper_start >= indptr[:-1]) and np.all(result.upper_start < indptr[1:]))


def _differing_rows(result: Filled, reference: Reference) -> int:
    counts = result.counts()
    same = (
        (counts.lower == reference.counts.lower)
        & (counts.upper == reference.counts.upper)
        & (row_hashes(result) == reference.row_hashes)
    )
    return int(np.count_nonzero(~same))


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
