"""The series that a record names: numbers along the sources or the levels, in bins."""

from __future__ import annotations

import logging
import zlib
from collections.abc import Callable, Mapping, Sequence
from lzma import LZMAError
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import pandas as pd

from fillpath.dicts import Row, dicts
from fillpath.paths import results
from fillpath.series import read_bins

# What reading a damaged archive may raise.
_DAMAGED = (
    OSError, EOFError, ValueError, KeyError, TypeError, RuntimeError, BadZipFile, LZMAError, zlib.error,
)  # fmt: skip


def read_series(machine: str, name: str) -> pd.DataFrame | None:
    """The series file that a record of that machine names: one row per bin with its sources, from `first` to
    `last`, and `<series>_mean`, `_min`, `_max` over them. None, with a warning, if it cannot be read."""
    path = results() / machine / "series" / Path(name).name
    try:
        n, numbers = read_bins(path)
        bins = pd.DataFrame(numbers)
    except _DAMAGED as error:
        logging.getLogger("fillpath").warning("%s: no series: %s", path, error)
        return None
    bins.insert(1, "last", [*(bins["first"].iloc[1:] - 1), n - 1])
    return bins


def series_bins(row: Mapping[Any, Any], names: Sequence[str], what: str) -> tuple[pd.DataFrame, str]:
    """These columns of a case's series, of its row in the records' frame; or one bin without numbers, and the
    reason. what : they are called there."""
    nothing = pd.DataFrame([dict.fromkeys(names, None)])
    if row["status"] != "ok":
        return nothing, row["reason"] or str(row["status"])
    if pd.isna(row["series_file"]):
        return nothing, "its record names no series"
    bins = read_series(row["machine"], row["series_file"])
    if bins is None or not set(names) <= set(bins):
        return nothing, f"no {what} in {row['series_file']}"
    return bins[list(names)], ""


def per_case(
    rows: pd.DataFrame, names: Sequence[str], what: str, numbers: Callable[[pd.DataFrame, Row], pd.DataFrame]
) -> pd.DataFrame:
    """Return each case's row beside each row of numbers of its series; once, with the `reason`, without a
    series.

    rows : of the table
    names, what : as `series_bins` has them
    numbers : of the bins of a case and its row
    """
    parts = {}
    for place, row in zip(rows.index, dicts(rows), strict=True):
        bins, reason = series_bins(row, names, what)
        of_case = pd.DataFrame(index=[0]) if reason else numbers(bins.astype(float), row)
        parts[place] = of_case.assign(reason=reason)
    series = pd.concat(parts).droplevel(1) if parts else pd.DataFrame({"reason": []}, dtype="object")
    return rows.drop(columns="reason").join(series).reset_index(drop=True)
