"""docs/fronts.svg: the example of docs/bitfronts.svg with values, up to the solution of A x = b."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.frames.fronts_example import CHAIN, LEAF, SHOWN, ZEROS, System
from reports.pages import bitfronts_marks as marks
from reports.pages import fronts_panels as panels
from reports.pages.bitfronts_marks import letter, listed, write
from reports.pages.fronts_tasks import draw_tasks
from reports.shapes import style

WIDTH, HEIGHT = 11.5, 11.15


class Panel(NamedTuple):
    """A panel: its corner and size, and how far below its title its drawing begins, in inches."""

    x: float
    y: float
    width: float
    height: float
    down: float
    title: str
    draw: Callable[[Axes, System, float, float], None]


PANELS = (
    Panel(0.1, 0.1, 6.4, 4.75, 1.4, "1  A x = b, and the fronts of A | Aᵀ", panels.draw_system),
    Panel(6.75, 0.1, 4.65, 2.1, 1.27, f"2  Front {letter(SHOWN)}, assembled", panels.draw_assembly),
    Panel(6.75, 2.45, 4.65, 2.4, 1.27, f"3  Front {letter(SHOWN)}, eliminated", panels.draw_elimination),
    Panel(0.1, 5.0, 11.3, 2.55, 0.98, "4  Tasks on the GPU", draw_tasks),
    Panel(0.1, 7.75, 11.3, 3.05, 1.12, "5  Solves", panels.draw_solves),
)


def draw(system: System, picture: Path) -> None:
    """Write the picture."""
    figure = system_figure(system)
    style.write_picture(figure, picture, style.measured(figure))


def system_figure(system: System) -> Figure:
    """The five panels, left to right and top to bottom."""
    figure, axes = marks.page(WIDTH, HEIGHT)
    for panel, lines in zip(PANELS, captions(system), strict=True):
        marks.heading(axes, panel.x, panel.y, panel.title, lines)
        panel.draw(axes, system, panel.x + 0.22, panel.y + panel.down)
    _legend(axes, system.bits.row, 0.1, HEIGHT - 0.1)
    return figure


def captions(system: System) -> tuple[tuple[str, ...], ...]:
    """The lines under each panel's title, with the names and numbers of the example."""
    front, name = system.fronts[SHOWN], letter(SHOWN)
    (part,) = front.contributions
    above = system.parents[SHOWN]
    children = listed([other.child for other in system.fronts[above].contributions])
    spread = [front.members[place] for place in part.places]
    first, second = (listed([k for k in system.order if system.begins[k] == begin]) for begin in (0, 1))
    return (
        (
            "Framed: the pivots of each front. Behind the bar: its list, the rows below that they reach.",
            "Thick: merged for few zeros, which take at most "
            f"{_percent(ZEROS)} of the lower front's columns.",
            f"Below {CHAIN} columns, and in subtrees of up to {LEAF}, zeros do not count: "
            f"all {len(system.b)} would be one.",
            f"Here the {len(system.fronts)} stay apart, to have something to show.",
        ),
        (
            f"A's entries in the rows and columns of {_joined(front.members[: front.pivots])}, and",
            f"{letter(part.child)}'s contribution: {_joined(spread)} have places "
            f"{_joined(part.places.tolist())} in {name}.",
        ),
        (
            "Above the line U, below it L without its ones. Framed:",
            f"its contribution. {letter(above)} adds up those of {children}.",
        ),
        (
            f"Fronts in the order in which they could begin, 1 to {len(system.order)}: {first} side by "
            f"side, then {second}; {letter(above)} waits for {children}. Tasks are taken in this",
            "order, so that whoever is waited for runs or is done. On the right, the tasks of one front that "
            "is too large for shared memory.",
        ),
        (
            "Forward, solid arrows: y of the pivots, and u, which the parent adds to its right-hand sides, "
            "in the cells of the same colour.",
            "Backward, dashed arrows: x of the list comes from above, in grey; x of the pivots follows from "
            "y and U.",
        ),
    )


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _joined(numbers: Sequence[int]) -> str:
    return ", ".join(str(number) for number in numbers[:-1]) + f" and {numbers[-1]}"


def _legend(axes: Axes, row: int, x: float, y: float) -> None:
    marks.zero(axes, x + 0.08, y)
    write(axes, x + 0.22, y, "value that is 0")
    x += 1.6
    marks.box(axes, x, y - 0.08, 0.3, 0.16, facecolor=marks.tint(marks.FRONT_COLOURS[0]))
    write(axes, x + 0.38, y, "a child adds to it")
    x += 1.95
    marks.box(axes, x, y - 0.08, 0.3, 0.16, edgecolor=marks.FRONT_COLOURS[0], linewidth=2.2)
    write(axes, x + 0.38, y, "goes to the parent")
    x += 2.05
    marks.box(axes, x, y - 0.08, 0.3, 0.16, facecolor=marks.HIGHLIGHT)
    write(axes, x + 0.38, y, f"row {row}")
    x += 1.35
    write(axes, x, y, "Numbers are rounded to two places.")
