"""Figure 8: numeric factorisation with dense columns or a binary search, on the largest matrices."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fillpath.case import Case
from reports import bars
from reports.bars import times
from reports.claims import claim, subject
from reports.device import columns_of, gpu_caption, pair_frame
from reports.figures import Entries, FigureSpec
from reports.gains import legend_mark
from reports.ooclu.arrays import PAPER
from reports.ooclu.large import (
    CLAIM,
    FREE,
    LIMITED,
    SEARCHED,
    add_budgets,
    add_large,
    blocks_printed,
    over_search,
    printed_numbers,
    shortly,
    variant_of,
)
from reports.ooclu.over import BASELINE, draw_over, panel_over
from reports.records import Records
from reports.standings import Verdict
from reports.style import LARGE, new_figure
from reports.timed import RATIO, SECONDS, name_matrices, on_one, seconds_how, width
from reports.verdicts import judge, remark, remarks, spanned

SPAN = "values on the filled pattern resident on the card to those of L and U resident there"


def fig8_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """A row a matrix, storage and machine: its seconds and `ratio`, over those of the binary search in the
    same run; how many dense columns it had; `blocks_alone`, on the rows within a budget: over those without
    one, in the same run."""
    frame = pair_frame(
        records, entries, cases, over_search, role="binary search",
        facts=("scratch_columns", "levels", "launches"), paper=PAPER,
    )  # fmt: skip
    frame = add_large(frame, entries)
    add_budgets(frame)
    own = frame["variant"] == SEARCHED
    frame.loc[own, "pair"] = BASELINE
    frame.loc[own, list(RATIO[1:])] = float("nan")
    several = frame["machine"].nunique() > 1
    named = frame["variant"] + (", " + frame["machine"].fillna("no machine") if several else "")
    frame["series"] = named.where(frame["variant"] != "", "no machine")
    by = ["matrix", "preparation", "machine"]
    free = frame[frame["variant"] == FREE].set_index(by)["ratio"].to_dict()
    keys = frame[by].itertuples(index=False, name=None)
    without = pd.Series([free.get(key) for key in keys], index=frame.index, dtype="float64")
    frame["blocks_alone"] = (frame["ratio"] / without).where(frame["variant"] == LIMITED)
    return columns_of(
        frame, "variant", "n", "entries", "budget_bytes", "budget_blocks", "bound", "scratch_columns",
        "levels", "launches", "median", "low", "high", *RATIO, "blocks_alone", "paper_order", "paper_blocks",
    )  # fmt: skip


def fig8(frame: pd.DataFrame) -> Figure:
    """The ratios, with what blocks alone would give, above the seconds."""
    figure = new_figure(width(frame), 10.0)
    top, bottom = figure.subplots(2, 1, sharex=True)
    figure.suptitle(
        f"PPoPP'23, Figure 8: dense columns and binary search{on_one(frame)}", x=0.01, ha="left",
        fontsize=LARGE, weight="bold",
    )  # fmt: skip
    low, high = subject(PAPER, CLAIM).data["range"]
    bound = legend_mark("dash", f"blocks alone: {blocks_printed()[1]} over those of dense columns")
    draw_over(top, frame, panel_over("the binary search"), (low, high), "", [bound])
    _bounds(top, frame)
    bars.bar_panel(bottom, frame, SECONDS, pd.Series(True, index=frame.index))
    name_matrices(bottom, shortly(frame))
    return figure


def fig8_caption(frame: pd.DataFrame) -> str:
    """What is compared, what the budget is for, and what blocks alone can give."""
    return (
        "Above: seconds of glu3 (float32) with dense columns over those with a binary search in the columns "
        "of F. The first bar has as many dense columns, one a block, as the print: a memory_budget of 8.0e9 "
        "bytes at n = 1.6e7, in proportion to n. The second, not in the paper, has what half of the card's "
        "free memory holds, eight a multiprocessor at most, so that the first over it is what blocks alone "
        f"give here. {_arithmetic()} The paper fixes its binary search at 160 blocks; here its launches have "
        "as many as the level has work for. The paper's matrices have 1000 in place of zeros on the diagonal "
        "(diagonal=1000), and it names no ordering; grids are ordered by geometric nested dissection "
        "(geometric). "
        f"{seconds_how(frame, SPAN)} {gpu_caption(frame, timed=False, paper=PAPER)}"
    )


def fig8_verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """How much longer dense columns take at the printed number of blocks; what of that blocks alone give, by
    the print and as measured."""
    limited = frame[frame["variant"] == LIMITED]
    named = f"{PAPER}.{CLAIM}"

    def alone(rows: pd.DataFrame) -> str:
        return f"{spanned(rows, 'blocks_alone', times)}, not in the paper"

    return [
        *judge(
            limited, claim(PAPER, CLAIM, "range"), "ratio", status="pair", by_edges=False,
            basis="seconds, dense columns over binary search",
        ),
        *remarks(
            limited, named, "blocks_alone", alone, status="pair", by_edges=False,
            basis="seconds, dense columns, as many as printed over as many as fit",
        ),
        remark(named, "blocks alone, by the print", _arithmetic()),
    ]  # fmt: skip


def _arithmetic() -> str:
    """What the printed blocks give at most of what is printed."""
    blocks = [blocks for _, _, blocks in printed_numbers().values()]
    most, (low, high) = blocks_printed()[1], subject(PAPER, CLAIM).data["range"]
    ratios = " to ".join(times(most / count) for count in (max(blocks), min(blocks)))
    return (
        f"From {min(blocks)} to {max(blocks)} blocks to {most} is {ratios} at most, so that of the printed "
        f"{low:g}x to {high:g}x the rest has another cause."
    )


def _bounds(axes: Axes, frame: pd.DataFrame) -> None:
    """A dash across each matrix whose number of blocks is known."""
    rows = frame[frame["bound"].notna()].drop_duplicates("group")
    half = bars.GROUP_WIDTH / 2
    axes.hlines(rows["bound"], rows["group"] - half, rows["group"] + half, color="black", linewidth=2.2)


SPEC = FigureSpec(
    "Figure 8: dense columns and binary search",
    lambda case: bool(variant_of(case)),
    fig8_frame,
    fig8,
    fig8_caption,
    claims=(CLAIM,),
    judge=fig8_verdicts,
    one_run=True,
)
