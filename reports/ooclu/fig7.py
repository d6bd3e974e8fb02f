"""Figure 7: dynamic parallelism assignment within a budget of device memory."""

import pandas as pd
from matplotlib.axes import Axes

from reports.exhibit import Exhibit, Subset
from reports.facts.claims import subject
from reports.ooclu.arrays import PAPER, SYMBOLIC, budgeted
from reports.shapes.axes import Panels
from reports.shapes.bars import seconds
from reports.shapes.stacked import BASELINE, Over
from reports.verbs import ENDS, gains, inverted, over_variant, with_groups, without

CLAIM, OFF, DYNAMIC = "fig7_dynamic_assignment", "dynamic_assignment", "dynamic assignment"
MOST = float(subject(PAPER, CLAIM).data["max_percent"])


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and budget, the largest first: `gain`, by how many per cent of the seconds
    with dynamic assignment those without it are more.

    over_naive : the seconds with it over those without
    binds : 1 where there were several launches without it
    """
    rows = budgeted(cases, f"out_of_core.{OFF}=false")
    dynamic = over_variant(cases, rows, without(rows["variant"], OFF), ("", "with dynamic assignment"))
    rows = rows.join(gains(dynamic)).join(inverted(dynamic, "over_naive"))
    return rows.sort_values(["group", "budget_bytes"], ascending=[True, False], kind="stable")


def where_binding(frame: pd.DataFrame) -> list[Subset]:
    """Return the rows in which the budget binds, each named with it."""
    rows = frame[frame["binds"] == 1]
    return [Subset(rows.assign(label=rows["label"].astype("object") + " at " + rows["budget"]))]


def least(frame: pd.DataFrame) -> list[Subset]:
    """Return of each matrix the budget with the least gain, of those that bind, by the processes of all."""
    rows = frame[(frame["binds"] == 1) & (frame["pair"] == "ok")]
    rows = rows.assign(gain_processes=rows.groupby("label")["gain_processes"].transform("min"))
    return [Subset(rows.sort_values("gain", kind="stable").drop_duplicates("label"))]


def drawn(frame: pd.DataFrame) -> pd.DataFrame:
    """Return two bars for each matrix and budget that binds, or has no ratio."""
    rows = frame[(frame["binds"] == 1) | (frame["pair"] != "ok")]
    rows = with_groups(rows.assign(label=rows["label"].astype("object") + ", " + rows["budget"]))
    naive = rows.assign(series="naive", pair=BASELINE, written=rows["median"].map(seconds))
    written = rows["other_median"].map(seconds)
    ratios = {f"ratio{end}": rows[f"over_naive{end}"] for end in ENDS}
    dynamic = rows.assign(series=DYNAMIC, written=written, **ratios)
    return pd.concat([naive, dynamic], ignore_index=True)


PRINTED = (round(100 / (100 + MOST), 3), 1.0)
RATIOS = Over("the naive implementation", PRINTED, f", at most {MOST:+g}%")


def draw(axes: Axes, frame: pd.DataFrame) -> None:
    """Draw the seconds of both, and the gain above."""
    RATIOS(axes, frame)
    rows = frame[(frame["series"] == DYNAMIC) & frame["gain"].notna()]
    for group, gain in zip(rows["group"], rows["gain"], strict=True):
        across, text = axes.get_xaxis_transform(), f"{gain:+.3g}%"
        axes.text(group, 0.99, text, transform=across, ha="center", va="top", weight="bold")


EXHIBIT = Exhibit(
    PAPER,
    "PPoPP'23, Figure 7",
    "dynamic parallelism assignment",
    frame,
    Panels([draw], 6.5, drawn),
    """Seconds of out_of_core with dynamic_assignment over those without (naive) under the same memory_budget,
    where the naive one takes several launches; above, the gain: naive over dynamic, less 1. The paper names
    no matrix.""",
    claims=(CLAIM,),
    subsets={"binding": where_binding, "least": least},
    one_run=True,
    span=SYMBOLIC,
)
