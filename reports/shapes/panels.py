"""Panels one above the other over the same matrices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.shapes.groups import name_matrices, width
from reports.shapes.style import headline, new_figure

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
        figure = new_figure(min(self.widest, width(shown)), self.height)
        ratios, down = self.ratios or None, len(self.panels)
        axes = figure.subplots(down, 1, sharex=True, squeeze=False, height_ratios=ratios).ravel()
        headline(figure, title)
        for each, panel in zip(axes, self.panels, strict=True):
            panel(each, shown)
        name_matrices(axes[-1], shown)
        return figure
