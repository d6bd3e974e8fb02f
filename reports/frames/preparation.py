"""The way from the raw matrix to x: preparation, transfers and solution."""

from __future__ import annotations

import pandas as pd

_KEYS = ["matrix", "preparation", "machine"]
_ENDS = ["median", "low", "high"]


def with_preparation(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows but those of preparations, which stand as `before_<column>` beside their solutions.

    rows : as `timed_frame` has them
    """
    is_prepared = rows["stage"] == "preparation"
    before = rows[is_prepared].set_index(_KEYS)[[*_ENDS, "status", "case"]].add_prefix("before_")
    return rows[~is_prepared].reset_index(drop=True).join(before, on=_KEYS, validate="many_to_one")


def add_way(rows: pd.DataFrame, is_prepared: pd.Series[bool]) -> None:
    """Add preparation and transfers to the seconds of solutions; without the former the status says so.

    rows : of `with_preparation`
    is_prepared : the rows whose preparation counts; false for a peer in an order of its own
    """
    for end in _ENDS:
        rows[end] += rows[f"before_{end}"].where(is_prepared, 0.0) + rows["transfers"].fillna(0.0)
    rows.loc[(rows["status"] == "ok") & rows["median"].isna(), "status"] = "no preparation"
