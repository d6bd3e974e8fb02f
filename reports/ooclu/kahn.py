"""Levels on the GPU by who launches them: the device at once, the device by tail launches, the host."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
from matplotlib.axes import Axes

from fillpath.case import Case
from fillpath.dicts import dicts
from reports.exhibit import Held
from reports.exhibit import OldExhibit as Exhibit
from reports.facts.inputs import Inputs
from reports.frames.arrays import PAPER, how
from reports.frames.device import columns_of, pair_frame
from reports.frames.seconds import RATIO
from reports.frames.variants import variant_of
from reports.shapes import bars
from reports.shapes.panels import Panels
from reports.shapes.seconds import seconds_panel

CLAIM = "kahn_on_gpu"
COOPERATIVE, HOST, CORE = "kahn_gpu", "kahn_gpu.driver=host", "glu3_relaxed"
# What each way is called, the one that the others are held against first.
WAYS = {
    COOPERATIVE: "one cooperative launch",
    "kahn_gpu.driver=tail_launch": "tail launches, a level each",
    HOST: "launches of the host, a level each",
    CORE: "glu3_relaxed, one core",
}
SPAN = "from F to its levels, both resident"


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per case and machine: its seconds; `levels`, and `ratio`, its seconds over those of the
    cooperative launch in one run; `host_ratio`, on the rows of launches of the host, over tail launches."""
    frame = pair_frame(inputs, _cooperative, role=COOPERATIVE, facts=("levels",))
    frame["variant"] = [variant_of(Case.parse(case)) for case in frame["case"]]
    frame["series"] = [WAYS[way] for way in frame["variant"]]
    tails = pair_frame(inputs, _tail, role="tail launches")
    names = {"pair": "host_pair", **{name: f"host_{name}" for name in RATIO[1:]}}
    tails = tails[["case", "machine", *RATIO]].rename(columns=names)
    frame = frame.merge(tails, "left", ["case", "machine"])
    return columns_of(
        frame, "variant", "median", "low", "high", *RATIO, "moved_ratio", *names.values(), "levels"
    )


def _cooperative(case: Case) -> Case:
    return replace(case, implementation=COOPERATIVE, options=(), threads=0)


def _tail(case: Case) -> Case | None:
    """Tail launches, for launches of the host: the two that the paper compares in words."""
    return replace(case, options=(("driver", "tail_launch"),)) if variant_of(case) == HOST else None


def _ways(axes: Axes, frame: pd.DataFrame) -> None:
    """One bar per way and matrix, on a log axis, each with its seconds."""
    seconds_panel(axes, frame)
    axes.set_ylabel("seconds (log)")
    ok = frame[frame["status"] == "ok"]
    if len(ok):
        axes.set_ylim(top=8 * float(ok["high"].max()))
    for x, row in zip(bars.positions(frame)[0], dicts(frame), strict=True):
        if row["status"] == "ok":
            bars.write_upwards(axes, x, row["high"], bars.seconds(row["median"]))
    bars.legend(axes, frame, {})


def _over(frame: pd.DataFrame) -> str:
    """By how much the others take longer, empty where no ratio is known."""
    ok = frame[(frame["pair"] == "ok") & (frame["variant"] != COOPERATIVE)]
    ratios = [
        f"{WAYS[str(way)]}: {_range(rows['ratio'])}{_moved(str(way), rows)}"
        for way, rows in ok.groupby("variant", sort=False)
    ]
    return f"Over one cooperative launch, in one run: {'; '.join(ratios)}. " if ratios else ""


def _range(ratios: pd.Series[float]) -> str:
    return f"{bars.times(ratios.min())} to {bars.times(ratios.max())}"


def _moved(way: str, rows: pd.DataFrame) -> str:
    """Of the code on the host the ratios with what the GPU's input and result take to move."""
    known = rows["moved_ratio"].dropna()
    return f" ({_range(known)} with transfers)" if way == CORE and len(known) else ""


EXHIBIT = Exhibit(
    PAPER,
    "PPoPP'23",
    "who launches the levels",
    frame,
    Panels([_ways], height=6.5),
    """Levels of the relaxed dependencies. The paper launches each from the device, expects that this beats
    the host, and prints no number. {over}{how}""",
    lambda frame: {"over": _over(frame), "how": how(frame, SPAN)},
    held=(Held(CLAIM, "host_ratio", ("over_host",), "host_pair", only={"variant": HOST}),),
    one_run=True,
)
