"""Table 1: the matrices, as measured and as printed."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from reports.exhibit import Exhibit, Held
from reports.gsofa.printed import beside_prints
from reports.shapes.sheet import COUNT, Column, Sheet

CLAIM, PRINT = "table1_matrices", "gsofa_table1_matrices"
# By the claim, our column that is held against it.
HELD = {"order": "order", "nnz": "nnz", "symmetry": "structural_symmetry", "fillins_per_nnz": "fills_per_nnz"}
# By our column, the column of the printed table.
PRINTED = {
    "paper_order": "order",
    "paper_nnz": "nnz",
    "paper_structural_symmetry": "structural_symmetry",
    "paper_nnz_per_row": "nnz_per_row",
    "paper_fills_per_nnz": "fillins_per_nnz",
}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix, the paper's own before stand-ins.

    `nnz` is as the paper counts it, without explicit zeros. What is printed is of `paper_matrix`.
    """
    nnz = cases["entries"] - cases["explicit_zeros"]
    rows = cases.assign(order=cases["n"], nnz=nnz, nnz_per_row=nnz / cases["n"])
    rows = beside_prints(rows.assign(fills_per_nnz=rows["fills"] / nnz), PRINT, PRINTED)
    return rows.sort_values("abbr", key=pd.isna, kind="stable", ignore_index=True)


def facts(frame: pd.DataFrame) -> Mapping[str, object]:
    """Return what the caption counts."""
    ok = frame[frame["status"] == "ok"]
    zeros = ok["zeros_kept"].eq(True) & ok["explicit_zeros"].gt(0)
    return {"zeros": zeros.sum(), "measured": len(ok), "holes": ok["diagonal_added"].gt(0).sum()}


SHARE = "{:.2f}".format
EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Table 1",
    "the matrices, as measured and as printed",
    frame,
    Sheet(
        [
            Column("order", "order", COUNT, why="status"),
            Column("nnz", "nnz", COUNT),
            Column("struct.\nsymm.", "structural_symmetry", SHARE),
            Column("nnz\n/ order", "nnz_per_row", SHARE),
            Column("fill-ins\n/ nnz", "fills_per_nnz", SHARE),
            Column("explicit\nzeros", "explicit_zeros", COUNT),
        ]
    ),
    """Verified results; nnz without explicit zeros, as the paper counts it. What is factorised has explicit
    zeros in {zeros} of {measured} measured matrices, and a diagonal that was incomplete in {holes}. Rows on
    grey are stand-ins.""",
    facts,
    held=tuple(Held(CLAIM, column, (name,)) for name, column in HELD.items()),
)
