"""Marks of a legend: what was measured as points, and what the paper prints as lines."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from reports.shapes import bars
from reports.shapes.style import HATCHES, MARKERS

PRINTED_LINE: dict[str, Any] = {"color": "#555555", "linewidth": 1.4, "linestyle": "--"}
# The largest over the smallest value from which on an axis is a log axis.
MUCH = 8.0


def gains_legend(axes: Axes, frame: pd.DataFrame) -> None:
    """Draw a legend above the panel: each series that was measured as a point."""
    measured = set(frame.loc[frame["status"] == "ok", "series"])
    handles = [
        Line2D(
            [], [], linestyle="none", marker=MARKERS[HATCHES.index(hatch)], markersize=8, color=colour,
            markeredgecolor="black", label=name,
        )
        for name, (colour, hatch) in bars.look_of(frame).items()
        if name in measured
    ]  # fmt: skip
    bars.place_legend(axes, handles)


def legend_mark(kind: str, text: str) -> Line2D | Patch:
    """Return a legend's mark: line (or its style), dash, hollow, full or slot."""
    if kind in ("line", "--", ":"):
        return Line2D([], [], label=text, **(PRINTED_LINE | ({} if kind == "line" else {"linestyle": kind})))
    if kind == "dash":
        return Line2D([], [], linestyle="none", marker="_", markersize=12, color="black", label=text)
    if kind in ("hollow", "full"):
        return Line2D(
            [], [], linestyle="none", marker="o", markersize=8, markeredgecolor="#666666",
            markeredgewidth=2.0, color="white" if kind == "hollow" else "#666666", label=text,
        )  # fmt: skip
    return Patch(fill=False, hatch="////", edgecolor="#888888", label=text)
