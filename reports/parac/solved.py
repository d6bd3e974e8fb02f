"""What Tables 2 and 3 share: of each matrix a printed row and those measured, and on how many ParAC wins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from fillpath.case import Case
from reports.device import add_printed
from reports.figures import Entries
from reports.naming import lines
from reports.parac.paper import FACTS, PAPER, PARTS, solved_frame, variant_of
from reports.records import Records
from reports.timed import RATIO
from reports.variants import Row, by_matrix, finished, number, said, status_of

Print = Mapping[str, Mapping[str, float | None]]


def is_variant(case: Case, variants: Sequence[str]) -> bool:
    """A solution by one of these variants, of seed 0."""
    return case.stage == "laplacian" and variant_of(case) in variants and not case.seed


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
    """A row a matrix, ordering and machine, beside the print.

    names : what the columns of each variant begin with. numbers : of the rows by variant, what the row says
    of them. others : what the columns of further ratios
    begin with. more : columns of numbers beside.
    """
    chosen = [case for case in cases if is_variant(case, variants)]
    frame = _tried(by_matrix(solved_frame(records, entries, chosen), variants, numbers), names)
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


def rows_of(
    frame: pd.DataFrame, printed: Callable[[Row], list[str]], measured: Callable[[Row], list[str]]
) -> tuple[list[list[str]], list[bool]]:
    """The table's rows, of each matrix the printed one and then one a machine, and which are of stand-ins.
    printed, measured : the cells after the matrix and where it was measured."""
    rows: list[list[str]] = []
    shaded: list[bool] = []
    for _, own in frame.groupby("label", sort=False):
        found = own.to_dict("records")
        name = lines(found[0]).replace("\n", ", ")
        there = [row for row in found if isinstance(row["machine"], str)]
        if not pd.isna(found[0]["paper_ratio"]):
            rows.append([name, "printed" if there else "printed; not run", *printed(found[0])])
            shaded.append(False)
            found, name = there, ""
        rows += [[name, _where(row), *measured(row)] for row in found]
        shaded += [isinstance(row["stand_in_for"], str) for row in found]
    return rows, shaded


def quality_cells(row: Row, prefix: str) -> list[str]:
    """Iterations and residual."""
    return [f"{row[f'{prefix}_iterations']:,.0f}", f"{row[f'{prefix}_residual']:.0e}"]


def absent_cells(row: Row, name: str, count: int) -> list[str]:
    """Cells of a variant without a result."""
    if not isinstance(row["machine"], str):
        return ["-"] * count
    return [said(str(row[f"status_{name}"])), *[""] * (count - 1)]


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
