"""Dense columns or a binary search, on the largest matrices: what Figure 8 and Table 4 share."""

import numpy as np
import pandas as pd

from reports.facts.claims import subject
from reports.facts.naming import among
from reports.facts.printed import printed_table
from reports.ooclu.arrays import PAPER
from reports.verbs import BUDGET, with_absent, with_budgets, with_groups, without

CLAIM = "fig8_binary_search"
# Bytes of a number: the paper's are float32, and so are those of the cases.
REAL = 4
SEARCH, DENSE = "glu3.storage=csc_search", "glu3.storage=dense_column"
SEARCHED, FREE = "binary search", "dense columns, as many as fit"
LIMITED = "dense columns, as many as printed"
# Order, nnz and blocks of each matrix of Table 4.
SIZES = (
    printed_table("ooclu_table4_large_matrices")
    .set_index("matrix")
    .set_axis(["order", "nnz", "blocks"], axis=1)
)
# The bytes of dense columns from which the printed blocks follow, and the blocks of the binary search.
BYTES, BLOCKS = map(float, subject(PAPER, CLAIM).data["blocks"].values())


def stored(cases: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the three storages, with the `way`, the budget, and what the figures call matrices.

    budget_blocks : the dense columns that the budget holds, one per block
    """
    dense, rows = without(cases["variant"], BUDGET) == DENSE, with_budgets(cases)
    limited = dense & rows["budget"].notna()
    way = np.select([limited, dense, rows["variant"] == SEARCH], [LIMITED, FREE, SEARCHED], "")
    own = rows["collection"].fillna("").ne("") & rows["label"].isin(SIZES.index)
    instead = rows["stands_for"].map(lambda names: among(names, SIZES.index))
    rows = rows.assign(
        way=way,
        abbr=rows["label"].where(own, None),
        stand_in_for=instead.astype("object"),
        budget_blocks=rows["budget_bytes"] // (REAL * rows["n"]),
    )
    return rows.query("way != ''")


def with_printed(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows, Table 4's matrices first and `not_run` without a case, with `paper_order`, `paper_nnz`
    and `paper_blocks`.

    by_blocks : what blocks alone give: the search's over the dense columns that fit, or that are printed
    """
    rows = with_absent(rows, SIZES.index, "abbr").join(SIZES.add_prefix("paper_"), on="abbr")
    rows["by_blocks"] = BLOCKS / rows["budget_blocks"].fillna(rows["paper_blocks"])
    places = rows["abbr"].map({name: place for place, name in enumerate(SIZES.index)})
    return with_groups(rows.iloc[places.argsort(kind="stable")].reset_index(drop=True))


def short(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame as a picture has room for it: a stand-in stands in for the table, not for each matrix,
    and the caption has the preparations."""
    instead = frame["stand_in_for"].mask(frame["stand_in_for"].notna(), "Table 4's")
    return frame.assign(stand_in_for=instead, preparation=None)
