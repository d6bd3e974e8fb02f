"""Figure 8: numeric factorisation with dense columns or a binary search, on the largest matrices."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from reports.exhibit import Exhibit, Held
from reports.facts.inputs import Inputs
from reports.facts.standings import Verdict
from reports.facts.numbers import spanned
from reports.facts.verdicts import remark
from reports.frames import dense_columns
from reports.frames.arrays import PAPER, over_baseline, printed_range
from reports.frames.dense_columns import CLAIM, FREE, LIMITED, SEARCHED
from reports.frames.device import columns_of, gpu_caption, pair_frame
from reports.frames.seconds import RATIO, beside, seconds_how
from reports.shapes import bars
from reports.shapes.bars import times
from reports.shapes.panels import Panels
from reports.shapes.ratios import Over
from reports.shapes.seconds import OnOne, seconds_panel

RANGE = printed_range(CLAIM)
OVER = Over(
    "the binary search",
    RANGE,
    marks=(("dash", f"blocks alone: {dense_columns.blocks_printed()[1]} over those of dense columns"),),
)
SPAN = "of the numeric factorisation alone, on the card"


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, storage and machine: its seconds and `ratio`, over those of the binary search in
    the same run; how many dense columns it had; `blocks_alone`, on the rows within a budget: over those
    without one, in the same run."""
    frame = pair_frame(
        inputs, dense_columns.over_search, role="binary search",
        facts=("scratch_columns", "levels", "launches"),
    )  # fmt: skip
    frame = dense_columns.add_large(frame, inputs.entries)
    dense_columns.add_budgets(frame)
    over_baseline(frame, SEARCHED)
    frame["series"] = frame["series"].where(frame["variant"] != "", "no machine")
    free = beside(frame, frame["variant"] == FREE, "ratio")
    frame["blocks_alone"] = (frame["ratio"] / free).where(frame["variant"] == LIMITED)
    return columns_of(
        frame, "variant", "n", "entries", "budget_bytes", "budget_blocks", "bound", "scratch_columns",
        "levels", "launches", "median", "low", "high", *RATIO, "blocks_alone", "paper_order", "paper_blocks",
    )  # fmt: skip


def _ratios(axes: Axes, frame: pd.DataFrame) -> None:
    """With a dash across each matrix whose number of blocks is known."""
    OVER(axes, frame)
    rows = frame[frame["bound"].notna()].drop_duplicates("group")
    half = bars.GROUP_WIDTH / 2
    axes.hlines(rows["bound"], rows["group"] - half, rows["group"] + half, color="black", linewidth=2.2)


def _alone(rows: pd.DataFrame) -> str:
    """What blocks alone give, as measured."""
    return f"{spanned(rows, 'blocks_alone', times)}, not in the paper"


def by_the_print(frame: pd.DataFrame) -> list[Verdict]:
    """What blocks alone give, by the print."""
    return [remark(f"{PAPER}.{CLAIM}", "blocks alone, by the print", _arithmetic())]


def _arithmetic() -> str:
    """What the printed blocks give at most of what is printed."""
    blocks = [blocks for _, _, blocks in dense_columns.printed_sizes().values()]
    most, (low, high) = dense_columns.blocks_printed()[1], RANGE
    ratios = " to ".join(times(most / count) for count in (max(blocks), min(blocks)))
    return (
        f"From {min(blocks)} to {max(blocks)} blocks to {most} is {ratios} at most, so that of the printed "
        f"{low:g}x to {high:g}x the rest has another cause."
    )


EXHIBIT = Exhibit(
    PAPER,
    "PPoPP'23, Figure 8",
    "dense columns and binary search",
    frame,
    OnOne(Panels([_ratios, seconds_panel], height=10.0, shown=dense_columns.shortly)),
    """Above: seconds of glu3 with dense columns over those with a binary search: with as many columns as
    printed, and, not in the paper, with as many as fit. {seconds} {gpu}""",
    lambda frame: {
        "seconds": seconds_how(frame, SPAN),
        "gpu": gpu_caption(frame, PAPER, timed=False),
    },
    held=(
        Held(
            CLAIM, "ratio", ("range",), "pair", "seconds, dense columns over binary search",
            only={"variant": LIMITED},
        ),
        Held(
            CLAIM, "blocks_alone", status="pair", only={"variant": LIMITED}, remark=_alone,
            basis="seconds, dense columns, as many as printed over as many as fit",
        ),
        by_the_print,
    ),
    one_run=True,
)  # fmt: skip
