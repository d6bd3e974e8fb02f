"""A table as a picture: columns under group headings, one line per row of a frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd
from matplotlib.axes import Axes

from fillpath.dicts import Row, dicts
from fillpath.twins import TWIN_OF
from reports.shapes.cells import Cells, Heading, Line, TablePicture
from reports.shapes.style import LARGE, set_look

COUNT = "{:,.0f}".format
# Of the letters.
SIZE = 11
# Inches of a digit, of a letter among words, of one in bold; of a row, and of what stands below its cells.
DIGIT, LETTER, BOLD, ROW, BELOW = 0.1, 0.09, 0.105, 0.28, 0.22
# Inches between two columns.
GAP = 0.18


@dataclass(frozen=True)
class Column:
    """A column of numbers.

    heading : may have two lines.
    width : in inches.
    group : the heading above it.
    value : the frame's column; a text in it stands as it is.
    form : of a number.
    why : the column that says why there is no number.
    """

    heading: str
    width: float
    group: str
    value: str
    form: Callable[[Any], str] = str
    why: str = ""
    left: ClassVar[bool] = False

    def text(self, row: Row) -> str:
        """The cell; `-` for no number and no reason."""
        value = row[self.value]
        if bool(pd.notna(value)):
            return status_text(value) if isinstance(value, str) else self.form(value)
        why = row[self.why] if self.why and isinstance(row["machine"], str) else None
        return status_text(why) if isinstance(why, str) else "-"


@dataclass(frozen=True)
class Words:
    """A column of text, as wide as its longest cell.

    width : the least, in inches.
    text : of a row.
    left : whether it is aligned to the left.
    below : what stands below the text.
    """

    heading: str
    width: float
    text: Callable[[Row], str]
    left: bool = False
    below: Callable[[Row], str] = lambda row: ""
    group: ClassVar[str] = ""


AnyColumn = Column | Words


def status_text(status: str) -> str:
    """A status as people write it."""
    return status.replace("_", " ")


def matrix_column(preparations: bool = False) -> Words:
    """The matrix of a row, with its preparation where there are several, and what it stands in for."""

    def name(row: Row) -> str:
        prepared = preparations and isinstance(row["preparation"], str)
        return str(row["label"]) + (f", {row['preparation']}" if prepared else "")

    return Words("matrix", 1.4, name, left=True, below=_stand_in)


def _stand_in(row: Row) -> str:
    """The first of what a row's matrix stands in for, and how many more."""
    if not isinstance(row["stand_in_for"], str) or str(row["label"]).startswith(TWIN_OF):
        return ""
    first, *others = row["stand_in_for"].split(", ")
    more = f" and {len(others)} more" if len(others) > 1 else "".join(f", {other}" for other in others)
    return f"stand-in: {first}{more}"


@dataclass(frozen=True)
class Table:
    """One line per row of the frame.

    shaded : whether a row stands on grey; those of stand-ins do.
    empty : stands in a table without rows.
    """

    columns: Sequence[AnyColumn]
    shaded: Callable[[Row], bool] = lambda row: isinstance(row["stand_in_for"], str)
    empty: str = ""

    def __call__(self, frame: pd.DataFrame, title: str) -> TablePicture:
        lines = [line_of(self.columns, row, self.shaded(row)) for row in dicts(frame)]
        return draw_table(title, self.columns, lines or [Line([self.empty, *[""] * (len(self.columns) - 1)])])


def line_of(columns: Sequence[AnyColumn], row: Row, shaded: bool) -> Line:
    """A row's cells, and what stands below them."""
    below = [column.below(row) if isinstance(column, Words) else "" for column in columns]
    return Line([column.text(row) for column in columns], below if any(below) else [], shaded)


def draw_table(title: str, columns: Sequence[AnyColumn], lines: Sequence[Line]) -> TablePicture:
    """The table of these lines, under the columns' headings."""
    widths = _widths(columns, lines)
    places = _places(columns, widths)
    heights = [ROW + (BELOW if line.below else 0.0) for line in lines]
    width, height = sum(widths) + 0.3, 4.6 * ROW + sum(heights)
    headings = [Heading(column.heading, column.group, column.left) for column in columns]
    set_look()
    figure = TablePicture(Cells(headings, lines), figsize=(width, height))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.text(0.15, 0.3, title, fontsize=LARGE, weight="bold", va="center")
    _headings(axes, columns, places, widths)
    top = 3.9 * ROW
    for line, high in zip(lines, heights, strict=True):
        if line.shaded:
            axes.axhspan(top, top + high, color="#ececec", linewidth=0)
        _line(axes, top + ROW / 2, columns, places, line)
        top += high
    return figure


def _widths(columns: Sequence[AnyColumn], lines: Sequence[Line]) -> list[float]:
    """Inches of each column; the first of a group takes what the group's heading needs more."""
    widths = [_width(column, place, lines) for place, column in enumerate(columns)]
    for group in dict.fromkeys(column.group for column in columns if column.group):
        inside = [place for place, column in enumerate(columns) if column.group == group]
        needed = BOLD * len(group) + GAP
        widths[inside[0]] += max(0.0, needed - sum(widths[place] for place in inside))
    return widths


def _width(column: AnyColumn, place: int, lines: Sequence[Line]) -> float:
    """Inches of a column: its own, or those of its longest text."""
    cells = [text for line in lines for text in (line.cells[place], *line.below[place : place + 1])]
    longest = max(map(len, (*column.heading.split("\n"), *cells)))
    return max(column.width, (LETTER if column.left else DIGIT) * longest + GAP)


def _line(
    axes: Axes, middle: float, columns: Sequence[AnyColumn], places: Sequence[float], line: Line
) -> None:
    """A line of cells, and in grey what stands below them."""
    base = middle + SIZE / 200
    for y, texts, colour in ((base, line.cells, "black"), (base + BELOW, line.below, "#555555")):
        for x, column, text in zip(places, columns, texts, strict=False):
            axes.text(x, y, text, ha=_side(column), va="baseline", fontsize=SIZE, color=colour)


def _headings(
    axes: Axes, columns: Sequence[AnyColumn], places: Sequence[float], widths: Sequence[float]
) -> None:
    for group in dict.fromkeys(column.group for column in columns if column.group):
        inside = [i for i, column in enumerate(columns) if column.group == group]
        start, end = places[inside[0]] - widths[inside[0]] + GAP, places[inside[-1]]
        axes.text((start + end) / 2, ROW * 1.9, group, ha="center", va="center", fontsize=SIZE, weight="bold")
        axes.plot([start, end], [ROW * 2.35] * 2, color="black", linewidth=1)
    for x, column in zip(places, columns, strict=True):
        axes.text(
            x, ROW * 3.05, column.heading, ha=_side(column), va="center", fontsize=SIZE, linespacing=1.1
        )
    axes.plot([0.1, axes.get_xlim()[1] - 0.1], [ROW * 3.8] * 2, color="black", linewidth=1.2)


def _places(columns: Sequence[AnyColumn], widths: Sequence[float]) -> list[float]:
    """Where each column's text is anchored: its left edge or its right edge."""
    edges = [0.15 + sum(widths[:number]) for number in range(len(widths))]
    return [
        x if column.left else x + width - 0.1 for x, column, width in zip(edges, columns, widths, strict=True)
    ]


def _side(column: AnyColumn) -> str:
    return "left" if column.left else "right"
