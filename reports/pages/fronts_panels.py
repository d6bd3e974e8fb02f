"""The panels of docs/fronts.svg with numbers, each with its upper left corner at (x, y), in inches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from reports.frames.fronts_example import SHOWN, Merger, System
from reports.pages import bitfronts_marks as marks
from reports.pages import fronts_cells as cells
from reports.pages.bitfronts_marks import CELL, GREY, HIGHLIGHT, INK, RADIUS, letter, write
from reports.pages.fronts_cells import SUM, TINY, WHOLE, WIDE, colour_in


def draw_system(axes: Axes, system: System, x: float, y: float) -> None:
    """A and b, and the elimination tree with the fronts on it."""
    n, row = len(system.b), system.bits.row
    marks.cells(axes, x, y, n, width=WHOLE)
    marks.numbers(axes, x, y, range(n), row, width=WHOLE)
    marks.box(axes, x, y + CELL * row, WHOLE * n, CELL, facecolor=HIGHLIGHT, zorder=0.2)
    for i, j in np.argwhere(system.values).tolist():
        cells.put(axes, x, y, (i, j), system.values[i, j], width=WHOLE)
    right = x + WHOLE * n + 0.12
    cells.vector(axes, right, y, "b", system.b, row)
    _draw_tree(axes, system, right + 1.0, y + 0.06)


def draw_assembly(axes: Axes, system: System, x: float, y: float) -> None:
    """A child's contribution, and the front that it is added to, each value as a sum."""
    front = system.fronts[SHOWN]
    (part,) = front.contributions
    child, size = system.fronts[part.child], len(front.members)
    members, colour = child.members[child.pivots :], colour_in(system, part.child)
    left, top = x + WIDE * len(members) + 0.87, y + CELL * (size - len(members)) / 2
    cells.name(axes, x - 0.2, top, f"{letter(part.child)}'s contribution")
    cells.square(axes, system, x, top, members)
    cells.put_all(axes, x, top, part.values)
    cells.frame(axes, x, top, 0, len(members), colour)
    for row, place in enumerate(part.places.tolist()):
        begin = x + WIDE * len(members) + 0.04, top + CELL * (row + 0.5)
        cells.arrow(axes, begin, (left - 0.22, y + CELL * (place + 0.5)), colour)
    cells.name(axes, left, y, letter(SHOWN))
    cells.square(axes, system, left, y, front.members, SUM)
    cells.tints(axes, system, left, y, front.contributions, SUM)
    added = np.zeros_like(front.entries)
    added[np.ix_(part.places, part.places)] = part.values
    for (row, column), entry in np.ndenumerate(front.entries):
        cells.put(axes, left, y, (row, column), entry, float(added[row, column]), width=SUM)


def draw_elimination(axes: Axes, system: System, x: float, y: float) -> None:
    """The front once its pivots are eliminated, and its parent, which takes over what is left."""
    front, above = system.fronts[SHOWN], system.parents[SHOWN]
    parent, size, pivots = system.fronts[above], len(front.members), front.pivots
    colour = colour_in(system, SHOWN)
    cells.name(axes, x, y, letter(SHOWN))
    cells.square(axes, system, x, y, front.members)
    cells.put_all(axes, x, y, front.after)
    cells.stairs(axes, x, y, pivots)
    cells.frame(axes, x, y, pivots, size - pivots, colour)
    how = {"weight": "bold", "color": GREY}
    write(axes, x + WIDE * pivots / 2, y + CELL * size + 0.13, "L", ha="center", **how)
    write(axes, x + WIDE * size + 0.1, y + CELL * pivots / 2, "U", **how)
    left, top = x + WIDE * size + 1.0, y + CELL * (size - len(parent.members)) / 2
    begin = x + WIDE * size + 0.05, y + CELL * (pivots + size) / 2
    cells.arrow(axes, begin, (left - 0.22, top + CELL), colour)
    cells.name(axes, left, top, f"{letter(above)}, assembled")
    cells.square(axes, system, left, top, parent.members)
    cells.tints(axes, system, left, top, parent.contributions)
    cells.put_all(axes, left, top, parent.before)


