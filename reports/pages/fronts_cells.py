"""Cells with numbers, and what lies around them, in docs/fronts.svg. Lengths are in inches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from fillpath.nouns import Array
from reports.frames.fronts_example import Contribution, System
from reports.pages import bitfronts_marks as marks
from reports.pages.bitfronts_marks import CELL, HIGHLIGHT, INK, colour_of, write
from reports.shapes.style import SMALL

# Widths of cells of integers, of numbers with two places, and of sums of two.
WHOLE, WIDE, SUM = 0.26, 0.42, 0.68
# Of the small texts.
TINY = SMALL - 1


def shown(value: float) -> str:
    """A number with at most two places."""
    return f"{value:.2f}".rstrip("0").rstrip(".").replace("-", "−")


def sum_shown(terms: Sequence[float]) -> str:
    """A sum, without the terms that are 0."""
    first, *others = [shown(term) for term in terms if term] or [""]
    return first + "".join(f" − {term[1:]}" if term[0] == "−" else f" + {term}" for term in others)


def put(
    axes: Axes, x: float, y: float, place: tuple[int, int], *terms: float, width: float = WIDE, **how: Any
) -> None:
    """A number, or a sum, in the cell of a row and column; the mark of 0 where it has no other term."""
    middle = x + width * (place[1] + 0.5), y + CELL * (place[0] + 0.5)
    if any(terms):
        write(axes, *middle, sum_shown(terms), ha="center", size=TINY, **how)
    else:
        marks.zero(axes, *middle)


def put_all(axes: Axes, x: float, y: float, values: Array) -> None:
    """The numbers of a front."""
    for (row, column), value in np.ndenumerate(values):
        put(axes, x, y, (row, column), value)


def vector(axes: Axes, x: float, y: float, name: str, values: Array, highlight: int) -> None:
    """A column of integers, one row highlighted."""
    marks.cells(axes, x, y, 1, len(values), WHOLE)
    marks.box(axes, x, y + CELL * highlight, WHOLE, CELL, facecolor=HIGHLIGHT, zorder=0.2)
    write(axes, x + WHOLE / 2, y - 0.09, name, ha="center", size=TINY, style="italic")
    for row, value in enumerate(values):
        put(axes, x, y, (row, 0), value, width=WHOLE)


def square(
    axes: Axes, system: System, x: float, y: float, members: Sequence[int], width: float = WIDE
) -> None:
    """The lines and numbers of a front's cells."""
    marks.cells(axes, x, y, len(members), width=width)
    marks.numbers(axes, x, y, members, system.bits.row, width=width)


def tints(
    axes: Axes, system: System, x: float, y: float, parts: Sequence[Contribution], width: float = WIDE
) -> None:
    """The cells that children add to, in their colours."""
    colours: dict[tuple[int, int], list[str]] = defaultdict(list)
    for part in parts:
        for row in part.places.tolist():
            for column in part.places.tolist():
                colours[row, column].append(colour_in(system, part.child))
    for (row, column), both in colours.items():
        marks.coloured(axes, x, y, row, column, both, width)


def stairs(axes: Axes, x: float, y: float, pivots: int) -> None:
    """The line between L and U in the pivots' block."""
    steps = [(x + WIDE * (k + end), y + CELL * (k + 1)) for k in range(pivots) for end in (0, 1)]
    axes.plot(*zip(*steps, strict=True), color=INK, linewidth=1.6)


def frame(axes: Axes, x: float, y: float, first: int, count: int, colour: str) -> None:
    """A frame around the last rows and columns of a front."""
    corner = x + WIDE * first, y + CELL * first
    marks.box(axes, *corner, WIDE * count, CELL * count, edgecolor=colour, linewidth=2.2)


def name(axes: Axes, x: float, y: float, text: str) -> None:
    """What cells are called, above the numbers of their columns."""
    write(axes, x, y - 0.29, text, weight="bold")


def arrow(axes: Axes, begin: tuple[float, float], end: tuple[float, float], colour: str, **how: Any) -> None:
    """An arrow between two points."""
    style = {"arrowstyle": "-|>", "color": colour, "linewidth": 1.8, "shrinkA": 0, "shrinkB": 0, **how}
    axes.annotate("", end, begin, arrowprops=style)


def colour_in(system: System, front: int) -> str:
    """The colour of a front."""
    return colour_of(system.bits.fronts, front)
