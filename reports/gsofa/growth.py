"""Beyond the paper: how the seconds of row counts grow with the matrix, by each code."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.figure import Figure

from reports.exhibit import OldExhibit as Exhibit
from reports.frames.cost_growth import CODES, LINES, codes_how, cost_frame
from reports.frames.seconds import prepared_how
from reports.shapes.axes import seconds_axis
from reports.shapes.labels import legend_above
from reports.shapes.over_n import POINTS, Codes, draw_panels
from reports.shapes.style import headline, new_figure

# Which of the codes use how much of the host.
ON_CORES = {
    "fill1_pruned": "one core",
    "fill1_supernodal": "one core",
    "etree_cpu": "one core",
    "bitfronts_cpu": "all cores",
}
DRAWN = Codes(CODES, ON_CORES)


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """A panel per family on common axes: a line per code, with its exponent at the end; the real matrices as
    points above their names."""
    figure = new_figure(14.0, 7.0)
    headline(figure, title)
    ok = frame[frame["status"] == "ok"]
    families = (*LINES.values(), POINTS)
    panels = figure.subplots(1, len(families), sharex=True, sharey=True)
    for axes, family in zip(panels, families, strict=True):
        axes.set_title(_heading(ok, family), loc="left")
        axes.set_xlabel("rows n (log)")
    draw_panels(panels, frame, families, DRAWN)
    if len(ok):
        seconds_axis(panels[0])
    panels[0].set_ylabel("seconds (log)")
    legend_above(figure, DRAWN.handles(set(ok["code"])))
    return figure


def _heading(ok: pd.DataFrame, family: str) -> str:
    """With how the output grows, where one code has a line over all of the family's matrices."""
    rows = ok[(ok["family"] == family) & ok["exponent_filled"].notna()]
    if rows.empty:
        return family
    sizes = rows.groupby("code")["n"].nunique()
    longest = rows[rows["code"] == sizes.idxmax()].iloc[0]
    return f"{family}: entries of L + U as $n^{{{longest['exponent_filled']:.2f}}}$"


def _facts(frame: pd.DataFrame) -> Mapping[str, str]:
    ok = frame[frame["status"] == "ok"]
    if ok.empty:
        return {"how": "Nothing of it was measured here."}
    return {"how": f"{codes_how(ok, CODES)} {prepared_how(ok, 'gsofa')}"}


EXHIBIT = Exhibit(
    "gsofa",
    "Growth with the matrix",
    "seconds of row counts over n, by each code",
    cost_frame,
    draw,
    """Not in the paper: rows are counted, none is stored. Lines: generated matrices, with the exponent of n
    at the end, by least squares. cuDSS orders the matrix itself and stores its factors' pattern; drawn is its
    symbolic phase alone. {how}""",
    _facts,
    topic="How the cost of row counts grows with the matrix (beyond the paper)",
)
