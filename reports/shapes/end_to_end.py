"""Stacked bars per matrix: ways of doing it all, of which one is what the first is held against."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from reports.shapes import bars
from reports.shapes.panels import Panels
from reports.shapes.stacked import Part, stacked_panel

# Inches: how wide a picture may be, and a bar that needs more.
WIDE, BAR = 14.0, 0.2


@dataclass(frozen=True)
class Composed:
    """A bar for each way, whose parts are stacked, over the seconds of the second one; above each group the
    ratio of the first two.

    ways : their names in the column `way`.
    parts : of a bar.
    printed : least and most of the ratios.
    shown : the rows as they are drawn.
    """

    ways: tuple[str, ...]
    parts: Sequence[Part]
    printed: tuple[float, float]
    shown: Callable[[pd.DataFrame], pd.DataFrame]

    def __call__(self, frame: pd.DataFrame, title: str) -> Figure:
        rows = self.shown(frame[frame["way"].isin(self.ways)].reset_index(drop=True))
        widest = max(WIDE, BAR * rows["group"].nunique() * rows["way"].nunique())
        return Panels([self._panel], height=7.5, widest=widest)(rows, title)

    def _panel(self, axes: Axes, frame: pd.DataFrame) -> None:
        label = f"seconds over those of\n{self.ways[1]}"
        stacked_panel(
            axes, frame, self.parts, label, lambda row: bars.seconds(row["median"]), self._legend(frame)
        )
        second = frame[(frame["way"] == self.ways[1]) & (frame["pair"] == "ok")]
        for group, ratio in zip(second["group"], second["ratio"], strict=True):
            axes.text(
                group, 0.98, bars.times(ratio), transform=axes.get_xaxis_transform(), ha="center", va="top",
                weight="bold", bbox=bars.GROUND,
            )  # fmt: skip

    def _legend(self, frame: pd.DataFrame) -> list[Artist]:
        """The ways by their hatches, and what stands above each group."""
        ways: list[Artist] = [
            Patch(facecolor="white", hatch=hatch, edgecolor="black", label=name)
            for name, (_, hatch) in bars.look_of(frame).items()
        ]
        low, high = self.printed
        text = f"above, printed {low:g}x to {high:g}x"
        return [*ways, Line2D([], [], linestyle="none", label=text)] if ways else []
