"""Means over matrices."""

from __future__ import annotations

import pandas as pd

from reports.facts.means import geometric_mean
from reports.shapes.bars import times


def means_with_transfers(frame: pd.DataFrame) -> str:
    """The means of the ratios without and with transfers, empty where none is known."""
    rows = frame[frame["moved_ratio"].notna()]
    if rows.empty:
        return ""
    alone, whole = (times(geometric_mean(rows[name])) for name in ("ratio", "moved_ratio"))
    return f"Geometric mean of {len(rows)}: {alone}, with the transfers to the GPU and back {whole}. "
