"""Printed ratios by the number of nodes: of each matrix on one, in words on six, mean and extremes on 44."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from reports.shapes import bars
from reports.shapes.style import PALETTE, SMALL

# Where the numbers of nodes stand.
PLACES = {1: 0.0, 6: 1.0, 44: 2.0}


@dataclass(frozen=True)
class Nodes:
    """What is printed.

    one : of each matrix on one node.
    above : which are above 1 on six.
    mean, ends : on 44 nodes, of all and of the matrices with the largest and the smallest.
    """

    one: Mapping[str, float]
    above: Collection[str]
    mean: float
    ends: Mapping[str, float]


def draw_nodes(axes: Axes, printed: Nodes) -> None:
    """Points by the number of nodes, each with its matrix."""
    axes.axhline(1, color="black", linewidth=1)
    axes.plot([PLACES[1]] * len(printed.one), list(printed.one.values()), "o", color=PALETTE[0])
    for number, (abbr, value) in enumerate(sorted(printed.one.items(), key=lambda item: item[1])):
        _name(axes, PLACES[1], value, f"{abbr} {value:.3g}x", left=number % 2 == 0)
    for abbr, value in printed.ends.items():
        ratios = [printed.one[abbr], value]
        axes.plot([PLACES[1], PLACES[44]], ratios, "--o", color=PALETTE[0], linewidth=1)
        _name(axes, PLACES[44], value, f"{abbr} {value:g}x")
    axes.plot(PLACES[44], printed.mean, "D", color=PALETTE[5], markersize=8)
    _name(axes, PLACES[44], printed.mean, f"mean {printed.mean:g}x")
    axes.set_yscale("log")
    axes.set_ylim(0.03, 25)
    slower = [abbr for abbr in printed.one if abbr not in printed.above]
    for height, word, names in ((7.0, "above", printed.above), (0.09, "below", slower)):
        text = f"{word} 1x:\n{', '.join(names)}"
        axes.text(PLACES[6], height, text, ha="center", va="center", fontsize=SMALL)
    axes.set_xticks(list(PLACES.values()), [f"{nodes} node{'s' if nodes > 1 else ''}" for nodes in PLACES])
    axes.set_xlim(-0.6, 2.6)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_ylabel("speedup (log scale)")


def _name(axes: Axes, x: float, y: float, text: str, left: bool = False) -> None:
    """Beside its point, below the line at 1 where it would lie on it."""
    axes.annotate(
        text, (x, y), (-9 if left else 9, -9 if 0.9 < y < 1 else 0), textcoords="offset points",
        ha="right" if left else "left", va="center", fontsize=SMALL, bbox=bars.GROUND,
    )  # fmt: skip
