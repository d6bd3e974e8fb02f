"""Counts that have to be the printed ones: whether they are, and a table's column that marks them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from fillpath.dicts import Row
from reports.shapes.printed import Beside
from reports.shapes.tables import COUNT

MARKS = {"equal": "=", "differs": "\N{NOT EQUAL TO}"}


@dataclass(frozen=True)
class Counted(Beside):
    """A column of counts, each with the mark that `<value>_is` stands for."""

    form: Callable[[Any], str] = COUNT

    def text(self, row: Row) -> str:
        """The cell; `-` for no number."""
        return f"{super().text(row)} {MARKS.get(row[f'{self.value}_is'], '')}".strip()


def equality(frame: pd.DataFrame, name: str, unknown: str) -> pd.Series[Any]:
    """How a count stands to `paper_<name>`: equal, differs, or unknown where one of the two is not known."""
    pair = frame.reindex(columns=[name, f"paper_{name}"]).astype("float64")
    equal = pair[name] == pair[f"paper_{name}"]
    return equal.map({True: "equal", False: "differs"}).where(pair.notna().all(axis=1), unknown)
