"""A table as a picture: columns under group headings, rows with an optional rule above."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.shapes.style import LARGE, NORMAL, new_figure

ROW = 0.3
# Inches that a letter takes.
LETTER = 0.112


@dataclass(frozen=True)
class Column:
    """A column. heading may have two lines; group : the heading above it; width in inches."""

    heading: str
    width: float
    group: str = ""
    left: bool = False


def matrix_column(rows: Sequence[Sequence[str]]) -> Column:
    """The first column, as wide as its texts."""
    return Column("matrix", max(3.0, LETTER * max(len(row[0]) for row in rows)), left=True)


def machine_column(rows: Sequence[Sequence[str]]) -> Column:
    """The last column, as wide as its texts."""
    return Column("measured on", max(2.0, LETTER * max(len(row[-1]) for row in rows)))


def table(
    title: str, columns: Sequence[Column], rows: Sequence[Sequence[str]], shaded: Sequence[bool]
) -> Figure:
    """The table. shaded : rows on a grey ground."""
    width, height = sum(column.width for column in columns) + 0.3, ROW * (len(rows) + 4.6)
    figure = new_figure(width, height, layout=None)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set_xlim(0, width)
    axes.set_ylim(height, 0)
    axes.text(0.15, 0.3, title, fontsize=LARGE, weight="bold", va="center")
    _headings(axes, columns)
    for number, (row, grey) in enumerate(zip(rows, shaded, strict=True)):
        middle = ROW * (4.4 + number)
        if grey:
            axes.axhspan(middle - ROW / 2, middle + ROW / 2, color="#ececec", linewidth=0)
        for x, column, text in zip(_positions(columns), columns, row, strict=True):
            axes.text(x, middle, text, ha="left" if column.left else "right", va="center", fontsize=NORMAL)
    return figure


def _headings(axes: Axes, columns: Sequence[Column]) -> None:
    places = _positions(columns)
    for group in dict.fromkeys(column.group for column in columns if column.group):
        inside = [(x, column) for x, column in zip(places, columns, strict=True) if column.group == group]
        start, end = inside[0][0] - (0 if inside[0][1].left else inside[0][1].width - 0.2), inside[-1][0]
        axes.text((start + end) / 2, ROW * 1.9, group, ha="center", va="center", weight="bold")
        axes.plot([start, end], [ROW * 2.35] * 2, color="black", linewidth=1)
    for x, column in zip(places, columns, strict=True):
        axes.text(
            x, ROW * 3.05, column.heading, ha="left" if column.left else "right", va="center", linespacing=1.1
        )
    axes.plot([0.1, axes.get_xlim()[1] - 0.1], [ROW * 3.8] * 2, color="black", linewidth=1.2)


def _positions(columns: Sequence[Column]) -> list[float]:
    """Where each column's text is anchored: its left edge or its right edge."""
    edges = [0.15 + sum(column.width for column in columns[:i]) for i in range(len(columns))]
    return [x if column.left else x + column.width - 0.1 for x, column in zip(edges, columns, strict=True)]
