"""Table 4: the largest matrices, and how many dense columns fit at a time."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
from matplotlib.figure import Figure

from reports.claims.judge import judge_numbers
from reports.claims.verdict import Verdict
from reports.exhibit import Exhibit
from reports.facts.claims import claim
from reports.facts.inputs import Inputs
from reports.frames import dense_columns
from reports.frames.arrays import PAPER, how
from reports.frames.dense_columns import REAL
from reports.frames.device import columns_of, device_frame
from reports.shapes.bars import times
from reports.shapes.tables import COUNT, Column, Table, matrix_column

CLAIM = "table4_max_blocks"
COLUMNS = [
    Column("n", 1.1, "printed in the paper", "paper_order", COUNT),
    Column("nnz", 1.2, "printed in the paper", "paper_nnz", COUNT),
    Column("blocks", 0.9, "printed in the paper", "paper_blocks", COUNT),
    Column("blocks in\n8.0e9 bytes", 1.2, "", "computed_blocks", COUNT),
    Column(f"{dense_columns.blocks_printed()[1]} over\nblocks", 1.1, "", "bound", times),
    Column("n", 0.9, "here", "n", COUNT),
    Column("nnz", 1.1, "here", "entries", COUNT),
    Column("budget,\nGB", 1.0, "here", "budget_bytes", lambda count: f"{count / 1e9:.3g}"),
    Column("blocks", 0.9, "here", "budget_blocks", COUNT),
    Column("most used\nat once", 1.1, "here", "scratch_columns", COUNT, why="status"),
]
TABLE = Table([matrix_column(), *COLUMNS])
PRINT = "printed"


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix and machine: n, entries and blocks as printed; computed_blocks, the columns of n
    float32 that 8.0e9 bytes hold; n and entries here, the budget, the columns that it holds, and the most
    that a launch used; `bound`, the blocks of the binary search over the dense ones. A matrix of the table
    that is not at hand is `printed`: what follows from the print is known of it."""
    chosen = [case for case in inputs.cases if dense_columns.variant_of(case) == dense_columns.LIMITED]
    frame = device_frame(replace(inputs, cases=chosen), ("scratch_columns",))
    frame = dense_columns.add_large(frame, inputs.entries)
    dense_columns.add_budgets(frame)
    frame["computed_blocks"] = dense_columns.blocks_in(
        dense_columns.blocks_printed()[0], frame["paper_order"]
    )
    absent = frame["paper_blocks"].notna() & (frame["status"] == "not_run")
    frame["status"] = frame["status"].where(~absent, PRINT)
    return columns_of(frame, *(column.value for column in COLUMNS))


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """The print beside what follows from it and what ran."""
    known = frame["n"].notna()
    return TABLE(dense_columns.shortly(frame.assign(budget_bytes=frame["budget_bytes"].where(known))), title)


def blocks(frame: pd.DataFrame) -> list[Verdict]:
    """Whether 8.0e9 bytes give the printed blocks, from which they were inferred."""
    memory = dense_columns.blocks_printed()[0]
    sizes = dense_columns.printed_sizes()
    counts = {name: memory // (REAL * order) for name, (order, _, _) in sizes.items()}
    return [judge_numbers(claim(PAPER, CLAIM, "blocks"), counts)]


EXHIBIT = Exhibit(
    PAPER,
    "PPoPP'23, Table 4",
    "dense columns that fit at a time",
    frame,
    draw,
    """A block needs a dense column, n numbers of {real} bytes. The paper does not print the memory that its
    blocks share: 8.0e9 bytes give its four numbers. The budget here is that in proportion to n and holds 125
    columns; most used at once: the most blocks of a launch. A row without numbers here was not measured.
    {how}""",
    lambda frame: {
        "real": REAL,
        "how": how(frame),
    },
    held=(blocks,),
    claims=(CLAIM,),
)
