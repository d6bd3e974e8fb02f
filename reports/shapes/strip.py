"""Lines of text above a panel: a mean of all matrices, and a number above each; bars below them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fillpath.dicts import Row, dicts
from reports.shapes import bars
from reports.shapes.axes import Panels
from reports.shapes.bars import times
from reports.shapes.style import SMALL

# Points from a line to the next, before a title, and from the panel to the lowest line.
LINE, BEFORE, ABOVE = 14.0, 5.0, 4.0
# The end of an interval that a bound is.
ENDS = {"> ": "low", "< ": "high"}
# A line: its name left of the panel, and texts by the position of the matrix; a title has no texts.
StripLine = tuple[str, Mapping[int, str]]


@dataclass(frozen=True)
class Ratios:
    """Ratios of a code over another: a title with their means, and a line for each column.

    columns : by the name of a line; the first has the ratios, with their number in the title.
    prefix : of the columns, of the mark and of `pair`, which is `ok` or the reason for an absent ratio.
    only : values of the frame's rows.
    mark : a column that is written behind a ratio of the first column, empty for none.
    """

    title: str
    columns: Mapping[str, str]
    prefix: str = ""
    only: Mapping[str, Any] = field(default_factory=dict)
    mark: str = ""

    def lines(self, frame: pd.DataFrame) -> list[StripLine]:
        """Return the title and the lines, none where the first has neither ratio nor reason."""
        rows, pair = bars.having(frame, self.only), f"{self.prefix}pair"
        first, lines, means = self.prefix + next(iter(self.columns.values())), [], []
        for head, name in self.columns.items():
            column = self.prefix + name
            # Only a ratio with an interval may be a bound.
            status = pair if column == first or f"{column}_low" in rows else column
            mark = f"{self.prefix}{self.mark}" if self.mark and column == first else ""
            own = dicts(rows[rows[status].notna()])
            cells = {int(row["group"]): _cell(row, column, status, mark) for row in own}
            if set(cells.values()) - {"-"}:
                lines.append((head, cells))
            elif column == first:
                return []
            if rows[column].notna().any() and not head.startswith("printed"):
                means.append(f"{times(np.exp(np.log(rows[column]).mean()))} {head}")
        measured = rows[rows[first].notna()]
        papers = measured["abbr"].replace("", None).nunique()
        among = "" if papers == len(measured) else f", {papers} the paper's"
        whole = f"{', '.join(means)} (mean of {len(measured)}{among})" if means else "no ratio"
        return [(f"{self.title}: {whole}", {}), *lines]


@dataclass(frozen=True)
class CodedBars:
    """A bar per code and matrix, under lines of text."""

    strip: Sequence[Ratios]
    label: str
    value: str = "median"

    def __call__(self, frame: pd.DataFrame, title: str) -> Figure:
        lines = [line for ratios in self.strip for line in ratios.lines(frame)]

        def panel(axes: Axes, frame: pd.DataFrame) -> None:
            bars.bar_panel(axes, frame, self.label, self.value)
            write_strip(axes, lines)

        return Panels([panel], 5.5 + 0.2 * len(lines))(frame, title)


def write_strip(axes: Axes, lines: Sequence[StripLine]) -> None:
    """Write the lines above the panel, in their order."""
    height, across = ABOVE, ("data", "axes fraction")
    look: dict[str, Any] = {"textcoords": "offset points", "va": "bottom", "fontsize": SMALL}
    for head, cells in reversed(lines):
        if cells:
            axes.annotate(head, (0, 1), (-8, height), "axes fraction", ha="right", **look)
        else:
            axes.annotate(head, (0, 1), (0, height), "axes fraction", weight="bold", **look)
        for group, text in cells.items():
            axes.annotate(text, (group, 1), (0, height), across, ha="center", **look)
        height += LINE if cells else LINE + BEFORE


def _cell(row: Row, column: str, status: str, mark: str) -> str:
    """Return the ratio, a bound, or a dash: slots name failures, but two runs have a bar each."""
    value: Any = row[column]
    if bool(pd.notna(value)):
        return times(value) + (f" {row[mark]}" if mark else "")
    why = str(row.get(status))
    end: Any = row.get(f"{column}_{ENDS.get(why[:2], '')}")
    if bool(pd.notna(end)):
        return f"{why[:2]}{times(end)}"
    return why.replace("_", " ") if why.startswith("two_") else "-"
