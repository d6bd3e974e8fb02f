"""Levels on the GPU by who launches them: the device at once, the device by tail launches, the host."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from reports import bars
from reports.device import columns_of
from reports.figures import Entries, FigureSpec
from reports.records import Records
from reports.style import LARGE, SMALL, new_figure
from reports.timed import (
    SECONDS,
    SLOTS,
    add_columns,
    name_matrices,
    on_one,
    ratio_of,
    seconds_how,
    timed_frame,
    width,
)

PAPER, CLAIM = "ooclu", "kahn_on_gpu"
COOPERATIVE = "kahn_gpu"
# What each way is called, the one that the others are held against first.
WAYS = {
    COOPERATIVE: "one cooperative launch",
    "kahn_gpu.driver=tail_launch": "tail launches, a level each",
    "kahn_gpu.driver=host": "launches of the host, a level each",
    "glu3_relaxed": "glu3_relaxed, one core",
}
NUMBERS = ("pair", "ratio", "ratio_low", "ratio_high", "levels")
SPAN = "F by rows and by columns resident where it is used to the levels resident there"


def is_way(case: Case) -> bool:
    """Levels by one of the four."""
    return case.stage == "levels" and _way(case) in WAYS


def kahn_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """A row a case and machine: its seconds; `levels`, and `ratio`, its seconds over those of the cooperative
    launch in one run."""
    frame = timed_frame(records, entries, cases, PAPER)
    frame["variant"] = [_way(Case.parse(case)) for case in frame["case"]]
    frame["series"] = [WAYS[way] for way in frame["variant"]]
    add_columns(frame, [_numbers(frame, row, records) for row in frame.to_dict("records")], NUMBERS)
    return columns_of(frame, "variant", "median", "low", "high", "pair", *NUMBERS[1:])


def kahn(frame: pd.DataFrame) -> Figure:
    """A bar a way and matrix, on a log axis."""
    figure = new_figure(width(frame), 6.5)
    axes = figure.subplots()
    figure.suptitle(
        f"PPoPP'23: who launches the levels{on_one(frame)}", x=0.01, ha="left", fontsize=LARGE, weight="bold"
    )
    bars.bar_panel(axes, frame, SECONDS, pd.Series(True, index=frame.index))
    ok = frame[frame["status"] == "ok"]
    if len(ok):
        axes.set_ylim(top=8 * float(ok["high"].max()))
    for x, row in zip(bars.positions(frame)[0], frame.to_dict("records"), strict=True):
        if row["status"] == "ok":
            axes.annotate(
                bars.seconds(row["median"]), (x, row["high"]), (0, 5), textcoords="offset points",
                rotation=90, ha="center", va="bottom", fontsize=SMALL, bbox=bars.GROUND,
            )  # fmt: skip
    bars.legend(axes, frame, {})
    name_matrices(axes, frame)
    return figure


def kahn_caption(frame: pd.DataFrame) -> str:
    """What is compared, and by how much the others take longer."""
    ok = frame[(frame["pair"] == "ok") & (frame["variant"] != COOPERATIVE)]
    told = [
        f"{WAYS[str(way)]}: {bars.times(own['ratio'].min())} to {bars.times(own['ratio'].max())}"
        for way, own in ok.groupby("variant", sort=False)
    ]
    over = f"Over one cooperative launch, in one run: {'; '.join(told)}. " if told else ""
    return (
        "Levels of the relaxed dependencies by Kahn's algorithm on the GPU. The paper launches each level "
        "from the device, where the launches of others are the host's, and claims that this is faster; it "
        "prints no number. One cooperative launch is ours, and so is glu3_relaxed on one core. "
        f"{over}"
        f"{seconds_how(frame, SPAN)} {SLOTS}"
    )


def _way(case: Case) -> str:
    options = "".join(f".{name}={value}" for name, value in case.options)
    return f"{case.implementation}{options}"


def _numbers(frame: pd.DataFrame, row: Mapping[Any, Any], records: Records) -> dict[str, Any]:
    """The ratio of a row, and its levels."""
    same = (frame["matrix"] == row["matrix"]) & (frame["preparation"] == row["preparation"])
    own = frame[same & (frame["machine"] == row["machine"]) & (frame["variant"] == COOPERATIVE)]
    base = own.to_dict("records")[0] if len(own) else None
    machine = row["machine"]
    facts = records.facts(str(row["case"]), machine) if isinstance(machine, str) else {}
    return {**ratio_of(row, base, ("", COOPERATIVE)), "levels": facts.get("levels")}


SPEC = FigureSpec(
    "Who launches the levels",
    is_way,
    kahn_frame,
    kahn,
    kahn_caption,
    claims=(CLAIM,),
    one_run=True,
)
