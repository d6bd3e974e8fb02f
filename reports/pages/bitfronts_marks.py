"""What docs/bitfronts.svg and docs/fronts.svg are drawn with: cells, marks, texts and places of trees.

All lengths are in inches from the upper left corner.
A mark says by its shape what it says by its colour.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Polygon, Rectangle

from fillpath.nouns import Array
from reports.frames.bitfronts_fronts import Front
from reports.shapes import style
from reports.shapes.style import NORMAL, PALETTE, SMALL

INK, GREY, LINE = "#222222", "#666666", "#c8c8c8"
# Of the row that is followed through all panels.
HIGHLIGHT = "#FBEFA6"
FILL = PALETTE[5]
# Of fronts that have a parent, in their order.
FRONT_COLOURS = tuple(PALETTE[k] for k in (0, 1, 2, 3, 4))
CELL = 0.19
# Of a vertex of a tree.
RADIUS = 0.13
Mark = Callable[[Axes, float, float], None]


def letter(front: int) -> str:
    """What a front is called."""
    return chr(ord("a") + front)


def colour_of(fronts: Sequence[Front], front: int) -> str:
    """The colour of a front: grey for a root."""
    return GREY if fronts[front].parent is None else FRONT_COLOURS[front]


def listed(fronts: Sequence[int]) -> str:
    """The names of at least two fronts."""
    names = [letter(front) for front in fronts]
    return ", ".join(names[:-1]) + " and " + names[-1]


def tint(colour: str) -> str:
    """A colour lightened, for what lies behind a mark."""
    parts = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{round(255 - 0.45 * (255 - part)):02x}" for part in parts)


def write(axes: Axes, x: float, y: float, text: str, **how: Any) -> None:
    """A text, its left end and middle at (x, y) unless said otherwise."""
    axes.text(x, y, text, **{"ha": "left", "va": "center_baseline", "size": SMALL, "color": INK, **how})


def page(width: float, height: float) -> tuple[Figure, Axes]:
    """An empty figure, and axes of inches that fill it."""
    figure = style.new_figure(width, height, layout=None)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    return figure, axes


def heading(axes: Axes, x: float, y: float, title: str, lines: Sequence[str]) -> None:
    """A panel's title, and the lines under it."""
    write(axes, x, y, title, size=NORMAL, weight="bold")
    for number, line in enumerate(lines):
        write(axes, x, y + 0.27 + 0.19 * number, line)


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


def node(axes: Axes, x: float, y: float, vertex: int, face: str) -> None:
    """A vertex of a tree, its middle at (x, y)."""
    axes.add_patch(Circle((x, y), RADIUS, facecolor=face, edgecolor=INK, linewidth=1.2, zorder=2))
    write(axes, x, y, str(vertex), ha="center", zorder=3)


def cells(axes: Axes, x: float, y: float, columns: int, rows: int | None = None, width: float = CELL) -> None:
    """The lines of cells, as many rows as columns unless said otherwise."""
    rows = columns if rows is None else rows
    nothing = float("nan")
    across = [width * k for k in range(columns + 1)]
    down = [CELL * k for k in range(rows + 1)]
    xs = [0.0, across[-1], nothing] * len(down) + [end for step in across for end in (step, step, nothing)]
    ys = [end for step in down for end in (step, step, nothing)] + [0.0, down[-1], nothing] * len(across)
    xs, ys = [x + distance for distance in xs], [y + distance for distance in ys]
    axes.plot(xs, ys, color=LINE, linewidth=0.6, zorder=0.5)


def mark(axes: Axes, x: float, y: float, where: Array, shape: Mark) -> None:
    """The mark in each cell that is True. where : (k, k) bool"""
    for row, column in zip(*where.nonzero(), strict=True):
        shape(axes, x + CELL * (column + 0.5), y + CELL * (row + 0.5))


def numbers(
    axes: Axes,
    x: float,
    y: float,
    names: Sequence[int],
    highlight: int,
    left: bool = True,
    width: float = CELL,
) -> None:
    """The numbers of the columns above a square of cells, and of its rows left of it."""
    for place, name in enumerate(names):
        at = CELL * (place + 0.5)
        write(axes, x + width * (place + 0.5), y - 0.09, str(name), ha="center", size=SMALL - 1)
        if left:
            if name == highlight:
                box(axes, x - 0.19, y + at - CELL / 2, 0.16, CELL, facecolor=HIGHLIGHT)
            write(axes, x - 0.11, y + at, str(name), ha="center", size=SMALL - 1)


def coloured(
    axes: Axes, x: float, y: float, row: int, column: int, colours: Sequence[str], width: float = CELL
) -> None:
    """A cell tinted by one colour, or by two, each a half."""
    left, top = x + width * column, y + CELL * row
    corners = [(left, top), (left + width, top), (left + width, top + CELL), (left, top + CELL)]
    halves = [corners] if len(colours) == 1 else [corners[:3], [*corners[2:], corners[0]]]
    for half, colour in zip(halves, colours, strict=True):
        axes.add_patch(Polygon(half, facecolor=tint(colour), edgecolor="none", zorder=0.3))


def places(parent: Sequence[int], order: Array) -> tuple[dict[int, float], dict[int, int]]:
    """Of each node, how far right it stands and how far below the root. order : children before parents"""
    across: dict[int, float] = {}
    leaves = 0
    for node in order.tolist():
        children = [across[child] for child in range(len(parent)) if parent[child] == node]
        across[node] = float(np.mean(children)) if children else float(leaves)
        leaves += not children
    down: dict[int, int] = {}
    for node in reversed(order.tolist()):
        down[node] = 0 if parent[node] < 0 else down[parent[node]] + 1
    return across, down


def _square(axes: Axes, x: float, y: float, face: str) -> None:
    side = 0.56 * CELL
    box(axes, x - side / 2, y - side / 2, side, side, facecolor=face, edgecolor=INK, linewidth=1.0)
