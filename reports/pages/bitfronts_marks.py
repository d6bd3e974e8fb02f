"""What docs/bitfronts.svg is drawn with: cells, marks and texts, in inches from the upper left corner.

A mark says by its shape what it says by its colour.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Circle, Polygon, Rectangle

from fillpath.nouns import Array
from reports.shapes.style import PALETTE, SMALL

INK, GREY, LINE = "#222222", "#666666", "#c8c8c8"
# Of the row that is followed through all panels.
HIGHLIGHT = "#FBEFA6"
FILL = PALETTE[5]
# Of fronts that have a parent, in their order.
FRONT_COLOURS = tuple(PALETTE[k] for k in (0, 1, 2, 3, 4))
CELL = 0.19
Mark = Callable[[Axes, float, float], None]


def letter(front: int) -> str:
    """What a front is called."""
    return chr(ord("a") + front)


def tint(colour: str) -> str:
    """A colour lightened, for what lies behind a mark."""
    parts = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{round(255 - 0.45 * (255 - part)):02x}" for part in parts)


def write(axes: Axes, x: float, y: float, text: str, **how: Any) -> None:
    """A text, its left end and middle at (x, y) unless said otherwise."""
    axes.text(x, y, text, **{"ha": "left", "va": "center_baseline", "size": SMALL, "color": INK, **how})


def box(axes: Axes, x: float, y: float, width: float, height: float, **how: Any) -> None:
    """A rectangle, its upper left corner at (x, y)."""
    axes.add_patch(Rectangle((x, y), width, height, **{"facecolor": "none", "edgecolor": "none", **how}))


def entry(axes: Axes, x: float, y: float) -> None:
    """The mark of an entry of A."""
    _square(axes, x, y, INK)


def mirror(axes: Axes, x: float, y: float) -> None:
    """The mark of an entry of A^T alone."""
    _square(axes, x, y, "white")


def new(axes: Axes, x: float, y: float) -> None:
    """The mark of what elimination adds."""
    axes.add_patch(Circle((x, y), 0.31 * CELL, facecolor=FILL, edgecolor=FILL, linewidth=1.0))


def inherited(axes: Axes, x: float, y: float) -> None:
    """The mark of a bit that a child left over."""
    axes.add_patch(Circle((x, y), 0.31 * CELL, facecolor="white", edgecolor=FILL, linewidth=1.4))


def zero(axes: Axes, x: float, y: float) -> None:
    """The mark of a bit that is 0."""
    axes.add_patch(Circle((x, y), 0.09 * CELL, facecolor=GREY, edgecolor="none"))


def cells(axes: Axes, x: float, y: float, size: int) -> None:
    """The lines of size x size cells."""
    nothing = float("nan")
    steps = [CELL * k for k in range(size + 1)]
    along = [0.0, CELL * size, nothing] * len(steps)
    over = [end for step in steps for end in (step, step, nothing)]
    xs = [x + distance for distance in along + over]
    ys = [y + distance for distance in over + along]
    axes.plot(xs, ys, color=LINE, linewidth=0.6, zorder=0.5)


def mark(axes: Axes, x: float, y: float, where: Array, shape: Mark) -> None:
    """The mark in each cell that is True. where : (k, k) bool"""
    for row, column in zip(*where.nonzero(), strict=True):
        shape(axes, x + CELL * (column + 0.5), y + CELL * (row + 0.5))


def numbers(axes: Axes, x: float, y: float, names: Sequence[int], highlight: int, left: bool = True) -> None:
    """The numbers of the columns above a square of cells, and of its rows left of it."""
    for place, name in enumerate(names):
        at = CELL * (place + 0.5)
        write(axes, x + at, y - 0.09, str(name), ha="center", size=SMALL - 1)
        if left:
            if name == highlight:
                box(axes, x - 0.19, y + at - CELL / 2, 0.16, CELL, facecolor=HIGHLIGHT)
            write(axes, x - 0.11, y + at, str(name), ha="center", size=SMALL - 1)


def coloured(axes: Axes, x: float, y: float, row: int, column: int, colours: Sequence[str]) -> None:
    """A cell tinted by one colour, or by two, each a half."""
    left, top = x + CELL * column, y + CELL * row
    corners = [(left, top), (left + CELL, top), (left + CELL, top + CELL), (left, top + CELL)]
    halves = [corners] if len(colours) == 1 else [corners[:3], [*corners[2:], corners[0]]]
    for half, colour in zip(halves, colours, strict=True):
        axes.add_patch(Polygon(half, facecolor=tint(colour), edgecolor="none", zorder=0.3))


def _square(axes: Axes, x: float, y: float, face: str) -> None:
    side = 0.56 * CELL
    box(axes, x - side / 2, y - side / 2, side, side, facecolor=face, edgecolor=INK, linewidth=1.0)
