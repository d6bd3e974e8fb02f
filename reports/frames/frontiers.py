"""What the figures of frontiers share: the bins of a case's series, and a panel without any."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from reports.facts.records import series_bins

BINS = ("first", "last", "frontier_mean", "frontier_min", "frontier_max")


def bins_of(row: Mapping[Any, Any]) -> tuple[pd.DataFrame, str]:
    """The bins of a case's sources, of its row in the records' frame; or one without numbers, and the
    reason."""
    bins, reason = series_bins(row, BINS, "frontier sizes")
    if not reason and not (bins["frontier_max"] > 0).any():
        return bins.iloc[:1].assign(**dict.fromkeys(BINS, None)), "no source has a frontier"
    return bins, reason


def empty_panel(axes: Axes, status: str, reason: str) -> None:
    """A hatched panel that says why there is nothing in it."""
    axes.set_xticks([])
    axes.set_yticks([])
    axes.patch.set(hatch="////", edgecolor="#cccccc")
    said = "nothing to draw" if status == "ok" else status.replace("_", " ")
    axes.text(
        0.5, 0.5, textwrap.fill(f"{said}: {' '.join(reason.split())}", 44), transform=axes.transAxes,
        ha="center", va="center", bbox={"facecolor": "white", "edgecolor": "none"},
    )  # fmt: skip
