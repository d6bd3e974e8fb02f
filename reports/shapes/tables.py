"""A table as a picture: columns under group headings, one line per row of a frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd
from matplotlib.axes import Axes

from reports.shapes.cells import Cells, Heading, Line, TablePicture
from reports.shapes.style import LARGE, NORMAL, set_look

Row = Mapping[Any, Any]
COUNT = "{:,.0f}".format
# Inches of a row, of what is printed below it, and of a letter.
ROW, BELOW, LETTER = 0.3, 0.24, 0.112
# Inches between two columns.
GAP = 0.2
MEASURED_ON = "measured on"


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
        return status_text(str(row[self.why])) if self.why and isinstance(row["machine"], str) else "-"


@dataclass(frozen=True)
class Words:
    """A column of text, as wide as its longest cell.

    width : the least, in inches.
    text : of a row.
    left : whether it is aligned to the left.
    """

    heading: str
    width: float
    text: Callable[[Row], str]
    left: bool = False
    group: ClassVar[str] = ""


AnyColumn = Column | Words


def status_text(status: str) -> str:
    """A status as people write it."""
    return status.replace("_", " ")


def matrix_column(preparations: bool = False) -> Words:
    """The matrix of a row, with its preparation where there are several."""
    return Words("matrix", 1.4, lambda row: matrix_text(row, preparations), left=True)


def matrix_text(row: Row, preparation: bool = False) -> str:
    """A row's matrix on one line, and the first of what it stands in for."""
    prepared = preparation and not pd.isna(row["preparation"])
    name = str(row["label"]) + (f", {row['preparation']}" if prepared else "")
    if not isinstance(row["stand_in_for"], str):
        return name
    first, *others = row["stand_in_for"].split(", ")
    more = f" and {len(others)} more" if len(others) > 1 else "".join(f", {other}" for other in others)
    return f"{name}, stand-in: {first}{more}"


def where_column(status: str = "status") -> Words:
    """Where a row was measured, or why it has no number. status : the column that says so."""

    def where(row: Row) -> str:
        return str(row["where"]) if row[status] == "ok" else status_text(str(row[status]))

    return Words(MEASURED_ON, 2.0, where)


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
        lines = [
            Line([column.text(row) for column in self.columns], shaded=self.shaded(row))
            for row in frame.to_dict("records")
        ]
        return draw_table(title, self.columns, lines or [Line([self.empty, *[""] * (len(self.columns) - 1)])])


def draw_table(title: str, columns: Sequence[AnyColumn], lines: Sequence[Line]) -> TablePicture:
    """The table of these lines, under the columns' headings."""
    widths = [_width(column, place, lines) for place, column in enumerate(columns)]
    places = _places(columns, widths)
    heights = [ROW + (BELOW if line.printed else 0.0) for line in lines]
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


def _width(column: AnyColumn, place: int, lines: Sequence[Line]) -> float:
    """Inches of a column: its own, or those of its longest text."""
    cells = [text for line in lines for text in (line.cells[place], *line.printed[place : place + 1])]
    longest = max(map(len, (*column.heading.split("\n"), *cells)))
    return max(column.width, LETTER * longest + GAP)


def _line(
    axes: Axes, middle: float, columns: Sequence[AnyColumn], places: Sequence[float], line: Line
) -> None:
    """A line of cells, and below it, in grey, what is printed of it."""
    for y, texts, colour in ((middle, line.cells, "black"), (middle + BELOW, line.printed, "#555555")):
        for x, column, text in zip(places, columns, texts, strict=False):
            axes.text(x, y, text, ha=_side(column), va="center", fontsize=NORMAL, color=colour)


def _headings(
    axes: Axes, columns: Sequence[AnyColumn], places: Sequence[float], widths: Sequence[float]
) -> None:
    for group in dict.fromkeys(column.group for column in columns if column.group):
        inside = [i for i, column in enumerate(columns) if column.group == group]
        start, end = places[inside[0]] - widths[inside[0]] + GAP, places[inside[-1]]
        axes.text((start + end) / 2, ROW * 1.9, group, ha="center", va="center", weight="bold")
        axes.plot([start, end], [ROW * 2.35] * 2, color="black", linewidth=1)
    for x, column in zip(places, columns, strict=True):
        axes.text(x, ROW * 3.05, column.heading, ha=_side(column), va="center", linespacing=1.1)
    axes.plot([0.1, axes.get_xlim()[1] - 0.1], [ROW * 3.8] * 2, color="black", linewidth=1.2)


def _places(columns: Sequence[AnyColumn], widths: Sequence[float]) -> list[float]:
    """Where each column's text is anchored: its left edge or its right edge."""
    edges = [0.15 + sum(widths[:number]) for number in range(len(widths))]
    return [
        x if column.left else x + width - 0.1 for x, column, width in zip(edges, columns, widths, strict=True)
    ]


def _side(column: AnyColumn) -> str:
    return "left" if column.left else "right"
