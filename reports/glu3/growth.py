"""Beyond the papers: how linear systems grow with the matrix, and how much of a card a factor uses."""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.exhibit import Exhibit
from reports.glu3.solutions import add_way, with_preparation
from reports.hardware.roofline import roofs
from reports.laws import exponents, families
from reports.shapes.axes import legend_above, seconds_axis
from reports.shapes.lines import POINTS, draw_panels
from reports.shapes.style import SMALL, looks, new_figure
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
AMD, CUDSS, HOST = "direct_gpu, AMD", "cuDSS, its own order", "multifrontal_cpu"
_SOLVED, _FACTORED = (WHOLE, NUMERIC, TRIANGULAR), (NUMERIC, RATE)
# By variant, in the order of a legend, those with lines first: what the picture calls a code, and its spans.
CODES = {
    "direct_gpu": ("direct_gpu", (RAW, *_SOLVED, RATE)),
    "direct_gpu on amd": (AMD, (RAW, WHOLE)),
    "direct_gpu.maps=kept": ("direct_gpu, maps kept", (WHOLE,)),
    "cudss": (CUDSS, (RAW, *_SOLVED)),
    "cudss.analysis=kept": ("cuDSS, analysis kept", (WHOLE,)),
    "cudss.ordering=given": ("cuDSS, prepared order", _SOLVED),
    "multifrontal_gpu": ("multifrontal_gpu, no exchanges", _FACTORED),
    "multifrontal_cpu": (HOST, _FACTORED),
    "lu_gpu": ("lu_gpu (SpSV)", _SOLVED),
    "lu_gpu.triangular=sweeps": ("lu_gpu, sweeps", _SOLVED),
}
DRAWN = looks(name for name, _ in CODES.values())


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per case and span of LABELS that is drawn: seconds, of `rate` GFLOP/s by its `flops`;
    the `exponent` of n; `peak`, GFLOP/s of `peak_of`, card or host, in double precision, as measured."""
    rows = with_preparation(cases)
    on_amd = (rows["variant"] == "direct_gpu") & (rows["preparation"] == "amd")
    codes = rows["variant"].mask(on_amd, "direct_gpu on amd").map(CODES)
    rows = rows.assign(code=codes.str[0], family=families(rows, LINES), flops=fact(rows, "flops"))
    found = [roof for name in set(rows["machine"].dropna()) for roof in roofs(name)]
    peaks = {roof.kind: roof.rates["flops_double"] / 1e9 for roof in found}
    rows["peak_of"] = (rows["code"] == HOST).map({True: "host", False: "gpu"})
    rows["peak"] = rows["peak_of"].map(peaks).astype(float)
    rows = rows.assign(span=codes.str[1]).explode("span", ignore_index=True)
    return pd.concat([_of_span(rows[rows["span"] == span], span) for span in LABELS], ignore_index=True)


def _of_span(rows: pd.DataFrame, span: str) -> pd.DataFrame:
    """Return the rows with the numbers of the span."""
    if span == RAW:
        # To a peer any order is as good as the raw matrix's, its own is within its seconds. A matching of
        # ours would be given to it for nothing.
        is_peer = rows["code"] == CUDSS
        rows = add_way(rows, ~is_peer)[~is_peer | (rows["matching"] == "none")]
    elif span != WHOLE:
        phase = phases(TRIANGULAR if span == TRIANGULAR else NUMERIC)
        # Of a factorisation alone they are its whole.
        rows = timed(rows, dict.fromkeys(("direct_gpu", "cudss", "lu_gpu"), phase))
        rows[list(SECONDS)] = rows[list(SECONDS)].where(rows["status"] == "ok")
    if span == RATE:
        median, low, high = (rows["flops"] / rows[name] / 1e9 for name in ("median", "high", "low"))
        status = rows["status"].mask((rows["status"] == "ok") & median.isna(), "not_measured")
        rows = rows.assign(median=median, low=low, high=high, status=status)
    return rows.assign(exponent=exponents(rows, "median"))


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Draw a row of panels per span that was measured, all of them if none was; a panel per family."""
    ok = frame[frame["status"] == "ok"]
    spans = [span for span in LABELS if span in set(ok["span"])] or list(LABELS)
    figure = new_figure(14.0, 2.0 + 3.5 * len(spans), title)
    grid = figure.subplots(len(spans), len(FAMILIES), sharex=True, sharey="row", squeeze=False)
    for panels, span in zip(grid, spans, strict=True):
        draw_panels(panels, frame[frame["span"] == span], FAMILIES, DRAWN, named=span == spans[-1])
        panels[0].set_ylabel(LABELS[span])
        if len(ok):
            _rate_axis(panels, ok[ok["span"] == span]) if span == RATE else seconds_axis(panels[0])
    for first, last, family in zip(grid[0], grid[-1], FAMILIES, strict=True):
        first.set_title(family, loc="left")
        last.set_xlabel("rows n (log)")
    legend_above(figure)
    return figure


def _rate_axis(panels: Sequence[Axes], ok: pd.DataFrame) -> None:
    """Draw a line at what the card and the host can do, as measured."""
    peaks = ok.dropna(subset="peak").groupby("peak_of")["peak"].first()
    for device, peak in peaks.rename({"gpu": "GPU"}).items():
        for axes in panels:
            axes.axhline(peak, color="black", linestyle="--", linewidth=1.2)
        text, across = f"{device}, measured peak: {peak:,.0f}", panels[0].get_yaxis_transform()
        panels[0].text(0.02, peak * 1.1, text, fontsize=SMALL, va="bottom", transform=across)
    panels[0].set_ylim(top=max([panels[0].get_ylim()[1], *(3 * peaks)]))
    panels[0].yaxis.set_major_formatter("{x:,g}")


def facts(frame: pd.DataFrame) -> dict[str, str]:
    """Return which codes were not measured where others were."""
    absent = [code for code in DRAWN if code not in set(frame.loc[frame["status"] == "ok", "code"])]
    return {"absent": f" Not measured there: {', '.join(absent)}." if absent != [*DRAWN] else ""}


EXHIBIT = Exhibit(
    "linear systems over n, by phase",
    frame,
    draw,
    """A x = b, float64. Lines: grids, with the exponent of n at the end, by least squares. Raw matrix: with
    preparation and transfers. L and U: the phase numeric, without the order that cuDSS seeks of its own; one
    solve: one right-hand side, no refinement, with inverted pivot blocks where direct_gpu has them, whose
    making is in the first two rows alone. GFLOP/s: operations of dense LU of the fronts, zeros in them among
    these; other codes say none.{absent}""",
    facts,
    span="as the axes say",
    one_run=False,
)
