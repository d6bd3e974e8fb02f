"""Figure 11, the baseline: sequential Gilbert-Peierls, and what a better sequential code would be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
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

BASELINE, BETTER = "gilbert_peierls", "fill1_pruned"
RATIO = bars.Panel(
    "speedup", "speedup_low", "speedup_high", f"speedup over\n{BASELINE}", status="pair", points=True
)


def fig11_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """Seconds of each case. On fill1_pruned's rows its speedup over gilbert_peierls of the same input,
    machine and run, from the least to the most that the two intervals allow, and in `pair` what became of the
    two; on gilbert_peierls' rows what the paper prints of GSoFA over it."""
    frame = timed_frame(records, entries, cases)
    others = {_input(row): row for row in frame.to_dict("records") if row["implementation"] == BASELINE}
    paired = [_paired(row, others.get(_input(row))) for row in frame.to_dict("records")]
    for name in ("speedup", "speedup_low", "speedup_high", "pair"):
        frame[name] = pd.Series([pair.get(name) for pair in paired], index=frame.index, dtype=_dtype(name))
    add_printed_ratios(frame, entries, "fig11_vs_glu3_symbolic", BASELINE)
    return frame


def fig11(frame: pd.DataFrame) -> Figure:
    """The speedup of fill1_pruned above the seconds of both; what the paper prints of GSoFA beside it."""
    figure = new_figure(width(frame), 9.0)
    top, bottom = figure.subplots(2, 1, sharex=True)
    figure.suptitle(
        "GSoFA, Figure 11: the baseline, on one core", x=0.01, ha="left", fontsize=LARGE, weight="bold"
    )
    bars.bar_panel(top, frame, RATIO, frame["implementation"] == BETTER)
    _printed(top, frame)
    bars.bar_panel(bottom, frame, SECONDS, pd.Series(True, index=frame.index))
    bars.legend(bottom, frame, {})
    name_matrices(bottom, frame)
    return figure


def fig11_caption(frame: pd.DataFrame) -> str:
    """What is compared, and what is not measured."""
    return (
        "The paper plots GSoFA on one V100 over GLU3.0's sequential symbolic phase, which is Gilbert and "
        "Peierls' algorithm: gilbert_peierls here, another code than GLU3.0's. Above: the line that the "
        "paper did not plot, the speedup of fill1_pruned, also sequential, over gilbert_peierls: the ratio "
        "of their medians in one run (`two runs` are not compared: FRESH=1 measures anew), whiskers what the "
        "two intervals allow. GSoFA on a GPU is not measured here; its printed speedups are of the paper's "
        "own machine and matrices. "
        f"{measured_how(frame)} The paper's CPU is a POWER9. {SLOTS}"
    )


def _input(row: Mapping[Any, Any]) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in ("matrix", "preparation", "threads", "machine"))


def _paired(row: Mapping[Any, Any], baseline: Mapping[Any, Any] | None) -> dict[str, Any]:
    """The speedup of a row of fill1_pruned, or why there is none; nothing for other rows."""
    if row["implementation"] != BETTER:
        return {}
    if row["status"] != "ok":
        return {"pair": row["status"]}
    if baseline is None or baseline["status"] != "ok":
        return {"pair": f"baseline {baseline['status'] if baseline else 'not_run'}"}
    if row["run_id"] != baseline["run_id"]:
        return {"pair": "two_runs"}
    return {
        "pair": "ok",
        "speedup": baseline["median"] / row["median"],
        "speedup_low": baseline["low"] / row["high"],
        "speedup_high": baseline["high"] / row["low"],
    }


def _dtype(name: str) -> str:
    return "object" if name == "pair" else "float64"


def _printed(axes: Axes, frame: pd.DataFrame) -> None:
    """The baseline itself, and the paper's mean and own matrices, with room for all of them."""
    printed = claim("gsofa", "fig11_vs_glu3_symbolic")
    low, high = printed.extreme("min"), printed.extreme("max")
    assert low and high and printed.mean
    own = frame[frame["paper_gsofa_over_this"].notna()]
    axes.axhline(1, color="black", linewidth=1)
    axes.axhline(printed.mean, color="#555555", linewidth=1.4, linestyle="--")
    axes.plot(
        own["group"], own["paper_gsofa_over_this"].astype(float), linestyle="none", marker="*", markersize=15,
        color="#ffffff", markeredgecolor="black",
    )  # fmt: skip
    drawn = np.array([low[1], high[1], *frame["speedup_low"].dropna(), *frame["speedup_high"].dropna()])
    axes.set_yscale("log")
    axes.set_ylim(drawn.min() / 3, drawn.max() * 2)
    said = [
        f"points: {BETTER}, the line that the paper did not plot; solid line: {BASELINE}, 1x",
        f"paper: GSoFA on one GPU, {printed.mean:g}x on average (dashed line), {low[1]:g} ({low[0]}) to "
        f"{high[1]:g} ({high[0]}); not measured here",
        *(["stars: GSoFA, where the paper prints the matrix's own"] if len(own) else []),
    ]
    axes.set_title("\n".join(said), loc="left", fontsize=SMALL + 1)


SPEC = FigureSpec(
    "Figure 11: sequential symbolic factorisation (seconds and speedup)",
    lambda case: case.stage == "symbolic" and case.implementation in (BASELINE, BETTER),
    fig11_frame,
    fig11,
    fig11_caption,
    state="baseline drawn",
    claims=("fig11_vs_glu3_symbolic",),
)
