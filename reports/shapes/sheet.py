"""A table: columns under group headings, a line per row with its print below. The page shows it as text.

Sheet([*columns(n="rows"), *columns("seconds", plain, "status", median="GLU3.0")])(frame, title)
"""

import itertools
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from fillpath.paths import write_text
from fillpath.twins import TWIN_OF
from reports.shapes.axes import names
from reports.shapes.bars import few
from reports.shapes.style import LARGE

MARKS = {"equal": "=", "differs": "\N{NOT EQUAL TO}"}
# Sizes of the letters.
SIZE = 11
# Inches of a letter, of a row, of the text below its cells, between columns, and around the table.
LETTER, ROW, BELOW, GAP, SIDE = 0.1, 0.28, 0.22, 0.18, 0.15


class Heading(NamedTuple):
    """A column of a table, under the heading of a group and aligned to the left where it is so."""

    text: str
    group: str = ""
    left: bool = False


class Line(NamedTuple):
    """A row of a table: a text per column, grey texts below them, and whether its ground is grey."""

    cells: Sequence[str]
    below: Sequence[str] = ()
    shaded: bool = False


class Cells(NamedTuple):
    """A table as text."""

    headings: Sequence[Heading]
    lines: Sequence[Line]

    @property
    def groups(self) -> list[tuple[str, int]]:
        """The headings above the columns, each with how many neighbours it spans."""
        names = (heading.group for heading in self.headings)
        return [(name, len(list(own))) for name, own in itertools.groupby(names)]

    @property
    def prints(self) -> bool:
        """Whether any number has a text below."""
        return any(any(line.below[1:]) for line in self.lines)

    def write(self, path: Path) -> None:
        """Write as JSON: same cells, same bytes."""
        write_text(path, json.dumps(self, ensure_ascii=False) + "\n")


def read_cells(path: Path) -> Cells:
    """Read what `Cells.write` wrote. Raises OSError, or ValueError where the file is damaged."""
    try:
        headings, lines = json.loads(path.read_text())
        cells = Cells([Heading(*each) for each in headings], [Line(*each) for each in lines])
    except TypeError as error:
        raise ValueError(f"{path.name} holds no table: {error}") from None
    width = len(cells.headings)
    if any(len(line.cells) != width or len(line.below) not in (0, width) for line in cells.lines):
        raise ValueError(f"{path.name}: rows of other lengths than its headings")
    return cells


class TablePicture(Figure):
    """The picture of a table, which keeps its cells."""

    cells: Cells


def plain(value: float) -> str:
    """Return a number of a table, in three digits or as an integer."""
    return f"{float(value):,.0f}" if value >= 999.5 else f"{float(value):.3g}"


@dataclass(frozen=True)
class Column:
    """A column of a sheet.

    `<value>_is` marks its numbers as equal to the print or not; `paper_<value>` is the print, where the frame
    has these columns.

    value : the frame's column; texts in it have no form
    group : the heading above
    why : the column with the reason for an absent number
    empty : in place of a number without a reason
    """

    heading: str
    value: str
    form: Callable[[Any], str] = plain
    group: str = ""
    why: str = ""
    empty: str = "-"
    left: bool = False

    def cells(self, rows: pd.DataFrame) -> "pd.Series[str]":
        """Return the cells of all rows."""
        texts, marks = self._texts(rows[self.value]), rows.get(f"{self.value}_is")
        if self.why:
            why = rows[self.why].astype("object")
            texts = texts.fillna(why.where(why != "ok").str.replace("_", " "))
        texts = texts.fillna(self.empty)
        return texts if marks is None else (texts + " " + marks.map(MARKS).fillna("")).str.strip()

    def printed(self, rows: pd.DataFrame) -> "pd.Series[str]":
        """Return what the paper prints; empty for a column that the paper does not have."""
        values = rows.get(f"paper_{self.value}")
        return pd.Series("", rows.index) if values is None else self._texts(values).fillna("-")

    def _texts(self, values: "pd.Series[Any]") -> "pd.Series[Any]":
        texts = [each if isinstance(each, str) or pd.isna(each) else self.form(each) for each in values]
        return pd.Series(texts, values.index, dtype="object")


def columns(
    group: str = "", form: Callable[[Any], str] = plain, why: str = "", empty: str = "-", /, **headings: str
) -> list[Column]:
    """Return columns under the heading of a group, by the frame's column.

    why : of the first column; of all with `{}`, which is the name of the column up to its last underscore
    """
    told = [*headings] if "{}" in why else [*headings][:1]
    whys = {name: why.format(name.rpartition("_")[0]) for name in told}
    return [Column(text, name, form, group, whys.get(name, ""), empty) for name, text in headings.items()]


