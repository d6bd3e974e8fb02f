"""A table as a picture: columns under group headings, one line per row of a frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.shapes.groups import lines
from reports.shapes.style import LARGE, NORMAL, new_figure

Row = Mapping[Any, Any]
COUNT = "{:,.0f}".format
ROW = 0.3
# Inches that a letter takes.
LETTER = 0.112
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
    return Words("matrix", 3.0, lambda row: lines(row, preparations).replace("\n", ", "), left=True)


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

    def __call__(self, frame: pd.DataFrame, title: str) -> Figure:
        rows = frame.to_dict("records")
        cells = [[column.text(row) for column in self.columns] for row in rows]
        if not rows:
            cells = [[self.empty, *[""] * (len(self.columns) - 1)]]
        return draw_table(title, self.columns, cells, [self.shaded(row) for row in rows] or [False])


def draw_table(
    title: str, columns: Sequence[AnyColumn], cells: Sequence[Sequence[str]], shaded: Sequence[bool]
) -> Figure:
    """The table of these cells, one line each. shaded : lines on a grey ground."""
    widths = [
        column.width if isinstance(column, Column) else max(column.width, LETTER * max(map(len, texts)))
        for column, texts in zip(columns, zip(*cells, strict=True), strict=True)
    ]
    places = _places(columns, widths)
    width, height = sum(widths) + 0.3, ROW * (len(cells) + 4.6)
    figure = new_figure(width, height, layout=None)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.text(0.15, 0.3, title, fontsize=LARGE, weight="bold", va="center")
    _headings(axes, columns, places)
    for number, (line, grey) in enumerate(zip(cells, shaded, strict=True)):
        middle = ROW * (4.4 + number)
        if grey:
            axes.axhspan(middle - ROW / 2, middle + ROW / 2, color="#ececec", linewidth=0)
        for x, column, text in zip(places, columns, line, strict=True):
            axes.text(x, middle, text, ha=_side(column), va="center", fontsize=NORMAL)
    return figure


def _headings(axes: Axes, columns: Sequence[AnyColumn], places: Sequence[float]) -> None:
    for group in dict.fromkeys(column.group for column in columns if column.group):
        inside = [(x, column) for x, column in zip(places, columns, strict=True) if column.group == group]
        start, end = inside[0][0] - (inside[0][1].width - 0.2), inside[-1][0]
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
