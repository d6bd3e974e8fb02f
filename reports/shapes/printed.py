"""A table of solutions: of each matrix what is printed, then what was measured, one line per machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from reports.shapes.tables import COUNT, Column, Row, Words, draw_table, matrix_column, status_text


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
    """A table: of each matrix what is printed, then what was measured, one line per machine.

    columns : those after the matrix and where it was measured.
    derived : the frame with columns that only the picture has.
    """

    columns: Sequence[Beside]
    derived: Callable[[pd.DataFrame], pd.DataFrame]

    def __call__(self, frame: pd.DataFrame, title: str) -> Figure:
        matrix, where = matrix_column(), Words("", 1.9, _where, left=True)
        cells: list[list[str]] = []
        shaded: list[bool] = []
        for _, group in self.derived(frame).groupby("label", sort=False):
            rows = group.to_dict("records")
            name = matrix.text(rows[0])
            if not pd.isna(rows[0]["paper_ratio"]):
                measured = [row for row in rows if isinstance(row["machine"], str)]
                printed = [column.printed(rows[0]) for column in self.columns]
                cells.append([name, "printed" if measured else "printed; not run", *printed])
                shaded.append(False)
                rows, name = measured, ""
            cells += [[name, where.text(row), *(column.text(row) for column in self.columns)] for row in rows]
            shaded += [isinstance(row["stand_in_for"], str) for row in rows]
        return draw_table(title, [matrix, where, *self.columns], cells, shaded)


def parts_of(variant: str, group: str, shown: Sequence[tuple[str, float, str]]) -> list[Beside]:
    """The columns of a variant: without a result the first says why, and the others are empty. shown :
    heading, width, and what the column's name has after the variant's."""
    first, *others = [
        Beside(heading, width, group, f"{variant}_{part}", FORMS.get(part, plain), empty="")
        for heading, width, part in shown
    ]
    return [replace(first, why=f"status_{variant}"), *others]


def _where(row: Row) -> str:
    """The machine and how it was ordered, or why there is nothing."""
    if not isinstance(row["machine"], str):
        return status_text(str(row["status"]))
    return f"{row['machine']}, {row['preparation']}"
