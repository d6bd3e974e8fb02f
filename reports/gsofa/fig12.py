"""Figure 12: GSoFA beside SuperLU_DIST's parallel symbolic factorisation, on ranks of the GPU's host."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fillpath.dicts import dicts
from reports.exhibit import Held
from reports.exhibit import OldExhibit as Exhibit
from reports.facts.claims import subject
from reports.facts.inputs import Inputs
from reports.facts.means import geometric_mean
from reports.facts.naming import listed
from reports.frames.device import GSOFA, gpu_caption
from reports.frames.means import means_with_transfers
from reports.frames.ranks import GOOD, RANKED, SIX, ranks_frame
from reports.frames.sequential import marks_of, sequential_how
from reports.shapes import bars
from reports.shapes.axes import empty_panel, seconds_axis
from reports.shapes.groups import name_matrices
from reports.shapes.labels import legend_above
from reports.shapes.nodes import Nodes, draw_nodes
from reports.shapes.strip import StripLine, write_strip
from reports.shapes.style import PALETTE, SMALL, headline, new_figure
from reports.table import cores_of

CLAIM = "fig12_vs_superlu_dist"
DATA = subject("gsofa", CLAIM).data
MANY = DATA["nodes_44"]
PRINT = Nodes(DATA["one_node"], DATA["faster_at_6_nodes"], MANY["mean"], {**MANY["max"], **MANY["min"]})
# Half of what a group's points take of its place, the logarithm of the ranks at their end, half of its lines.
HALF, MOST, EDGE = 0.36, 4, 0.42
LEVELS: dict[str, dict[str, Any]] = {
    GSOFA: {"color": PALETTE[5], "linewidth": 2.4},
    SIX: {"color": PALETTE[3], "linewidth": 2.4, "linestyle": "-."},
    GOOD: {"color": "#555555", "linewidth": 1.6, "linestyle": "--"},
}
SYMBFACT = (
    "Above: seconds of symbfact_dist alone, which pdgssvx calls SYMBFACT, in the same order; it keeps "
    "subscripts by supernodes, gsofa the rows of F."
)
POINTS: dict[str, Any] = {"color": PALETTE[0], "marker": "o", "markersize": 5, "linewidth": 1.2}


def frame(inputs: Inputs) -> pd.DataFrame:
    """As `ranks_frame` has it, with what is printed of one node."""
    return ranks_frame(inputs, PRINT.one)


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """What was measured above, what is printed below on axes of its own."""
    lines = _lines(frame)
    figure = new_figure(12.5, 11.5 + 0.2 * len(lines))
    headline(figure, title)
    top, bottom = figure.subplots(2, 1, height_ratios=(5, 6))
    if frame.empty:
        empty_panel(top, "not_run", "no case of it was measured")
    else:
        _measured(top, frame)
        write_strip(top, lines)
    legend_above(figure, _handles(frame))
    draw_nodes(bottom, PRINT)
    bottom.set_title("Printed: GSoFA over SuperLU_DIST, each on so many nodes of six GPUs", loc="left")
    return figure


def _measured(axes: Axes, frame: pd.DataFrame) -> None:
    """In each group seconds by ranks, 1 to 16 from left to right, and lines for what has none."""
    for group in sorted(set(map(int, frame["group"]))):
        rows = frame[frame["group"] == group]
        _ranked(axes, group, rows[rows["series"] == RANKED].sort_values("ranks"))
        for row in dicts(rows[rows["series"].isin(LEVELS)]):
            if row["status"] == "ok":
                axes.hlines(row["median"], group - EDGE, group + EDGE, **LEVELS[row["series"]])
            else:
                bars.draw_slot(axes, group, 2 * HALF, f"{row['series']}: {row['status']}")
    seconds_axis(axes)
    axes.set_ylabel("seconds (log)")
    name_matrices(axes, frame)
    axes.tick_params(axis="x", labelsize=SMALL)


def _ranked(axes: Axes, group: int, rows: pd.DataFrame) -> None:
    """The points of one matrix."""
    places = np.array([_place(group, ranks) for ranks in rows["ranks"]], dtype=float)
    median, low, high = (rows[name].to_numpy(dtype=float) for name in ("median", "low", "high"))
    ok = (rows["status"] == "ok").to_numpy()
    whiskers = [np.maximum(median - low, 0)[ok], np.maximum(high - median, 0)[ok]]
    axes.errorbar(places[ok], median[ok], yerr=whiskers, ecolor="black", capsize=2, **POINTS)
    for x, status in zip(places[~ok], rows["status"][~ok], strict=True):
        bars.draw_slot(axes, float(x), 2 * HALF / (MOST + 1), str(status))


def _place(group: int, ranks: int) -> float:
    return group - HALF + 2 * HALF * min(math.log2(ranks), MOST) / MOST


def _handles(frame: pd.DataFrame) -> list[Artist]:
    """What was measured of."""
    timed = set(frame.loc[frame["status"] == "ok", "series"])
    ranks = _ranked_on(frame)
    words = f"SuperLU_DIST on {', '.join(map(str, ranks))} ranks"
    handles: list[Artist] = [Line2D([], [], **POINTS, label=words)] if ranks else []
    names = {GSOFA: "gsofa, one GPU", SIX: "gsofa_multi, six GPUs", GOOD: GOOD}
    return handles + [Line2D([], [], **LEVELS[name], label=names[name]) for name in LEVELS if name in timed]


def _lines(frame: pd.DataFrame) -> list[StripLine]:
    """Ratios as text: of the best number of ranks, with that number, and of the sequential code."""
    best, good = frame[frame["best"] & frame["ratio"].notna()], frame[frame["series"] == GOOD]
    good = good[good["ratio"].notna()]
    lines = []
    if len(best):
        marks = [f"({ranks})" for ranks in best["ranks"]]
        title = "SuperLU_DIST on the best of its ranks (in brackets) over gsofa on one GPU"
        lines += [
            StripLine(title=f"{title}: {_mean(best)}; below 1 the GPU is slower"),
            _line("speedup", best, "ratio", marks),
        ]
        six = best[best["six_ratio"].notna()]
        lines += [_line("six GPUs", six, "six_ratio", [""] * len(six))] if len(six) else []
        printed = best[best["paper"].notna()]
        lines += [_line("printed, six", printed, "paper", [""] * len(printed))] if len(printed) else []
    if len(good):
        title = f"The fastest sequential code over gsofa on one GPU: {_mean(good)}"
        lines += [StripLine(title=title), _line("speedup", good, "ratio", list(marks_of(good)))]
    return lines


def _mean(rows: pd.DataFrame) -> str:
    return f"geometric mean {bars.times(geometric_mean(rows['ratio']))} of {len(rows)}"


def _ranked_on(frame: pd.DataFrame) -> list[int]:
    """The numbers of ranks that SuperLU_DIST has a time on."""
    timed = frame[(frame["status"] == "ok") & (frame["series"] == RANKED)]
    return sorted(map(int, timed["ranks"].unique()))


def _line(head: str, rows: pd.DataFrame, column: str, marks: Sequence[str]) -> StripLine:
    cells = zip(rows["group"], rows[column], marks, strict=True)
    return StripLine(
        head, {int(group): f"{bars.times(value)} {mark}".strip() for group, value, mark in cells}
    )


def ranks_how(frame: pd.DataFrame) -> str:
    """The caption's part on ranks: on how many cores, and which could not be tried."""
    ranked = frame[frame["series"] == RANKED]
    tried = ranked[~ranked["status"].isin(["not_run", "unavailable"])]
    cores = tried["machine"].dropna().map(cores_of).dropna()
    host = f" Host: {listed(cores.map('{:.0f}'.format))} cores." if len(cores) else ""
    words = f"{SYMBFACT}{host} " if _ranked_on(frame) else "SuperLU_DIST has no result here. "
    idle = ranked[(ranked["status"] == "unavailable") & ~ranked["ranks"].isin(tried["ranks"])]
    if idle.empty:
        return words
    numbers = ", ".join(str(ranks) for ranks in sorted(idle["ranks"].unique()))
    reason = idle.sort_values("ranks")["reason"].iloc[0]
    return f"{words}Unavailable on {numbers} ranks: {reason}. "


