"""The way from the raw matrix to x: preparation, transfers and solution."""

from __future__ import annotations

import numpy as np
import pandas as pd

_KEYS = ["matrix", "preparation", "machine"]
_ENDS = ["median", "low", "high"]
_BEFORE = [*_ENDS, "status", "case", "run_id", "host"]


def with_preparation(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows but those of preparations, which stand as `before_<column>` beside their solutions.

    rows : as `timed_frame` has them
    """
    is_prepared = rows["stage"] == "preparation"
    before = rows[is_prepared].set_index(_KEYS)[_BEFORE].add_prefix("before_")
    return rows[~is_prepared].reset_index(drop=True).join(before, on=_KEYS, validate="many_to_one")


def add_way(rows: pd.DataFrame, is_prepared: pd.Series[bool]) -> None:
    """Add preparation and transfers to the seconds of solutions, of one host and run.

    Where there are none to add, the seconds are unknown and the status says why.

    rows : of `with_preparation`
    is_prepared : the rows whose preparation counts; false for a peer in an order of its own
    """
    ok = rows["status"] == "ok"
    lacking = ok & is_prepared & (rows["before_status"] != "ok")
    hosts, runs = (ok & is_prepared & _differ(rows, name) for name in ("host", "run_id"))
    # A stopped call took at least so long, wherever its result would have gone.
    moved = rows["transfers"].where(ok, 0.0)
    for end in _ENDS:
        rows[end] += rows[f"before_{end}"].where(is_prepared, 0.0) + moved
    for where, status in (
        (ok & rows["transfers"].isna(), "no transfers"),
        (runs, "two_runs"),
        (hosts, "two_hosts"),
        (lacking, "no preparation"),
    ):
        rows.loc[where, "status"] = status
        rows.loc[where, _ENDS] = np.nan


def _differ(rows: pd.DataFrame, name: str) -> pd.Series[bool]:
    """Whether solution and preparation are known to differ in a column; older records do not say."""
    one, other = rows[name], rows[f"before_{name}"]
    return one.notna() & other.notna() & (one != other)
