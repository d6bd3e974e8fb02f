"""Panels side by side, one a matrix and machine: lines of seconds on log axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reports.labels import legend_above
from reports.style import LARGE, MARKERS, PALETTE, new_figure

ACROSS = 3


def panel_figure(
    title: str,
    frame: pd.DataFrame,
    keys: Sequence[str],
    height: float,
    draw: Callable[[Axes, pd.DataFrame, str], None],
    handles: Sequence[Line2D],
) -> Figure:
    """A panel for each of the keys on a machine, its height in inches; what no machine has run stands in all
    of them. draw : is given the machine too, empty where there is only one."""
    panels = [panel for _, own in frame.groupby([*keys], sort=False) for panel in _by_machine(own)]
    across = max(1, min(ACROSS, len(panels)))
    down = max(1, -(-len(panels) // across))
    figure = new_figure(max(10.0, 5.5 * across), 1.6 + height * down)
    figure.suptitle(title, x=0.01, ha="left", fontsize=LARGE, weight="bold")
    grid = figure.subplots(down, across, squeeze=False).ravel()
    several = frame["machine"].nunique() > 1
    for axes, panel in zip(grid, panels, strict=False):
        machine = panel["machine"].dropna().unique()
        draw(axes, panel, str(machine[0]) if several and len(machine) else "")
    for axes in grid[len(panels) :]:
        axes.set_axis_off()
    legend_above(figure, handles)
    return figure


def _by_machine(own: pd.DataFrame) -> list[pd.DataFrame]:
    nowhere, machines = own["machine"].isna(), own["machine"].dropna().unique()
    return [own[nowhere | (own["machine"] == machine)] for machine in machines] or [own]


def line_look(i: int) -> Mapping[str, Any]:
    """How the i-th line is drawn."""
    return {"color": PALETTE[i], "marker": MARKERS[i], "linewidth": 1.8}


def line_handles(names: Sequence[str]) -> list[Line2D]:
    """The legend of lines by their look."""
    return [Line2D([], [], **line_look(i), label=name) for i, name in enumerate(names)]
