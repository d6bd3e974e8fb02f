"""Figure 7: dynamic parallelism assignment within a budget of device memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from fillpath.case import Case
from reports.exhibit import Exhibit, Gains, Panels
from reports.facts.claims import claim, subject
from reports.facts.records import Entries, Records
from reports.facts.standings import Verdict
from reports.facts.verdicts import judge
from reports.frames.arrays import LARGEST, PAPER, is_out_of_core, stand_in_among
from reports.frames.budgets import BUDGET, budget_bytes, by_budget
from reports.frames.device import columns_of, gpu_caption, option_of, pair_frame
from reports.shapes import bars

CLAIM = "fig7_dynamic_assignment"
OFF = "dynamic_assignment"
MOST = float(subject(PAPER, CLAIM).data["max_percent"])
GAIN = bars.Panel(
    "gain", "gain_low", "gain_high", "gain of dynamic\nassignment, %", "pair", points=True, hollow="loose",
    form="{:+.3g}%".format, log=False,
)  # fmt: skip


def frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """One row per matrix, budget and machine: `gain`, by how many per cent of the seconds with dynamic
    assignment those without it are more, in the same run and budget; launches with it off and on (other_).
    binds : 1 where there were several without it."""
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


def verdicts(frame: pd.DataFrame) -> list[Verdict]:
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


def _points(frame: pd.DataFrame) -> pd.DataFrame:
    """A point a budget, `loose` where it does not bind. Where a machine cannot run it, one slot says so."""
    return frame.assign(loose=frame["binds"] != 1).drop_duplicates(["group", "series"])


EXHIBIT = Exhibit(
    PAPER,
    "PPoPP'23, Figure 7",
    "dynamic parallelism assignment",
    frame,
    Panels(
        [
            Gains(
                GAIN,
                mean=MOST,
                even=0.0,
                legend=(
                    ("line", f"printed, at most {MOST:+g}%"),
                    ("hollow", "the budget does not bind"),
                    ("slot", "no ratio"),
                ),
            )
        ],
        height=7.0,
        shown=_points,
    ),
    """Gain: seconds of out_of_core with dynamic_assignment=false over those with it, less 1, under the same
    memory_budget (bytes of the intermediate arrays on the device): the ratio of their medians in one run.
    Full points: without it there were several launches, each a chunk of rows, so that larger chunks can be
    fewer; empty points: one, or it is not known (rows that found no room for their columns are launched
    again, which counts too). The paper's gain is up to 10 per cent, of two large matrices that it does not
    name, on a V100. {gpu}""",
    lambda frame: {"gpu": gpu_caption(frame, paper=PAPER)},
    held=(verdicts,),
    claims=(CLAIM,),
    edges=True,
    one_run=True,
)
