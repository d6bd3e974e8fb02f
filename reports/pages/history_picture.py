"""Picture of series over commits: one panel per series, with a line where its level changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.axes import Axes

from reports.shapes.style import PALETTE, SMALL, headline, measured, new_figure, write_picture

ACROSS = 2


@dataclass(frozen=True)
class Curve:
    """A series.

    title : of its panel
    unit : of its values
    values : by commit, oldest first; None where a commit has no result
    steps : positions of the commits with which a level begins
    """

    title: str
    unit: str
    values: tuple[float | None, ...]
    steps: tuple[int, ...]


def draw(curves: Sequence[Curve], commits: Sequence[str], title: str, path: Path) -> None:
    """Write the picture. commits : short names, oldest first"""
    down = -(-len(curves) // ACROSS)
    figure = new_figure(11.0, 0.6 + 2.5 * down)
    headline(figure, title)
    panels = figure.subplots(down, ACROSS, squeeze=False, sharex=True).flat
    for axes, curve in zip(panels, curves, strict=False):
        _panel(axes, curve, commits)
    for axes in list(panels)[len(curves) :]:
        axes.set_axis_off()
    write_picture(figure, path, measured(figure))


def _panel(axes: Axes, curve: Curve, commits: Sequence[str]) -> None:
    numbers = [float("nan") if value is None else value for value in curve.values]
    axes.plot(range(len(numbers)), numbers, marker="o", color=PALETTE[0])
    for step in curve.steps:
        axes.axvline(step - 0.5, color=PALETTE[5], linestyle="--")
        axes.annotate(
            commits[step],
            (step - 0.5, 0.04),
            xycoords=("data", "axes fraction"),
            xytext=(4, 0),
            textcoords="offset points",
            color=PALETTE[5],
            size=SMALL,
        )
    axes.set_title(curve.title, loc="left", size=SMALL)
    axes.set_ylabel(curve.unit, size=SMALL)
    axes.set_ylim(0.0, 1.1 * max(value for value in (*curve.values, 0.0) if value is not None) or 1.0)
    axes.set_xticks(range(len(commits)), commits, rotation=60, size=8)
