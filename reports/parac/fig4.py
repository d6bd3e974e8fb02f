"""Figure 4: how deep the factor is, its time and its fill, for three orderings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from fillpath.dicts import dicts
from reports.exhibit import Exhibit, Held, Subset
from reports.facts.inputs import Inputs
from reports.frames.device import columns_of, device_frame
from reports.frames.orderings import ByOrdering, across_orderings, in_one_run
from reports.frames.parac import MUCH, PAPER, SAME, ordered_how, short_names, sorted_orderings
from reports.frames.seconds import RATIO, seconds_how, slots_how
from reports.shapes import bars
from reports.shapes.axes import seconds_axis
from reports.shapes.groups import name_matrices
from reports.shapes.labels import legend_above
from reports.shapes.style import headline, new_figure

CLAIM = "fig4_dependency_depth"
DEPTHS = {
    "height_classical": ("o", "white", "classical e-tree height"),
    "height_actual": ("o", "own", "actual e-tree height"),
    "critical_path": ("_", "own", "critical path of a triangular solve"),
}
FACTS = (*DEPTHS, "nnz_l", "nnz_g")
# The GPU's first: its time is the paper's.
FACTORS = ("parac_gpu", "parac_cpu")
SPAN = "the graph resident where it is factorised to its factor resident there"
TIME = bars.Panel("median", "low", "high", "time of the factor (log)")
FILL = bars.Panel("fill", "fill", "fill", "fill ratio", log=False)


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, ordering and machine: both heights and the critical path, in vertices, `fill`, 2
    nnz(G) over nnz(L) with both diagonals, and seconds of the factor by `implementation`: on the GPU where
    the machine has a result of it, else on one thread. shrinks : the classical height over the actual one."""
    rows = device_frame(inputs, FACTS)
    rows["place"] = rows["implementation"].map(FACTORS.index) + 2 * (rows["status"] != "ok")
    keys = ["label", "preparation", "machine"]
    rows = rows.sort_values("place", kind="stable").drop_duplicates(keys).sort_index(ignore_index=True)
    rows["fill"] = 2 * rows["nnz_g"] / rows["nnz_l"]
    rows["shrinks"] = rows["height_classical"] / rows["height_actual"]
    rows = sorted_orderings(rows)
    seconds = ("median", "low", "high", "host", "rounds")
    return columns_of(rows, "ordering", "implementation", *FACTS, "fill", "shrinks", *seconds)


def by_matrix(frame: pd.DataFrame) -> list[Subset]:
    """What the three orderings of a matrix say together.

    shrinks_least : the least of `shrinks`.
    others_shrink : the lesser of nnz-sort's and random's `shrinks` over AMD's.
    path : AMD's critical path over the longer of the other two.
    alike : the fewest entries of the factor over the most.
    """
    return [Subset(across_orderings(frame, _together, ("shrinks_least", "others_shrink", "path", "alike")))]


def on_gpu(frame: pd.DataFrame) -> list[Subset]:
    """Seconds of the GPU's factor with AMD over those with the slowest other ordering."""
    rows = frame[frame["implementation"] == FACTORS[0]]
    return [Subset(across_orderings(rows, _amd_over_slowest, RATIO))]


def _together(by_ordering: ByOrdering) -> Mapping[str, float]:
    amd, others = by_ordering["amd"], (by_ordering["nnz"], by_ordering["random"])
    entries = [row["nnz_g"] for row in by_ordering.values()]
    return {
        "shrinks_least": min(row["shrinks"] for row in by_ordering.values()),
        "others_shrink": min(row["shrinks"] for row in others) / amd["shrinks"],
        "path": amd["critical_path"] / max(row["critical_path"] for row in others),
        "alike": min(entries) / max(entries),
    }


def _amd_over_slowest(by_ordering: ByOrdering) -> Mapping[str, Any]:
    return in_one_run(by_ordering, "amd", max, inverse=True)


