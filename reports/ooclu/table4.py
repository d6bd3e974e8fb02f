"""Table 4: the largest matrices, and how many dense columns fit at a time."""

import pandas as pd

from reports.claims.judge import judge_numbers
from reports.exhibit import Exhibit
from reports.facts.claims import claim
from reports.ooclu.arrays import PAPER
from reports.ooclu.fig8 import BLOCKS, BYTES, LIMITED, REAL, SIZES, short, stored, with_printed
from reports.shapes.bars import times
from reports.shapes.sheet import COUNT, Column, Sheet
from reports.verbs import fact

CLAIM = "table4_max_blocks"


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix, `printed` where it is not at hand: n, entries and blocks as printed and
    here; `computed_blocks` that 8.0e9 bytes hold; `scratch_columns`, the most that a launch used."""
    rows = stored(cases)
    rows = with_printed(rows[rows["way"] == LIMITED])
    absent = rows["paper_blocks"].notna() & (rows["status"] == "not_run")
    return rows.assign(
        computed_blocks=BYTES // (REAL * rows["paper_order"]),
        scratch_columns=fact(rows, "scratch_columns"),
        status=rows["status"].mask(absent, "printed"),
    )


# Whether 8.0e9 bytes give the printed blocks, from which they were inferred.
COMPUTED = dict(zip(SIZES.index, BYTES // (REAL * SIZES["order"]), strict=True))
PRINTED, HERE = "printed in the paper", "here"
COLUMNS = [
    Column("n", "paper_order", COUNT, PRINTED),
    Column("nnz", "paper_nnz", COUNT, PRINTED),
    Column("blocks", "paper_blocks", COUNT, PRINTED),
    Column("blocks in\n8.0e9 bytes", "computed_blocks", COUNT),
    Column(f"{BLOCKS:g} over\nblocks", "by_blocks", times),
    Column("n", "n", COUNT, HERE),
    Column("nnz", "entries", COUNT, HERE),
    Column("budget,\nGB", "budget_bytes", lambda count: f"{count / 1e9:.3g}", HERE),
    Column("blocks", "budget_blocks", COUNT, HERE),
    Column("most used\nat once", "scratch_columns", COUNT, HERE, "why"),
]
EXHIBIT = Exhibit(
    "dense columns that fit at a time",
    frame,
    Sheet(COLUMNS, lambda frame: short(frame.assign(why=frame["status"].replace("printed", "ok")))),
    f"""A block needs a dense column, n numbers of {REAL} bytes. The paper does not print the memory that its
    blocks share: 8.0e9 bytes give its four numbers. The budget here holds 125 columns; most used: by a
    launch.""",
    held=(lambda frame: [judge_numbers(claim(PAPER, CLAIM, "blocks"), COMPUTED)],),
    one_run=False,
)
