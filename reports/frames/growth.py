"""How the frontier of a source grows with its number, of each case's series."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from fillpath.dicts import dicts
from impl.symbolic.gsofa_device import THREADS
from reports.facts.inputs import Inputs
from reports.facts.means import trend
from reports.facts.naming import add_names, among
from reports.frames.frontiers import BINS, bins_of

# Vertices that a block of gsofa expands at a step at most.
GPU_STEP = THREADS
# Sources that the moving average is over, as a share of all.
WINDOW = 0.02
_OF_ROW = (
    "case", "implementation", "matrix", "label", "abbr", "near", "distance", "preparation", "threads",
    "machine", "status", "n",
)  # fmt: skip
_NUMBERS = ("average", "smallest", "largest", "ratio", "growth", "growth_low", "growth_high")


def growth_frame(inputs: Inputs, printed: Mapping[str, float]) -> pd.DataFrame:
    """One row per bin of sources of each case and machine; a single one without numbers, with the reason,
    where there is no series.

    average : of frontier_mean, over 2 % of the sources around.
    ratio : largest over smallest average frontier of a source, 0 left out.
    growth : rank correlation of frontier_mean with the source, with its interval.
    paper_ratio : what is printed of paper_matrix.
    """
    cases = inputs.rows()
    add_names(cases, inputs.entries, inputs.paper)
    parts = [_of_case(row, printed) for row in dicts(cases)]
    parts.sort(key=lambda part: _place(part, list(printed)))
    columns = [*_OF_ROW, "stand_in_for", "reason", *BINS, *_NUMBERS, "paper_matrix", "paper_ratio"]
    empty = pd.DataFrame(columns=columns)
    result = pd.concat(parts, ignore_index=True)[columns] if parts else empty
    numbers = dict.fromkeys((*BINS, *_NUMBERS, "paper_ratio"), "float64")
    return result.astype(numbers | dict.fromkeys(("n", "first", "last"), "Int64"))


def _of_case(row: Mapping[Any, Any], printed: Mapping[str, float]) -> pd.DataFrame:
    """The rows of one case."""
    stood_for = among(row["stand_in_for"], printed)
    short = row["abbr"] if isinstance(row["abbr"], str) else (stood_for or "").partition(", ")[0]
    bins, reason = bins_of(row)
    return bins.assign(
        **{name: row[name] for name in _OF_ROW},
        stand_in_for=stood_for,
        reason=reason,
        **_growth(bins),
        paper_matrix=short if short in printed else None,
        paper_ratio=printed.get(short),
    )


def _growth(bins: pd.DataFrame) -> dict[str, Any]:
    """The moving average; the smallest average frontier above 0, the largest, their ratio; the growth."""
    values = bins[["frontier_min", "frontier_max"]].astype(float)
    values = values[values > 0]
    smallest, largest = values.min().min(), values.max().max()
    mean = bins["frontier_mean"].astype(float)
    over = max(1, round(WINDOW * len(bins)))
    growth, low, high = trend(bins["first"].tolist(), mean.tolist()) if len(bins) > 1 else (None,) * 3
    return {
        "average": mean.rolling(over, center=True, min_periods=1).mean(),
        "smallest": smallest,
        "largest": largest,
        "ratio": largest / smallest,
        "growth": growth,
        "growth_low": low,
        "growth_high": high,
    }


def _place(part: pd.DataFrame, shown: list[str]) -> tuple[int, bool]:
    """The paper's order, its own matrices before stand-ins; what it does not show comes last."""
    row = part.iloc[0]
    place = shown.index(row["paper_matrix"]) if row["paper_matrix"] in shown else len(shown)
    return place, not isinstance(row["abbr"], str)
