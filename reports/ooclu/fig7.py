"""Figure 7: dynamic parallelism assignment within a budget of device memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from reports import bars
from reports.claims import claim, subject
from reports.device import columns_of, gpu_caption, option_of, pair_frame
from reports.figures import Entries, FigureSpec
from reports.gains import draw_gains, gains_legend
from reports.gsofa.budgets import BUDGET, budget_bytes, by_budget
from reports.ooclu.arrays import LARGEST, PAPER, is_out_of_core, stand_in_among
from reports.records import Records
from reports.standings import Verdict
from reports.style import LARGE, new_figure
from reports.timed import name_matrices, width
from reports.verdicts import judge

CLAIM = "fig7_dynamic_assignment"
OFF = "dynamic_assignment"
GAIN = bars.Panel(
    "gain", "gain_low", "gain_high", "gain of dynamic\nassignment, %", "pair", points=True, hollow="loose",
    form="{:+.3g}%".format, log=False,
)  # fmt: skip
PER_CENT = "{:+.3g}%".format


def fig7_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """A row a matrix, budget and machine: `gain`, by how many per cent of the seconds with dynamic assignment
    those without it are more, in the same run and budget; launches with it off and on (other_). binds : 1
    where there were several without it."""
    frame = pair_frame(
        records, entries, cases, switched_on, role="with dynamic assignment",
        facts=("launches", "concurrent_sources", "spilled"), paper=PAPER,
    )  # fmt: skip
    stand_in_among(frame, LARGEST)
    for ratio, gain in (("ratio", "gain"), ("ratio_low", "gain_low"), ("ratio_high", "gain_high")):
        frame[gain] = 100 * (frame[ratio] - 1)
    budgets = [option_of(case, BUDGET) for case in frame["case"]]
    frame["budget"] = pd.Series(budgets, index=frame.index, dtype="object")
    numbers = [budget_bytes(text or "0") for text in budgets]
    frame["budget_bytes"] = pd.Series(numbers, index=frame.index, dtype="float64")
    frame["binds"] = (frame["launches"] > 1).astype("float64").where(frame["launches"].notna())
    named = frame["budget"] + ", " + frame["where"]
    frame["series"] = frame["where"].where(frame["status"] == "unavailable", named)
    return columns_of(
        by_budget(frame), "other", "budget", "budget_bytes", "binds", "median", "other_median", "pair",
        "gain", "gain_low", "gain_high", "launches", "other_launches", "concurrent_sources",
        "other_concurrent_sources", "other_spilled",
    )  # fmt: skip


def fig7(frame: pd.DataFrame) -> Figure:
    """A point a budget; empty where it does not bind. Where a machine cannot run it, one slot says so."""
    shown = frame.assign(loose=frame["binds"] != 1).drop_duplicates(["group", "series"])
    figure = new_figure(width(frame), 7.0)
    axes = figure.subplots()
    figure.suptitle(
        "PPoPP'23, Figure 7: dynamic parallelism assignment", x=0.01, ha="left", fontsize=LARGE, weight="bold"
    )
    most = float(subject(PAPER, CLAIM).data["max_percent"])
    draw_gains(axes, shown, GAIN, "", most, even=0.0)
    loose = ("hollow", "the budget does not bind")
    gains_legend(axes, shown, [("line", f"printed, at most {most:+g}%"), loose, ("slot", "no ratio")])
    name_matrices(axes, shown)
    return figure


def fig7_caption(frame: pd.DataFrame) -> str:
    """What is compared, and when a budget binds."""
    return (
        "Gain: seconds of out_of_core with dynamic_assignment=false over those with it, less 1, under the "
        "same memory_budget (bytes of the intermediate arrays on the device): the ratio of their medians in "
        "one run. Full points: without it there were several launches, each a chunk of rows, so that larger "
        "chunks can be fewer; empty points: one, or it is not known (rows that found no room for their "
        "columns are launched again, which counts too). The paper's gain is up to 10 per cent, of two large "
        f"matrices that it does not name, on a V100. {gpu_caption(frame, paper=PAPER)}"
    )


def fig7_verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """The largest gain where the budget binds."""
    rows = frame[frame["binds"] == 1]
    labels = [f"{label} at {budget}" for label, budget in zip(rows["label"], rows["budget"], strict=True)]
    named = rows.assign(label=pd.Series(labels, index=rows.index, dtype="object"))
    return judge(
        named, claim(PAPER, CLAIM, "largest"), "gain", status="pair", basis="seconds where the budget binds"
    )


def switched_on(case: Case) -> Case | None:
    """The same case with dynamic assignment, for one within a budget that has it off."""
    options = dict(case.options)
    if not is_out_of_core(case) or options.keys() != {BUDGET, OFF}:
        return None
    return replace(case, options=((BUDGET, options[BUDGET]),))


SPEC = FigureSpec(
    "Figure 7: dynamic parallelism assignment",
    is_out_of_core,
    fig7_frame,
    fig7,
    fig7_caption,
    claims=(CLAIM,),
    judge=fig7_verdicts,
    one_run=True,
)
