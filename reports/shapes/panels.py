"""Panels of one figure: one above the other over the same matrices, or one for each matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.shapes.axes import legend_above, legend_mark, lines, name_matrices
from reports.shapes.style import new_figure

# Draws a frame on its axes.
Draw = Callable[[Axes, pd.DataFrame], None]


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
