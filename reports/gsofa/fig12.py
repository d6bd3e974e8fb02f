"""Figure 12: SuperLU_DIST's parallel symbolic factorisation by its printed ratios; it is not measured."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from fillpath.case import Case
from reports.exhibit import Exhibit
from reports.facts.claims import subject
from reports.facts.inputs import Inputs
from reports.frames.device import GSOFA, add_printed, columns_of, gpu_caption, pair_frame
from reports.frames.means import means_with_transfers
from reports.frames.order import in_papers_order
from reports.frames.seconds import RATIO, groups_of
from reports.frames.sequential import SEQUENTIAL, TEXTS, faster_rows, sequential_how
from reports.shapes import bars
from reports.shapes.gains import draw_gains, point_handles
from reports.shapes.groups import name_matrices
from reports.shapes.style import PALETTE, SMALL, headline, new_figure

CLAIM = "fig12_vs_superlu_dist"
DATA = subject("gsofa", CLAIM).data
ONE, FASTER, MANY = DATA["one_node"], DATA["faster_at_6_nodes"], DATA["nodes_44"]
# Where the numbers of nodes stand.
PLACES = {1: 0.0, 6: 1.0, 44: 2.0}
NO_TIME = "no time"
RATIOS = bars.Panel("ratio", "ratio_low", "ratio_high", "speedup (log scale)", "pair", points=True)


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix and machine: `ratio`, seconds of a good sequential code, which `sequential` names,
    over gsofa's in one run; superlu_dist, why there is none of SuperLU_DIST's; what the paper prints of that
    over GSoFA's on one node."""
    rows = faster_rows(pair_frame(inputs, _by_gsofa, role=GSOFA))
    rows = add_printed(rows, "gsofa", {"paper": ONE})
    rows["superlu_dist"] = "unavailable"
    rows = in_papers_order(rows, inputs.paper)
    rows["group"] = groups_of(rows)
    return columns_of(rows, *TEXTS, "median", *RATIO, "moved_ratio", "superlu_dist", "paper")


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """What is printed above; what was measured, another comparison, below on axes of its own."""
    figure = new_figure(12.5, 9.5)
    headline(figure, title)
    top, bottom = figure.subplots(2, 1, height_ratios=(3, 2))
    _print(top)
    bottom.set_title(
        "Measured here, another comparison: a good sequential code on one core over gsofa on one GPU",
        loc="left",
    )
    by_code = frame.assign(series=frame["sequential"].fillna(NO_TIME))
    draw_gains(bottom, by_code, RATIOS, "", None)
    bottom.set_ylabel(RATIOS.label)
    name_matrices(bottom, frame)
    bottom.tick_params(axis="x", labelsize=SMALL)
    codes = [handle for handle in point_handles(by_code) if handle.get_label() != NO_TIME]
    if codes:
        bottom.legend(handles=codes, loc="upper right", ncols=len(codes))
    return figure


def _by_gsofa(case: Case) -> Case | None:
    """GSoFA with its defaults, for a case of the sequential code."""
    return replace(case, implementation=GSOFA, threads=0) if case.implementation in SEQUENTIAL else None


def _print(axes: Axes) -> None:
    """The printed speedups by the number of nodes: of each matrix on one, which are above 1 on six, and mean
    and extremes on 44."""
    axes.set_title(
        "Printed: GSoFA over SuperLU_DIST, each on so many nodes of six GPUs (not measured here)", loc="left"
    )
    axes.axhline(1, color="black", linewidth=1)
    axes.plot([PLACES[1]] * len(ONE), list(ONE.values()), "o", color=PALETTE[0])
    for number, (abbr, value) in enumerate(sorted(ONE.items(), key=lambda item: item[1])):
        _name(axes, PLACES[1], value, f"{abbr} {value:.3g}x", left=number % 2 == 0)
    ends = {abbr: value for pair in (MANY["max"], MANY["min"]) for abbr, value in pair.items()}
    for abbr, value in ends.items():
        axes.plot([PLACES[1], PLACES[44]], [ONE[abbr], value], "--o", color=PALETTE[0], linewidth=1)
        _name(axes, PLACES[44], value, f"{abbr} {value:g}x")
    axes.plot(PLACES[44], MANY["mean"], "D", color=PALETTE[5], markersize=8)
    _name(axes, PLACES[44], MANY["mean"], f"mean {MANY['mean']:g}x")
    axes.set_yscale("log")
    axes.set_ylim(0.03, 25)
    slower = [abbr for abbr in ONE if abbr not in FASTER]
    for height, word, names in ((7.0, "above", FASTER), (0.09, "below", slower)):
        axes.text(
            PLACES[6], height, f"{word} 1x:\n{', '.join(names)}", ha="center", va="center", fontsize=SMALL
        )
    axes.set_xticks(list(PLACES.values()), [f"{nodes} node{'s' if nodes > 1 else ''}" for nodes in PLACES])
    axes.set_xlim(-0.6, 2.6)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_ylabel("speedup (log scale)")


def _name(axes: Axes, x: float, y: float, text: str, left: bool = False) -> None:
    """Beside its point, below the line at 1 where it would lie on it."""
    axes.annotate(
        text, (x, y), (-9 if left else 9, -9 if 0.9 < y < 1 else 0), textcoords="offset points",
        ha="right" if left else "left", va="center", fontsize=SMALL, bbox=bars.GROUND,
    )  # fmt: skip


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 12",
    "speedup over SuperLU_DIST (printed; SuperLU_DIST is not at hand)",
    frame,
    draw,
    """Above: all that the paper prints of GSoFA over SuperLU_DIST's parallel symbolic factorisation; below 1
    GSoFA is slower. Below: another quantity, a sequential code of ours in its place. {sequential}{moved}
    {gpu}""",
    lambda frame: {
        "sequential": sequential_how(frame),
        "moved": means_with_transfers(frame),
        "gpu": gpu_caption(frame, "gsofa", slots=False),
    },
    claims=(CLAIM,),
    one_run=True,
    topic="SuperLU_DIST's parallel symbolic factorisation (printed)",
)
