"""Table 4: dense columns that fit at a time."""

import pandas as pd

from reports.claims.judge import judge_numbers
from reports.exhibit import Exhibit
from reports.facts.claims import find_claim
from reports.ooclu.fig8 import BLOCKS, BYTES, LIMITED, REAL, SIZES, short, stored, with_printed
from reports.shapes.bars import times
from reports.shapes.sheet import Sheet, columns, plain
from reports.verbs import fact


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix: n, entries, blocks as printed and here; `computed_blocks` of the bytes."""
    rows = with_printed(stored(cases).loc[lambda rows: rows["way"] == LIMITED])
    absent = rows["paper_blocks"].notna() & (rows["status"] == "not_run")
    return rows.assign(
        computed_blocks=BYTES // (REAL * rows["paper_order"]),
        scratch_columns=fact(rows, "scratch_columns"),
        status=rows["status"].mask(absent, "printed"),
    )


# Whether 8.0e9 bytes give the printed blocks, from which they were inferred.
COMPUTED = dict(zip(SIZES.index, BYTES // (REAL * SIZES["order"]), strict=True))
COLUMNS = [
    *columns("printed in the paper", paper_order="n", paper_nnz="nnz", paper_blocks="blocks"),
    *columns(computed_blocks="blocks in\n8.0e9 bytes"),
    *columns("", times, by_blocks=f"{BLOCKS:g} over\nblocks"),
    *columns("here", n="n", entries="nnz"),
    *columns("here", lambda count: f"{count / 1e9:.3g}", budget_bytes="budget,\nGB"),
    *columns("here", budget_blocks="blocks"),
    *columns("here", plain, "why", scratch_columns="most used\nat once"),
]
CAPTION = f"""A block needs a dense column, n numbers of {REAL} bytes. The paper does not print the memory of
    all blocks: 8.0e9 bytes give its four numbers. The budget here is in proportion to n and holds 125
    columns. Most used: the most blocks of a launch. A row without numbers here was not measured."""
SHAPE = Sheet(COLUMNS, lambda frame: short(frame.assign(why=frame["status"].replace("printed", "ok"))))
HELD = (lambda frame: [judge_numbers(find_claim("ooclu.table4_max_blocks.blocks"), COMPUTED)],)
EXHIBIT = Exhibit(frame, SHAPE, CAPTION, held=HELD, one_run=False)
