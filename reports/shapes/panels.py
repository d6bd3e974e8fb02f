"""Small panels side by side, one per matrix and machine: lines of seconds on log axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reports.exhibit import headline
from reports.facts.naming import lines
from reports.shapes.labels import legend_above
from reports.shapes.style import MARKERS, PALETTE, new_figure

ACROSS = 3


@dataclass(frozen=True)
class SmallPanels:
    """A panel per matrix and machine; what no machine has run stands in all of its matrix's.

    draw : draws the rows of one on its axes. along : what its seconds stand against. height : of a panel, in
    inches. names : of its lines. dotted : the colour of the dotted line, and what it says. preparations : a
    panel per preparation too.
    """

    draw: Callable[[Axes, pd.DataFrame], None]
    along: str
    height: float
    names: Sequence[str]
    dotted: tuple[str, str]
    preparations: bool = False

    def __call__(self, frame: pd.DataFrame, title: str) -> Figure:
        keys = ["label", "preparation"] if self.preparations else ["label"]
        panels = [panel for _, rows in frame.groupby(keys, sort=False) for panel in _by_machine(rows)]
        across = max(1, min(ACROSS, len(panels)))
        down = max(1, -(-len(panels) // across))
        figure = new_figure(max(10.0, 5.5 * across), 1.6 + self.height * down)
        headline(figure, title)
        grid = figure.subplots(down, across, squeeze=False).ravel()
        several = frame["machine"].nunique() > 1
        for axes, panel in zip(grid, panels, strict=False):
            machine = panel["machine"].dropna().unique()
            host = f"\non {machine[0]}" if several and len(machine) else ""
            axes.set_title(f"{lines(panel.iloc[0].to_dict(), self.preparations)}{host}", loc="left")
            axes.set_xlabel(self.along)
            axes.set_ylabel("time")
            self.draw(axes, panel)
        for axes in grid[len(panels) :]:
            axes.set_axis_off()
        legend_above(figure, self._handles())
        return figure

    def _handles(self) -> list[Line2D]:
        named = [Line2D([], [], **line_look(i), label=name) for i, name in enumerate(self.names)]
        colour, text = self.dotted
        return [*named, Line2D([], [], color=colour, linestyle=":", label=text)]


def line_look(i: int) -> Mapping[str, Any]:
    """How the i-th line is drawn."""
    return {"color": PALETTE[i], "marker": MARKERS[i], "linewidth": 1.8}


def _by_machine(rows: pd.DataFrame) -> list[pd.DataFrame]:
    nowhere, machines = rows["machine"].isna(), rows["machine"].dropna().unique()
    return [rows[nowhere | (rows["machine"] == machine)] for machine in machines] or [rows]