def _six(frame: pd.DataFrame) -> str:
    measured = (frame.loc[frame["series"] == SIX, "status"] == "ok").any()
    return "Six GPUs of this host are judged. " if measured else ""


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 12",
    lambda frame: f"GSoFA on one GPU{' and SuperLU_DIST on ranks of its host' if _ranked_on(frame) else ''}",
    frame,
    draw,
    """{ranks}{sequential}{moved}Below: six GPUs of each node over
    SuperLU_DIST on that node's POWER9 cores; one GPU here is another quantity, beside the print.
    {six}{gpu}""",
    lambda frame: {
        "ranks": ranks_how(frame),
        "sequential": sequential_how(frame[frame["series"] == GOOD]),
        "moved": means_with_transfers(frame[frame["best"]]),
        "six": _six(frame),
        "gpu": gpu_caption(frame, "gsofa", slots=False),
    },
    held=(
        Held(
            CLAIM, "six_ratio", ("one_node",), "pair_six",
            "seconds of SuperLU_DIST on the best of 1 to 16 ranks over gsofa_multi on six GPUs of the host",
            only={"best": True},
        ),
        Held(
            CLAIM, "ratio", ("one_node",), "pair",
            "seconds of SuperLU_DIST on the best of 1 to 16 ranks over gsofa on one GPU of the host",
            only={"best": True}, beside=True,
        ),
    ),
    one_run=True,
    topic="SuperLU_DIST's parallel symbolic factorisation (seconds)",
)  # fmt: skip