def facts(frame: pd.DataFrame) -> Mapping[str, str]:
    """What was timed, and how matrices were ordered."""
    names = {"parac_cpu": "parac_cpu on one thread"}
    timed = sorted(set(frame.loc[frame["status"] == "ok", "implementation"].replace(names)))
    return {
        "timed": ", ".join(timed) or "nothing",
        "seconds": seconds_how(frame, SPAN),
        "slots": slots_how(frame),
        "ordered": ordered_how(frame),
    }


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Depths above, then the time of the factor and the fill ratio, a colour per ordering."""
    groups = max(1, frame["group"].nunique())
    figure = new_figure(min(14.0, max(10.0, 2.0 + 1.5 * groups)), 11.5)
    headline(figure, title)
    top, middle, bottom = figure.subplots(3, 1, sharex=True, height_ratios=[1.5, 1.0, 0.8])
    _depths(top, frame)
    bars.bar_panel(middle, frame, TIME)
    bars.bar_panel(bottom, frame, FILL)
    if (frame["status"] == "ok").any():
        seconds_axis(middle)
        bottom.set_ylim(0, 1.15 * float(frame["fill"].max()))
    name_matrices(bottom, short_names(frame))
    legend_above(figure, _handles(frame))
    return figure


def _handles(frame: pd.DataFrame) -> list[Artist]:
    """The legend's: a colour per ordering, a mark per depth."""
    looks = bars.look_of(frame)
    series = [Patch(facecolor=c, hatch=h, edgecolor="black", label=name) for name, (c, h) in looks.items()]
    marks = [
        Line2D([], [], linestyle="none", marker=marker, markersize=9, markeredgecolor="black",
               markeredgewidth=2.0, color="white" if fill == "white" else "#777777", label=text)
        for marker, fill, text in DEPTHS.values()
    ]  # fmt: skip
    return [*series, *marks]


def _depths(axes: Axes, frame: pd.DataFrame) -> None:
    """Three marks per row, joined, on a log axis."""
    looks = bars.look_of(frame)
    places, width = bars.positions(frame)
    for x, row in zip(places, dicts(frame), strict=True):
        if row["status"] != "ok" or pd.isna(row["height_actual"]):
            status = str(row["status"]) if row["status"] != "ok" else "not measured"
            bars.draw_slot(axes, x, 0.92 * width, status)
            continue
        _marks(axes, x, row, looks[row["series"]][0])
    drawn = frame[list(DEPTHS)].to_numpy(dtype=float)
    axes.set_ylabel("vertices (log)")
    if np.isfinite(drawn).any():
        axes.set_yscale("log")
        axes.set_ylim(np.nanmin(drawn) / 2, np.nanmax(drawn) * 8)


def _marks(axes: Axes, x: float, row: Mapping[Any, Any], colour: str) -> None:
    values = [float(row[name]) for name in DEPTHS]
    axes.plot([x, x], [min(values), max(values)], color="black", linewidth=1.0, zorder=1)
    for value, (marker, fill, _) in zip(values, DEPTHS.values(), strict=True):
        hollow = fill == "white"
        axes.plot(
            x, value, marker=marker, markersize=12 if marker == "_" else 8,
            color="white" if hollow else colour,
            markeredgecolor=colour if hollow or marker == "_" else "black",
            markeredgewidth=3.0 if marker == "_" else 2.0 if hollow else 1.0, zorder=3,
        )  # fmt: skip
    bars.write_upwards(axes, x, values[0], f"{values[0]:,.0f}", 8)


EXHIBIT = Exhibit(
    PAPER,
    "ParAC, Figure 4",
    "depth, time and fill of the factor by ordering",
    frame,
    draw,
    """In vertices: the height of the elimination tree of L (classical) and of ParAC's factor G (actual), and
    the longest path of G. Fill ratio: 2 nnz(G) / nnz(L). Time: {timed}. {seconds} {slots}{ordered}""",
    facts,
    held=(
        Held(CLAIM, "shrinks_least", ("lower",), subsets=by_matrix, above=SAME),
        Held(CLAIM, "others_shrink", ("amd_less",), subsets=by_matrix, above=MUCH),
        Held(CLAIM, "path", ("amd_path",), subsets=by_matrix),
        Held(CLAIM, "ratio", ("amd_slowest",), "pair", subsets=on_gpu),
        Held(CLAIM, "alike", ("fill",), subsets=by_matrix, above=1 / SAME),
    ),
)
