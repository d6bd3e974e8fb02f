"""What surrounds marks: panels, axes, names of matrices and of points, a legend of a whole figure."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from fillpath.dicts import dicts
from fillpath.twins import TWIN_OF
from reports.shapes.bars import GROUND, columns_for, seconds
from reports.shapes.style import SMALL, new_figure

# Of the height and the width of an axes of 6 inches: a line of text, a letter; between a point and its name;
# half of a point.
LINE, LETTER, ASIDE, HALF = 0.036, 0.0155, 0.018, 0.012
# Draws a frame on its axes.
Draw = Callable[[Axes, pd.DataFrame], None]


def label_log(axis: Axis, form: Callable[[float], str]) -> None:
    """Label a log axis at 1, 2 and 5 of each decade."""
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=12))
    axis.set_major_formatter(FuncFormatter(lambda value, _: form(value)))
    axis.set_minor_formatter(NullFormatter())


def seconds_axis(axes: Axes) -> None:
    """Make a log axis of seconds, labelled with their units."""
    axes.set_yscale("log")
    label_log(axes.yaxis, seconds)


def empty_panel(axes: Axes, status: str, reason: str) -> None:
    """Draw a hatched panel that says why there is nothing in it."""
    axes.set(xticks=[], yticks=[])
    axes.patch.set(hatch="////", edgecolor="#cccccc")
    why = "nothing to draw" if status == "ok" else status.replace("_", " ")
    axes.text(
        0.5, 0.5, textwrap.fill(f"{why}: {' '.join(reason.split())}", 44), transform=axes.transAxes,
        ha="center", va="center", bbox={"facecolor": "white", "edgecolor": "none"},
    )  # fmt: skip


def lines(row: Mapping[Any, Any], several_preparations: bool = False) -> str:
    """Return a row's `label`, with its preparation where there are several, and below what it stands for."""
    prepared = several_preparations and not pd.isna(row["preparation"])
    name = str(row["label"]) + (f", {row['preparation']}" if prepared else "")
    says = pd.isna(row["stand_in_for"]) or str(row["label"]).startswith(TWIN_OF)
    return name if says else f"{name}\nstand-in: {row['stand_in_for']}"


def name_matrices(axes: Axes, frame: pd.DataFrame) -> None:
    """Write the matrices below the axis, in the order of their groups."""
    groups = frame.sort_values("group", kind="stable").drop_duplicates("group")
    several = groups["preparation"].nunique() > 1
    labels = [lines(row, several) for row in dicts(groups)]
    axes.set_xticks(range(len(labels)), labels, rotation=32, ha="right", rotation_mode="anchor")
    axes.set_xlim(-0.6, max(1, len(labels)) - 0.4)


def legend_mark(kind: str, text: str) -> Artist:
    """Return a legend's mark of points of no series, hollow or full."""
    edge: dict[str, Any] = {"markersize": 8, "markeredgecolor": "#666666", "markeredgewidth": 2.0}
    colour = "white" if kind == "hollow" else "#666666"
    return Line2D([], [], linestyle="none", marker="o", color=colour, label=text, **edge)


def legend_above(figure: Figure, handles: Sequence[Artist]) -> None:
    """Draw a legend of the whole figure, between its title and its panels."""
    if not handles:
        return
    width, height = figure.get_size_inches()
    across = columns_for(width, handles)
    rows = -(-len(handles) // across)
    engine = figure.get_layout_engine()
    assert isinstance(engine, ConstrainedLayoutEngine)
    engine.set(rect=(0.0, 0.0, 1.0, 1 - (0.45 + 0.27 * rows) / height))
    figure.legend(handles=handles, loc="upper left", bbox_to_anchor=(0.005, 1 - 0.4 / height), ncols=across)


def write_names(axes: Axes, points: Sequence[tuple[float, float]], names: Sequence[str]) -> None:
    """Write each name beside its point, on the side where there is room, as near in height as other points
    and names allow; a thin line where it had to move. The axes' limits, linear, have to stand."""
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    placed = [((x - left) / (right - left), (y - low) / (high - low)) for x, y in points]
    taken = [(x - HALF, y, 2 * HALF) for x, y in placed]
    for (x, y), name in sorted(zip(placed, names, strict=True), key=lambda item: -item[0][1]):
        width = LETTER * len(name)
        onward = x + ASIDE + width < 1
        start = x + ASIDE if onward else x - ASIDE - width
        beside = [other for at, other, wide in taken if at < start + width and start < at + wide]
        heights = (y + step * LINE / 2 for step in sorted(range(-30, 31), key=abs))
        free = (h for h in heights if 0 < h < 1 and all(abs(h - other) >= LINE for other in beside))
        height = next(free, y)
        taken.append((start, height, width))
        line = {"arrowstyle": "-", "color": "#777777", "linewidth": 0.7, "relpos": (0 if onward else 1, 0.5)}
        axes.annotate(
            name, (x, y), (start if onward else start + width, height), xycoords="axes fraction",
            textcoords="axes fraction", ha="left" if onward else "right", va="center", fontsize=SMALL,
            bbox=GROUND, arrowprops=line if abs(height - y) > LINE / 2 else None, zorder=2,
        )  # fmt: skip


@dataclass(frozen=True)
class Panels:
    """Panels one above the other over the same matrices.

    panels : each draws the frame on its axes.
    height : of the figure, in inches.
    shown : the rows that are drawn.
    widest : of the figure, in inches.
    ratios : of the panels' heights, empty for one height.
    """

    panels: Sequence[Draw]
    height: float
    shown: Callable[[pd.DataFrame], pd.DataFrame] = lambda frame: frame
    widest: float = 22.0
    ratios: Sequence[float] = ()

    def __call__(self, frame: pd.DataFrame, title: str) -> Figure:
        shown = self.shown(frame)
        width = max(10.0, 2.5 + 1.25 * shown["group"].nunique())
        figure = new_figure(min(self.widest, 22.0, width), self.height, title)
        ratios, down = self.ratios or None, len(self.panels)
        axes = figure.subplots(down, 1, sharex=True, squeeze=False, height_ratios=ratios).ravel()
        for each, panel in zip(axes, self.panels, strict=True):
            panel(each, shown)
        name_matrices(axes[-1], shown)
        return figure


@dataclass(frozen=True)
class Multiples:
    """A panel per matrix, under its name, row by row.

    panel : draws the rows of a matrix.
    label : of the vertical axes.
    marks : of a legend above all, as `legend_mark` takes them.
    across : panels in a row.
    height : of a row, in inches.
    top : above the first row.
    """

    panel: Draw
    label: str
    marks: Sequence[tuple[str, str]] = ()
    across: int = 2
    height: float = 4.0
    top: float = 1.0

    def __call__(self, frame: pd.DataFrame, title: str) -> Figure:
        parts = [rows for _, rows in frame.groupby("label", sort=False)]
        down = max(1, -(-len(parts) // self.across))
        figure = new_figure(14.0, self.top + self.height * down, title)
        axes = figure.subplots(down, self.across, squeeze=False).ravel()
        for each, rows in zip(axes, parts, strict=False):
            each.set_title(lines(rows.iloc[0].to_dict()).replace("\n", ", "), loc="left")
            self.panel(each, rows)
        for each in axes[len(parts) :]:
            each.set_axis_off()
        legend_above(figure, [legend_mark(kind, text) for kind, text in self.marks])
        for left in axes[:: self.across]:
            left.set_ylabel(self.label)
        if not parts:
            axes[0].text(0, 0.5, "nothing was measured", transform=axes[0].transAxes)
        return figure
