"""The elimination of one front for callers in Python.

`eliminate` is compiled anew in every process that calls it: Numba keeps only what it is compiled into.
"""

from __future__ import annotations

from numba import njit

from impl.symbolic.front_pivots_cpu import eliminate


@njit(cache=True)
def eliminate_alone(words, size, pivots, unions):
    """Eliminate the pivots of a front, with the arguments and the result of `eliminate`."""
    return eliminate(words, size, pivots, unions)
