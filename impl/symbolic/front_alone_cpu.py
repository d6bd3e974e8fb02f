"""The elimination of one front for callers in Python.

Numba caches only functions that Python calls, so `eliminate` itself would be compiled in every process.
"""

from __future__ import annotations

from numba import njit

from impl.symbolic.front_pivots_cpu import eliminate


@njit(cache=True)
def eliminate_alone(words, size, pivots, unions):
    """Eliminate the pivots of a front, with the arguments and the result of `eliminate`."""
    return eliminate(words, size, pivots, unions)
