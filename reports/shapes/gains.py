"""Marks of a legend: what was measured as points, and what the paper prints as lines and stars."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from reports.shapes import bars
from reports.shapes.style import HATCHES, MARKERS

Form = Callable[[float], str]
PRINTED_LINE: dict[str, Any] = {"color": "#555555", "linewidth": 1.4, "linestyle": "--"}
STAR: dict[str, Any] = {"marker": "*", "markersize": 15, "color": "#ffffff", "markeredgecolor": "black"}
# The largest over the smallest value from which on an axis is a log axis.
MUCH = 8.0


def gains_legend(
    axes: Axes, frame: pd.DataFrame, more: Sequence[tuple[str, str]] = (), hollow: Collection[str] = ()
) -> None:
    """Above the panel: each series that was measured as a point, and more.

    more : (kind, text), see `legend_mark`.
    hollow : the series whose points are empty.
    """
    marks = [legend_mark(kind, text) for kind, text in more]
    bars.place_legend(axes, [*point_handles(frame, hollow), *marks])


def point_handles(frame: pd.DataFrame, hollow: Collection[str] = ()) -> list[Line2D]:
    """A legend's marks of the series that were measured, as points, the hollow ones empty."""
    looks = bars.look_of(frame)
    measured = set(frame.loc[frame["status"] == "ok", "series"])
    return [
        Line2D(
            [], [], linestyle="none", markersize=8, color="white" if name in hollow else colour,
            markeredgecolor=colour if name in hollow else "black",
            markeredgewidth=2.0 if name in hollow else 1.0, marker=MARKERS[HATCHES.index(hatch)], label=name,
        )
        for name, (colour, hatch) in looks.items()
        if name in measured
    ]  # fmt: skip


def legend_mark(kind: str, text: str) -> Line2D | Patch:
    """A legend's mark: star, line (or its style), dash, hollow, full or slot."""
    if kind == "star":
        return Line2D([], [], linestyle="none", label=text, **STAR)
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
