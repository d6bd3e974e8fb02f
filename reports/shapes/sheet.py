"""A table as a picture: columns under group headings, a line per row of a frame, its print below in grey."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from fillpath.twins import TWIN_OF
from reports.shapes.cells import Cells, Heading, Line, TablePicture
from reports.shapes.style import LARGE, set_look

COUNT = "{:,.0f}".format
MARKS = {"equal": "=", "differs": "\N{NOT EQUAL TO}"}
# Of the letters.
SIZE = 11
# Inches of a digit, of a letter among words, of a bold letter; of a row, and of what stands below its cells.
DIGIT, LETTER, BOLD, ROW, BELOW = 0.1, 0.09, 0.105, 0.28, 0.22
# Inches between two columns.
GAP = 0.18


def plain(value: float) -> str:
    """Return a number of a table, in three digits or as an integer."""
    return f"{float(value):,.0f}" if value >= 999.5 else f"{float(value):.3g}"


@dataclass(frozen=True)
class Column:
    """A column of a sheet.

    `<value>_is` marks its numbers as equal to the print or not; `paper_<value>` is the print, where the frame
    has these columns.

    heading : may have two lines
    value : the frame's column; a text in it stands as it is
    form : of a number
    group : the heading above it
    why : the column that says why there is no number
    empty : stands for no number and no reason
    left : whether it is aligned to the left
    """

    heading: str
    value: str
    form: Callable[[Any], str] = plain
    group: str = ""
    why: str = ""
    empty: str = "-"
    left: bool = False

    def cells(self, frame: pd.DataFrame) -> pd.Series[str]:
        """Return the cells of all rows."""
        why = pd.Series(frame[self.why] if self.why else None, frame.index, dtype="object")
        why = why.where(why != "ok").map(lambda status: status.replace("_", " "), na_action="ignore")
        texts = self._texts(frame[self.value]).fillna(why).fillna(self.empty)
        if (marks := f"{self.value}_is") not in frame:
            return texts
        return (texts + " " + frame[marks].map(MARKS).fillna("")).str.strip()

    def printed(self, frame: pd.DataFrame) -> pd.Series[str]:
        """Return what the paper prints; empty for a column that the paper does not have."""
        name = f"paper_{self.value}"
        if name not in frame:
            return pd.Series("", frame.index)
        return self._texts(frame[name]).fillna("-")

    def _texts(self, values: pd.Series[Any]) -> pd.Series[Any]:
        def text(value: Any) -> str:
            return value if isinstance(value, str) else self.form(value)

        return values.astype("object").map(text, na_action="ignore").astype("object")


@dataclass(frozen=True)
class Sheet:
    """One line per row, after its matrix; below the first line of a matrix what the paper prints of it.

    derived : the frame with columns that only the picture has; `printed_of` names the matrix that a row's
        print is of, where that is another
    matrix : whether the matrix is the first column
    empty : stands in a table without rows
    """

    columns: Sequence[Column]
    derived: Callable[[pd.DataFrame], pd.DataFrame] = lambda frame: frame
    matrix: bool = True
    empty: str = "nothing was measured"

    def __call__(self, frame: pd.DataFrame, title: str) -> TablePicture:
        rows = self.derived(frame)
        columns = [*([Column("matrix", "shown", left=True)] if self.matrix else []), *self.columns]
        if rows.empty:
            return draw_table(title, columns, [Line([self.empty, *[""] * (len(columns) - 1)])])
        rows = rows.assign(shown=_names(rows)) if self.matrix else rows
        texts = pd.concat([column.cells(rows) for column in columns], axis=1).to_numpy().tolist()
        shaded = rows["stand_in_for"].notna() if self.matrix else pd.Series(False, rows.index)
        lines = zip(texts, self._below(rows), shaded.tolist(), strict=True)
        return draw_table(title, columns, [Line(*line) for line in lines])

    def _below(self, rows: pd.DataFrame) -> list[list[str]]:
        """Return what stands below each line: the print, or what a matrix stands in for."""
        if not self.matrix:
            return [[] for _ in rows.index]
        names = [f"paper_{column.value}" for column in self.columns if f"paper_{column.value}" in rows]
        is_printed = rows[names].notna().any(axis=1) & ~rows["label"].duplicated()
        whose = (
            "printed of " + rows["printed_of"]
            if "printed_of" in rows
            else pd.Series(None, rows.index, dtype="object")
        )
        texts = pd.concat([column.printed(rows) for column in self.columns], axis=1)
        texts.insert(0, "whose", whose.fillna("printed"))
        rest, others = [""] * len(self.columns), rows["stand_in_for"].where(~_is_twin(rows))
        instead = [[_stand_in(names), *rest] if isinstance(names, str) else [] for names in others]
        printed = texts.to_numpy().tolist()
        return [
            below if is_own else other
            for below, other, is_own in zip(printed, instead, is_printed, strict=True)
        ]


def _is_twin(rows: pd.DataFrame) -> pd.Series[bool]:
    return rows["label"].astype(str).str.startswith(TWIN_OF)


def _names(rows: pd.DataFrame) -> pd.Series[str]:
    """Return the matrices, with their preparation where there are several."""
    if "preparation" not in rows or rows["preparation"].nunique() < 2:
        return rows["label"].astype(str)
    return rows["label"] + (", " + rows["preparation"].astype("object")).fillna("")


def _stand_in(names: str) -> str:
    """Return the first of what a matrix stands in for, and how many more."""
    first, *others = names.split(", ")
    more = f" and {len(others)} more" if len(others) > 1 else "".join(f", {other}" for other in others)
    return f"stand-in: {first}{more}"


def draw_table(title: str, columns: Sequence[Column], lines: Sequence[Line]) -> TablePicture:
    """Draw the table of these lines, under the columns' headings."""
    widths = _widths(columns, lines)
    edges = [0.15, *accumulate(widths, initial=0.15)][1:-1]
    places = [
        x if column.left else x + width - 0.1 for x, column, width in zip(edges, columns, widths, strict=True)
    ]
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
    for top, line, high in zip(accumulate(heights, initial=3.9 * ROW), lines, heights, strict=False):
        if line.shaded:
            axes.axhspan(top, top + high, color="#ececec", linewidth=0)
        _line(axes, top + ROW / 2 + SIZE / 200, columns, places, line)
    return figure


