"""The bins of a case's series of frontiers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from reports.facts.series import series_bins

BINS = ("first", "last", "frontier_mean", "frontier_min", "frontier_max")


def bins_of(row: Mapping[Any, Any]) -> tuple[pd.DataFrame, str]:
    """The bins of a case's sources, of its row in the records' frame; or one without numbers, and the
    reason."""
    bins, reason = series_bins(row, BINS, "frontier sizes")
    if not reason and not (bins["frontier_max"] > 0).any():
        return bins.iloc[:1].assign(**dict.fromkeys(BINS, None)), "no source has a frontier"
    return bins, reason
