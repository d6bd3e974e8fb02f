"""What a picture shows of a frame: what was measured. The rest is a line under it."""

from __future__ import annotations

import pandas as pd

from fillpath.record import UNTRIED
from reports.facts.naming import listed


def measured(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of which anything was tried, their groups numbered anew; all of a frame without a status."""
    if "status" not in frame:
        return frame
    rows = frame[_tried(frame)].reset_index(drop=True)
    if "group" in rows:
        places = sorted(set(rows["group"]))
        rows["group"] = [places.index(group) for group in rows["group"]]
    return rows


def unmeasured(frame: pd.DataFrame) -> str:
    """`Not measured: audikw_1 (AU), stomach (ST).`: the matrices that no row of the picture is of."""
    if "status" not in frame or "label" not in frame:
        return ""
    tried = _tried(frame)
    names = set(frame.loc[~tried, "label"]) - set(frame.loc[tried, "label"])
    return f"Not measured: {listed(map(str, names))}." if names else ""


def _tried(frame: pd.DataFrame) -> pd.Series[bool]:
    """Rows of which a case, or of several variants one, was tried."""
    names = [name for name in frame if str(name) == "status" or str(name).startswith("status_")]
    words = frame[names].astype("object")
    return (words.notna() & ~words.isin(UNTRIED)).any(axis=1)
