"""The check of the stage `levels`: every exact dependency goes up, by its definition on F by rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from benchmarks.checks.held import cuts, is_array
from fillpath.nouns import Array, Filled, Levels
from fillpath.record import Verified


def verify_levels(result: Any, filled: Filled) -> Verified:
    """Count columns in no level, and exact dependencies that do not go up, twice if they hold both ways.

    Right-looking, column i of a non-empty L[:,i] writes column k for U[i,k] != 0: k comes after i. It reads
    U[i,k], which column h < i writes if L[i,h] != 0 and U[h,k] != 0: i comes after h (double-U). F is closed
    under elimination: it has [i,k] wherever it has [i,h] and [h,k]. So the last column of row h decides. If
    the levels are no partition of the columns, all columns are wrong.
    """
    n = filled.pattern.n
    wrong = n
    if _can_be(result, n):
        level = _level_of(result, n)
        broken = _broken(filled.pattern.indptr, filled.pattern.indices, filled.upper_start, level)
        wrong = int(broken + np.count_nonzero(level < 0))
    by = "filled pattern, equal to the reference"
    return Verified(by, method="exact dependencies that go up", value=float(wrong), bound=0.0)


def _can_be(result: Any, n: int) -> bool:
    """Return whether a result cuts n columns into levels that are not empty."""
    if not (
        isinstance(result, Levels) and cuts(result.pointers, n) and is_array(result.columns, np.int32, n)
    ):
        return False
    return bool(result.columns.min() >= 0 and result.columns.max() < n)


def _level_of(levels: Levels, n: int) -> Array:
    """Return the level of each column, (n,) int64, -1 for none."""
    level = np.full(n, -1)
    level[levels.columns] = np.repeat(np.arange(len(levels.pointers) - 1), np.diff(levels.pointers))
    return level


@njit(cache=True)
def _broken(indptr, indices, upper_start, level):
    """Count exact dependencies that do not go up."""
    n = len(level)
    updates = np.zeros(n, np.bool_)
    for row in range(n):
        for p in range(indptr[row], upper_start[row]):
            updates[indices[p]] = True
    broken = 0
    for row in range(n):
        if not updates[row]:
            continue
        for p in range(upper_start[row] + 1, indptr[row + 1]):
            broken += level[indices[p]] <= level[row]
        for p in range(indptr[row], upper_start[row]):
            before = indices[p]
            written = indices[indptr[before + 1] - 1] > row
            broken += written and level[row] <= level[before]
    return broken
