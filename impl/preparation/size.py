"""The size of an order's factors, before anything is factorised."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from fillpath.nouns import Array, Pattern
from impl.symbolic.elimination_tree import NONE, elimination_tree
from impl.symbolic.factor_counts_cpu import factor_counts


@dataclass(frozen=True)
class Size:
    """The factors L and U of A | A^T without pivoting.

    entries : int, of L + U, with the diagonal
    operations : float, of LU, additions and multiplications alike
    height : int, vertices on the longest path of the elimination tree
    """

    entries: int
    operations: float
    height: int


def size_of(pattern: Pattern) -> Size:
    """Return the size of a pattern that is sorted and has its diagonal, in nearly linear time."""
    tree = elimination_tree(pattern)
    below = factor_counts(tree).columns.astype(np.float64) - 1
    operations = float((below + 2 * below**2).sum())
    return Size(int(2 * below.sum()) + pattern.n, operations, int(_height(tree.parent)))


@njit(cache=True, nogil=True)
def _height(parent: Array) -> int:
    """Return the vertices on the longest path. parent : (n,) uint32, by labels, each above its child."""
    depth = np.ones(len(parent), np.int64)
    highest = 0
    for place in range(len(parent) - 1, -1, -1):
        if parent[place] != NONE:
            depth[place] = depth[parent[place]] + 1
        highest = max(highest, depth[place])
    return highest
