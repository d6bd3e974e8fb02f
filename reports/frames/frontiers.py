"""The bins of a case's series of frontiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from fillpath.dicts import Row
from reports.series import series_bins

BINS = ("first", "last", "frontier_mean", "frontier_min", "frontier_max")


def bins_of(row: Mapping[Any, Any]) -> tuple[pd.DataFrame, str]:
    """The bins of a case's sources, of its row in the records' frame; or one without numbers, and the
    reason."""
    bins, reason = series_bins(row, BINS, "frontier sizes")
    if not reason and not (bins["frontier_max"] > 0).any():
        return bins.iloc[:1].assign(**dict.fromkeys(BINS, None)), "no source has a frontier"
    return bins, reason


def with_case(bins: pd.DataFrame, row: Row, reason: str, **more: Any) -> pd.DataFrame:
    """The bins of a case with what is known of it, of its row in the records' frame, and more."""
    kept = ("case", "matrix", "preparation", "machine", "device", "status", "n")
    return bins.assign(**{name: row[name] for name in kept}, reason=reason, **more)


def without_case(name: str) -> pd.DataFrame:
    """The row of a matrix that the paper shows and no case has."""
    return pd.DataFrame([{"label": name, "status": "not_run", "reason": "the matrix is not at hand"}])


def joined(
    parts: Sequence[pd.DataFrame], texts: Sequence[str], numbers: Sequence[str], whole: Sequence[str]
) -> pd.DataFrame:
    """The rows of all cases, with these columns. whole : the numbers that are whole ones."""
    columns = [*texts, *numbers]
    frame = pd.concat([part.reindex(columns=columns).astype("object") for part in parts], ignore_index=True)
    return frame.astype(dict.fromkeys(numbers, "float64") | dict.fromkeys(whole, "Int64"))
