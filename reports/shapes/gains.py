"""Ratios of two cases by matrix: points on a log axis, a line at 1, what the paper prints as stars."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, NullFormatter

from reports.shapes import bars
from reports.shapes.style import HATCHES, MARKERS, SMALL

Form = Callable[[float], str]
PRINTED_LINE: dict[str, Any] = {"color": "#555555", "linewidth": 1.4, "linestyle": "--"}
STAR: dict[str, Any] = {"marker": "*", "markersize": 15, "color": "#ffffff", "markeredgecolor": "black"}
# Of a group: a star stands left of the points.
ASIDE = 0.3
# The largest over the smallest value from which on an axis is a log axis.
MUCH = 8.0


def draw_gains(
    axes: Axes, frame: pd.DataFrame, panel: bars.Panel, printed: str, mean: float | None, even: float = 1.0
) -> None:
    """The panel with its line at `even`, where a ratio shows no effect.

    printed : the column of the print, drawn as stars, empty for none.
    mean : the printed one, drawn as a line.
    """
    bars.bar_panel(axes, frame, panel)
    axes.axhline(even, color="black", linewidth=1)
    if mean is not None:
        axes.axhline(mean, **PRINTED_LINE)
    stars: Sequence[float] = []
    if printed:
        add_stars(axes, frame, printed, panel.form)
        stars = frame[printed].dropna().tolist()
    _limits(axes, frame, panel, [*stars, even, *([] if mean is None else [mean])])


def add_stars(axes: Axes, frame: pd.DataFrame, printed: str, form: Form) -> None:
    """A star with its value for each matrix whose own number is printed."""
    stars = frame[frame[printed].notna()].drop_duplicates("group")
    places = stars["group"] - ASIDE
    axes.plot(places, stars[printed], linestyle="none", zorder=4, **STAR)
    for x, value in zip(places, stars[printed], strict=True):
        axes.annotate(
            form(value), (x, value), (0, 9), textcoords="offset points", ha="center", fontsize=SMALL,
            bbox=bars.GROUND,
        )  # fmt: skip


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


def _limits(axes: Axes, frame: pd.DataFrame, panel: bars.Panel, others: Sequence[float]) -> None:
    """An axis around all that is drawn and written: a log axis where it spans much."""
    ok = frame[frame[panel.status] == "ok"]
    drawn = np.array([*ok[panel.low], *ok[panel.high], *others], dtype=float)
    low, high = drawn.min(), drawn.max()
    if low > 0 and high > MUCH * low:
        axes.set_yscale("log")
        axes.set_ylim(low / 1.5, high * (high / low) ** 0.3)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_yscale("linear")
        room = max(high - low, 0.05 * high)
        axes.set_ylim(low - 0.15 * room, high + 0.35 * room)
