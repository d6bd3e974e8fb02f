"""A table as the paper has it: the print below each number, of a stand-in that of what it stands in for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd

from fillpath.dicts import Row, dicts
from reports.shapes.cells import TablePicture
from reports.shapes.printed import Beside
from reports.shapes.tables import AnyColumn, Words, draw_table, line_of

MATRIX = Words("matrix", 1.6, lambda row: str(row["label"]), left=True)


@dataclass(frozen=True)
class PaperTable:
    """One row per matrix, its print below it.

    columns : those after the matrix.
    """

    columns: Sequence[Beside]

    def __call__(self, frame: pd.DataFrame, title: str) -> TablePicture:
        columns: list[AnyColumn] = [MATRIX, *self.columns]
        rows = dicts(frame)
        lines = [line_of(columns, row, shaded=isinstance(row["stand_in_for"], str)) for row in rows]
        below = [[_whose(row), *(column.printed(row) for column in self.columns)] for row in rows]
        return draw_table(
            title, columns, [replace(line, below=b) for line, b in zip(lines, below, strict=True)]
        )


def _whose(row: Row) -> str:
    """Whose the print is."""
    if not isinstance(row["paper_matrix"], str):
        return "not in the paper"
    return f"printed of {row['paper_matrix']}" if isinstance(row["stand_in_for"], str) else "printed"
