"""Figure 7: dynamic parallelism assignment within a budget of device memory."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from fillpath.case import Case
from reports.exhibit import Exhibit, Held
from reports.facts.claims import subject
from reports.facts.inputs import Inputs
from reports.facts.verdicts import Subset
from reports.frames import budgets
from reports.frames.arrays import LARGEST, PAPER, is_out_of_core, stand_in_among
from reports.frames.budgets import BUDGET
from reports.frames.device import add_gains, columns_of, gpu_caption, pair_frame
from reports.shapes import bars
from reports.shapes.gains import Gains
from reports.shapes.panels import Panels

CLAIM = "fig7_dynamic_assignment"
OFF = "dynamic_assignment"
MOST = float(subject(PAPER, CLAIM).data["max_percent"])
GAIN = bars.Panel(
    "gain", "gain_low", "gain_high", "gain of dynamic\nassignment, %", "pair", points=True, hollow="loose",
    form="{:+.3g}%".format, log=False,
)  # fmt: skip
LEGEND = (
    ("line", f"printed, at most {MOST:+g}%"), ("hollow", "the budget does not bind"), ("slot", "no ratio")
)  # fmt: skip


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, budget and machine: `gain`, by how many per cent of the seconds with dynamic
    assignment those without it are more, in the same run and budget; launches with it off and on (other_).
    binds : 1 where there were several without it."""
    frame = pair_frame(
        inputs, switched_on, role="with dynamic assignment",
        facts=("launches", "concurrent_sources", "spilled"),
    )  # fmt: skip
    stand_in_among(frame, LARGEST)
    add_gains(frame)
    budgets.add_budgets(frame)
    frame["binds"] = (frame["launches"] > 1).astype("float64").where(frame["launches"].notna())
    return columns_of(
        budgets.by_budget(frame), "other", "budget", "budget_bytes", "binds", "median", "other_median",
        "pair", "gain", "gain_low", "gain_high", "launches", "other_launches", "concurrent_sources",
        "other_concurrent_sources", "other_spilled",
    )  # fmt: skip


def _where_binding(frame: pd.DataFrame) -> list[Subset]:
    """The rows in which the budget binds, each named with it."""
    rows = frame[frame["binds"] == 1]
    labels = [f"{label} at {budget}" for label, budget in zip(rows["label"], rows["budget"], strict=True)]
    return [Subset(rows.assign(label=pd.Series(labels, index=rows.index, dtype="object")))]


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
    Panels([Gains(GAIN, mean=MOST, even=0.0, legend=LEGEND)], 7.0, budgets.one_slot),
    """Gain: seconds of out_of_core with dynamic_assignment=false over those with it, less 1, under the same
    memory_budget. Full points: several launches without it; empty: one, or not known. The paper names no
    matrix. {gpu}""",
    lambda frame: {"gpu": gpu_caption(frame, PAPER)},
    held=(
        Held(
            CLAIM, "gain", ("largest",), "pair", "seconds where the budget binds",
            subsets=_where_binding,
        ),
    ),
    one_run=True,
)  # fmt: skip
