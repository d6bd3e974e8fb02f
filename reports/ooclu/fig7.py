"""Figure 7: dynamic parallelism assignment within a budget of device memory."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from reports.exhibit import Exhibit, Held, Subset
from reports.facts.claims import subject
from reports.ooclu.arrays import LARGEST, PAPER, SYMBOLIC, budgeted, standing_in
from reports.shapes import bars
from reports.shapes.axes import PRINTED_LINE, legend_mark
from reports.shapes.panels import Panels
from reports.shapes.style import HATCHES, PALETTE
from reports.verbs import gains, inverted, over_variant, with_groups, without

CLAIM, OFF = "fig7_dynamic_assignment", "dynamic_assignment"
MOST = float(subject(PAPER, CLAIM).data["max_percent"])
# Of a pair of bars: how wide each is, and how far apart their middles are.
WIDTH, APART = 0.4, 0.42
NAIVE, DYNAMIC = ("naive", PALETTE[1], HATCHES[1]), ("dynamic assignment", PALETTE[0], HATCHES[0])

EDGE: dict[str, Any] = {"edgecolor": "black", "linewidth": 0.6}
WHISKERS: dict[str, Any] = {"linestyle": "none", "color": "black", "capsize": 3}
ABOVE: dict[str, Any] = {"ha": "center", "va": "top", "weight": "bold", "bbox": bars.GROUND}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and budget, the largest first: `gain`, by how many per cent of the seconds
    with dynamic assignment those without it are more.

    over_naive : the seconds with it over those without
    binds : 1 where there were several launches without it
    """
    rows = budgeted(cases, f"out_of_core.{OFF}=false")
    dynamic = over_variant(cases, rows, without(rows["variant"], OFF), ("", "with dynamic assignment"))
    rows = rows.join(gains(dynamic)).join(inverted(dynamic, "over_naive"))
    rows = with_groups(standing_in(rows, LARGEST))
    return rows.sort_values(["group", "budget_bytes"], ascending=[True, False], kind="stable")


def where_binding(frame: pd.DataFrame) -> list[Subset]:
    """Return the rows in which the budget binds, each named with it."""
    rows = frame[frame["binds"] == 1]
    return [
        Subset(rows.assign(label=rows["label"].astype("object") + " at " + rows["budget"].astype("object")))
    ]


def least(frame: pd.DataFrame) -> list[Subset]:
    """Return of each matrix the budget with the least gain, of those that bind, by the processes of all."""
    rows = frame[(frame["binds"] == 1) & (frame["pair"] == "ok")]
    rows = rows.assign(gain_processes=rows.groupby("label")["gain_processes"].transform("min"))
    return [Subset(rows.sort_values("gain", kind="stable").drop_duplicates("label"))]


def drawn(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a group for each matrix and budget that binds, or has no ratio."""
    rows = frame[(frame["binds"] == 1) | (frame["pair"] != "ok")].reset_index(drop=True)
    return with_groups(
        rows.assign(label=rows["label"].astype("object") + ", " + rows["budget"].astype("object"))
    )


def draw(axes: Axes, frame: pd.DataFrame) -> None:
    """Draw the seconds of both over those of the naive one, and the gain above."""
    ok, failed = frame[frame["pair"] == "ok"], frame[frame["pair"] != "ok"]
    for group, why in zip(failed["group"], failed["pair"], strict=True):
        bars.draw_slot(axes, group, 2 * WIDTH, why)
    naive = ok.assign(over_naive=1.0, over_naive_high=1.0)
    dynamic = ok.assign(median=ok["other_median"])
    for rows, look, aside in ((naive, NAIVE, -APART / 2), (dynamic, DYNAMIC, APART / 2)):
        axes.bar(rows["group"] + aside, rows["over_naive"], WIDTH, color=look[1], hatch=look[2], **EDGE)
        for x, end, took in zip(rows["group"], rows["over_naive_high"], rows["median"], strict=True):
            bars.write_upwards(axes, x + aside, end, bars.seconds(took))
    value, low, high = (ok[f"over_naive{end}"] for end in ("", "_low", "_high"))
    axes.errorbar(ok["group"] + APART / 2, value, [value - low, high - value], **WHISKERS)
    for group, gain in zip(ok["group"], ok["gain"], strict=True):
        axes.text(group, 0.98, f"{gain:+.3g}%", transform=axes.get_xaxis_transform(), **ABOVE)
    axes.axhline(1 / (1 + MOST / 100), **PRINTED_LINE)
    axes.set(ylim=(0, 1.45), ylabel="seconds over those of\nthe naive implementation")
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
    patches = [Patch(facecolor=c, hatch=h, edgecolor="black", label=name) for name, c, h in (NAIVE, DYNAMIC)]
    bars.place_legend(axes, [*patches, legend_mark("line", f"printed, at most {MOST:+g}%")])


EXHIBIT = Exhibit(
    PAPER,
    "PPoPP'23, Figure 7",
    "dynamic parallelism assignment",
    frame,
    Panels([draw], 6.5, drawn, widest=14.0),
    """Seconds of out_of_core with dynamic_assignment over those without (naive) under the same memory_budget,
    where the naive one takes several launches; above, the gain: naive over dynamic, less 1. The paper names
    no matrix.""",
    held=(
        Held(CLAIM, "gain", ("largest",), "pair", "seconds where the budget binds", subsets=where_binding),
        Held(CLAIM, "gain", ("faster",), "pair", above=0.0, subsets=least),
    ),
    one_run=True,
    span=SYMBOLIC,
)
