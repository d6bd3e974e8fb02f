"""Table 1: matrices."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.parac.solution import beside_print, printed, sheet
from reports.shapes.sheet import columns, plain
from reports.verbs import equality, fact

PRINTED = printed("parac_table1_matrices", {"order": "n"})


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix: counts, which `<count>_is` the print; entries `nnz_l` and `nnz_g`."""
    rows = cases.assign(nnz_l=fact(cases, "nnz_l"), nnz_g=fact(cases, "nnz_g"))
    verified_first = (rows["status"] != "ok").argsort(kind="stable")
    rows = beside_print(rows.iloc[verified_first].drop_duplicates("label"), PRINTED)
    return rows.assign(n_is=equality(rows, "n"), nnz_is=equality(rows, "nnz"))


COLUMNS = [
    *columns("", plain, "status", n="order", nnz="nonzeros"),
    *columns("as a graph", nnz_l="nnz(L)", nnz_g="nnz(G)"),
]
CAPTION = """Grey: the print, for a stand-in that of the named matrix; = equals the print, ≠ differs.
    Nonzeros: without explicit zeros. nnz(L): graph Laplacian; nnz(G): ParAC's factor, nnz-sort."""
EXHIBIT = Exhibit(frame, sheet(COLUMNS, PRINTED), CAPTION, one_run=False)
