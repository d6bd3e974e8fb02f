"""Figure 10, the CPU side: TEPS and seconds of the plain parallel fill2."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from reports import bars
from reports.claims import claim
from reports.figures import Entries, FigureSpec
from reports.gsofa.timed import (
    SECONDS,
    SLOTS,
    add_printed_ratios,
    measured_how,
    name_matrices,
    timed_frame,
    width,
)
from reports.records import Records
from reports.style import LARGE, SMALL, new_figure

# These traverse A, as the paper's TEPS counts it; fill1 and its kin traverse the filled graph instead.
TRAVERSE_A = ("fill2_cpu", "fill2_gpu", "gsofa")
TEPS = bars.Panel("teps", "teps_low", "teps_high", "TEPS (edges / second)")


def fig10_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """Seconds and TEPS of each case, with the ratio that the paper prints for the matrix, if any."""
    frame = timed_frame(records, entries, cases)
    counts = frame["implementation"].isin(TRAVERSE_A)
    edges = frame["edges"].astype("Float64").where(counts)
    # the interval of a rate runs the other way: most seconds, fewest edges a second
    for name, seconds in (("teps", "median"), ("teps_low", "high"), ("teps_high", "low")):
        frame[name] = (edges / frame[seconds].astype("Float64")).astype(float)
    frame["counts_edges"] = counts
    add_printed_ratios(frame, entries, "fig10_vs_fill2_cpu", "fill2_cpu")
    return frame


def fig10(frame: pd.DataFrame) -> Figure:
    """TEPS above seconds, one group a matrix; the paper's ratios stand as text: not measured here."""
    figure = new_figure(width(frame), 9.0)
    top, bottom = figure.subplots(2, 1, sharex=True)
    figure.suptitle("GSoFA, Figure 10: the CPU side", x=0.01, ha="left", fontsize=LARGE, weight="bold")
    counts = frame["counts_edges"].astype(bool)
    bars.bar_panel(top, frame, TEPS, counts)
    bars.bar_panel(bottom, frame, SECONDS, pd.Series(True, index=frame.index))
    silent = {name: f"{name} (seconds only)" for name in frame.loc[~counts, "series"]}
    above = bars.legend(top, frame, silent)
    name_matrices(bottom, frame)
    top.set_title(_paper_ratio(), loc="left", fontsize=SMALL + 1, pad=10 + 21 * above)
    return figure


def fig10_caption(frame: pd.DataFrame) -> str:
    """What is measured, on what."""
    return (
        f"{measured_how(frame)} The paper uses 42 POWER9 cores. TEPS: entries of A examined while expanding "
        "frontiers, over the same seconds; only for implementations that traverse A as fill2 does. "
        "fill1_pruned, a sequential algorithm that the paper leaves out, uses one of the threads and "
        "traverses the filled graph. The paper prints ratios of its CPU side, no absolute TEPS. "
        f"{SLOTS}"
    )


def _paper_ratio() -> str:
    printed = claim("gsofa", "fig10_vs_fill2_cpu")
    low, high = printed.extreme("min"), printed.extreme("max")
    assert low and high
    return (
        f"paper: GSoFA is {printed.mean:g}x fill2_cpu's TEPS on average, {low[1]:g} ({low[0]}) to "
        f"{high[1]:g} ({high[0]}); the GPU side is not measured here"
    )


SPEC = FigureSpec(
    "Figure 10: fill2 on the CPU (TEPS and seconds)",
    lambda case: case.stage == "symbolic",
    fig10_frame,
    fig10,
    fig10_caption,
    state="CPU side drawn",
    claims=("fig10_vs_fill2_cpu",),
)