def draw_solves(axes: Axes, system: System, x: float, y: float) -> None:
    """Every front's vectors, the root rightmost: forward from left to right, backward from right to left."""
    across, _ = marks.places(system.parents, np.arange(len(system.fronts)))
    widths = [WIDE * len(front.members) for front in system.fronts]
    room = [0.0] * (max(system.begins) + 1)
    for begin, width in zip(system.begins, widths, strict=True):
        room[begin] = max(room[begin], width + 0.62)
    left = [x + 0.62 + sum(room[:begin]) for begin in system.begins]
    top = [y + 1.35 * across[number] for number in range(len(left))]
    for number, above in enumerate(system.parents):
        _draw_vectors(axes, system, number, left[number], top[number])
        if system.begins[number] == 0:
            for line, name in enumerate(("b + u", "y | u", "x")):
                where = left[number] - 0.1, top[number] + CELL * (line + 0.5)
                write(axes, *where, name, ha="right", size=TINY, style="italic")
        if above >= 0:
            here, there = left[number] + widths[number] + 0.04, left[above] - 0.05
            up = (here, top[number] + 1.5 * CELL), (there, top[above] + 0.5 * CELL)
            down = (there, top[above] + 2.5 * CELL), (here, top[number] + 2.5 * CELL)
            cells.arrow(axes, *up, colour_in(system, number))
            cells.arrow(axes, *down, GREY, linestyle=(0, (2, 1.5)))
    right, below = x + sum(room) + 0.85, y
    cells.vector(axes, right, below, "x", system.x, system.bits.row)
    for vertex in range(len(system.x)):
        write(axes, right - 0.11, below + CELL * (vertex + 0.5), str(vertex), ha="center", size=TINY)


def _draw_tree(axes: Axes, system: System, x: float, y: float) -> None:
    """The tree, its vertices framed by fronts, and what mergers add."""
    bits = system.bits
    across, down = marks.places(bits.parent.tolist(), np.argsort(bits.label))
    place = [(x + 1.5 * across[v], y + 0.48 * down[v]) for v in range(len(bits.label))]
    mergers = {merger.child: merger for merger in system.mergers}
    for vertex, above in enumerate(bits.parent.tolist()):
        if above >= 0:
            below, behind = bits.front_of[[vertex, above]].tolist()
            merger = mergers.get(below) if below != behind else None
            _draw_edge(axes, place[vertex], place[above], merger)
    for number, front in enumerate(system.fronts):
        _draw_pivots(axes, system, number, [place[v] for v in front.members[: front.pivots]])
    for vertex, (left, top) in enumerate(place):
        marks.node(axes, left, top, vertex, HIGHLIGHT if vertex == bits.row else "white")


def _draw_edge(
    axes: Axes, below: tuple[float, float], above: tuple[float, float], merger: Merger | None
) -> None:
    """An edge of the tree, thick if the fronts of its ends would be merged."""
    joins = merger is not None and merger.joins
    how: dict[str, Any] = {"color": INK, "linewidth": 5} if joins else {"color": GREY, "linewidth": 1}
    axes.plot(*zip(below, above, strict=True), zorder=0.5, **how)
    if merger is not None:
        x, y = np.mean([below, above], axis=0)
        write(axes, x + 0.23, y - 0.04, f"{100 * merger.share:.0f} % zeros", size=TINY, color=GREY)


def _draw_pivots(axes: Axes, system: System, number: int, nodes: Sequence[tuple[float, float]]) -> None:
    """A frame around a front's pivots, its name left of it and its list right of it."""
    room, front = RADIUS + 0.05, system.fronts[number]
    (left, top), (right, bottom) = np.min(nodes, axis=0) - room, np.max(nodes, axis=0) + room
    how = {"edgecolor": colour_in(system, number), "linewidth": 2.2, "zorder": 0.8}
    marks.box(axes, left, top, right - left, bottom - top, facecolor="#e4e4e4", **how)
    write(axes, left - 0.07, (top + bottom) / 2, letter(number), ha="right", weight="bold")
    if front.pivots < len(front.members):
        names = " ".join(str(vertex) for vertex in front.members[front.pivots :])
        write(axes, right + 0.06, (top + bottom) / 2, f"| {names}")


def _draw_vectors(axes: Axes, system: System, number: int, x: float, y: float) -> None:
    """A front's right-hand sides, then y and u, then x."""
    front, colour = system.fronts[number], colour_in(system, number)
    size, pivots = len(front.members), front.pivots
    marks.cells(axes, x, y, size, 3, WIDE)
    marks.numbers(axes, x, y, front.members, system.bits.row, left=False, width=WIDE)
    cells.name(axes, x, y, letter(number))
    sources: dict[int, list[str]] = defaultdict(list)
    for part in front.contributions:
        for place in part.places.tolist():
            sources[place].append(colour_in(system, part.child))
    for place, colours in sources.items():
        marks.coloured(axes, x, y, 0, place, colours, WIDE)
    if system.bits.row in front.members:
        left = x + WIDE * front.members.index(system.bits.row)
        marks.box(axes, left, y - CELL, WIDE, CELL - 0.03, facecolor=HIGHLIGHT)
    for line, values in enumerate((front.given, front.forward, front.x)):
        for place, value in enumerate(values):
            from_above = line == 2 and place >= pivots
            cells.put(axes, x, y, (line, place), value, color=GREY if from_above else INK)
    if pivots < size:
        corner = x + WIDE * pivots, y + CELL
        marks.box(axes, *corner, WIDE * (size - pivots), CELL, edgecolor=colour, linewidth=2.2)
        axes.plot([corner[0]] * 2, [y, y + 3 * CELL], color=INK, linewidth=1.2)
