"""Figure 8: numeric factorisation with dense columns or a binary search, on the largest matrices."""

from __future__ import annotations

import pandas as pd

from reports.claims.judge import judge_numbers
from reports.claims.verdict import Verdict
from reports.exhibit import Exhibit, Held
from reports.facts.claims import claim
from reports.ooclu.arrays import PAPER, over_baseline, printed_range
from reports.ooclu.storages import (
    CLAIM,
    FREE,
    LIMITED,
    SEARCHED,
    blocks_printed,
    printed_sizes,
    shortly,
    stored,
    with_printed,
)
from reports.shapes.panels import Panels
from reports.shapes.stacked import Over
from reports.verbs import inverted

BLOCKS = blocks_printed()[1]


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and storage: `ratio`, its seconds over those of the binary search.

    search_over : the binary search over it, on the rows without a budget
    """
    rows = over_baseline(stored(cases), SEARCHED, SEARCHED)
    inverse = inverted(rows, "search_over").where(rows["way"] == FREE)
    return with_printed(rows.join(inverse).assign(series=rows["way"]))


def drawn(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows as they are drawn, with a dash across each bar of as many dense columns as printed."""
    limited = frame["way"] == LIMITED
    return shortly(frame.assign(dash=frame["by_blocks"].where(limited)))


def facts(frame: pd.DataFrame) -> dict[str, str]:
    """Return from how few to how many dense columns there are, here and in the paper."""
    here = frame.loc[frame["way"] == LIMITED, "budget_blocks"]
    return {"here": _ends(here), "printed": _ends(printed_sizes()["blocks"])}


def _ends(counts: pd.Series[float]) -> str:
    known = counts.dropna()
    return (
        " to ".join(dict.fromkeys(f"{end:.0f}" for end in (known.min(), known.max())))
        if len(known)
        else "none"
    )


def by_blocks(frame: pd.DataFrame) -> list[Verdict]:
    """Return what the printed numbers of blocks give at most of what is printed."""
    ratios = BLOCKS / printed_sizes()["blocks"]
    return [
        judge_numbers(
            claim(PAPER, CLAIM, "by_blocks"), {str(name): float(ratio) for name, ratio in ratios.items()}
        )
    ]


DASHED = f"{BLOCKS} blocks over those of dense columns"
OVER = Over(SEARCHED, printed_range(CLAIM), dash="dash", dashed=DASHED)
BASIS = "seconds, dense columns over binary search"
EXHIBIT = Exhibit(
    PAPER,
    "PPoPP'23, Figure 8",
    "dense columns and binary search",
    frame,
    Panels([OVER], 7.0, drawn),
    """Seconds of glu3 over those with a binary search, which stand above its bars: with about as many dense
    columns as printed ({here} here, {printed} in the paper), and, not in the paper, with as many as fit.""",
    facts,
    held=(
        Held(CLAIM, "ratio", ("range",), "pair", BASIS, only={"way": LIMITED}),
        Held(CLAIM, "search_over", ("slower_access",), "pair", only={"way": FREE}),
        by_blocks,
    ),
    one_run=True,
    span="of the numeric factorisation alone, on the card",
)
