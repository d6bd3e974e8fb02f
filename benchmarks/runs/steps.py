"""Where a history of medians changes its level: a piecewise constant fit of the logarithms of seconds.

The fit minimises the sum of absolute residuals plus a price for each step, a multiple of the noise of the
series itself (Potts' model; Friedrich, Kempe, Liebscher and Winkler 2008). A level holds at least two
commits: what only the last one shows, or one alone, is no step yet. asv fits seconds themselves, and lets the
whole series say what a step costs; docs/exact.md holds the two against each other.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from fillpath.nouns import Array

# A step is paid for by that many mean absolute deviations of the noise. With 10, the fit of 10 to 100 commits
# of normal noise has a step in at most 2 % of series.
PENALTY = 10.0
# No clock and no machine hold steadier than that: a history that repeats itself has no other noise.
LEAST_NOISE = 1e-3
SHORTEST = 2


@dataclass(frozen=True)
class Step:
    """A change of level.

    last : position of the last value of the level before
    first : position of the first value of the level after
    before, after : the levels
    """

    last: int
    first: int
    before: float
    after: float

    @property
    def factor(self) -> float:
        """How many times as large as before."""
        return self.after / self.before


def steps(values: Sequence[float | None]) -> tuple[Step, ...]:
    """The steps of a history of seconds, oldest first; None and nan are commits without a result."""
    places = [i for i, value in enumerate(values) if value is not None and value > 0]
    seconds = np.array([values[i] for i in places], np.float64)
    starts = _starts(np.log(seconds))
    levels = [float(np.median(part)) for part in np.split(seconds, starts) if len(part)]
    return tuple(
        Step(places[start - 1], places[start], before, after)
        for start, (before, after) in zip(starts, pairwise(levels), strict=True)
    )


def changes(values: Sequence[float | None]) -> tuple[Step, ...]:
    """As `steps` of a series without noise: every change is a step."""
    counts = [(i, value) for i, value in enumerate(values) if value is not None and value == value]
    return tuple(Step(i, j, a, b) for (i, a), (j, b) in pairwise(counts) if a != b)


def _starts(logarithms: Array) -> list[int]:
    """Where the levels after the first begin."""
    n = len(logarithms)
    if n < 2 * SHORTEST:
        return []
    price = PENALTY * _noise(logarithms)
    residuals = [_residuals(logarithms[k:].tolist()) for k in range(n)]
    # best[r] : the least cost of the first r values; begin[r] : where their last level begins.
    best, begin = np.full(n + 1, math.inf), [0] * (n + 1)
    best[0] = -price
    for r in range(SHORTEST, n + 1):
        costs = [best[k] + price + residuals[k][r - k - 1] for k in range(r - SHORTEST + 1)]
        begin[r] = int(np.argmin(costs))
        best[r] = costs[begin[r]]
    starts = [begin[n]]
    while starts[-1]:
        starts.append(begin[starts[-1]])
    return starts[-2::-1]


def _noise(logarithms: Array) -> float:
    """Mean absolute deviation of normal noise, by the median change from commit to commit, which few steps do
    not move."""
    change = float(np.median(np.abs(np.diff(logarithms))))
    deviation = change / (0.6745 * math.sqrt(2))
    return max(deviation, LEAST_NOISE) * math.sqrt(2 / math.pi)


def _residuals(values: list[float]) -> list[float]:
    """Of the first value, the first two, and so on: the sum of the distances from their median."""
    low: list[float] = []  # A heap of the lower half, negated: its root is the median.
    high: list[float] = []
    below = above = 0.0
    sums = []
    for value in values:
        largest = -heapq.heappushpop(low, -value)
        below, above = below + value - largest, above + largest
        heapq.heappush(high, largest)
        if len(high) > len(low):
            smallest = heapq.heappop(high)
            heapq.heappush(low, -smallest)
            below, above = below + smallest, above - smallest
        sums.append(above - below + (len(low) - len(high)) * -low[0])
    return sums
