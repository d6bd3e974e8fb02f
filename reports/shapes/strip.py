"""Lines of text above a panel: what they say of all matrices, and a number above each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from fillpath.dicts import Row, dicts
from reports.shapes.bars import times
from reports.shapes.style import SMALL

# Points from a line to the next, before a title, and from the panel to the lowest line.
LINE, BEFORE, ABOVE = 14.0, 5.0, 4.0
_PLACE: dict[str, Any] = {
    "textcoords": "offset points",
    "va": "bottom",
    "fontsize": SMALL,
    "annotation_clip": False,
}


@dataclass(frozen=True)
class StripLine:
    """One line.

    head : left of the panel.
    cells : by the position of the matrix.
    title : in place of both, over the width of the panel.
    """

    head: str = ""
    cells: Mapping[int, str] = field(default_factory=dict)
    title: str = ""


def number_line(
    frame: pd.DataFrame, head: str, column: str, status: str = "", mark: str = ""
) -> list[StripLine]:
    """The ratios of a column; no line without a row.

    status : the column that says `ok` or why a row has no ratio, empty where only those with one are meant.
    mark : the column of what stands behind a ratio.
    """
    rows = frame[frame[status or column].notna()]
    cells = {int(row["group"]): _cell(row, column, status, mark) for row in dicts(rows)}
    return [StripLine(head, cells)] if cells else []


def mean_of(frame: pd.DataFrame, column: str) -> str:
    """The geometric mean that stands in `<column>_mean`; `none` without one."""
    rows = frame[frame[column].notna()]
    return times(float(rows[f"{column}_mean"].iloc[0])) if len(rows) else "none"


def write_strip(axes: Axes, lines: Sequence[StripLine]) -> None:
    """Write the lines above the panel, in their order."""
    height = ABOVE
    for line in reversed(lines):
        if line.title:
            axes.annotate(line.title, (0, 1), (0, height), xycoords="axes fraction", weight="bold", **_PLACE)
            height += BEFORE
        axes.annotate(line.head, (0, 1), (-8, height), xycoords="axes fraction", ha="right", **_PLACE)
        for group, text in line.cells.items():
            across = ("data", "axes fraction")
            axes.annotate(text, (group, 1), (0, height), xycoords=across, ha="center", **_PLACE)
        height += LINE


def _cell(row: Row, column: str, status: str, mark: str) -> str:
    """The ratio, or a bound; for none a dash, as slots say what failed, but two runs have a bar each."""
    value: Any = row[column]
    if bool(pd.notna(value)):
        return times(value) + (f" {row[mark]}" if mark else "")
    why = str(row.get(status))
    end = row.get(f"{column}_low" if why.startswith("> ") else f"{column}_high")
    if why.startswith(("> ", "< ")) and end is not None and bool(pd.notna(end)):
        return f"{why[:2]}{times(end)}"
    return why.replace("_", " ") if why.startswith("two_") else "-"
