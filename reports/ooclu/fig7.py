"""Figure 7: dynamic parallelism assignment within a budget of device memory."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from fillpath.case import Case
from fillpath.dicts import dicts
from reports.exhibit import Exhibit, Held, Subset
from reports.facts.claims import subject
from reports.facts.inputs import Inputs
from reports.frames import budgets
from reports.frames.arrays import LARGEST, PAPER, how, is_out_of_core, stand_in_among
from reports.frames.budgets import BUDGET
from reports.frames.device import add_gains, columns_of, pair_frame
from reports.frames.seconds import SYMBOLIC, groups_of
from reports.shapes import bars
from reports.shapes.gains import PRINTED_LINE, legend_mark
from reports.shapes.panels import Panels
from reports.shapes.style import HATCHES, PALETTE

CLAIM = "fig7_dynamic_assignment"
OFF = "dynamic_assignment"
MOST = float(subject(PAPER, CLAIM).data["max_percent"])
# Of a pair of bars: how wide each is, and how far apart their middles are.
WIDTH, APART = 0.4, 0.42
NAIVE, DYNAMIC = ("naive", PALETTE[1], HATCHES[1]), ("dynamic assignment", PALETTE[0], HATCHES[0])


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, budget and machine: `gain`, by how many per cent of the seconds with dynamic
    assignment those without it are more, in the same run and budget; `over_naive`, the seconds with it over
    those without; launches with it off and on (other_). binds : 1 where there were several without it."""
    frame = pair_frame(
        inputs, switched_on, role="with dynamic assignment",
        facts=("launches", "concurrent_sources", "spilled"),
    )  # fmt: skip
    stand_in_among(frame, LARGEST)
    add_gains(frame)
    for ours, theirs in (("", ""), ("_low", "_high"), ("_high", "_low")):
        frame[f"over_naive{ours}"] = 1 / frame[f"ratio{theirs}"]
    budgets.add_budgets(frame)
    frame["binds"] = (frame["launches"] > 1).astype("float64").where(frame["launches"].notna())
    return columns_of(
        budgets.by_budget(frame), "other", "budget", "budget_bytes", "binds", "median", "other_median",
        "pair", "gain", "gain_low", "gain_high", "gain_processes", "over_naive", "over_naive_low",
        "over_naive_high", "launches", "other_launches",
        "concurrent_sources", "other_concurrent_sources", "other_spilled",
    )  # fmt: skip


def _where_binding(frame: pd.DataFrame) -> list[Subset]:
    """The rows in which the budget binds, each named with it."""
    rows = frame[frame["binds"] == 1]
    return [Subset(rows.assign(label=_with_budget(rows, " at ")))]


def _least(frame: pd.DataFrame) -> list[Subset]:
    """Of each matrix the budget with the least gain, of those that bind; which it is, all of them say."""
    rows, keys = frame[(frame["binds"] == 1) & (frame["pair"] == "ok")], ["label", "machine"]
    rows = rows.assign(gain_processes=rows.groupby(keys)["gain_processes"].transform("min"))
    return [Subset(rows.sort_values("gain", kind="stable").drop_duplicates(keys))]


def _with_budget(rows: pd.DataFrame, joined: str) -> pd.Series[str]:
    labels = [f"{label}{joined}{budget}" for label, budget in zip(rows["label"], rows["budget"], strict=True)]
    return pd.Series(labels, index=rows.index, dtype="object")


def _binding(frame: pd.DataFrame) -> pd.DataFrame:
    """A group for each matrix and budget that binds, or has no ratio."""
    rows = frame[(frame["binds"] == 1) | (frame["pair"] != "ok")]
    rows = rows.assign(label=_with_budget(rows, ", ")).reset_index(drop=True)
    return rows.assign(group=groups_of(rows))


def _panel(axes: Axes, frame: pd.DataFrame) -> None:
    """The seconds of both over those of the naive one, and the gain above."""
    for row in dicts(frame):
        if row["pair"] != "ok":
            bars.draw_slot(axes, row["group"], 2 * WIDTH, str(row["pair"]))
            continue
        places = row["group"] - APART / 2, row["group"] + APART / 2
        low, value, high = (row[f"over_naive{end}"] for end in ("_low", "", "_high"))
        ends, seconds = ((1.0, 1.0), (value, high)), (row["median"], row["other_median"])
        for x, (height, end), took, look in zip(places, ends, seconds, (NAIVE, DYNAMIC), strict=True):
            axes.bar(x, height, WIDTH, color=look[1], hatch=look[2], edgecolor="black", linewidth=0.6)
            bars.write_upwards(axes, x, end, bars.seconds(took))
        axes.errorbar(places[1], value, [[value - low], [high - value]], color="black", capsize=3)
        axes.text(
            row["group"], 0.98, f"{row['gain']:+.3g}%", transform=axes.get_xaxis_transform(), ha="center",
            va="top", weight="bold", bbox=bars.GROUND,
        )  # fmt: skip
    axes.axhline(1 / (1 + MOST / 100), **PRINTED_LINE)
    axes.set_ylim(0, 1.45)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
    axes.set_ylabel("seconds over those of\nthe naive implementation")
    patches = [Patch(facecolor=c, hatch=h, edgecolor="black", label=name) for name, c, h in (NAIVE, DYNAMIC)]
    bars.place_legend(axes, [*patches, legend_mark("line", f"printed, at most {MOST:+g}%")])


def switched_on(case: Case) -> Case | None:
    """The same case with dynamic assignment, for one within a budget that has it off."""
    options = dict(case.options)
    if not is_out_of_core(case) or options.keys() != {BUDGET, OFF}:
        return None
    return replace(case, options=((BUDGET, options[BUDGET]),))


EXHIBIT = Exhibit(
    PAPER,
    "PPoPP'23, Figure 7",
    "dynamic parallelism assignment",
    frame,
    Panels([_panel], 6.5, _binding, widest=14.0),
    """Seconds of out_of_core with dynamic_assignment over those without (naive) under the same memory_budget,
    where the naive one takes several launches; above, the gain: naive over dynamic, less 1. The paper names
    no matrix. {how}""",
    lambda frame: {"how": how(frame, SYMBOLIC)},
    held=(
        Held(
            CLAIM, "gain", ("largest",), "pair", "seconds where the budget binds",
            subsets=_where_binding,
        ),
        Held(CLAIM, "gain", ("faster",), "pair", above=0.0, subsets=_least),
    ),
    one_run=True,
)  # fmt: skip
