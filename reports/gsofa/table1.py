"""Table 1: the matrices, as measured and as printed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from reports.exhibit import Held
from reports.exhibit import OldExhibit as Exhibit
from reports.facts.inputs import Inputs
from reports.facts.naming import add_names, listed
from reports.facts.printed import printed_column
from reports.frames.device import add_printed
from reports.frames.order import in_papers_order
from reports.frames.prints import add_prints
from reports.shapes.paper_table import PaperTable
from reports.shapes.printed import Beside
from reports.shapes.tables import COUNT

CLAIM = "table1_matrices"
FILE = "gsofa_table1_matrices"
# The column of ours that each claim is of.
HELD = {"order": "order", "nnz": "nnz", "symmetry": "structural_symmetry", "fillins_per_nnz": "fills_per_nnz"}
# The columns of the print, by ours.
PRINTED = {
    "paper_order": "order", "paper_nnz": "nnz", "paper_structural_symmetry": "structural_symmetry",
    "paper_nnz_per_row": "nnz_per_row", "paper_fills_per_nnz": "fillins_per_nnz",
}  # fmt: skip
COLUMNS = [
    Beside("order", 1.2, "", "order", COUNT, "status"),
    Beside("nnz", 1.4, "", "nnz", COUNT),
    Beside("struct.\nsymm.", 0.9, "", "structural_symmetry", "{:.2f}".format),
    Beside("nnz\n/ order", 0.9, "", "nnz_per_row", "{:.2f}".format),
    Beside("fill-ins\n/ nnz", 1.0, "", "fills_per_nnz", "{:.2f}".format),
    Beside("explicit\nzeros", 1.0, "", "explicit_zeros", COUNT),
]


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix and machine, the paper's own before stand-ins; the paper's matrices without a record
    are not run. nnz as the paper counts it, without explicit zeros. What is printed is of paper_matrix."""
    rows = inputs.rows()
    add_names(rows, inputs.entries, inputs.paper)
    rows["series"] = rows["where"] = ""
    rows["group"] = 0
    entries, zeros = (rows[name].astype("Float64") for name in ("entries", "explicit_zeros"))
    rows["order"] = rows["n"].astype("float64")
    rows["nnz"] = (entries - zeros).astype("float64")
    rows["nnz_per_row"] = rows["nnz"] / rows["order"]
    rows["fills_per_nnz"] = rows["fills"].astype("float64") / rows["nnz"]
    printed = {name: printed_column("gsofa", FILE, column) for name, column in PRINTED.items()}
    rows = add_prints(add_printed(rows, "gsofa", printed), "gsofa", printed)
    columns = [
        "matrix", "label", "abbr", "stand_in_for", "near", "distance", "status", "order", "nnz",
        "explicit_zeros", "structural_symmetry", "diagonal_added", "zeros_kept", "nnz_per_row", "fills",
        "fills_per_nnz", "paper_matrix", *PRINTED, "preparation", "case", "machine",
    ]  # fmt: skip
    rows = in_papers_order(rows, inputs.paper)[columns]
    return rows.sort_values("abbr", key=pd.isna, kind="stable", ignore_index=True)


def facts(frame: pd.DataFrame) -> Mapping[str, Any]:
    """What the caption counts, and the orderings."""
    ok = frame[frame["status"] == "ok"]
    zeros = ok["zeros_kept"].eq(True) & ok["explicit_zeros"].gt(0)
    return {
        "orderings": listed(ok["preparation"].dropna()),
        "zeros": int(zeros.fillna(False).sum()),
        "measured": len(ok),
        "holes": int(ok["diagonal_added"].gt(0).fillna(False).sum()),
    }


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Table 1",
    "the matrices, as measured and as printed",
    frame,
    PaperTable(COLUMNS),
    """Verified results; nnz without explicit zeros, as the paper counts it; preparation: {orderings} (the
    paper orders by ParMETIS). What is factorised has explicit zeros in {zeros} of {measured} measured
    matrices, and a diagonal that was incomplete in {holes}. Rows on grey are stand-ins.""",
    facts,
    held=tuple(Held(CLAIM, column, (name,)) for name, column in HELD.items()),
)
