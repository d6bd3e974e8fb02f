"""Beyond the paper: what a budget of device memory costs out_of_core, beside gsofa without any."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fillpath.case import Case
from reports import bars
from reports.device import columns_of, gpu_caption, is_gsofa, option_of, pair_frame
from reports.figures import Entries, FigureSpec
from reports.frontiers import empty_panel
from reports.gains import PRINTED_LINE, legend_mark
from reports.gsofa.budgets import BUDGET, budget_bytes
from reports.labels import legend_above
from reports.naming import lines
from reports.ooclu.arrays import LARGEST, OUT_OF_CORE, PAPER, is_out_of_core, stand_in_among
from reports.records import Records
from reports.style import LARGE, PALETTE, SMALL, new_figure
from reports.timed import RATIO

ACROSS = 3
NONE = "none"
MARKS = (
    ("full", "out_of_core, several launches"), ("hollow", "out_of_core, one launch"),
    ("line", "gsofa, without a budget"), ("slot", "no ratio"),
)  # fmt: skip


def budgets_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """A row a matrix, budget and machine: `ratio`, seconds of out_of_core within the budget over those
    without, in the same run; and gsofa, without a budget, over the same. binds : 1 where the budget takes
    several launches."""
    facts = ("launches", "concurrent_sources")
    frame = pair_frame(
        records, entries, cases, without_budget, role="without a budget", facts=facts, paper=PAPER
    )
    stand_in_among(frame, LARGEST)
    own = frame["implementation"] == OUT_OF_CORE
    budgets = [option_of(case, BUDGET) for case in frame["case"]]
    frame["budget"] = pd.Series(budgets, index=frame.index, dtype="object")
    numbers = [budget_bytes(text) if text else None for text in budgets]
    frame["budget_bytes"] = pd.Series(numbers, index=frame.index, dtype="float64")
    known = own & frame["launches"].notna()
    frame["binds"] = (frame["launches"] > 1).astype("float64").where(known)
    frame = frame.sort_values(["group", "budget_bytes"], kind="stable", ignore_index=True)
    return columns_of(
        frame, "implementation", "other", "budget", "budget_bytes", "binds", "median", "other_median", *RATIO,
        "launches", "other_launches", "concurrent_sources", "other_concurrent_sources",
    )  # fmt: skip


def budgets(frame: pd.DataFrame) -> Figure:
    """A panel a matrix and machine: the ratios along the budgets, and gsofa as a line."""
    panels = [rows for _, rows in frame.groupby(["label", "machine"], sort=False, dropna=False)]
    down = max(1, -(-len(panels) // ACROSS))
    figure = new_figure(15.0, 1.4 + 4.2 * down)
    figure.suptitle(
        "PPoPP'23, beyond the paper: out_of_core under a budget of device memory", x=0.01, ha="left",
        fontsize=LARGE, weight="bold",
    )  # fmt: skip
    grid = figure.subplots(down, ACROSS, squeeze=False).ravel()
    legend_above(figure, [legend_mark(kind, text) for kind, text in MARKS])
    several = frame["machine"].nunique() > 1
    for axes, rows in zip(grid, panels, strict=False):
        _panel(axes, rows, several)
    for axes in grid[::ACROSS]:
        axes.set_ylabel("seconds over those\nwithout a budget")
    for axes in grid[len(panels) :]:
        axes.set_axis_off()
    if not panels:
        grid[0].text(0, 0.5, "no case of this figure in the suite", transform=grid[0].transAxes)
    return figure


def budgets_caption(frame: pd.DataFrame) -> str:
    """What is compared, and which budgets bind."""
    return (
        "Seconds of out_of_core with a memory_budget (bytes of the intermediate arrays on the device) over "
        "those without, which takes half of what is free at most: the ratio of their medians in one run. "
        "Full points: several launches, each a chunk of rows; empty: one, or it is not known. Dashed: "
        "gsofa without a budget, which keeps arrays for the rows under way alone and is launched once, over "
        f"the same. The paper varies no budget. {gpu_caption(frame, paper=PAPER)}"
    )


def is_shown(case: Case) -> bool:
    """out_of_core, whatever its options, and gsofa with its defaults."""
    return is_out_of_core(case) or (is_gsofa(case) and not case.options)


def without_budget(case: Case) -> Case | None:
    """out_of_core with its defaults, for one within a budget and for gsofa."""
    budgeted = is_out_of_core(case) and dict(case.options).keys() == {BUDGET}
    if not budgeted and not (is_gsofa(case) and not case.options):
        return None
    return replace(case, implementation=OUT_OF_CORE, options=())


def _panel(axes: Axes, rows: pd.DataFrame, several: bool) -> None:
    first = rows.iloc[0].to_dict()
    host = f", on {first['machine']}" if several and not pd.isna(first["machine"]) else ""
    axes.set_title(f"{lines(first)}{host}".replace("\n", ", "), loc="left")
    budgeted = rows[rows["budget"].notna()].reset_index(drop=True)
    ok = budgeted[budgeted["pair"] == "ok"]
    if ok.empty:
        empty_panel(axes, str(first["pair"]), "" if pd.isna(first["reason"]) else str(first["reason"]))
        return
    places = [*budgeted["budget"], NONE]
    axes.plot([*ok.index, len(budgeted)], [*ok["ratio"], 1.0], color=PALETTE[0], linewidth=1.5, zorder=2)
    for x, row in enumerate(budgeted.to_dict("records")):
        _point(axes, x, row)
    axes.plot(len(budgeted), 1.0, marker="o", markersize=8, **_filled(ok["other_launches"].iloc[0] > 1))
    gsofa = rows[rows["budget"].isna()]
    said = _line(axes, gsofa.iloc[0].to_dict() if len(gsofa) else {"pair": "not_run"})
    seconds = f"1x: {first['other_median']:.3g} s\n{said}"
    axes.text(0.99, 0.97, seconds, transform=axes.transAxes, ha="right", va="top", bbox=bars.GROUND)
    axes.set_xticks(range(len(places)), places, rotation=45, ha="right", rotation_mode="anchor")
    axes.set_xlim(-0.6, len(places) - 0.4)
    high = float(rows.loc[rows["pair"] == "ok", "ratio_high"].max())
    axes.set_ylim(0, 1.35 * max(1.0, high))


def _point(axes: Axes, x: float, row: dict[Any, Any]) -> None:
    if row["pair"] != "ok":
        bars.draw_slot(axes, x, 0.8, str(row["pair"]))
        return
    around = [[max(0.0, row["ratio"] - row["ratio_low"])], [max(0.0, row["ratio_high"] - row["ratio"])]]
    axes.errorbar(
        x, row["ratio"], yerr=around, marker="o", markersize=8, elinewidth=1.4, capsize=3, ecolor="black",
        **_filled(row["binds"] == 1),
    )  # fmt: skip
    axes.annotate(
        bars.times(row["ratio"]), (x, row["ratio_high"]), (0, 6), textcoords="offset points", ha="center",
        va="bottom", rotation=90, fontsize=SMALL, bbox=bars.GROUND,
    )  # fmt: skip


def _filled(full: bool) -> dict[str, Any]:
    edge = {"markeredgecolor": "black" if full else PALETTE[0], "markeredgewidth": 1.0 if full else 2.0}
    return {"color": PALETTE[0] if full else "white", "zorder": 3, **edge}


def _line(axes: Axes, row: dict[Any, Any]) -> str:
    """A line at gsofa's ratio. Returns the ratio as text, or why there is none."""
    if row["pair"] != "ok":
        return f"gsofa: {str(row['pair']).replace('_', ' ')}"
    axes.axhline(row["ratio"], **PRINTED_LINE)
    return f"gsofa: {bars.times(row['ratio'])}"


SPEC = FigureSpec(
    "Beyond the paper: out_of_core under a budget",
    is_shown,
    budgets_frame,
    budgets,
    budgets_caption,
    one_run=True,
)
