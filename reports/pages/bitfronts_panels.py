"""The panels of docs/bitfronts.svg, each with its upper left corner at (x, y), in inches."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from fillpath.nouns import Array
from reports.frames.bitfronts_example import Example
from reports.frames.bitfronts_fronts import Front
from reports.pages import bitfronts_marks as marks
from reports.pages.bitfronts_marks import CELL, GREY, HIGHLIGHT, INK, colour_of, letter, write
from reports.shapes.style import PALETTE, SMALL

# The paths of a row subtree, by leaf.
PATHS: tuple[tuple[Any, str], ...] = (("-", PALETTE[0]), ((0, (1.5, 0.8)), PALETTE[2]))


def draw_entries(axes: Axes, example: Example, x: float, y: float) -> None:
    """A, and what only A^T has."""
    _row_band(axes, example, x, y)
    marks.mark(axes, x, y, example.entries, marks.entry)
    marks.mark(axes, x, y, example.both & ~example.entries, marks.mirror)


def draw_filled(axes: Axes, example: Example, x: float, y: float) -> None:
    """L + U, and under each column the front whose pivot it is."""
    _row_band(axes, example, x, y)
    marks.mark(axes, x, y, example.entries, marks.entry)
    marks.mark(axes, x, y, example.filled & ~example.entries, marks.new)
    marks.mark(axes, x, y, example.both_filled & ~example.filled, marks.zero)
    bottom = y + CELL * len(example.label) + 0.13
    for vertex, front in enumerate(example.front_of):
        write(axes, x + CELL * (vertex + 0.5), bottom, letter(front), ha="center", weight="bold", color=GREY)


def draw_tree(axes: Axes, example: Example, x: float, y: float) -> None:
    """The elimination tree with vertices and labels, and the row subtree with leaves and branches."""
    parent = example.parent.tolist()
    across, down = marks.places(parent, np.argsort(example.label))
    place = {v: (x + 1.45 * across[v], y + 0.16 + 0.44 * down[v]) for v in range(len(parent))}
    for vertex, above in enumerate(parent):
        if above >= 0:
            axes.plot(*zip(place[vertex], place[above], strict=True), color=GREY, linewidth=1, zorder=0.5)
    notes = _notes(example)
    for (line, colour), leaf in zip(PATHS, example.leaves, strict=True):
        points = [place[vertex] for vertex in (*leaf.path, leaf.branch)]
        axes.plot(*zip(*points, strict=True), linestyle=line, color=colour, linewidth=4, zorder=0.7)
        notes[leaf.vertex] = ("leaf", colour)
        notes[leaf.branch] = (f"branch of {leaf.vertex}", colour)
    for vertex, (left, top) in place.items():
        face = HIGHLIGHT if vertex == example.row else "white"
        marks.node(axes, left, top, vertex, face)
        write(axes, left + 0.19, top, str(example.label[vertex]), size=SMALL - 1, color=GREY, style="italic")
        text, colour = notes[vertex]
        weight = "normal" if text == "entry" else "bold"
        write(axes, left + 0.34, top, text, size=SMALL - 1, color=colour, weight=weight)


def draw_fronts(axes: Axes, example: Example, x: float, y: float) -> None:
    """The fronts on their tree, pivots | list."""
    parent = [-1 if front.parent is None else front.parent for front in example.fronts]
    across, down = marks.places(parent, np.arange(len(parent)))
    middle = [x + 0.75 + 1.5 * across[k] for k in range(len(parent))]
    top = [y + 0.02 + 0.72 * down[k] for k in range(len(parent))]
    side = 0.24
    for number, front in enumerate(example.fronts):
        left = middle[number] - side * len(front.members) / 2
        if front.parent is not None:
            ends = [middle[number], middle[front.parent]], [top[number], top[front.parent] + side]
            axes.plot(*ends, color=GREY, linewidth=1, zorder=0.5)
        for place, vertex in enumerate(front.members):
            pivot = place < front.pivots
            face = HIGHLIGHT if vertex == example.row else "#e4e4e4" if pivot else "white"
            how = {"facecolor": face, "edgecolor": GREY, "linewidth": 0.6}
            marks.box(axes, left + side * place, top[number], side, side, **how)
            weight = "bold" if pivot else "normal"
            write(
                axes,
                left + side * (place + 0.5),
                top[number] + side / 2,
                str(vertex),
                ha="center",
                weight=weight,
            )
        how = {"edgecolor": colour_of(example.fronts, number), "linewidth": 2.2}
        marks.box(axes, left, top[number], side * len(front.members), side, **how)
        if front.pivots < len(front.members):
            divide = left + side * front.pivots
            axes.plot([divide] * 2, [top[number], top[number] + side], color=INK, linewidth=2)
        write(axes, left - 0.08, top[number] + side / 2, letter(number), ha="right", weight="bold")


def draw_bits(axes: Axes, example: Example, x: float, y: float) -> None:
    """Every front before and after elimination, the root rightmost, and where contributions go."""
    parent = [-1 if front.parent is None else front.parent for front in example.fronts]
    across, down = marks.places(parent, np.arange(len(parent)))
    height = max(down.values())
    widths = [0.0] * (height + 1)
    for k, front in enumerate(example.fronts):
        column = height - down[k]
        widths[column] = max(widths[column], 2 * CELL * len(front.members) + 0.88)
    corner = {k: (x + sum(widths[: height - down[k]]), y + 0.3 + 1.5 * across[k]) for k in range(len(parent))}
    for number, front in enumerate(example.fronts):
        left, top = corner[number]
        after = left + CELL * len(front.members) + 0.22
        write(axes, left - 0.2, top - 0.3, f"{letter(number)}", weight="bold")
        _draw_before(axes, example, front, left, top)
        _draw_after(axes, example, number, after, top)
        write(axes, after - 0.11, top + CELL * len(front.members) / 2, "→", ha="center")
        if front.parent is not None:
            begin = (
                after + CELL * len(front.members) + 0.05,
                top + CELL * (front.pivots + len(front.members)) / 2,
            )
            target = example.fronts[front.parent]
            end = corner[front.parent][0] - 0.25, corner[front.parent][1] + CELL * len(target.members) / 2
            arrow = {"arrowstyle": "-|>", "color": colour_of(example.fronts, number), "linewidth": 2.2}
            axes.annotate("", end, begin, arrowprops={**arrow, "shrinkA": 0, "shrinkB": 0})


def _draw_before(axes: Axes, example: Example, front: Front, x: float, y: float) -> None:
    marks.cells(axes, x, y, len(front.members))
    marks.numbers(axes, x, y, front.members, example.row)
    colours: dict[tuple[int, int], list[str]] = defaultdict(list)
    for contribution in front.contributions:
        for row in contribution.places.tolist():
            for column in contribution.places.tolist():
                colours[row, column].append(colour_of(example.fronts, contribution.child))
    for (row, column), both in colours.items():
        marks.coloured(axes, x, y, row, column, both)
    _draw_set(axes, front, front.before, x, y)


def _draw_after(axes: Axes, example: Example, number: int, x: float, y: float) -> None:
    front = example.fronts[number]
    marks.cells(axes, x, y, len(front.members))
    marks.numbers(axes, x, y, front.members, example.row, left=False)
    _draw_set(axes, front, front.after, x, y)
    marks.mark(axes, x, y, front.after & ~front.before, marks.new)
    if front.parent is not None:
        first, side = CELL * front.pivots, CELL * (len(front.members) - front.pivots)
        how = {"edgecolor": colour_of(example.fronts, number), "linewidth": 2.2}
        marks.box(axes, x + first, y + first, side, side, **how)


def _draw_set(axes: Axes, front: Front, bits: Array, x: float, y: float) -> None:
    """The bits that were there before elimination, and the zeros of `bits`."""
    marks.mark(axes, x, y, front.entries, marks.entry)
    marks.mark(axes, x, y, front.before & ~front.entries, marks.inherited)
    marks.mark(axes, x, y, ~bits, marks.zero)


def _row_band(axes: Axes, example: Example, x: float, y: float) -> None:
    """The lines and numbers of n x n cells, the followed row coloured."""
    n = len(example.label)
    marks.cells(axes, x, y, n)
    marks.numbers(axes, x, y, range(n), example.row)
    marks.box(axes, x, y + CELL * example.row, CELL * n, CELL, facecolor=HIGHLIGHT, zorder=0.2)


def _notes(example: Example) -> dict[int, tuple[str, str]]:
    """What is written beside a vertex, and its colour."""
    row = example.both[example.row]
    below = range(example.row)
    return {v: ("entry" if v in below and row[v] else "", GREY) for v in range(len(row))}
