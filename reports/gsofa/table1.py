"""Table 1: the matrices, as measured and as printed."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.gsofa.symbolic import beside_prints
from reports.shapes.sheet import COUNT, Column, Sheet

PRINTED = ("order", "nnz", "structural_symmetry", "nnz_per_row", "fillins_per_nnz")
SHARE = "{:.2f}".format


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix, the paper's own before stand-ins, `nnz` without explicit zeros."""
    nnz = cases["entries"] - cases["explicit_zeros"]
    rows = cases.assign(order=cases["n"], nnz=nnz, nnz_per_row=nnz / cases["n"])
    rows = beside_prints(rows.assign(fillins_per_nnz=rows["fills"] / nnz), "gsofa_table1_matrices", PRINTED)
    return rows.sort_values("abbr", key=pd.isna, kind="stable", ignore_index=True)


def facts(frame: pd.DataFrame) -> dict[str, object]:
    """Return how many matrices were measured, with explicit zeros, and with holes in the diagonal."""
    ok = frame[frame["status"] == "ok"]
    zeros = ok["zeros_kept"].eq(True) & ok["explicit_zeros"].gt(0)
    return {"zeros": zeros.sum(), "measured": len(ok), "holes": ok["diagonal_added"].gt(0).sum()}


EXHIBIT = Exhibit(
    "the matrices, as measured and as printed",
    frame,
    Sheet(
        [
            Column("order", "order", COUNT, why="status"),
            Column("nnz", "nnz", COUNT),
            Column("struct.\nsymm.", "structural_symmetry", SHARE),
            Column("nnz\n/ order", "nnz_per_row", SHARE),
            Column("fill-ins\n/ nnz", "fillins_per_nnz", SHARE),
            Column("explicit\nzeros", "explicit_zeros", COUNT),
        ]
    ),
    """Verified results; nnz without explicit zeros, as the paper counts it. What is factorised has explicit
    zeros in {zeros} of {measured} measured matrices, and a diagonal that was incomplete in {holes}. Rows on
    grey are stand-ins.""",
    facts,
    one_run=False,
)
