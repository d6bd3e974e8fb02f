"""Speed-ups by matrix: what the text says of most, and of the matrix that it says does not scale."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from reports.exhibit import Subset
from reports.facts.means import geometric_mean
from reports.frames.parac import by_threads

EXCEPTION = "com-LiveJournal"
# What most matrices are said to reach. A matrix does within 25 % of it: it is as near, and has at least this.
PRINTED, NEAR, REACHED = 10.0, 0.75, 7.5


def most_matrices(frame: pd.DataFrame) -> list[Subset]:
    """As `by_matrix`, without the matrix that is said not to scale; `nearness`, 1 less the share of the
    printed 10x that the speed-up is off by."""
    subsets = by_matrix(frame[~_apart(frame)])
    return [replace(subset, rows=_add_nearness(subset.rows)) for subset in subsets]


def exception(frame: pd.DataFrame) -> list[Subset]:
    """As `by_matrix`, of the matrix that is said not to scale."""
    return by_matrix(frame[_apart(frame)])


def by_matrix(frame: pd.DataFrame) -> list[Subset]:
    """The speed-up of each matrix and machine at the most threads, the geometric mean of its orderings."""
    ends = frame[frame["most"]].astype({"threads": "float64"})
    rows = [_mean_of_orderings(rows) for _, rows in ends.groupby(["label", "machine"], sort=False)]
    untried = frame[~frame["label"].isin(ends["label"])].astype({"threads": "float64"})
    nothing = untried.drop_duplicates("label").assign(threads=np.nan)
    whole = pd.concat([pd.DataFrame(rows, columns=frame.columns), nothing], ignore_index=True)
    return by_threads(whole.astype(frame.dtypes.to_dict() | {"threads": "float64"}), "threads")


def _apart(frame: pd.DataFrame) -> pd.Series[bool]:
    return (frame["abbr"] == EXCEPTION) | (frame["stand_in_for"] == EXCEPTION)


def _add_nearness(rows: pd.DataFrame) -> pd.DataFrame:
    """With the least and the most that the interval of the speed-up allows."""
    value, low, high = (1 - (rows[name] / PRINTED - 1).abs() for name in ("ratio", "ratio_low", "ratio_high"))
    reached = (rows["ratio_low"] <= PRINTED) & (rows["ratio_high"] >= PRINTED)
    most = pd.concat([value, low, high], axis=1).max(axis=1)
    least = pd.concat([low, high], axis=1).min(axis=1)
    return rows.assign(
        nearness=value,
        nearness_low=least,
        nearness_high=most.where(~reached, 1.0),
        nearness_processes=rows["ratio_processes"],
    )


def _mean_of_orderings(rows: pd.DataFrame) -> dict[Any, Any]:
    """One row of the orderings of a matrix: those with the most threads."""
    most = rows[rows["threads"] == rows["threads"].max()]
    means = {name: geometric_mean(most[name]) for name in ("ratio", "ratio_low", "ratio_high")}
    return {**most.iloc[0], **means, "ratio_processes": float(most["ratio_processes"].min())}
