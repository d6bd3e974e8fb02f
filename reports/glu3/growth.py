"""Beyond the papers: how linear systems grow with the matrix, and how much of a card a factor uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from reports.exhibit import Exhibit
from reports.facts.naming import listed
from reports.glu3.solutions import add_way, with_preparation
from reports.hardware.roofline import roofs
from reports.laws import exponents, families
from reports.shapes.axes import seconds_axis
from reports.shapes.labels import legend_above
from reports.shapes.over_n import FEW_DECADES, POINTS, Codes, draw_panels
from reports.shapes.style import SMALL, headline, new_figure
from reports.table import SECONDS, phases, timed
from reports.verbs import fact

# Kinds of generated matrices that make a line.
LINES = {"2D grid": "2D grids", "3D grid": "3D grids"}
FAMILIES = (*LINES.values(), POINTS)
RAW, WHOLE, NUMERIC, TRIANGULAR, RATE = "raw", "whole", "numeric", "triangular", "rate"
# By span, from the top.
LABELS = {
    RAW: "raw matrix to x, seconds (log)",
    WHOLE: "matrix to x, seconds (log)",
    NUMERIC: "L and U, seconds (log)",
    TRIANGULAR: "one solve, seconds (log)",
    RATE: "GFLOP/s of L and U (log)",
}
FIRST, AMD, CUDSS, HOST = "direct_gpu", "direct_gpu, AMD", "cuDSS, its own order", "multifrontal_cpu"
# By variant, what the picture calls a code, in the order of a legend, those with lines first.
NAMES = {
    "direct_gpu": FIRST,
    "direct_gpu, AMD": AMD,
    "direct_gpu.maps=kept": "direct_gpu, maps kept",
    "cudss": CUDSS,
    "cudss.analysis=kept": "cuDSS, analysis kept",
    "cudss.ordering=given": "cuDSS, prepared order",
    "multifrontal_gpu": "multifrontal_gpu, no exchanges",
    "multifrontal_cpu": HOST,
    "lu_gpu": "lu_gpu (SpSV)",
    "lu_gpu.triangular=sweeps": "lu_gpu, sweeps",
}
# The spans that are drawn of a code, where these are not all of a solution from the prepared matrix.
_SOLVED, _FACTORED = (WHOLE, NUMERIC, TRIANGULAR), (NUMERIC, RATE)
SPANS = {
    FIRST: (RAW, *_SOLVED, RATE),
    AMD: (RAW, WHOLE),
    CUDSS: (RAW, *_SOLVED),
    "direct_gpu, maps kept": (WHOLE,),
    "cuDSS, analysis kept": (WHOLE,),
    "multifrontal_gpu, no exchanges": _FACTORED,
    HOST: _FACTORED,
}
DRAWN = Codes(tuple(NAMES.values()))


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per case and span of it that is drawn.

    Spans: `raw` and `whole`, seconds to x from the raw matrix and from the prepared one; `numeric` and
    `triangular`, those of the phase; `rate`, GFLOP/s of the numeric one, where the record has `flops`.
    `exponent` of n; `peak`, GFLOP/s of `peak_of`, the card or the host, in double precision, as measured.
    """
    rows = with_preparation(cases)
    code = rows["variant"].map(NAMES)
    rows = rows.assign(
        code=code.mask((code == FIRST) & (rows["preparation"] == "amd"), AMD),
        family=families(rows, LINES),
        peak_of=np.where(code == HOST, "host", "gpu"),
        flops=fact(rows, "flops"),
    )
    peaks = {roof.kind: roof.flops / 1e9 for name in set(rows["machine"].dropna()) for roof in roofs(name)}
    rows["peak"] = rows["peak_of"].map(peaks).astype(float)
    return pd.concat([_of_span(rows, span) for span in LABELS], ignore_index=True)


def _of_span(rows: pd.DataFrame, span: str) -> pd.DataFrame:
    """Return the rows that have the span, with its numbers."""
    shown = rows["code"].map(lambda code: span in SPANS.get(code, _SOLVED)).astype(bool)
    # A matching of ours would be given to cuDSS for nothing.
    given = (span == RAW) & (rows["code"] == CUDSS) & (rows["matching"] != "none")
    part = rows[shown & ~given].assign(span=span)
    if span == RAW:
        # A peer's own order is within its seconds: to it any order is as good as the raw matrix's.
        part = add_way(part, part["code"] != CUDSS)
    elif span != WHOLE:
        is_stage = part["stage"] == NUMERIC
        of_phase = timed(part[~is_stage], phases(TRIANGULAR if span == TRIANGULAR else NUMERIC))
        part = pd.concat([of_phase, part[is_stage]]).loc[part.index]
        part[list(SECONDS)] = part[list(SECONDS)].where(part["status"] == "ok")
    if span == RATE:
        median, low, high = (part["flops"] / part[name] / 1e9 for name in ("median", "high", "low"))
        part = part.assign(median=median, low=low, high=high)
        part["status"] = part["status"].mask((part["status"] == "ok") & part["median"].isna(), "not_measured")
    return part.assign(exponent=exponents(part, "median"))


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
        if span == RATE and len(ok):
            _rate_axis(panels, rows)
        elif len(ok):
            seconds_axis(panels[0])
    for first, last, family in zip(grid[0], grid[-1], FAMILIES, strict=True):
        first.set_title(family, loc="left")
        last.set_xlabel("rows n (log)")
    legend_above(figure, DRAWN.handles(set(ok["code"])))
    return figure


def _rate_axis(panels: Sequence[Axes], rows: pd.DataFrame) -> None:
    """With a line at what the card and the host can do, as measured."""
    panels[0].yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    panels[0].yaxis.set_minor_formatter(NullFormatter())
    low, high = panels[0].get_ylim()
    known = rows[(rows["status"] == "ok") & rows["peak"].notna()].drop_duplicates("peak_of")
    for peak, device in zip(known["peak"], known["peak_of"].replace("gpu", "GPU"), strict=True):
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


def facts(frame: pd.DataFrame) -> Mapping[str, str]:
    """Return which codes were not measured, and in how many processes the others were."""
    ok = frame[frame["status"] == "ok"]
    if ok.empty:
        return {"how": ""}
    absent = [code for code in DRAWN.names if code not in set(ok["code"])]
    without = f" Not measured there: {', '.join(absent)}." if absent else ""
    return {"how": f"{without} Medians; processes: {listed(f'{count:g}' for count in ok['processes'])}."}


EXHIBIT = Exhibit(
    "glu3",
    "Beyond the papers",
    "linear systems over n, by phase",
    frame,
    draw,
    """A x = b, float64. Lines: grids, with the exponent of n at the end, by least squares. Raw matrix: with
    preparation and transfers. L and U: the phase numeric, without the order that cuDSS seeks of its own; one
    solve: one right-hand side, no refinement, with inverted pivot blocks where direct_gpu has them, whose
    making is in the first two rows alone. GFLOP/s: operations of dense LU of the fronts, zeros in them among
    these; other codes say none.{how}""",
    facts,
    topic="How linear systems grow with the matrix (beyond the papers)",
)
