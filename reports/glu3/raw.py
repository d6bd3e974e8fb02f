"""Beyond the papers: from the raw matrix to x, with preparation and transfers on the clock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fillpath.dicts import dicts
from reports.exhibit import OldExhibit as Exhibit
from reports.facts.inputs import Inputs
from reports.facts.records import Records
from reports.frames.device import columns_of
from reports.frames.glu3 import PAPER
from reports.frames.preparation import add_way, with_preparation
from reports.frames.seconds import add_columns, groups_of, idle_series, seconds_how, timed_frame
from reports.glu3.phases import PARTS as SOLVED
from reports.glu3.phases import seconds_by_part
from reports.shapes import bars
from reports.shapes.panels import Panels
from reports.shapes.seconds import SECONDS
from reports.shapes.stacked import Part, add_own_shares, columns_of_parts, stacked_panel

MATCHING = Part("matching", "matching, scaling", "#ddcc77")
PERMUTING = Part("permutation", "permuting", "#999933")
TRANSFER = Part("transfer", "to the GPU and back", "#000000")
PARTS = (MATCHING, PERMUTING, TRANSFER, *SOLVED)
# The preparation of a peer that is given the matrix as it comes.
AS_IT_COMES = "natural"
# Parts of a preparation and its phases.
_PREPARED = {
    MATCHING.seconds: ("matching", "scaling"),
    "seconds_ordering": ("ordering",),
    PERMUTING.seconds: ("permutation",),
}


def frame(inputs: Inputs) -> pd.DataFrame:
    """Return one row per solution and machine: seconds from the raw matrix to x, and those of each part.

    `solution` holds the seconds of the solution alone, `height` and `entries_lu` the size of its order.
    """
    joined = with_preparation(timed_frame(inputs))
    parts = [_parts(inputs.records, row) for row in dicts(joined)]
    add_columns(joined, parts, [*(part.seconds for part in PARTS), "height", "entries_lu"])
    joined["solution"] = joined["median"]
    add_way(joined, joined["preparation"] != AS_IT_COMES)
    orders = [f", {row['ordering']}" if row["preparation"] != AS_IT_COMES else "" for row in dicts(joined)]
    joined["series"] = joined["series"] + orders
    joined["group"] = groups_of(joined.assign(preparation=""))
    add_own_shares(joined, PARTS)
    return columns_of(
        joined, "implementation", "options", "ordering", "n", "median", "low", "high", "solution", "height",
        "entries_lu", *columns_of_parts(PARTS),
    )  # fmt: skip


def _parts(records: Records, row: Mapping[Any, Any]) -> dict[str, float]:
    """Return the seconds of each part, and the size of the order where the preparation was measured."""
    seconds = seconds_by_part(records, row)
    before = records.result(row["before_case"], row["machine"]) if row["before_status"] == "ok" else None
    if before is not None:
        facts = (before.work or {}).get("facts") or {}
        seconds |= {"height": facts.get("height", np.nan), "entries_lu": facts.get("entries", np.nan)}
        for name, phases in _PREPARED.items():
            spent = sum(float(np.median(before.phases.get(phase, 0.0))) for phase in phases)
            seconds[name] = seconds.get(name, 0.0) + spent
    return seconds | {TRANSFER.seconds: row["transfers"]}


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Draw the seconds of each way to x, and the share of its parts below."""
    return Panels([_whole, _shares], 8.5)(frame.assign(stand_in_for=None), title)


def _whole(axes: Axes, frame: pd.DataFrame) -> None:
    bars.bar_panel(axes, frame, replace(SECONDS, label="raw matrix to x, seconds (log)"))
    bars.legend(axes, frame, {})


def _shares(axes: Axes, frame: pd.DataFrame) -> None:
    stacked_panel(axes, frame, PARTS, "share of its seconds", lambda row: "")
    axes.set_ylim(0, 1.0)


def _facts(frame: pd.DataFrame) -> Mapping[str, str]:
    _, absent = idle_series(frame)
    return {
        "how": seconds_how(frame, "preparation, transfers and solution, without making b"),
        "absent": f" {absent}." if absent else "",
    }


EXHIBIT = Exhibit(
    PAPER,
    "Beyond the papers",
    "from the raw matrix to x",
    frame,
    draw,
    """A x = b for a matrix that comes unordered: sums of medians, each measured alone. lu_cpu and direct_gpu
    are given a prepared matrix, and its preparation is added, on all cores; the order stands in the legend.
    Peers take the matrix as it comes and order it themselves. {how}{absent}""",
    _facts,
    topic="From the raw matrix to x (beyond the papers)",
    one_run=True,
)
