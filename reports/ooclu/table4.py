"""Table 4: the largest matrices, and how many dense columns fit at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from reports.bars import times
from reports.device import columns_of, device_frame, gpu_caption
from reports.figures import Entries, FigureSpec
from reports.naming import lines
from reports.ooclu.arrays import PAPER
from reports.ooclu.large import (
    LIMITED,
    REAL,
    add_budgets,
    add_large,
    blocks_in,
    blocks_printed,
    shortly,
    variant_of,
)
from reports.records import Records
from reports.standings import Verdict
from reports.tables import Column, machine_column, matrix_column, table
from reports.verdicts import remark

CLAIM = "table4_max_blocks"
PRINTED = ("paper_order", "paper_nnz", "paper_blocks", "computed_blocks")


def table4_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """A row a matrix and machine: n, entries and blocks as printed; computed_blocks, the columns of n float32
    that 8.0e9 bytes hold; n and entries here, the budget, the columns that it holds, and the most that a
    launch used; `bound`, the blocks of the binary search over the dense ones."""
    chosen = [case for case in cases if variant_of(case) == LIMITED]
    frame = add_large(device_frame(records, entries, chosen, ("scratch_columns",), paper=PAPER), entries)
    add_budgets(frame)
    frame["computed_blocks"] = blocks_in(blocks_printed()[0], frame["paper_order"])
    return columns_of(
        frame, *PRINTED, "bound", "n", "entries", "budget_bytes", "budget_blocks", "scratch_columns"
    )


def table4(frame: pd.DataFrame) -> Figure:
    """The print beside what follows from it and what ran, one row a matrix and machine."""
    rows = [_row(row) for row in shortly(frame).to_dict("records")]
    columns = [
        matrix_column(rows),
        Column("n", 1.3, "printed in the paper"),
        Column("nnz", 1.4, "printed in the paper"),
        Column("blocks", 0.9, "printed in the paper"),
        Column("blocks in\n8.0e9 bytes", 1.3),
        Column(f"{blocks_printed()[1]} over\nblocks", 1.1),
        Column("n", 1.3, "here"),
        Column("nnz", 1.4, "here"),
        Column("budget,\nGB", 1.0, "here"),
        Column("blocks", 0.9, "here"),
        Column("most used\nat once", 1.2, "here"),
        machine_column(rows),
    ]
    shaded = [isinstance(name, str) for name in frame["stand_in_for"]]
    return table("PPoPP'23, Table 4: dense columns that fit at a time", columns, rows, shaded)


def table4_caption(frame: pd.DataFrame) -> str:
    """What the printed blocks are of."""
    return (
        f"Blocks: a dense column of n numbers of {REAL} bytes each. The paper does not print the memory that "
        "they are of: 8.0e9 bytes give its four numbers. Here the budget is that in proportion to n, so that "
        "it holds 125 columns; most used at once: the most blocks of a launch, which narrow levels keep "
        "below that. Rows on grey are stand-ins. "
        f"{gpu_caption(frame, timed=False, slots=False, paper=PAPER)}"
    )


def table4_verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """Whether 8.0e9 bytes give the printed blocks, from which they were inferred."""
    printed = frame[frame["paper_blocks"].notna()].drop_duplicates("abbr")
    same = int((printed["paper_blocks"] == printed["computed_blocks"]).sum())
    numbers = f"8.0e9 bytes over {REAL} n give the printed blocks of {same} of {len(printed)} matrices"
    return [remark(f"{PAPER}.{CLAIM}", "blocks, by the print", numbers)]


def _row(row: Mapping[Any, Any]) -> list[str]:
    said = str(row["where"]) if row["status"] == "ok" else str(row["status"]).replace("_", " ")
    return [
        lines(row, several_preparations=True).replace("\n", ", "),
        *(_number(row[name], ",.0f") for name in PRINTED),
        "-" if pd.isna(row["bound"]) else times(row["bound"]),
        *(_number(row[name], ",.0f") for name in ("n", "entries")),
        "-" if pd.isna(row["budget_bytes"]) else f"{row['budget_bytes'] / 1e9:.3g}",
        *(_number(row[name], ",.0f") for name in ("budget_blocks", "scratch_columns")),
        said,
    ]


def _number(value: Any, form: str) -> str:
    return "-" if pd.isna(value) else format(float(value), form)


SPEC = FigureSpec(
    "Table 4: dense columns that fit at a time",
    lambda case: bool(variant_of(case)),
    table4_frame,
    table4,
    table4_caption,
    claims=(CLAIM,),
    judge=table4_verdicts,
)
