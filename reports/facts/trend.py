"""How two columns go together: the rank correlation that a claim of a trend is judged by."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd


def trend(x: Sequence[float], y: Sequence[float]) -> tuple[float, float, float]:
    """Spearman's rank correlation and its 95 % interval: Fisher's transformation with the variance 1.06 over
    n - 3 (Fieller, Hartley and Pearson 1957). 0 with the interval from -1 to 1 below five points, and where
    either is constant."""
    if len(x) < 5 or len(set(x)) == 1 or len(set(y)) == 1:
        return 0.0, -1.0, 1.0
    ranks = np.column_stack([pd.Series(values).rank() for values in (x, y)])
    correlation = float(np.corrcoef(ranks, rowvar=False)[1, 0])
    half = 1.96 * np.sqrt(1.06 / (len(x) - 3))
    middle = np.arctanh(np.clip(correlation, -0.999999, 0.999999))
    low, high = float(np.tanh(middle - half)), float(np.tanh(middle + half))
    return correlation, min(low, correlation), max(high, correlation)
