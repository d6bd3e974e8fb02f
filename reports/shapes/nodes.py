"""Printed ratios by the number of nodes: of each matrix on one, in words on six, mean and extremes on 44."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from reports.shapes.bars import GROUND
from reports.shapes.style import PALETTE, SMALL


def draw_nodes(
    axes: Axes, one: Mapping[str, float], above: Collection[str], ends: Mapping[str, float], mean: float
) -> None:
    """Draw points by the number of nodes, each with its matrix.

    one : of each matrix on one node
    above : which are above 1 on six
    ends, mean : on 44, of the matrices with the largest and the smallest, and of all
    """
    axes.axhline(1, color="black", linewidth=1)
    axes.plot([0] * len(one), list(one.values()), "o", color=PALETTE[0])
    for number, (abbr, value) in enumerate(sorted(one.items(), key=lambda item: item[1])):
        _name(axes, 0, value, f"{abbr} {value:.3g}x", left=number % 2 == 0)
    for abbr, value in ends.items():
        axes.plot([0, 2], [one[abbr], value], "--o", color=PALETTE[0], linewidth=1)
        _name(axes, 2, value, f"{abbr} {value:g}x")
    axes.plot(2, mean, "D", color=PALETTE[5], markersize=8)
    _name(axes, 2, mean, f"mean {mean:g}x")
    below = [abbr for abbr in one if abbr not in above]
    for height, text in ((7.0, f"above 1x:\n{', '.join(above)}"), (0.09, f"below 1x:\n{', '.join(below)}")):
        axes.text(1, height, text, ha="center", va="center", fontsize=SMALL)
    axes.set_xticks([0, 1, 2], ["1 node", "6 nodes", "44 nodes"])
    axes.set(xlim=(-0.6, 2.6), ylim=(0.03, 25), yscale="log", ylabel="speedup (log scale)")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _name(axes: Axes, x: float, y: float, text: str, left: bool = False) -> None:
    """Write beside a point, below the line at 1 where the text would lie on it."""
    axes.annotate(
        text, (x, y), (-9 if left else 9, -9 if 0.9 < y < 1 else 0), textcoords="offset points",
        ha="right" if left else "left", va="center", fontsize=SMALL, bbox=GROUND,
    )  # fmt: skip
