"""Beyond the paper: what a budget of device memory costs out_of_core, beside gsofa without any."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fillpath.case import Case
from fillpath.dicts import dicts
from reports.exhibit import OldExhibit as Exhibit
from reports.facts.inputs import Inputs
from reports.frames.arrays import LARGEST, OUT_OF_CORE, PAPER, how, is_out_of_core, stand_in_among
from reports.frames.budgets import BUDGET, budgets_of
from reports.frames.device import columns_of, is_gsofa, pair_frame
from reports.frames.seconds import RATIO, SYMBOLIC
from reports.shapes import bars
from reports.shapes.axes import empty_panel
from reports.shapes.gains import PRINTED_LINE
from reports.shapes.multiples import Grid, Multiples
from reports.shapes.style import PALETTE

NONE = "none"


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, budget and machine: `ratio`, seconds of out_of_core within the budget over those
    without, in the same run; and gsofa, without a budget, over the same. binds : 1 where the budget takes
    several launches."""
    facts = ("launches", "concurrent_sources")
    frame = pair_frame(inputs, without_budget, role="without a budget", facts=facts)
    stand_in_among(frame, LARGEST)
    budgeted = frame["implementation"] == OUT_OF_CORE
    frame[["budget", "budget_bytes"]] = budgets_of(frame)
    known = budgeted & frame["launches"].notna()
    frame["binds"] = (frame["launches"] > 1).astype("float64").where(known)
    frame = frame.sort_values(["group", "budget_bytes"], kind="stable", ignore_index=True)
    return columns_of(
        frame, "implementation", "other", "budget", "budget_bytes", "binds", "median", "other_median", *RATIO,
        "launches", "other_launches", "concurrent_sources", "other_concurrent_sources",
    )  # fmt: skip


def without_budget(case: Case) -> Case | None:
    """out_of_core with its defaults, for one within a budget and for gsofa."""
    budgeted = is_out_of_core(case) and dict(case.options).keys() == {BUDGET}
    if not budgeted and not (is_gsofa(case) and not case.options):
        return None
    return replace(case, implementation=OUT_OF_CORE, options=())


def _panel(axes: Axes, rows: pd.DataFrame) -> None:
    """The ratios along the budgets, and gsofa as a line."""
    first = rows.iloc[0].to_dict()
    budgeted = rows[rows["budget"].notna()].reset_index(drop=True)
    ok = budgeted[budgeted["pair"] == "ok"]
    if ok.empty:
        empty_panel(axes, str(first["pair"]), "" if pd.isna(first["reason"]) else str(first["reason"]))
        return
    places = [*budgeted["budget"], NONE]
    axes.plot([*ok.index, len(budgeted)], [*ok["ratio"], 1.0], color=PALETTE[0], linewidth=1.5, zorder=2)
    for x, row in enumerate(dicts(budgeted)):
        _point(axes, x, row)
    axes.plot(len(budgeted), 1.0, marker="o", markersize=8, **_filled(ok["other_launches"].iloc[0] > 1))
    gsofa = rows[rows["budget"].isna()]
    text = _line(axes, gsofa.iloc[0].to_dict() if len(gsofa) else {"pair": "not_run"})
    seconds = f"1x: {bars.seconds(first['other_median'])}\n{text}"
    axes.text(0.99, 0.97, seconds, transform=axes.transAxes, ha="right", va="top", bbox=bars.GROUND)
    axes.set_xticks(range(len(places)), places, rotation=45, ha="right", rotation_mode="anchor")
    axes.set_xlabel("budget of device memory")
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
    bars.write_upwards(axes, x, row["ratio_high"], bars.times(row["ratio"]), 6)


def _filled(full: bool) -> dict[str, Any]:
    edge = {"markeredgecolor": "black" if full else PALETTE[0], "markeredgewidth": 1.0 if full else 2.0}
    return {"color": PALETTE[0] if full else "white", "zorder": 3, **edge}


def _line(axes: Axes, row: dict[Any, Any]) -> str:
    """A line at gsofa's ratio. Returns the ratio as text, or why there is none."""
    if row["pair"] != "ok":
        return f"gsofa: {str(row['pair']).replace('_', ' ')}"
    axes.axhline(row["ratio"], **PRINTED_LINE)
    return f"gsofa: {bars.times(row['ratio'])}"


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """A panel per matrix, under a legend of what is drawn."""
    binds, known = frame["binds"], frame["pair"] == "ok"
    marks = (
        ("full", "out_of_core, several launches", (known & (binds == 1)).any()),
        ("hollow", "out_of_core, one launch", (known & frame["budget"].notna() & (binds != 1)).any()),
        ("line", "gsofa, without a budget", (known & frame["budget"].isna()).any()),
        ("slot", "no ratio", (~known).any()),
    )
    panels = Multiples(
        _panel,
        "seconds over those\nwithout a budget",
        Grid(across=3, width=14.0, height=4.2, top=1.4),
        marks=[(kind, text) for kind, text, drawn in marks if drawn],
    )
    return panels(frame, title)


EXHIBIT = Exhibit(
    PAPER,
    "PPoPP'23, beyond the paper",
    "out_of_core under a budget of device memory",
    frame,
    draw,
    """Seconds of out_of_core with a memory_budget over those without. Full points: several launches, each a
    chunk of rows; empty: one, or not known. Dashed: gsofa without a budget, over the same. The paper varies
    no budget. {how}""",
    lambda frame: {"how": how(frame, SYMBOLIC)},
    one_run=True,
)
