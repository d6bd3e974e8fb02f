"""Figure 14: value ranges of maxId over re-initialising it for each source."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from reports.exhibit import Exhibit, Held
from reports.facts.claims import subject
from reports.facts.inputs import Inputs
from reports.frames.device import add_printed, columns_of, gpu_caption, pair_frame, printed_values, without
from reports.frames.seconds import RATIO
from reports.shapes import bars
from reports.shapes.gains import Gains, draw_before_after, gains_legend
from reports.shapes.panels import Panels

CLAIM = "fig14_maxid_ranges"
MEAN = subject("gsofa", CLAIM).mean
SHARES = subject("gsofa", CLAIM).data["reinitialisation_share"]
NAMES = {"reinit_share": "reinit_without", "other_reinit_share": "reinit_with"}
GAIN = bars.Panel(
    "ratio", "ratio_low", "ratio_high", "seconds without value ranges\nover with", "pair", points=True
)


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


def shares(axes: Axes, frame: pd.DataFrame) -> None:
    """The share of time that re-initialising takes, without value ranges and with them."""
    columns = "reinit_without", "reinit_with"
    printed = "paper_reinit_without", "paper_reinit_with"
    draw_before_after(axes, frame, columns, printed, _per_cent)
    axes.set_ylabel("share of time spent\nre-initialising maxId")
    gains_legend(axes, frame, [("hollow", "without value ranges"), ("full", "with")])


def _per_cent(share: float) -> str:
    return f"{100 * share:.2g}%"


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 14",
    "value ranges of maxId",
    frame,
    Panels([Gains(GAIN, "paper_speedup", MEAN), shares], height=9.0),
    """Above: seconds of gsofa with maxid_ranges=false over those with it, at the same number of concurrent
    sources. Below: the share of its blocks' cycles that gsofa spent re-initialising maxId, without value
    ranges (empty points) and with them (full). {gpu}""",
    lambda frame: {"gpu": gpu_caption(frame, "gsofa")},
    held=(
        Held(CLAIM, "ratio", ("mean", "largest", "smallest"), "pair", "seconds"),
        Held(CLAIM, "reinit_without", ("reinitialisation_without",), "pair"),
        Held(CLAIM, "reinit_with", ("reinitialisation_with",), "pair"),
    ),
    one_run=True,
)
