"""The panel of docs/fronts.svg on tasks. Lengths are in inches."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from reports.frames.fronts_example import System
from reports.pages import bitfronts_marks as marks
from reports.pages import fronts_cells as cells
from reports.pages.bitfronts_marks import FILL, GREY, INK, LINE, letter, write
from reports.pages.fronts_cells import TINY

# Of impl/cuda/multifrontal.cuh: pivots that are eliminated together, rows of a tile, columns of a task.
PANEL, TILE, ASSEMBLED = 32, 64, 8
# A large front: its pivots, and as many rows as make all tiles of the first panel whole.
LARGE_PIVOTS, LARGE = 3 * PANEL, PANEL + 3 * TILE
# Its side, and the steps from one drawing of it to the next.
SIDE, STEP = 1.2, 2.7


def draw_tasks(axes: Axes, system: System, x: float, y: float) -> None:
    """Fronts by the time at which they could begin, and the tasks of a large one."""
    across, _ = marks.places(system.parents, np.arange(len(system.fronts)))
    step, side = 0.68, 0.3
    left = [x + 0.1 + step * begin for begin in system.begins]
    top = [y + 0.1 + 0.8 * across[number] for number in range(len(left))]
    for number, above in enumerate(system.parents):
        colour = cells.colour_in(system, number)
        corner = left[number] - side / 2, top[number] - side / 2
        marks.box(axes, *corner, side, side, edgecolor=colour, linewidth=2.2)
        write(axes, left[number], top[number], letter(number), ha="center", weight="bold")
        turn = str(system.order.index(number) + 1)
        write(
            axes, left[number], top[number] - 0.25, turn, ha="center", size=TINY, color=GREY, style="italic"
        )
        if above >= 0:
            end = left[above] - side / 2 - 0.04, top[above] + 0.08 * np.sign(top[number] - top[above])
            cells.arrow(axes, (left[number] + side / 2 + 0.04, top[number]), end, colour)
    for begin in range(max(system.begins) + 1):
        write(axes, x + 0.1 + step * begin, y + 1.27, f"t = {begin}", ha="center", size=TINY, color=GREY)
    _draw_large(axes, x + step * max(system.begins) + 1.6, y - 0.12)


def _draw_large(axes: Axes, x: float, y: float) -> None:
    """A large front: while it is assembled, while a panel is eliminated, and at the end."""
    steps = (
        (_draw_columns, "assembly: a task for", f"each {ASSEMBLED} columns"),
        (
            _draw_tiles,
            f"{PANEL} pivots: a task for each tile of",
            f"{TILE} x {TILE}, one for the next {PANEL} x {PANEL}",
        ),
        (_draw_rest, "all pivots done:", "L, U and the contribution"),
    )
    for number, (draw, *lines) in enumerate(steps):
        left = x + STEP * number
        draw(axes, left, y, SIDE / LARGE)
        marks.box(axes, left, y, SIDE, SIDE, edgecolor=INK, linewidth=1.2)
        for place, line in enumerate(lines):
            write(axes, left + SIDE / 2, y + SIDE + 0.14 + 0.16 * place, line, ha="center", size=TINY)
        if number:
            write(axes, left - (STEP - SIDE) / 2, y + SIDE / 2, "→", ha="center")


def _draw_columns(axes: Axes, x: float, y: float, unit: float) -> None:
    """The columns of each task, those of the first coloured. unit : of a row"""
    marks.box(axes, x, y, unit * ASSEMBLED, unit * LARGE, facecolor=FILL)
    for column in range(0, LARGE, ASSEMBLED):
        axes.plot([x + unit * column] * 2, [y, y + unit * LARGE], color=LINE, linewidth=0.6, zorder=0.5)


def _draw_tiles(axes: Axes, x: float, y: float, unit: float) -> None:
    """The panel's block, its tiles, and the next block coloured."""
    panel, tile = unit * PANEL, unit * TILE
    marks.box(axes, x, y, panel, panel, facecolor=GREY)
    marks.box(axes, x + panel, y + panel, panel, panel, facecolor=FILL)
    for place in np.ndindex((LARGE - PANEL) // TILE, (LARGE - PANEL) // TILE):
        corner = x + panel + tile * place[1], y + panel + tile * place[0]
        marks.box(axes, *corner, tile, tile, edgecolor=GREY, linewidth=0.8)


def _draw_rest(axes: Axes, x: float, y: float, unit: float) -> None:
    """The blocks of all panels, and what is left framed."""
    pivots, size = unit * LARGE_PIVOTS, unit * LARGE
    for pivot in range(0, LARGE_PIVOTS, PANEL):
        marks.box(axes, x + unit * pivot, y + unit * pivot, unit * PANEL, unit * PANEL, facecolor=GREY)
    marks.box(axes, x + pivots, y + pivots, size - pivots, size - pivots, edgecolor=INK, linewidth=2.2)
    how = {"ha": "center", "weight": "bold", "color": GREY}
    write(axes, x + pivots / 2, y + (size + pivots) / 2, "L", **how)
    write(axes, x + (size + pivots) / 2, y + pivots / 2, "U", **how)
