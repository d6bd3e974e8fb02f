"""Means over matrices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd


def add_means(frame: pd.DataFrame, ratios: Sequence[str]) -> None:
    """Add `<ratio>_mean`, the geometric mean over the matrices of an implementation and machine, to the rows
    that have the ratio."""
    for name in ratios:
        logarithms = pd.Series(np.log(frame[name].astype("float64")), index=frame.index)
        by = [frame["implementation"], frame["machine"]]
        means = logarithms.groupby(by, dropna=False).transform("mean")
        frame[f"{name}_mean"] = np.exp(means).where(frame[name].notna())
