"""Figure 8: numeric factorisation with dense columns or a binary search, on the largest matrices."""

import pandas as pd

from reports.claims.judge import judge_numbers
from reports.exhibit import Exhibit
from reports.facts.claims import claim
from reports.ooclu.arrays import PAPER, ends, over_baseline, printed_range
from reports.ooclu.storages import BLOCKS, CLAIM, FREE, LIMITED, SEARCHED, SIZES, short, stored, with_printed
from reports.shapes.axes import Panels
from reports.shapes.stacked import Over
from reports.verbs import inverted


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and storage: `ratio`, its seconds over those of the binary search.

    search_over : the binary search over it, on the rows without a budget
    """
    rows = over_baseline(stored(cases), SEARCHED, SEARCHED)
    inverse = inverted(rows, "search_over").where(rows["way"] == FREE)
    return with_printed(rows.join(inverse).assign(series=rows["way"]))


def drawn(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows as they are drawn, with a dash across each bar of as many dense columns as printed."""
    return short(frame.assign(**{DASHED: frame["by_blocks"].where(frame["way"] == LIMITED)}))


# What the printed numbers of blocks give at most of what is printed.
BY_BLOCKS = dict(zip(SIZES.index, BLOCKS / SIZES["blocks"], strict=True))
DASHED = f"{BLOCKS:g} blocks over those of dense columns"
OVER = Over(SEARCHED, printed_range(CLAIM), dash=DASHED)
EXHIBIT = Exhibit(
    PAPER,
    "PPoPP'23, Figure 8",
    "dense columns and binary search",
    frame,
    Panels([OVER], 7.0, drawn),
    """Seconds of glu3 over those with a binary search, which stand above its bars: with about as many dense
    columns as printed ({here} here, {printed} in the paper), and, not in the paper, with as many as fit.""",
    lambda frame: {
        "here": ends(frame.loc[frame["way"] == LIMITED, "budget_blocks"], "{:.0f}".format),
        "printed": ends(SIZES["blocks"], "{:.0f}".format),
    },
    held=(lambda frame: [judge_numbers(claim(PAPER, CLAIM, "by_blocks"), BY_BLOCKS)],),
    claims=(CLAIM,),
    one_run=True,
    span="of the numeric factorisation alone, on the card",
)
