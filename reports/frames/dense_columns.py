"""What Figure 8 and Table 4 share: the largest matrices, how many dense columns their memory holds, and the
cases that have so many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from fillpath.case import Case
from reports.facts.claims import subject
from reports.facts.entries import Entries, find_entry
from reports.facts.naming import among
from reports.facts.printed import printed_table
from reports.frames.arrays import PAPER
from reports.frames.budgets import BUDGET, budgets_of
from reports.frames.device import with_rows_for
from reports.frames.seconds import groups_of

LARGE_TABLE = "ooclu_table4_large_matrices"
CLAIM = "fig8_binary_search"
# Bytes of a number: the paper's are float32, and so are those of the cases.
REAL = 4
STORAGE, DENSE, SEARCH = "storage", "dense_column", "csc_search"
LIMITED, FREE, SEARCHED = (
    "dense columns, as many as printed", "dense columns, as many as fit", "binary search"
)  # fmt: skip


def variant_of(case: Case) -> str:
    """Which of the three a case is; empty for none."""
    options = dict(case.options)
    if case.stage != "numeric" or case.implementation != "glu3":
        return ""
    if options == {STORAGE: SEARCH}:
        return SEARCHED
    if options.get(STORAGE) != DENSE:
        return ""
    return {frozenset({STORAGE}): FREE, frozenset({STORAGE, BUDGET}): LIMITED}.get(frozenset(options), "")


def over_search(case: Case) -> Case | None:
    """The binary search on the same matrix, for a case of one of the three."""
    return replace(case, options=((STORAGE, SEARCH),)) if variant_of(case) else None


def printed_sizes() -> Mapping[str, tuple[int, int, int]]:
    """Order, entries and blocks of each matrix of Table 4."""
    rows = printed_table(LARGE_TABLE)
    columns = (rows[name].tolist() for name in ("order", "nnz", "max_parallel_blocks_dense_columns"))
    return dict(zip(map(str, rows["matrix"]), zip(*columns, strict=True), strict=True))


def blocks_printed() -> tuple[float, int]:
    """Bytes of dense columns from which the printed blocks follow, and the blocks of the binary search."""
    blocks = subject(PAPER, CLAIM).data["blocks"]
    return float(blocks["dense_column_bytes"]), int(blocks["binary_search_blocks"])


def blocks_in(budget: pd.Series[float] | float, n: pd.Series[float]) -> pd.Series[float]:
    """Dense columns of n numbers that so many bytes hold, one per block."""
    return budget // (REAL * n.astype("float64"))


def add_large(frame: pd.DataFrame, entries: Entries) -> pd.DataFrame:
    """The frame with the matrices of Table 4 called by their names (`abbr`), first and in its order, what the
    others stand in for, and what is printed: paper_order, paper_nnz, paper_blocks. One that is not at hand is
    `not_run`."""
    printed = printed_sizes()
    matrices = [find_entry(matrix, entries) for matrix in frame["matrix"]]
    names = [entry.name if entry and entry.group and entry.name in printed else None for entry in matrices]
    stood_for = [among(", ".join(entry.stands_for) if entry else None, printed) for entry in matrices]
    frame["abbr"] = pd.Series(names, index=frame.index, dtype="object")
    frame["stand_in_for"] = pd.Series(stood_for, index=frame.index, dtype="object")
    frame = with_rows_for(frame, {name: name for name in printed if name not in names})
    places = [list(printed).index(name) if isinstance(name, str) else len(printed) for name in frame["abbr"]]
    frame = frame.assign(place=places).sort_values("place", kind="stable", ignore_index=True)
    frame["group"] = groups_of(frame)
    for number, column in enumerate(("paper_order", "paper_nnz", "paper_blocks")):
        values = [printed[name][number] if isinstance(name, str) else None for name in frame["abbr"]]
        frame[column] = pd.Series(values, index=frame.index, dtype="float64")
    return frame.drop(columns="place")


def shortly(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame as a picture has room for it: a stand-in stands in for the table, not for each matrix, and
    the caption has the preparations."""
    known = frame["stand_in_for"].notna()
    return frame.assign(stand_in_for=frame["stand_in_for"].where(~known, "Table 4's"), preparation=None)


def add_budgets(frame: pd.DataFrame) -> None:
    """Add `variant`, `budget_bytes`, `budget_blocks`, the dense columns that the budget holds, and `bound`,
    the blocks of the paper's binary search over them, or over the printed ones: what blocks alone give."""
    variants = [variant_of(Case.parse(case)) if isinstance(case, str) else "" for case in frame["case"]]
    frame["variant"] = pd.Series(variants, index=frame.index, dtype="object")
    frame["budget_bytes"] = budgets_of(frame)["budget_bytes"]
    frame["budget_blocks"] = blocks_in(frame["budget_bytes"], frame["n"])
    frame["bound"] = blocks_printed()[1] / frame["budget_blocks"].fillna(frame["paper_blocks"])
