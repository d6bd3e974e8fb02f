"""Beyond the paper: linear systems over n, by phase."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
from matplotlib.axes import Axes

from reports.exhibit import Exhibit
from reports.facts.naming import listed
from reports.glu3.solutions import add_way, with_preparation
from reports.hardware.roofline import roofs
from reports.shapes.lines import Span, draw_spans, exponents, families
from reports.shapes.style import SMALL
from reports.table import SECONDS, phases, timed
from reports.verbs import fact

LINES = {"2D grid": "2D grids", "3D grid": "3D grids"}
RAW, WHOLE, NUMERIC, TRIANGULAR, RATE = "raw", "whole", "numeric", "triangular", "rate"
AMD, CUDSS, HOST = "direct_gpu, AMD", "cuDSS, its own order", "multifrontal_cpu"
_SOLVED, _FACTORED = (WHOLE, NUMERIC, TRIANGULAR), (NUMERIC, RATE)
# The picture's name of a code and its spans, by variant in the legend's order, codes with lines first.
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
DRAWN = [name for name, _ in CODES.values()]


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per case and span of SPANS, with the `exponent` of n, and the `peak` of GFLOP/s."""
    rows = with_preparation(cases)
    on_amd = (rows["variant"] == "direct_gpu") & (rows["preparation"] == "amd")
    codes = rows["variant"].mask(on_amd, "direct_gpu on amd").map(CODES)
    rows = rows.assign(code=codes.str[0], family=families(rows, LINES), flops=fact(rows, "flops"))
    found = [roof for name in set(rows["machine"].dropna()) for roof in roofs(name)]
    peaks = {roof.kind: roof.rates["flops_double"] / 1e9 for roof in found}
    rows["peak_of"] = (rows["code"] == HOST).map({True: "host", False: "gpu"})
    rows["peak"] = rows["peak_of"].map(peaks).astype(float)
    rows = rows.assign(span=codes.str[1]).explode("span", ignore_index=True)
    return pd.concat([_of_span(rows[rows["span"] == span], span) for span in SPANS], ignore_index=True)


def _of_span(rows: pd.DataFrame, span: str) -> pd.DataFrame:
    """Return the rows with the numbers of the span."""
    if span == RAW:
        # A peer orders the matrix itself; a matching of ours would be given to it for nothing.
        is_peer = rows["code"] == CUDSS
        rows = add_way(rows, ~is_peer)[~is_peer | (rows["matching"] == "none")]
    elif span != WHOLE:
        phase = phases(TRIANGULAR if span == TRIANGULAR else NUMERIC)
        rows = timed(rows, dict.fromkeys(("direct_gpu", "cudss", "lu_gpu"), phase))
        rows[list(SECONDS)] = rows[list(SECONDS)].where(rows["status"] == "ok")
    if span == RATE:
        median, low, high = (rows["flops"] / rows[name] / 1e9 for name in ("median", "high", "low"))
        status = rows["status"].mask((rows["status"] == "ok") & median.isna(), "not_measured")
        rows = rows.assign(median=median, low=low, high=high, status=status)
    return rows.assign(exponent=exponents(rows))


def _peaks(panels: Sequence[Axes], rates: pd.DataFrame) -> None:
    """Draw a line at the measured peak of the card, and of the host."""
    first, ok = panels[0], rates["status"] == "ok"
    peaks = rates[ok].dropna(subset="peak").groupby("peak_of")["peak"].first()
    for device, peak in peaks.rename({"gpu": "GPU"}).items():
        for axes in panels:
            axes.axhline(peak, color="black", linestyle="--", linewidth=1.2)
        text, across = f"{device}, measured peak: {peak:,.0f}", first.get_yaxis_transform()
        first.text(0.02, peak * 1.1, text, fontsize=SMALL, va="bottom", transform=across)
    first.set_ylim(top=max([first.get_ylim()[1], *(3 * peaks)]))


SPANS = {
    RAW: Span("raw matrix to x, seconds (log)"),
    WHOLE: Span("matrix to x, seconds (log)"),
    NUMERIC: Span("L and U, seconds (log)"),
    TRIANGULAR: Span("one solve, seconds (log)"),
    RATE: Span("GFLOP/s of L and U (log)", "{:,g}".format, _peaks),
}
CAPTION = """A x = b in float64. Lines: grids, with the exponent of n. Raw matrix: with preparation and
    transfers. L and U: the phase numeric, without cuDSS's own search for an order. One solve: one right-hand
    side, without refinement. GFLOP/s: dense LU of the fronts, with their zeros; other codes count no
    operations. Not measured there: {absent}."""
EXHIBIT = Exhibit(
    frame,
    partial(draw_spans, lines=LINES, spans=SPANS, codes=DRAWN),
    CAPTION,
    lambda frame: {"absent": listed(set(DRAWN) - set(frame.loc[frame["status"] == "ok", "code"]))},
    span="as the axes say",
    one_run=False,
)
