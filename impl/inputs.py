"""The makers: each noun that implementations take, made from a prepared matrix before anything is timed.

The nouns decide what is measured, so a record's key covers these functions as well as the implementation's.
"""

from __future__ import annotations

from fillpath.nouns import Assembled, Filled, Fronts, Laplacian, Pattern, Prepared, System, TwoWay
from fillpath.registry import maker
from impl.cholesky.graph import laplacian
from impl.laplacian.system import system
from impl.levels.glu3_relaxed import glu3_relaxed
from impl.levels.two_way import assembled, by_both
from impl.multifrontal.fronts_cpu import fronts_of_matrix
from impl.symbolic.fill1_pruned import fill1_pruned


@maker
def filled(pattern: Pattern) -> Filled:
    """Return F = L + U of the pattern, n x n."""
    rows, _ = fill1_pruned(pattern)
    assert isinstance(rows, Filled)
    return rows


@maker
def two_way(filled: Filled) -> TwoWay:
    """Return F by rows and by columns."""
    return by_both(filled)


@maker
def matrix_on_filled(prepared: Prepared, two_way: TwoWay) -> Assembled:
    """Return the matrix's values on F, with GLU3.0's levels of its columns."""
    levels, _ = glu3_relaxed(two_way)
    return assembled(prepared, two_way, levels)


@maker
def fronts(prepared: Prepared) -> Fronts:
    """Return the matrix and the fronts of A | A^T, merged where that adds few zeros."""
    return fronts_of_matrix(prepared)


@maker
def graph(prepared: Prepared) -> Laplacian:
    """Return the matrix as the Laplacian of a graph. Raises as `impl.cholesky.graph.laplacian` does."""
    return laplacian(prepared)


@maker
def linear_system(laplacian: Laplacian) -> System:
    """Return the Laplacian with the right-hand side that all implementations are given."""
    return system(laplacian)
