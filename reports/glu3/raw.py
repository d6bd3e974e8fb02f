"""Beyond the papers: from the raw matrix to x, with preparation and transfers on the clock."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.exhibit import Exhibit
from reports.glu3.preparation import add_way, with_preparation
from reports.glu3.solutions import PARTS as SOLVED
from reports.glu3.solutions import unavailable, with_parts
from reports.shapes import bars
from reports.shapes.panels import Panels
from reports.shapes.stacked import Part, stacked_panel, with_shares
from reports.table import phase_medians
from reports.verbs import fact, with_groups

MATCHING = Part("matching", "matching, scaling", "#ddcc77")
PERMUTING = Part("permutation", "permuting", "#999933")
TRANSFER = Part("transfer", "to the GPU and back", "#000000")
PARTS = (MATCHING, PERMUTING, TRANSFER, *SOLVED)
# The preparation of a peer that is given the matrix as it comes.
AS_IT_COMES = "natural"
# Parts of a preparation and its phases.
_PREPARED = {
    MATCHING.seconds: ["matching", "scaling"],
    "seconds_ordering": ["ordering"],
    PERMUTING.seconds: ["permutation"],
}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per solution: seconds from the raw matrix to x, and those of each part.

    `solution` holds the seconds of the solution alone, `height` and `entries_lu` the size of its order.
    """
    rows = with_parts(with_preparation(cases))
    before = phase_medians(rows.assign(runs=rows["before_runs"]), _PREPARED)
    for name in before:
        rows[name] = before[name].add(fact(rows, str(name)), fill_value=0.0).where(rows["status"] == "ok")
    rows = rows.assign(
        seconds_transfer=rows["transfers"],
        solution=rows["median"],
        height=rows["before_height"],
        entries_lu=rows["before_counted_entries"],
    )
    is_prepared = rows["preparation"] != AS_IT_COMES
    rows = add_way(rows, is_prepared)
    series = rows["series"] + (", " + rows["ordering"]).where(is_prepared, "")
    rows = with_groups(rows.assign(series=series, preparation="")).assign(preparation=rows["preparation"])
    return with_shares(rows, PARTS)


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Draw the seconds of each way to x, and the share of its parts below."""
    return Panels([_whole, _shares], 8.5)(frame.assign(stand_in_for=None), title)


def _whole(axes: Axes, frame: pd.DataFrame) -> None:
    bars.bar_panel(axes, frame, bars.Panel("median", "low", "high", "raw matrix to x, seconds (log)"))
    bars.legend(axes, frame)


def _shares(axes: Axes, frame: pd.DataFrame) -> None:
    stacked_panel(axes, frame, PARTS, "share of its seconds")
    axes.set_ylim(0, 1.0)


EXHIBIT = Exhibit(
    "glu3",
    "Beyond the papers",
    "from the raw matrix to x",
    frame,
    draw,
    """A x = b for a matrix that comes unordered: sums of medians, each measured alone. lu_cpu and direct_gpu
    are given a prepared matrix, and its preparation is added, on all cores; the order stands in the legend.
    Peers take the matrix as it comes and order it themselves.{absent}""",
    lambda frame: {"absent": unavailable(frame)},
    topic="From the raw matrix to x (beyond the papers)",
    one_run=True,
    span="preparation, transfers and solution, without making b",
)
