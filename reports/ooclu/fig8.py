"""Figure 8: dense columns and binary search."""

import numpy as np
import pandas as pd

from reports.claims.judge import judge_numbers
from reports.exhibit import Exhibit
from reports.facts.claims import find_claim, subject
from reports.facts.printed import printed_table
from reports.ooclu.arrays import PAPER, over_baseline, standing_in
from reports.shapes.axes import Panels
from reports.shapes.bars import ends
from reports.shapes.stacked import Over
from reports.verbs import BUDGET, inverted, with_absent, with_budgets, with_groups, without

PRINTED = subject(PAPER, "fig8_binary_search")
# Bytes of a number: the paper's are float32, and so are those of the cases.
REAL = 4
SEARCH, DENSE = "glu3.storage=csc_search", "glu3.storage=dense_column"
SEARCHED, FREE = "binary search", "dense columns, as many as fit"
LIMITED = "dense columns, as many as printed"
SIZES = printed_table("ooclu_table4_large_matrices").set_index("matrix")
SIZES.columns = ["order", "nnz", "blocks"]
# The bytes of dense columns from which the printed blocks follow, and the blocks of the binary search.
BYTES, BLOCKS = map(float, PRINTED["blocks"].values())


def stored(cases: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the storages: `way`, budget, `budget_blocks`, the matrix as Table 4 calls it."""
    dense = without(cases["variant"], BUDGET) == DENSE
    rows = with_budgets(standing_in(cases, SIZES.index, "stands_for"))
    limited = dense & rows["budget"].notna()
    rows = rows.assign(
        way=np.select([limited, dense, rows["variant"] == SEARCH], [LIMITED, FREE, SEARCHED], ""),
        abbr=rows["label"].where(rows["label"].isin(SIZES.index), None),
        budget_blocks=rows["budget_bytes"] // (REAL * rows["n"]),
    )
    return rows[rows["way"] != ""]


def with_printed(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with the print, Table 4's matrices first; `by_blocks`, by numbers of blocks alone."""
    rows = with_absent(rows, SIZES.index, "abbr").join(SIZES.add_prefix("paper_"), on="abbr")
    rows["by_blocks"] = BLOCKS / rows["budget_blocks"].fillna(rows["paper_blocks"])
    return with_groups(rows.sort_values("abbr", key=pd.isna, kind="stable", ignore_index=True))


def short(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame as a picture has room for it: without preparations, a stand-in being of the table."""
    instead = frame["stand_in_for"].mask(frame["stand_in_for"].notna(), "Table 4's")
    return frame.assign(stand_in_for=instead, preparation=None, **{DASHED: frame["by_blocks"]})


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and storage: `ratio` over the binary search; the inverse, `search_over`."""
    rows = over_baseline(stored(cases), SEARCHED, SEARCHED)
    inverse = inverted(rows, "search_over").where(rows["way"] == FREE)
    return with_printed(rows.join(inverse).assign(series=rows["way"]))


def facts(frame: pd.DataFrame) -> dict[str, str]:
    """Return the numbers of blocks here and in the paper."""
    here = frame.loc[frame["way"] == LIMITED, "budget_blocks"]
    return {"here": ends(here, "{:.0f}".format), "printed": ends(SIZES["blocks"], "{:.0f}".format)}


DASHED = f"{BLOCKS:g} blocks over those of dense columns"
CAPTION = """Seconds of glu3 over seconds with a binary search (written above its bars). Dense columns: about
    as many as printed ({here} here, {printed} in the paper), and, not in the paper, as many as fit."""
SHAPE = Panels([Over(SEARCHED, PRINTED["range"], dash=DASHED)], 7.0, short)
BY_BLOCKS = dict(BLOCKS / SIZES["blocks"])
HELD = (lambda frame: [judge_numbers(find_claim("ooclu.fig8_binary_search.by_blocks"), BY_BLOCKS)],)
SPAN = "of the numeric factorisation alone, on the card"
EXHIBIT = Exhibit(frame, SHAPE, CAPTION, facts, held=HELD, span=SPAN)
