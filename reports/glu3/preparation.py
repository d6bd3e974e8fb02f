"""The way from the raw matrix to x: preparation, transfers and solution."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reports.table import SECONDS
from reports.verbs import on

_ENDS = list(SECONDS)
_BEFORE = [*_ENDS, "status", "case", "run_id", "host", "runs", "height", "counted_entries"]


def with_preparation(cases: pd.DataFrame) -> pd.DataFrame:
    """Return the cases but those of preparations, which stand as `before_<column>` beside their solutions."""
    is_prepared = cases["stage"] == "preparation"
    rows = cases[~is_prepared].reset_index(drop=True)
    before = on(rows, cases[is_prepared]).reindex(columns=_BEFORE)
    before["runs"] = [each if isinstance(each, tuple) else () for each in before["runs"]]
    return rows.join(before.add_prefix("before_"))


def add_way(rows: pd.DataFrame, is_prepared: pd.Series[bool]) -> pd.DataFrame:
    """Return solutions with the seconds of preparation and transfers added, of one host and run.

    Where there are none to add, the seconds are unknown and the status says why.

    rows : of `with_preparation`
    is_prepared : the rows whose preparation counts; false for a peer in an order of its own
    """
    ok = rows["status"] == "ok"
    # A stopped call took at least so long, wherever its result would have gone.
    moved = rows["transfers"].where(ok, 0.0)
    ends = {end: rows[end] + rows[f"before_{end}"].where(is_prepared, 0.0) + moved for end in _ENDS}
    hosts, runs = (ok & is_prepared & _differ(rows, name) for name in ("host", "run_id"))
    lacking = ok & is_prepared & (rows["before_status"] != "ok")
    whys = [lacking, hosts, runs, ok & rows["transfers"].isna()]
    words = ["no preparation", "two_hosts", "two_runs", "no transfers"]
    status = np.select(whys, words, rows["status"].astype("object"))
    known = status == rows["status"]
    return rows.assign(**{end: seconds.where(known) for end, seconds in ends.items()}, status=status)


def _differ(rows: pd.DataFrame, name: str) -> pd.Series[bool]:
    """Return whether solution and preparation are known to differ in a column; older records do not say."""
    one, other = rows[name], rows[f"before_{name}"]
    return one.notna() & other.notna() & (one != other)
