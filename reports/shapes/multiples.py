"""Small multiples: a panel for each case and machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.exhibit import headline
from reports.facts.naming import lines
from reports.shapes.gains import legend_mark
from reports.shapes.labels import legend_above
from reports.shapes.style import new_figure


@dataclass(frozen=True)
class Multiples:
    """Panels side by side, under their matrices' names, and the machine's where there are several.

    panel : draws these rows.
    label : of the vertical axes.
    across : panels in a row.
    width : of the figure, in inches.
    height : of a row of panels.
    top : above the first row.
    by : the column whose values have a panel each on each machine.
    marks : of a legend above all, as `legend_mark` takes them.
    """

    panel: Callable[[Axes, pd.DataFrame], None]
    label: str
    across: int = 2
    width: float = 14.0
    height: float = 4.0
    top: float = 1.0
    by: str = "label"
    marks: Sequence[tuple[str, str]] = ()

    def __call__(self, frame: pd.DataFrame, title: str) -> Figure:
        panels = [rows for _, rows in frame.groupby([self.by, "machine"], sort=False, dropna=False)]
        down = max(1, -(-len(panels) // self.across))
        figure = new_figure(self.width, self.top + self.height * down)
        headline(figure, title)
        grid = figure.subplots(down, self.across, squeeze=False).ravel()
        legend_above(figure, [legend_mark(kind, text) for kind, text in self.marks])
        several = frame["machine"].nunique() > 1
        for axes, rows in zip(grid, panels, strict=False):
            axes.set_title(_title(rows, several), loc="left")
            self.panel(axes, rows)
        for axes in grid[:: self.across]:
            axes.set_ylabel(self.label)
        for axes in grid[len(panels) :]:
            axes.set_axis_off()
        if not panels:
            grid[0].text(0, 0.5, "no case of this figure in the suite", transform=grid[0].transAxes)
        return figure


def _title(rows: pd.DataFrame, several: bool) -> str:
    row = rows.iloc[0].to_dict()
    host = f", on {row['machine']}" if several and not pd.isna(row["machine"]) else ""
    return f"{lines(row)}{host}".replace("\n", ", ")
