"""Small multiples: panels side by side, each of some of the frame's rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reports.shapes.gains import legend_mark
from reports.shapes.groups import lines
from reports.shapes.labels import legend_above
from reports.shapes.panels import Draw
from reports.shapes.style import MARKERS, PALETTE, headline, new_figure
from reports.shapes.tables import Row


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
    """A panel per matrix and machine, under their names.

    panel : draws these rows.
    label : of the vertical axes.
    grid : where the panels lie.
    by : the column whose values have a panel each on each machine.
    more : what the title of a panel says of its first row after the matrix.
    marks : of a legend above all, as `legend_mark` takes them.
    """

    panel: Draw
    label: str
    grid: Grid = Grid()
    by: str = "label"
    more: Callable[[Row], str] = lambda row: ""
    marks: Sequence[tuple[str, str]] = ()

    def __call__(self, frame: pd.DataFrame, title: str) -> Figure:
        several = frame["machine"].nunique() > 1
        panels = [
            (self._title(rows, several), rows)
            for _, rows in frame.groupby([self.by, "machine"], sort=False, dropna=False)
        ]
        figure, axes = draw_grid(title, panels, self.panel, self.grid)
        legend_above(figure, [legend_mark(kind, text) for kind, text in self.marks])
        for left in axes[:: self.grid.across]:
            left.set_ylabel(self.label)
        if not panels:
            axes[0].text(0, 0.5, "nothing was measured", transform=axes[0].transAxes)
        return figure

    def _title(self, rows: pd.DataFrame, several: bool) -> str:
        row = rows.iloc[0].to_dict()
        host = f", on {row['machine']}" if several and not pd.isna(row["machine"]) else ""
        return f"{lines(row)}{self.more(row)}{host}".replace("\n", ", ")


@dataclass(frozen=True)
class TimeLines:
    """A panel per matrix and machine with lines of seconds; what no machine has run stands in all of its
    matrix's.

    panel : draws the rows of one.
    along : what its seconds stand against.
    height : of a panel, in inches.
    names : of its lines.
    dotted : the colour of the dotted line, and what it says.
    preparations : a panel per preparation too.
    """

    panel: Draw
    along: str
    height: float
    names: Sequence[str]
    dotted: tuple[str, str]
    preparations: bool = False

    def __call__(self, frame: pd.DataFrame, title: str) -> Figure:
        keys = ["label", "preparation"] if self.preparations else ["label"]
        several = frame["machine"].nunique() > 1
        panels = [
            (f"{lines(rows.iloc[0].to_dict(), self.preparations)}{host if several else ''}", rows)
            for _, group in frame.groupby(keys, sort=False)
            for host, rows in _by_machine(group)
        ]
        across = max(1, min(3, len(panels)))
        grid = Grid(across, max(10.0, 5.5 * across), self.height, top=1.6)
        figure, _ = draw_grid(title, panels, self._labelled, grid)
        legend_above(figure, self._handles())
        return figure

    def _labelled(self, axes: Axes, rows: pd.DataFrame) -> None:
        axes.set_xlabel(self.along)
        axes.set_ylabel("time")
        self.panel(axes, rows)

    def _handles(self) -> list[Artist]:
        named = [Line2D([], [], **line_look(i), label=name) for i, name in enumerate(self.names)]
        colour, text = self.dotted
        return [*named, Line2D([], [], color=colour, linestyle=":", label=text)]


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


def line_look(i: int) -> Mapping[str, Any]:
    """How the i-th line is drawn."""
    return {"color": PALETTE[i], "marker": MARKERS[i], "linewidth": 1.8}


def _by_machine(rows: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """The rows of each machine, with those of none, each with the end of its title."""
    nowhere, machines = rows["machine"].isna(), rows["machine"].dropna().unique()
    each = [(f"\non {machine}", rows[nowhere | (rows["machine"] == machine)]) for machine in machines]
    return each or [("", rows)]
