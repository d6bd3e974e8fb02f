"""Table 1: the matrices, as measured and as printed."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.gsofa.symbolic import beside_prints
from reports.shapes.sheet import Sheet, columns, plain

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


COLUMNS = [
    *columns("", plain, "status", order="order", nnz="nnz"),
    *columns("", SHARE, structural_symmetry="struct.\nsymm.", nnz_per_row="nnz\n/ order"),
    *columns("", SHARE, fillins_per_nnz="fill-ins\n/ nnz"),
    *columns(explicit_zeros="explicit\nzeros"),
]
CAPTION = """nnz excludes explicit zeros, as in the paper. {zeros} of {measured} measured matrices are
    factorised with explicit zeros, {holes} had an incomplete diagonal. Grey rows are stand-ins."""
EXHIBIT = Exhibit(frame, Sheet(COLUMNS), CAPTION, facts, one_run=False)
