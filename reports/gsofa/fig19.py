"""Figure 19: strong scaling over GPUs and nodes."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

from fillpath.case import Case
from reports.exhibit import Exhibit, Held
from reports.facts.claims import subject
from reports.facts.inputs import Inputs
from reports.frames.device import gpu_caption
from reports.frames.gpus import by_kind, gain_frame, printed_columns, simulated_how, with_option
from reports.shapes.gains import STAR, legend_mark
from reports.shapes.style import PALETTE, SMALL, headline, new_figure

CLAIM = "fig19_strong_scaling"
PRINTED = subject("gsofa", CLAIM).data["per"]
# GPUs of the paper's nodes, and its most nodes.
A_NODE, NODES = 6, 44
GPUS, NODES_SHOWN = "GPUs of one host", "nodes of six GPUs"


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, number of workers and machine: `ratio`, seconds on one GPU over those on so many of
    a host, or of a simulated node over those of so many nodes; `times`, how many as many; `efficiency`, the
    ratio over that."""
    rows = gain_frame(inputs, _pairing)
    each = pd.Series([A_NODE if what == NODES_SHOWN else 1 for what in rows["what"]], index=rows.index)
    rows["times"] = rows["workers"] / each
    rows["efficiency"] = rows["ratio"].astype(float) / rows["times"]
    return printed_columns(rows, {NODES_SHOWN: PRINTED}, "times", "efficiency")


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """A line for each matrix: GPUs of one host on the left, simulated nodes on the right."""
    figure = new_figure(13.0, 6.8)
    panels = figure.subplots(1, 2)
    headline(figure, title)
    for axes, what in zip(panels, (GPUS, NODES_SHOWN), strict=True):
        _lines(axes, frame[frame["what"] == what], what)
    right = panels[1]
    for abbr, value in PRINTED.items():
        right.plot([NODES], [value], linestyle="none", **STAR)
        right.annotate(abbr, (NODES, value), (9, 0), textcoords="offset points", va="center", fontsize=8)
    return figure


def _lines(axes: Axes, frame: pd.DataFrame, what: str) -> None:
    axes.set_xlabel(what)
    axes.set_ylabel("times as fast")
    ok = frame[(frame["pair"] == "ok") & frame["ratio"].notna()]
    most = max([float(ok["times"].max()) if len(ok) else 2.0, NODES if what == NODES_SHOWN else 8.0])
    axes.plot([1, most], [1, most], color="#555555", linestyle="--", linewidth=1.2)
    handles = []
    keys = ["label", "implementation_shown", "where"]
    by = ok.assign(implementation_shown=["fill2" if " fill2," in s else "gsofa" for s in ok["series"]])
    colours = {label: PALETTE[k % len(PALETTE)] for k, label in enumerate(dict.fromkeys(by["label"]))}
    for (label, how, where), rows in by.groupby(keys, sort=False):
        ordered = rows.sort_values("times")
        simulated = bool(ordered["simulated"].any())
        (line,) = axes.plot(
            [1.0, *ordered["times"]],
            [1.0, *ordered["ratio"]],
            color=colours[label],
            # By fill2, in turn on the CPU, a square.
            marker="s" if how == "fill2" else "o",
            markerfacecolor="white" if simulated else None,
            linestyle=":" if simulated else "-",
            label=f"{label}, {how}, {where}",
        )
        handles.append(line)
    simulated_too = bool(len(ok) and ok["simulated"].any())
    hollow = [legend_mark("hollow", "simulated in turn")] if simulated_too else []
    stars = [legend_mark("star", f"printed, {NODES} nodes")] if what == NODES_SHOWN else []
    marks = [*handles, *hollow, *stars, legend_mark("--", "in proportion")]
    axes.legend(handles=marks, loc="upper left", fontsize=SMALL)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    # The legend stands above the lines.
    axes.set_ylim(0.8, 8 * most)
    axes.set_xlim(0.85, 1.3 * most)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.set_minor_formatter(NullFormatter())
    if ok.empty:
        axes.text(0.5, 0.5, _why_not(frame), transform=axes.transAxes, ha="center", va="center")


def _why_not(frame: pd.DataFrame) -> str:
    reasons = sorted({str(status).replace("_", " ") for status in frame["pair"]})
    return f"no number: {', '.join(reasons) or 'not run'}"


def _pairing(case: Case) -> tuple[Case, str] | None:
    options = dict(case.options)
    if case.gpus > 1:
        return replace(case, gpus=0), GPUS
    if int(options.get("nodes", "1")) > 1 and options.get("virtual_gpus") == str(A_NODE):
        return with_option(case, "nodes", None), NODES_SHOWN
    return None


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 19",
    "strong scaling",
    frame,
    draw,
    """Left: seconds of gsofa_multi on one GPU over those on several GPUs of one host. Right: one simulated
    node of six GPUs over several. Dashed: in proportion; stars: printed, 44 nodes over one.
    {simulated}{gpu}""",
    lambda frame: {"simulated": simulated_how(), "gpu": gpu_caption(frame, "gsofa", timed=False)},
    # Beside the print: 44 nodes are simulated.
    held=(
        Held(
            CLAIM, "ratio", ("each",), "pair", "slowest worker", {"what": NODES_SHOWN, "times": NODES},
            by_kind, beside=True,
        ),
    ),
    one_run=True,
    topic="strong scaling over GPUs and nodes",
)  # fmt: skip