@dataclass(frozen=True)
class Sheet:
    """One line per row, after its matrix; below the first line of a matrix what the paper prints of it.

    derived : adds columns that only the picture has; `printed_of` names another matrix that the print is of
    matrix : whether the matrix is the first column
    """

    columns: Sequence[Column]
    derived: Callable[[pd.DataFrame], pd.DataFrame] = lambda frame: frame
    matrix: bool = True

    def __call__(self, frame: pd.DataFrame, title: str) -> TablePicture:
        rows = self.derived(frame)
        columns = [*([Column("matrix", "shown", left=True)] if self.matrix else []), *self.columns]
        headings = [Heading(column.heading, column.group, column.left) for column in columns]
        more: Iterable[Sequence[Any]] = itertools.repeat(())
        if self.matrix:
            rows = rows.assign(shown=names(rows.assign(stand_in_for=None)))
            more = zip(self._below(rows), rows["stand_in_for"].notna().tolist(), strict=True)
        texts = zip(*(column.cells(rows) for column in columns), strict=True)
        lines = [Line(list(cells), *each) for cells, each in zip(texts, more, strict=False)]
        nothing = Line(["nothing was measured", *[""] * (len(columns) - 1)])
        return _picture(title, Cells(headings, lines or [nothing]))

    def _below(self, rows: pd.DataFrame) -> list[list[str]]:
        """Return the texts below each line: the print, or the paper's matrix of a stand-in."""
        prints = rows.reindex(columns=[f"paper_{column.value}" for column in self.columns])
        is_printed = prints.notna().any(axis=1) & ~rows["label"].duplicated()
        whose = rows.get("printed_of", pd.Series(None, rows.index, dtype="object"))
        others = rows["stand_in_for"].mask(rows["label"].astype(str).str.startswith(TWIN_OF))
        instead = ("stand-in: " + others.map(few, na_action="ignore").astype("object")).fillna("")
        heads = ("printed of " + whose).fillna("printed").where(is_printed, instead)
        texts = [column.printed(rows).where(is_printed, "") for column in self.columns]
        return [line if line[0] else [] for line in map(list, zip(heads, *texts, strict=True))]


def _picture(title: str, cells: Cells) -> TablePicture:
    """Draw a table, each column as wide as its longest text."""
    starts = itertools.accumulate((count for _, count in cells.groups), initial=0)
    spans = zip(cells.groups, itertools.pairwise(starts), strict=True)
    groups = [(name, slice(*span)) for (name, _), span in spans if name]
    texts: list[Sequence[str]] = [[heading.text for heading in cells.headings]]
    texts += [row for line in cells.lines for row in (line.cells, line.below) if row]
    columns = ["\n".join(column).split("\n") for column in zip(*texts, strict=True)]
    widths = [LETTER * max(map(len, column)) + GAP for column in columns]
    for name, own in groups:
        widths[own.start] += max(0.0, 0.105 * len(name) + GAP - sum(widths[own]))
    edges = list(itertools.accumulate(widths, initial=SIDE))
    heights = [ROW + (BELOW if line.below else 0.0) for line in cells.lines]
    width, height = edges[-1] + SIDE, 4.6 * ROW + sum(heights)
    figure = TablePicture((width, height))
    figure.cells = cells
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(0, width), ylim=(height, 0))
    axes.set_axis_off()
    axes.text(SIDE, 0.3, title, fontsize=LARGE, weight="bold", va="center")
    for name, own in groups:
        start, end = edges[own.start] + GAP - 0.1, edges[own.stop] - 0.1
        axes.text((start + end) / 2, ROW * 1.9, name, ha="center", va="center", fontsize=SIZE, weight="bold")
        axes.plot([start, end], [ROW * 2.35] * 2, color="black", linewidth=1)

    def write(y: float, texts: Sequence[str], **look: Any) -> None:
        for text, heading, left, right in zip(texts, cells.headings, edges, edges[1:], strict=False):
            x, side = (left, "left") if heading.left else (right - 0.1, "right")
            axes.text(x, y, text, ha=side, fontsize=SIZE, **look)

    write(ROW * 3.05, [heading.text for heading in cells.headings], va="center", linespacing=1.1)
    axes.plot([0.1, width - 0.1], [ROW * 3.8] * 2, color="black", linewidth=1.2)
    tops = itertools.accumulate(heights, initial=3.9 * ROW)
    for top, line, high in zip(tops, cells.lines, heights, strict=False):
        if line.shaded:
            axes.axhspan(top, top + high, color="#ececec", linewidth=0)
        base = top + ROW / 2 + SIZE / 200
        write(base, line.cells, va="baseline")
        write(base + BELOW, line.below, va="baseline", color="#555555")
    return figure
