"""Figure 8: numeric factorisation with dense columns or a binary search, on the largest matrices."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes

from reports.claims.judge import judge_numbers
from reports.claims.verdict import Verdict
from reports.exhibit import Exhibit, Held
from reports.facts.claims import claim
from reports.facts.inputs import Inputs
from reports.frames import dense_columns
from reports.frames.arrays import PAPER, how, over_baseline, printed_range
from reports.frames.dense_columns import CLAIM, FREE, LIMITED, SEARCHED
from reports.frames.device import columns_of, pair_frame
from reports.frames.seconds import RATIO, beside
from reports.shapes import bars
from reports.shapes.panels import Panels
from reports.shapes.ratios import Over

BLOCKS = dense_columns.blocks_printed()[1]
OVER = Over(SEARCHED, printed_range(CLAIM), marks=(("dash", f"{BLOCKS} blocks over those of dense columns"),))
SPAN = "of the numeric factorisation alone, on the card"


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, storage and machine: its seconds and `ratio`, over those of the binary search in
    the same run; how many dense columns it had; `blocks_alone`, on the rows within a budget: over those
    without one, in the same run; `search_over`, the binary search over it, on the rows without a budget."""
    frame = pair_frame(
        inputs, dense_columns.over_search, role=SEARCHED,
        facts=("scratch_columns", "levels", "launches"),
    )  # fmt: skip
    frame = dense_columns.add_large(frame, inputs.entries)
    dense_columns.add_budgets(frame)
    over_baseline(frame, SEARCHED)
    frame["series"] = frame["series"].where(frame["variant"] != "", "no machine")
    free = frame["variant"] == FREE
    frame["blocks_alone"] = (frame["ratio"] / beside(frame, free, "ratio")).where(frame["variant"] == LIMITED)
    for ours, theirs in (("", ""), ("_low", "_high"), ("_high", "_low")):
        frame[f"search_over{ours}"] = (1 / frame[f"ratio{theirs}"]).where(free)
    return columns_of(
        frame, "variant", "n", "entries", "budget_bytes", "budget_blocks", "bound", "scratch_columns",
        "levels", "launches", "median", "low", "high", *RATIO, "blocks_alone", "search_over",
        "search_over_low", "search_over_high", "paper_order", "paper_blocks",
    )  # fmt: skip


def _ratios(axes: Axes, frame: pd.DataFrame) -> None:
    """With a dash across each bar of as many dense columns as printed."""
    OVER(axes, frame)
    places, width = bars.positions(frame)
    rows = frame.assign(x=places)[(frame["variant"] == LIMITED) & frame["bound"].notna()]
    axes.hlines(rows["bound"], rows["x"] - width / 2, rows["x"] + width / 2, color="black", linewidth=2.6)


def _columns(counts: pd.Series[float]) -> str:
    """From the fewest to the most, of those that are known."""
    ends = dict.fromkeys(f"{count:.0f}" for count in (counts.min(), counts.max()) if pd.notna(count))
    return " to ".join(ends) or "none"


def _facts(frame: pd.DataFrame) -> Mapping[str, str]:
    limited = frame.loc[frame["variant"] == LIMITED, "budget_blocks"]
    printed = pd.Series([float(blocks) for _, _, blocks in dense_columns.printed_sizes().values()])
    return {"here": _columns(limited), "printed": _columns(printed), "how": how(frame, SPAN)}


def by_blocks(frame: pd.DataFrame) -> list[Verdict]:
    """What the printed numbers of blocks give at most of what is printed."""
    ratios = {name: BLOCKS / blocks for name, (_, _, blocks) in dense_columns.printed_sizes().items()}
    return [judge_numbers(claim(PAPER, CLAIM, "by_blocks"), ratios)]


EXHIBIT = Exhibit(
    PAPER,
    "PPoPP'23, Figure 8",
    "dense columns and binary search",
    frame,
    Panels([_ratios], height=7.0, shown=dense_columns.shortly),
    """Seconds of glu3 over those with a binary search, which stand above its bars: with about as many dense
    columns as printed ({here} here, {printed} in the paper), and, not in the paper, with as many as fit.
    {how}""",
    _facts,
    held=(
        Held(
            CLAIM, "ratio", ("range",), "pair", "seconds, dense columns over binary search",
            only={"variant": LIMITED},
        ),
        Held(CLAIM, "search_over", ("slower_access",), "pair", only={"variant": FREE}),
        by_blocks,
    ),
    one_run=True,
)  # fmt: skip
