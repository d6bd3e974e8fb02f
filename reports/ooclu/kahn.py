"""Levels on the GPU by who launches them: the device at once, the device by tail launches, the host."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
from matplotlib.axes import Axes

from fillpath.case import Case
from reports.exhibit import Exhibit
from reports.facts.inputs import Inputs
from reports.frames.device import columns_of, pair_frame
from reports.frames.seconds import RATIO, SLOTS, seconds_how
from reports.frames.variants import variant_of
from reports.shapes import bars
from reports.shapes.panels import Panels
from reports.shapes.seconds import OnOne, seconds_panel

PAPER, CLAIM = "ooclu", "kahn_on_gpu"
COOPERATIVE = "kahn_gpu"
# What each way is called, the one that the others are held against first.
WAYS = {
    COOPERATIVE: "one cooperative launch",
    "kahn_gpu.driver=tail_launch": "tail launches, a level each",
    "kahn_gpu.driver=host": "launches of the host, a level each",
    "glu3_relaxed": "glu3_relaxed, one core",
}
SPAN = "from F to its levels, both resident"


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per case and machine: its seconds; `levels`, and `ratio`, its seconds over those of the
    cooperative launch in one run."""
    frame = pair_frame(inputs, _cooperative, role=COOPERATIVE, facts=("levels",))
    frame["variant"] = [variant_of(Case.parse(case)) for case in frame["case"]]
    frame["series"] = [WAYS[way] for way in frame["variant"]]
    return columns_of(frame, "variant", "median", "low", "high", *RATIO, "levels")


def _cooperative(case: Case) -> Case:
    return replace(case, implementation=COOPERATIVE, options=(), threads=0)


def _ways(axes: Axes, frame: pd.DataFrame) -> None:
    """One bar per way and matrix, on a log axis, each with its seconds."""
    seconds_panel(axes, frame)
    ok = frame[frame["status"] == "ok"]
    if len(ok):
        axes.set_ylim(top=8 * float(ok["high"].max()))
    for x, row in zip(bars.positions(frame)[0], frame.to_dict("records"), strict=True):
        if row["status"] == "ok":
            bars.write_upwards(axes, x, row["high"], bars.seconds(row["median"]))
    bars.legend(axes, frame, {})


def _over(frame: pd.DataFrame) -> str:
    """By how much the others take longer, empty where no ratio is known."""
    ok = frame[(frame["pair"] == "ok") & (frame["variant"] != COOPERATIVE)]
    ratios = [
        f"{WAYS[str(way)]}: {bars.times(rows['ratio'].min())} to {bars.times(rows['ratio'].max())}"
        for way, rows in ok.groupby("variant", sort=False)
    ]
    return f"Over one cooperative launch, in one run: {'; '.join(ratios)}. " if ratios else ""


EXHIBIT = Exhibit(
    PAPER,
    "PPoPP'23",
    "who launches the levels",
    frame,
    OnOne(Panels([_ways], height=6.5)),
    """Levels of the relaxed dependencies. The paper launches each from the device, claims that this beats the
    host, and prints no number. The cooperative launch and glu3_relaxed are ours. {over}{seconds} {slots}""",
    lambda frame: {"over": _over(frame), "seconds": seconds_how(frame, SPAN), "slots": SLOTS},
    claims=(CLAIM,),
    one_run=True,
)
