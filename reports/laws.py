"""How numbers grow with the matrix: families of generated matrices, and the exponents of n along them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from reports.shapes.lines import POINTS


def families(rows: pd.DataFrame, lines: Mapping[str, str]) -> pd.Series[str]:
    """Return the family of each row's matrix: what `lines` calls a kind of generated ones, or POINTS."""
    return rows["kind"].map(lines).where(rows["collection"].isna()).fillna(POINTS)


def exponents(rows: pd.DataFrame, of: str) -> pd.Series[float]:
    """Return the slope of log `of` over log n, by least squares over all sizes, on each row of a line.

    A line is of a `code` on a `family`. Its slope is unknown of fewer than two sizes, or where a value is."""
    found = pd.Series(np.nan, rows.index)
    timed = rows[(rows["status"] == "ok") & (rows["family"] != POINTS)]
    for _, part in timed.groupby(["code", "family"], sort=False):
        n, values = part["n"].astype(float), part[of].astype(float)
        if n.nunique() > 1 and values.notna().all():
            found[part.index] = np.polyfit(np.log(n), np.log(values), 1)[0]
    return found
