"""A bar per code and matrix, the codes' ratios written above."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure

from reports.shapes import bars
from reports.shapes.axes import empty_panel
from reports.shapes.groups import name_matrices
from reports.shapes.labels import legend_above
from reports.shapes.strip import StripLine, write_strip
from reports.shapes.style import SMALL, headline, new_figure

# Inches of the picture, and of the panel with its names.
WIDTH, PANEL = 12.5, 5.0


@dataclass(frozen=True)
class CodedBars:
    """One panel of bars.

    panel : of the bars.
    lines : of the text above, by the frame.
    """

    panel: bars.Panel
    lines: Callable[[pd.DataFrame], Sequence[StripLine]]

    def __call__(self, frame: pd.DataFrame, title: str) -> Figure:
        lines = self.lines(frame)
        figure = new_figure(WIDTH, PANEL + 0.2 * len(lines))
        headline(figure, title)
        axes = figure.subplots()
        if frame.empty:
            empty_panel(axes, "not_run", "no case of it was measured")
            return figure
        bars.bar_panel(axes, frame, self.panel)
        name_matrices(axes, frame)
        axes.tick_params(axis="x", labelsize=SMALL)
        write_strip(axes, lines)
        legend_above(figure, bars.handles(frame))
        return figure
