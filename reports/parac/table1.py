"""Table 1: the matrices, printed and here, and the graphs that they are taken as."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.parac.solution import below_stand_ins, beside_print, printed
from reports.shapes.sheet import COUNT, Column, Sheet
from reports.verbs import equality, fact

PRINTED = printed("parac_table1_matrices", {"order": "n"})


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix: order and entries (explicit zeros left out) as printed and here.

    `<count>_is` the print; `nnz_l` and `nnz_g` are entries of its Laplacian with the diagonal and of ParAC's
    factor.
    """
    rows = cases.assign(nnz_l=fact(cases, "nnz_l"), nnz_g=fact(cases, "nnz_g"))
    verified_first = (rows["status"] != "ok").argsort(kind="stable")
    rows = beside_print(rows.iloc[verified_first].drop_duplicates("label"), PRINTED)
    return rows.assign(n_is=equality(rows, "n"), nnz_is=equality(rows, "nnz"))


def _shown(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with the print of what stand-ins are for."""
    return below_stand_ins(frame, PRINTED)


EXHIBIT = Exhibit(
    "matrices",
    frame,
    Sheet(
        [
            Column("order", "n", COUNT, why="status"),
            Column("nonzeros", "nnz", COUNT),
            Column("nnz(L)", "nnz_l", COUNT, "as a graph"),
            Column("nnz(G)", "nnz_g", COUNT, "as a graph"),
        ],
        _shown,
    ),
    """In grey what is printed, of a stand-in of the matrix named; = equal to the print, \N{NOT EQUAL TO}
    not. Nonzeros: explicit zeros left out. nnz(L): of the graph
    Laplacian; nnz(G): of ParAC's factor, nnz-sort; both with their diagonals.""",
    one_run=False,
)