def _widths(columns: Sequence[Column], lines: Sequence[Line]) -> list[float]:
    """Return the inches of each column; the first of a group takes what the group's heading needs more."""
    widths = []
    for place, column in enumerate(columns):
        cells = [text for line in lines for text in (line.cells[place], *line.below[place : place + 1])]
        longest = max(map(len, (*column.heading.split("\n"), *cells)))
        widths.append((LETTER if column.left else DIGIT) * longest + GAP)
    for group, inside in _groups(columns).items():
        needed = BOLD * len(group) + GAP
        widths[inside[0]] += max(0.0, needed - sum(widths[place] for place in inside))
    return widths


def _groups(columns: Sequence[Column]) -> dict[str, list[int]]:
    """Return the places of the columns below each group's heading."""
    groups: dict[str, list[int]] = {}
    for place, column in enumerate(columns):
        if column.group:
            groups.setdefault(column.group, []).append(place)
    return groups


def _line(axes: Axes, base: float, columns: Sequence[Column], places: Sequence[float], line: Line) -> None:
    """Write a line of cells, and in grey what stands below them."""
    for y, texts, colour in ((base, line.cells, "black"), (base + BELOW, line.below, "#555555")):
        for x, column, text in zip(places, columns, texts, strict=False):
            axes.text(x, y, text, ha=_side(column), va="baseline", fontsize=SIZE, color=colour)


def _headings(
    axes: Axes, columns: Sequence[Column], places: Sequence[float], widths: Sequence[float]
) -> None:
    for group, inside in _groups(columns).items():
        start, end = places[inside[0]] - widths[inside[0]] + GAP, places[inside[-1]]
        axes.text((start + end) / 2, ROW * 1.9, group, ha="center", va="center", fontsize=SIZE, weight="bold")
        axes.plot([start, end], [ROW * 2.35] * 2, color="black", linewidth=1)
    for x, column in zip(places, columns, strict=True):
        axes.text(
            x, ROW * 3.05, column.heading, ha=_side(column), va="center", fontsize=SIZE, linespacing=1.1
        )
    axes.plot([0.1, axes.get_xlim()[1] - 0.1], [ROW * 3.8] * 2, color="black", linewidth=1.2)


def _side(column: Column) -> str:
    return "left" if column.left else "right"
