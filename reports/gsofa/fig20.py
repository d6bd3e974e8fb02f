"""Figure 20: testing fill before maxId (line 9.5 of the paper's Figure 6)."""

from __future__ import annotations

import pandas as pd

from reports.exhibit import Held
from reports.exhibit import OldExhibit as Exhibit
from reports.facts.claims import subject
from reports.facts.inputs import Inputs
from reports.frames.device import add_gains, add_printed, columns_of, gpu_caption, pair_frame, without
from reports.frames.order import in_papers_order
from reports.shapes.beside import BesidePrint
from reports.shapes.marks import PanelRow, marks_of

CLAIM = "fig20_fill_before_maxid"
DATA = subject("gsofa", CLAIM).data
# The largest gain and the largest drop, in per cent, by matrix.
PRINTED = {**DATA["max_gain_percent"], **DATA["max_drop_percent"]}
GAIN = "gain"


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix and machine: `gain`, by how many per cent of the seconds with fill_first those
    without it are more; what the paper prints, and whether it names the matrix as one that gains; `fill`,
    fill-ins over entries."""
    rows = pair_frame(
        inputs, without("fill_first"), role="maxId first", facts=("concurrent_sources",),
        same="concurrent_sources", inverse=True,
    )  # fmt: skip
    add_gains(rows)
    rows["fill"] = (rows["fills"] / rows["nnz"]).astype("float64")
    rows = add_printed(rows, "gsofa", {"paper_gain": PRINTED})
    named = [abbr in DATA["gains"] if isinstance(abbr, str) else None for abbr in rows["abbr"]]
    rows["paper_gains"] = pd.Series(named, index=rows.index, dtype="boolean")
    return columns_of(
        rows, "other", "median", "other_median", "pair", "gain", "gain_low", "gain_high", "gain_processes",
        "concurrent_sources", "other_concurrent_sources", "paper_gain", "paper_gains",
        "fill",
    )  # fmt: skip


def _marks(frame: pd.DataFrame) -> pd.DataFrame:
    """The gain of each matrix."""
    rows = in_papers_order(frame, "gsofa")
    return marks_of(rows, "gain", "pair", step=GAIN, panel="measured on " + rows["where"])


def _signed(gain: float) -> str:
    return f"{gain:+.2g}%" if gain else "0%"


ROW = PanelRow(
    "gain of testing fill first, %", (GAIN,), {abbr: {GAIN: value} for abbr, value in PRINTED.items()},
    {abbr: "gains" for abbr in DATA["gains"] if abbr not in PRINTED}, even=0.0, points=True,
    form=_signed,
)  # fmt: skip
EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 20",
    "testing fill before maxId (line 9.5)",
    frame,
    BesidePrint([ROW], "printed: one V100", _marks, height=5.5),
    """Gain: seconds of gsofa over those with fill_first=true, less 1, at the same number of concurrent
    sources. The paper prints the largest gain and the largest drop, says that {gaining} gain, and leaves the
    line out otherwise, as the default is here. {gpu}""",
    lambda frame: {"gaining": ", ".join(DATA["gains"]), "gpu": gpu_caption(frame, "gsofa")},
    held=(
        Held(CLAIM, "gain", ("gains", "named"), "pair", "seconds", above=0.0),
        Held(CLAIM, "gain", ("with_fill",), "pair", "seconds", against="fill"),
        Held(CLAIM, "gain", ("largest", "smallest"), "pair", "seconds"),
    ),
    one_run=True,
)
