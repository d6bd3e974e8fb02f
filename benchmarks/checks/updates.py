"""The cost of a left-looking factorisation: its updates, counted from the filled pattern."""

from numba import njit

from fillpath.nouns import Filled


def updates(filled: Filled) -> int:
    """Count gilbert_peierls' updates: for each entry of L, the entries of U in the row of its column."""
    pattern = filled.pattern
    upper = pattern.indptr[1:] - filled.upper_start - 1
    return int(_sum_over_lower(pattern.indptr, pattern.indices, filled.upper_start, upper))


@njit(cache=True)
def _sum_over_lower(indptr, indices, upper_start, upper):
    """Sum `upper` of the column of each entry of L."""
    total = 0
    for row in range(len(upper)):
        for p in range(indptr[row], upper_start[row]):
            total += upper[indices[p]]
    return total
