"""Means over matrices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from reports.facts.means import geometric_mean
from reports.shapes.bars import times


def add_means(frame: pd.DataFrame, ratios: Sequence[str]) -> None:
    """Add `<ratio>_mean`, the geometric mean over the matrices of an implementation and machine, to the rows
    that have the ratio."""
    for name in ratios:
        logarithms = pd.Series(np.log(frame[name].astype("float64")), index=frame.index)
        by = [frame["implementation"], frame["machine"]]
        means = logarithms.groupby(by, dropna=False).transform("mean")
        frame[f"{name}_mean"] = np.exp(means).where(frame[name].notna())


def means_with_transfers(frame: pd.DataFrame) -> str:
    """The means of the ratios without and with transfers, empty where none is known."""
    rows = frame[frame["moved_ratio"].notna()]
    if rows.empty:
        return ""
    alone, whole = (times(geometric_mean(rows[name])) for name in ("ratio", "moved_ratio"))
    return f"Geometric mean of {len(rows)}: {alone}, with the transfers to the GPU and back {whole}. "
