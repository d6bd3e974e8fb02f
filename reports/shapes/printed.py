"""A table of solutions: of each matrix what was measured, and below each number what is printed of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from fillpath.dicts import Row, dicts
from reports.shapes.cells import TablePicture
from reports.shapes.tables import COUNT, AnyColumn, Column, draw_table, line_of, matrix_column


def plain(value: float) -> str:
    """A number of a table, in three digits or as an integer."""
    return f"{float(value):,.0f}" if value >= 999.5 else f"{float(value):.3g}"


# How parts of a solution are written; the others as times are.
FORMS: dict[str, Callable[[Any], str]] = {"iterations": COUNT, "residual": "{:.0e}".format}


@dataclass(frozen=True)
class Beside(Column):
    """A column of numbers whose print stands in `paper_<value>`, if there is any.

    empty : stands for a number that a machine does not have, where the column names no reason.
    unprinted : for one that the paper does not have.
    """

    empty: str = "-"
    unprinted: str = "-"

    def text(self, row: Row) -> str:
        """The cell of a machine."""
        unknown = isinstance(row["machine"], str) and not self.why and bool(pd.isna(row[self.value]))
        return self.empty if unknown else super().text(row)

    def printed(self, row: Row) -> str:
        """The cell of the print; empty for a column that the paper does not have."""
        name = f"paper_{self.value}"
        if name not in row:
            return ""
        return self.unprinted if pd.isna(row[name]) else self.form(row[name])


@dataclass(frozen=True)
class Solutions:
    """A table: of each matrix what was measured, and below it what is printed.

    columns : those after the matrix.
    derived : the frame with columns that only the picture has; `printed_of` says of what a row's print is, if
        not of its own matrix.
    """

    columns: Sequence[Beside]
    derived: Callable[[pd.DataFrame], pd.DataFrame] = lambda frame: frame

    def __call__(self, frame: pd.DataFrame, title: str) -> TablePicture:
        columns: list[AnyColumn] = [
            matrix_column(preparations=frame["preparation"].nunique() > 1),
            *self.columns,
        ]
        first = ~frame["label"].duplicated()
        lines = []
        for row, shown in zip(dicts(self.derived(frame)), first, strict=True):
            line = line_of(columns, row, shaded=isinstance(row["stand_in_for"], str))
            lines.append(replace(line, below=self._printed(row)) if shown and _is_printed(row) else line)
        return draw_table(title, columns, lines)

    def _printed(self, row: Row) -> list[str]:
        return [str(row.get("printed_of", "printed")), *(column.printed(row) for column in self.columns)]


def _is_printed(row: Row) -> bool:
    """Whether the paper has the row's matrix."""
    return bool(pd.notna(row["paper_ratio"]))


def parts_of(variant: str, group: str, shown: Sequence[tuple[str, float, str]]) -> list[Beside]:
    """The columns of a variant: without a result the first says why, and the others are empty. shown :
    heading, width, and what the column's name has after the variant's."""
    first, *others = [
        Beside(heading, width, group, f"{variant}_{part}", FORMS.get(part, plain), empty="")
        for heading, width, part in shown
    ]
    return [replace(first, why=f"status_{variant}"), *others]
