"""What Tables 2 and 3 share: of each matrix a printed row and those measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from reports.exhibit import COUNT, Column
from reports.facts.naming import lines
from reports.facts.records import Entries, Records
from reports.frames.device import add_printed
from reports.frames.parac import FACTS, PAPER, PARTS, plain, solved_frame
from reports.frames.timed import RATIO
from reports.frames.variants import Row, by_matrix, finished, number, said, status_of
from reports.shapes import tables

Print = Mapping[str, Mapping[str, float | None]]
# How parts of a solution are written; the others as times are.
FORMS = {"iterations": COUNT, "residual": "{:.0e}".format}


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
    """A table: of each matrix what is printed, then what was measured, one row per machine.

    columns : those after the matrix and where it was measured. derived : the frame with columns that only
    the picture has.
    """

    columns: Sequence[Beside]
    derived: Callable[[pd.DataFrame], pd.DataFrame]

    def __call__(self, frame: pd.DataFrame, title: str) -> Figure:
        rows: list[list[str]] = []
        shaded: list[bool] = []
        for _, own in self.derived(frame).groupby("label", sort=False):
            found = own.to_dict("records")
            name = lines(found[0]).replace("\n", ", ")
            there = [row for row in found if isinstance(row["machine"], str)]
            if not pd.isna(found[0]["paper_ratio"]):
                cells = [column.printed(found[0]) for column in self.columns]
                rows.append([name, "printed" if there else "printed; not run", *cells])
                shaded.append(False)
                found, name = there, ""
            rows += [[name, _where(row), *(column.text(row) for column in self.columns)] for row in found]
            shaded += [isinstance(row["stand_in_for"], str) for row in found]
        columns = [tables.Column(each.heading, each.width, each.group) for each in self.columns]
        first = [tables.matrix_column(rows), tables.Column("", 1.9, left=True)]
        return tables.table(title, [*first, *columns], rows, shaded)


def parts_of(variant: str, group: str, shown: Sequence[tuple[str, float, str]]) -> list[Beside]:
    """The columns of a variant: without a result the first says why, and the others are empty. shown :
    heading, width, and what the column's name has after the variant's."""
    first, *others = [
        Beside(heading, width, group, f"{variant}_{part}", FORMS.get(part, plain), empty="")
        for heading, width, part in shown
    ]
    return [replace(first, why=f"status_{variant}"), *others]


def matrices_frame(
    records: Records,
    entries: Entries,
    cases: Sequence[Case],
    variants: Sequence[str],
    names: Sequence[str],
    numbers: Callable[[Mapping[str, Row]], Mapping[str, Any]],
    printed: Print,
    others: Sequence[str],
    more: Sequence[str] = (),
) -> pd.DataFrame:
    """One row per matrix, ordering and machine, beside the print.

    names : what the columns of each variant begin with. numbers : of the rows by variant, what the row says
    of them. others : what the columns of further ratios begin with. more : columns of numbers beside.
    """
    frame = _tried(by_matrix(solved_frame(records, entries, cases), variants, numbers), names)
    frame = add_printed(frame, printed, paper=PAPER)
    columns = [f"{name}_{shown}" for name in names for shown in (*PARTS, "total", *FACTS)]
    ratios = [f"{prefix}{name}" for prefix in ("", *others) for name in RATIO if name != "pair"]
    texts = [*(f"status_{name}" for name in names), *(f"{prefix}pair" for prefix in ("", *others))]
    return finished(frame, texts, [*printed, *columns, *ratios, *more])


def numbers_of(rows: Mapping[str, Row | None], ours: str, unit: float = 1.0) -> dict[str, Any]:
    """Status, times and facts of the variants, by what their columns begin with. ours : whose status is the
    row's. unit : what a second is of the times' unit."""
    own: dict[str, Any] = {f"status_{name}": status_of(row) for name, row in rows.items()}
    for name, row in rows.items():
        seconds = {part: number(row, part) for part in (*PARTS, "total")}
        own |= {f"{name}_{part}": None if s is None else unit * s for part, s in seconds.items()}
        own |= {f"{name}_{fact}": number(row, fact) for fact in FACTS}
    ok = [row for row in rows.values() if row is not None and row["status"] == "ok"]
    return {**own, "status": own[f"status_{ours}"], "samples": ok[0]["samples"] if ok else 0}


def _tried(frame: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Without the machines that could run no variant on a matrix which others ran."""
    statuses = [f"status_{name}" for name in names if f"status_{name}" in frame]
    ran = ~frame[statuses].isin(["not_run", "unavailable"]).all(axis=1)
    somewhere = ran.groupby(frame["label"]).transform("any")
    return frame[ran | ~somewhere].reset_index(drop=True)


def _where(row: Row) -> str:
    """The machine and how it was ordered, or why there is nothing."""
    if not isinstance(row["machine"], str):
        return said(str(row["status"]))
    return f"{row['machine']}, {row['preparation']}"
