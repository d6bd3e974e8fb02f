"""Figure 14: value ranges of maxId over re-initialising it for each source."""

from __future__ import annotations

import pandas as pd

from reports.exhibit import Held
from reports.exhibit import OldExhibit as Exhibit
from reports.facts.claims import subject
from reports.facts.inputs import Inputs
from reports.frames.device import add_printed, columns_of, gpu_caption, pair_frame, printed_values, without
from reports.frames.order import in_papers_order
from reports.frames.seconds import RATIO
from reports.shapes.beside import BesidePrint
from reports.shapes.marks import PanelRow, marks_of

CLAIM = "fig14_maxid_ranges"
DATA = subject("gsofa", CLAIM).data
RATIOS = {"mean": DATA["mean"], **DATA["max"], **DATA["min"]}
SHARES = DATA["reinitialisation_share"]
NAMES = {"reinit_share": "reinit_without", "other_reinit_share": "reinit_with"}
GAIN, WITHOUT, WITH = "gain", "without value ranges", "with value ranges"


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix and machine: `ratio`, seconds without value ranges over with them, at the same
    number of concurrent sources; the share of time that re-initialising takes without and with."""
    rows = pair_frame(
        inputs, without("maxid_ranges"), role="with value ranges",
        facts=("concurrent_sources", "reinit_share"), same="concurrent_sources",
    )  # fmt: skip
    printed = {
        "paper_speedup": printed_values("gsofa", CLAIM),
        "paper_reinit_without": {abbr: pair["before"] for abbr, pair in SHARES.items()},
        "paper_reinit_with": {abbr: pair["after"] for abbr, pair in SHARES.items()},
    }
    return columns_of(
        add_printed(rows, "gsofa", printed).rename(columns=NAMES),
        "other", "median", "other_median", *RATIO, "concurrent_sources", "other_concurrent_sources",
        *NAMES.values(), *printed,
    )  # fmt: skip


def _marks(frame: pd.DataFrame) -> pd.DataFrame:
    """The ratio of each matrix, and its two shares."""
    ordered = in_papers_order(frame, "gsofa")
    panel = "measured on " + ordered["where"]
    shares = [
        marks_of(ordered, value, "pair", step=step, panel=panel)
        for step, value in ((WITHOUT, "reinit_without"), (WITH, "reinit_with"))
    ]
    return pd.concat([marks_of(ordered, "ratio", "pair", step=GAIN, panel=panel), *shares])


def _per_cent(share: float) -> str:
    return f"{100 * share:.2g}%" if share < 0.995 else f"{100 * share:.0f}%"


ROWS = (
    PanelRow(
        "seconds without value ranges\nover with", (GAIN,),
        {name: {GAIN: value} for name, value in RATIOS.items()},
        points=True,
    ),
    PanelRow(
        "share of time spent\nre-initialising maxId (log axis)", (WITHOUT, WITH),
        {abbr: {WITHOUT: pair["before"], WITH: pair["after"]} for abbr, pair in SHARES.items()},
        even=None, points=True, log=True, form=_per_cent,
    ),
)  # fmt: skip
EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 14",
    "value ranges of maxId",
    frame,
    BesidePrint(ROWS, "printed: V100", _marks),
    """Above: seconds of gsofa with maxid_ranges=false over those with it, at the same number of concurrent
    sources. Below: the share of its blocks' cycles that gsofa spent re-initialising maxId. {gpu}""",
    lambda frame: {"gpu": gpu_caption(frame, "gsofa")},
    held=(
        Held(CLAIM, "ratio", ("mean", "largest", "smallest", "all_gain"), "pair", "seconds"),
        Held(CLAIM, "reinit_without", ("reinitialisation_without",), "pair"),
        Held(CLAIM, "reinit_with", ("reinitialisation_with",), "pair"),
    ),
    one_run=True,
)
