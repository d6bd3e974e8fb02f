"""Small multiples: panels side by side, each of some of the frame's rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.shapes.gains import legend_mark
from reports.shapes.groups import lines
from reports.shapes.labels import legend_above
from reports.shapes.panels import Draw
from reports.shapes.style import headline, new_figure


@dataclass(frozen=True)
class Grid:
    """Where panels lie.

    across : panels in a row.
    width : of the figure, in inches.
    height : of a row of panels.
    top : above the first row.
    """

    across: int = 2
    width: float = 14.0
    height: float = 4.0
    top: float = 1.0


@dataclass(frozen=True)
class Multiples:
    """A panel per matrix, under their names.

    panel : draws these rows.
    label : of the vertical axes.
    grid : where the panels lie.
    marks : what a legend above all has of a frame, as `legend_mark` takes them.
    """

    panel: Draw
    label: str
    grid: Grid = Grid()
    marks: Callable[[pd.DataFrame], Iterable[tuple[str, str]]] = lambda frame: ()

    def __call__(self, frame: pd.DataFrame, title: str) -> Figure:
        parts = [rows for _, rows in frame.groupby("label", sort=False)]
        panels = [(lines(rows.iloc[0].to_dict()).replace("\n", ", "), rows) for rows in parts]
        figure, axes = draw_grid(title, panels, self.panel, self.grid)
        legend_above(figure, [legend_mark(kind, text) for kind, text in self.marks(frame)])
        for left in axes[:: self.grid.across]:
            left.set_ylabel(self.label)
        if not panels:
            axes[0].text(0, 0.5, "nothing was measured", transform=axes[0].transAxes)
        return figure


def draw_grid(
    title: str, panels: Sequence[tuple[str, pd.DataFrame]], panel: Draw, grid: Grid
) -> tuple[Figure, Sequence[Axes]]:
    """The panels, row by row, and their axes. panels : the title and the rows of each."""
    down = max(1, -(-len(panels) // grid.across))
    figure = new_figure(grid.width, grid.top + grid.height * down)
    headline(figure, title)
    places = figure.subplots(down, grid.across, squeeze=False).ravel().tolist()
    for axes, (name, rows) in zip(places, panels, strict=False):
        axes.set_title(name, loc="left")
        panel(axes, rows)
    for axes in places[len(panels) :]:
        axes.set_axis_off()
    return figure, places
