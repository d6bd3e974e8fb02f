"""Means, trends and shares, without scipy.stats: its import costs a second."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

# The least number of points for a trend.
LEAST_OF_TREND = 5


def geometric_mean(values: ArrayLike) -> float:
    """Return that of numbers of at least 0."""
    with np.errstate(divide="ignore"):
        return float(np.exp(np.mean(np.log(np.asarray(values, dtype=float)))))


def trend(x: Sequence[float], y: Sequence[float], n: int) -> tuple[float, float, float]:
    """Return Spearman's rank correlation and its 95 % interval.

    Fisher's transformation with the variance 1.06 over n - 3 (Fieller, Hartley and Pearson 1957). 0 with the
    interval from -1 to 1 below five points, and where either is constant.

    n : matrices that the points are of
    """
    if n < LEAST_OF_TREND or len(set(x)) == 1 or len(set(y)) == 1:
        return 0.0, -1.0, 1.0
    correlation = float(pd.Series(x).rank().corr(pd.Series(y).rank()))
    half = 1.96 * np.sqrt(1.06 / (n - 3))
    middle = np.arctanh(np.clip(correlation, -0.999999, 0.999999))
    low, high = float(np.tanh(middle - half)), float(np.tanh(middle + half))
    return correlation, min(low, correlation), max(high, correlation)


def share_interval(share: float, n: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval (Wilson 1927) of the share in a whole, by a share of n."""
    z = 1.96
    middle, scale = share + z**2 / (2 * n), 1 + z**2 / n
    half = z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return float(max(0.0, middle - half) / scale), float(min(1.0, (middle + half) / scale))
