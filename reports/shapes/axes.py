"""Panels, axes, names of matrices and of points, and a legend of a whole figure."""

import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from fillpath.twins import TWIN_OF
from reports.shapes.bars import GROUND, legend_of
from reports.shapes.style import SMALL, new_figure

# Inches of a line of text, of a letter, and between a point and its name.
LINE, LETTER, ASIDE = 0.22, 0.075, 0.12
# Draws a frame on its axes.
Draw = Callable[[Axes, pd.DataFrame], None]


def empty_panel(axes: Axes, status: str, reason: str) -> None:
    """Draw a hatched panel with the reason for its absent content."""
    axes.set(xticks=[], yticks=[])
    axes.patch.set(hatch="////", edgecolor="#cccccc")
    why = "nothing to draw" if status == "ok" else status.replace("_", " ")
    axes.text(
        0.5, 0.5, textwrap.fill(f"{why}: {' '.join(reason.split())}", 44), transform=axes.transAxes,
        ha="center", va="center", bbox={"facecolor": "white", "edgecolor": "none"},
    )  # fmt: skip


def names(rows: pd.DataFrame, end: str = "\n") -> list[str]:
    """Return matrices, with preparations where several, and after `end` the matrix that each replaces."""
    texts, prepared = rows["label"].astype(str), ", " + rows["preparation"].astype("object")
    others = rows["stand_in_for"].astype("object").mask(texts.str.startswith(TWIN_OF))
    if prepared.nunique() > 1:
        texts = texts + prepared.fillna("")
    return (texts + (f"{end}stand-in: " + others).fillna("")).tolist()


def name_matrices(axes: Axes, frame: pd.DataFrame) -> None:
    """Write the matrices below the axis, in the order of their groups."""
    labels = names(frame.sort_values("group", kind="stable").drop_duplicates("group"))
    look: dict[str, Any] = {"rotation": 36, "ha": "right", "rotation_mode": "anchor", "fontsize": SMALL}
    axes.set_xticks(range(len(labels)), labels, **look)
    axes.set_xlim(-0.6, max(1, len(labels)) - 0.4)


def legend_above(figure: Figure, more: Sequence[Artist] = ()) -> None:
    """Draw a legend of what is labelled in any panel, and more, between the figure's title and its panels."""
    width, height = figure.get_size_inches()
    marks, engine = legend_of(figure.axes, width, more), figure.get_layout_engine()
    assert isinstance(engine, ConstrainedLayoutEngine)
    if marks["labels"]:
        lines = -(-len(marks["labels"]) // marks["ncols"])
        engine.set(rect=(0.0, 0.0, 1.0, 1 - (0.45 + 0.27 * lines) / height))
        figure.legend(**marks, loc="upper left", bbox_to_anchor=(0.005, 1 - 0.4 / height))


def write_names(axes: Axes, points: Sequence[tuple[float, float]], texts: Sequence[str]) -> None:
    """Write each text next to its point, above texts that it would cross, with a thin line where moved."""
    axes.autoscale_view()
    inch, right = axes.figure.dpi, axes.get_window_extent().x1
    places = (axes.transData.transform(points) / inch).tolist()
    taken: list[tuple[float, float, float]] = []
    for (x, y), point, text in sorted(zip(places, points, texts, strict=True), key=lambda item: item[0][1]):
        wide = ASIDE + LETTER * len(re.sub("[${}^]", "", text))
        left = x if inch * (x + wide) < right else x - wide
        crossed = (high + LINE for start, end, high in taken if start < left + wide and left < end)
        up = max([y, *crossed]) - y
        taken.append((left, left + wide, y + up))
        side, aside = ("left", ASIDE) if left == x else ("right", -ASIDE)
        arrow = {"arrowstyle": "-", "color": "#777777", "linewidth": 0.7, "relpos": (left < x, 0.5)}
        axes.annotate(
            text, point, (72 * aside, 72 * up), textcoords="offset points", ha=side, va="center",
            fontsize=SMALL, bbox=GROUND, arrowprops=arrow if up > LINE / 2 else None,
        )  # fmt: skip


@dataclass(frozen=True)
class Panels:
    """Panels one above the other over the same matrices, and a legend above where none has its own.

    panels : each draws the rows that `shown` gives on its axes.
    height : of the figure, in inches.
    """

    panels: Sequence[Draw]
    height: float
    shown: Callable[[pd.DataFrame], pd.DataFrame] = lambda frame: frame

    def __call__(self, frame: pd.DataFrame, title: str) -> Figure:
        shown = self.shown(frame)
        groups, bars = shown["group"].nunique(), len(shown.groupby(["group", "series"]))
        width = min(max(10.0, 2.5 + 1.25 * groups), max(14.0, 0.2 * bars), 22.0)
        figure = new_figure(width, self.height, title)
        axes = figure.subplots(len(self.panels), 1, sharex=True, squeeze=False).ravel()
        for each, panel in zip(axes, self.panels, strict=True):
            panel(each, shown)
        name_matrices(axes[-1], shown)
        if not any(each.get_legend() for each in axes):
            legend_above(figure)
        return figure


@dataclass(frozen=True)
class Multiples:
    """A panel per matrix, `across` of them in a row, each under its name; a legend above all.

    panel : draws the rows of a matrix.
    label : of the vertical axes.
    known : a column without which a row is not drawn; a matrix without any such row has an empty panel.
    """

    panel: Draw
    label: str
    across: int = 2
    known: str = "label"

    def __call__(self, frame: pd.DataFrame, title: str) -> Figure:
        parts = [rows for _, rows in frame.groupby("label", sort=False)]
        down = max(1, -(-len(parts) // self.across))
        figure = new_figure(14.0, 1.2 + 4.4 * down, title)
        axes = figure.subplots(down, self.across, squeeze=False).ravel()
        for each, rows in zip(axes, parts, strict=False):
            each.set_title(names(rows[:1], ", ")[0], loc="left")
            if (known := rows.dropna(subset=self.known)).empty:
                empty_panel(each, rows["status"].iloc[0], rows["reason"].iloc[0])
            else:
                self.panel(each, known)
        for each in axes[len(parts) :]:
            each.set_axis_off()
        legend_above(figure)
        for left in axes[:: self.across]:
            left.set_ylabel(self.label)
        if not parts:
            axes[0].text(0, 0.5, "nothing was measured", transform=axes[0].transAxes)
        return figure
