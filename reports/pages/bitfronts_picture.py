"""docs/bitfronts.svg: a small example carried through all steps of `bitfronts_gpu` and `bitfronts_cpu`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.frames.bitfronts_example import Example
from reports.pages import bitfronts_marks as marks
from reports.pages import bitfronts_panels as panels
from reports.pages.bitfronts_marks import listed, write
from reports.shapes import style

WIDTH, HEIGHT = 11.4, 8.05


class Panel(NamedTuple):
    """A panel: where its title begins, and how far below that its drawing does, in inches."""

    x: float
    y: float
    down: float
    title: str
    draw: Callable[[Axes, Example, float, float], None]


PANELS = (
    Panel(0.1, 0.1, 1.08, "1  A and A | Aᵀ", panels.draw_entries),
    Panel(3.0, 0.1, 0.92, "2  Elimination tree of A | Aᵀ", panels.draw_tree),
    Panel(7.3, 0.1, 0.98, "3  Fronts", panels.draw_fronts),
    Panel(0.1, 4.25, 0.86, "4  Bits of the fronts, before → after elimination", panels.draw_bits),
    Panel(8.75, 4.25, 1.27, "5  L + U", panels.draw_filled),
)


def draw(example: Example, picture: Path) -> None:
    """Write the picture."""
    figure = example_figure(example)
    style.write_picture(figure, picture, style.measured(figure))


def example_figure(example: Example) -> Figure:
    """The five panels, left to right and top to bottom."""
    figure, axes = marks.page(WIDTH, HEIGHT)
    for panel, lines in zip(PANELS, captions(example), strict=True):
        marks.heading(axes, panel.x, panel.y, panel.title, lines)
        panel.draw(axes, example, panel.x + 0.22, panel.y + panel.down)
    _legend(axes, example.row, 0.1, HEIGHT - 0.1)
    return figure


def captions(example: Example) -> tuple[tuple[str, ...], ...]:
    """The lines under each panel's title, with the numbers of the example."""
    row, entries, filled = example.row, example.entries, example.filled
    beside = int(entries.sum()) - len(entries)
    alone = int((example.both & ~entries).sum())
    fill = int((filled & ~entries).sum())
    zeros = int((example.both_filled & ~filled).sum())
    lists = [k for k, front in enumerate(example.fronts) if row in front.members[front.pivots :]]
    sources = dict.fromkeys(example.front_of[np.flatnonzero(filled[row, :row])].tolist())
    return (
        (
            f"A has {beside} entries off its diagonal,",
            f"{alone} of them without a mirror. Tree",
            "and fronts are those of A | Aᵀ.",
        ),
        (
            "In circles the vertices, in italics their labels, a postorder.",
            f"Row {row}'s subtree: from each leaf a path up to its branch.",
            "The row's other entries have a leaf below them.",
        ),
        (
            "Pivots | list: the rows below that the pivots reach.",
            "Columns are one front only where that adds no member.",
            f"Row {row} is in the lists of {listed(lists)}.",
        ),
        (
            "Before: A's entries in the pivots' rows and columns, and what the children left over.",
            "After: the framed square goes into the parent, to the cells of the same colour.",
        ),
        (
            f"{fill} entries are fill. {zeros} bits stay 0: these",
            "are entries of A | Aᵀ's fill alone.",
            f"Row {row} of L is read from {listed(list(sources))};",
            "each column's front is below it.",
        ),
    )


def _legend(axes: Axes, row: int, x: float, y: float) -> None:
    shapes = (
        (marks.entry, "entry of A", 1.25),
        (marks.mirror, "entry of Aᵀ alone", 1.8),
        (marks.new, "added by elimination", 2.05),
        (marks.inherited, "left over by a child", 1.95),
        (marks.zero, "bit that is 0", 1.35),
    )
    for shape, text, room in shapes:
        shape(axes, x + 0.08, y)
        write(axes, x + 0.22, y, text)
        x += room
    marks.box(axes, x, y - 0.08, 0.3, 0.16, facecolor=marks.HIGHLIGHT)
    write(axes, x + 0.38, y, f"row {row}, followed through all panels")
