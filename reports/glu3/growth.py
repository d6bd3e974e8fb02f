"""Beyond the papers: how linear systems grow with the matrix, and how much of a card a factor uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from reports.exhibit import OldExhibit as Exhibit
from reports.frames.cost_growth import codes_how
from reports.frames.glu3 import PAPER, prepared_how
from reports.frames.system_growth import (
    CODES,
    LINES,
    NUMERIC,
    RATE,
    RAW,
    TRIANGULAR,
    WHOLE,
    system_frame,
)
from reports.shapes.axes import seconds_axis
from reports.shapes.labels import legend_above
from reports.shapes.over_n import FEW_DECADES, POINTS, Codes, draw_panels
from reports.shapes.style import SMALL, headline, new_figure

DRAWN = Codes(CODES)
FAMILIES = (*LINES.values(), POINTS)
# By span, from the top.
LABELS = {
    RAW: "raw matrix to x, seconds (log)",
    WHOLE: "matrix to x, seconds (log)",
    NUMERIC: "L and U, seconds (log)",
    TRIANGULAR: "one solve, seconds (log)",
    RATE: "GFLOP/s of L and U (log)",
}


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """A row of panels per span that was measured, all of them if none was; a panel per family."""
    ok = frame[frame["status"] == "ok"]
    spans = [span for span in LABELS if span in set(ok["span"])] or list(LABELS)
    figure = new_figure(14.0, 2.0 + 3.5 * len(spans))
    headline(figure, title)
    grid = figure.subplots(len(spans), len(FAMILIES), sharex=True, sharey="row", squeeze=False)
    for panels, span in zip(grid, spans, strict=True):
        rows = frame[frame["span"] == span]
        draw_panels(panels, rows, FAMILIES, DRAWN, names=span == spans[-1])
        panels[0].set_ylabel(LABELS[span])
        if ok.empty:
            continue
        if span == RATE:
            _rate_axis(panels, rows)
        else:
            seconds_axis(panels[0])
    for axes, family in zip(grid[0], FAMILIES, strict=True):
        axes.set_title(family, loc="left")
    for axes in grid[-1]:
        axes.set_xlabel("rows n (log)")
    legend_above(figure, DRAWN.handles(set(ok["code"])))
    return figure


def _rate_axis(panels: Sequence[Axes], rows: pd.DataFrame) -> None:
    """With a line at what the card and the host can do, as measured."""
    panels[0].yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    panels[0].yaxis.set_minor_formatter(NullFormatter())
    low, high = panels[0].get_ylim()
    known = rows[(rows["status"] == "ok") & rows["peak"].notna()].drop_duplicates(["machine", "peak_of"])
    for peak, device in zip(known["peak"], known["peak_of"].map({"gpu": "GPU", "host": "host"}), strict=True):
        high = max(high, 3 * peak)
        for axes in panels:
            axes.axhline(peak, color="black", linestyle="--", linewidth=1.2)
        panels[0].text(
            0.02, peak * 1.1, f"{device}, measured peak: {peak:,.0f}", fontsize=SMALL, va="bottom",
            transform=panels[0].get_yaxis_transform(),
        )  # fmt: skip
    panels[0].set_ylim(low, high)
    if high / low < FEW_DECADES:
        panels[0].yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))


def _facts(frame: pd.DataFrame) -> Mapping[str, str]:
    ok = frame[frame["status"] == "ok"]
    if ok.empty:
        return {"how": "Nothing of it was measured here."}
    return {"how": f"{codes_how(ok, CODES)} {prepared_how(ok)}"}


EXHIBIT = Exhibit(
    PAPER,
    "Beyond the papers",
    "linear systems over n, by phase",
    system_frame,
    draw,
    """A x = b, float64. Lines: grids, with the exponent of n at the end, by least squares. Raw matrix: with
    preparation and transfers. L and U: the phase numeric, without the order that cuDSS seeks of its own; one
    solve: one right-hand side, no refinement, with inverted pivot blocks where direct_gpu has them, whose
    making is in the first two rows alone. GFLOP/s: operations of dense LU of the fronts, zeros in them among
    these; other codes say none. {how}""",
    _facts,
    topic="How linear systems grow with the matrix (beyond the papers)",
)
