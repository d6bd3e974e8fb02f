"""The mean of ratios."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd


def geometric_mean(values: Sequence[float] | pd.Series[float]) -> float:
    """Return that of numbers of at least 0. SciPy's, which is equal, costs a second to import."""
    with np.errstate(divide="ignore"):
        return float(np.exp(np.mean(np.log(np.asarray(values, dtype=float)))))
