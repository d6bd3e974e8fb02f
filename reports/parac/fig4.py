"""Figure 4: how deep the factor is, its time and its fill, for three orderings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from reports.exhibit import Exhibit, Held, Subset
from reports.parac.by_ordering import by_matrix, first_names, in_order, over_others
from reports.parac.solution import MUCH, PAPER, SAME
from reports.shapes import bars
from reports.shapes.axes import legend_above, seconds_axis
from reports.shapes.panels import Panels
from reports.verbs import fact

CLAIM = "fig4_dependency_depth"
# By fact: its text, and how its marks differ from points in the colour of the ordering.
DEPTHS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "height_classical": ("classical e-tree height", {"markeredgewidth": 2.0, "color": "white"}),
    "height_actual": ("actual e-tree height", {"markeredgecolor": "black"}),
    "critical_path": (
        "critical path of a triangular solve", {"marker": "_", "markersize": 12, "markeredgewidth": 3.0},
    ),
}  # fmt: skip
# The GPU's first: its time is the paper's.
FACTORS = ("parac_gpu", "parac_cpu")
TIME = bars.Panel("median", "low", "high", "time of the factor (log)")
FILL = bars.Panel("fill", "fill", "fill", "fill ratio", log=False)


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and ordering: both heights and the critical path, in vertices, and seconds.

    These are of the GPU where the machine has a result of it, else of one thread. `fill`: 2 nnz(G) over
    nnz(L) with both diagonals; `shrinks`: the classical height over the actual one.
    """
    counted = cases.assign(**{name: fact(cases, name) for name in (*DEPTHS, "nnz_l", "nnz_g")})
    place = counted["implementation"].map(FACTORS.index) + 2 * (counted["status"] != "ok")
    chosen = counted.iloc[np.argsort(place, kind="stable")].drop_duplicates(["label", "preparation"])
    rows = in_order(chosen.sort_index())
    fill = 2 * rows["nnz_g"] / rows["nnz_l"]
    return rows.assign(fill=fill, shrinks=rows["height_classical"] / rows["height_actual"])


def together(frame: pd.DataFrame) -> list[Subset]:
    """Return what the three orderings of a matrix say together.

    shrinks_least : the least of `shrinks`
    others_shrink : the lesser of nnz-sort's and random's `shrinks` over AMD's
    path : AMD's critical path over the longer of the other two
    alike : the fewest entries of the factor over the most
    """
    matrices, others = by_matrix(frame), ["nnz", "random"]
    whole = frame[frame["label"].isin(matrices.index[matrices["status"] == "ok"])]
    shrinks, paths, entries = (
        whole.pivot(index="label", columns="preparation", values=name)
        for name in ("shrinks", "critical_path", "nnz_g")
    )
    rows = matrices.assign(
        shrinks_least=shrinks.min(axis=1),
        others_shrink=shrinks.filter(others).min(axis=1) / shrinks.get("amd", np.nan),
        path=paths.get("amd", np.nan) / paths.filter(others).max(axis=1),
        alike=entries.min(axis=1) / entries.max(axis=1),
    )
    return [Subset(rows.reset_index())]


def on_gpu(frame: pd.DataFrame) -> list[Subset]:
    """Return the seconds of the GPU's factor with AMD over those with the slowest other ordering."""
    return [Subset(over_others(frame[frame["implementation"] == FACTORS[0]], "amd", slowest=True))]


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Draw depths above, then the time of the factor and the fill ratio, a colour per ordering."""
    figure = Panels([_depths, _times, _fills], 11.5, first_names, 14.0, ratios=(1.5, 1.0, 0.8))(frame, title)
    looks = bars.look_of(frame).items()
    series = [Patch(facecolor=c, hatch=hatch, edgecolor="black", label=name) for name, (c, hatch) in looks]
    marks = [Line2D([], [], label=text, **_mark("#777777", own)) for text, own in DEPTHS.values()]
    legend_above(figure, [*series, *marks])
    return figure


def _mark(colour: str, own: Mapping[str, Any]) -> dict[str, Any]:
    point = {"linestyle": "none", "marker": "o", "markersize": 8, "color": colour, "markeredgecolor": colour}
    return point | dict(own)


def _depths(axes: Axes, frame: pd.DataFrame) -> None:
    """Draw three marks per row, joined, on a log axis."""
    places, width = bars.positions(frame)
    rows, looks = frame.assign(x=places), bars.look_of(frame)
    known = rows[(rows["status"] == "ok") & rows["height_actual"].notna()]
    lost = rows.drop(known.index).replace({"status": {"ok": "not measured"}})
    for x, status in zip(lost["x"], lost["status"], strict=True):
        bars.draw_slot(axes, x, 0.92 * width, status)
    heights = known[list(DEPTHS)]
    axes.vlines(known["x"], heights.min(axis=1), heights.max(axis=1), color="black", linewidth=1.0, zorder=1)
    for series, part in known.groupby("series"):
        for name, (_, own) in DEPTHS.items():
            axes.plot(part["x"], part[name], **_mark(looks[str(series)][0], own), zorder=3)
    for x, height in zip(known["x"], known["height_classical"], strict=True):
        bars.write_upwards(axes, x, height, f"{height:,.0f}", 8)
    axes.set_ylabel("vertices (log)")
    if len(known):
        axes.set_yscale("log")
        axes.set_ylim(heights.to_numpy().min() / 2, heights.to_numpy().max() * 8)


def _times(axes: Axes, frame: pd.DataFrame) -> None:
    bars.bar_panel(axes, frame, TIME)
    if (frame["status"] == "ok").any():
        seconds_axis(axes)


def _fills(axes: Axes, frame: pd.DataFrame) -> None:
    bars.bar_panel(axes, frame, FILL)
    if (frame["status"] == "ok").any():
        axes.set_ylim(0, 1.15 * float(frame["fill"].max()))


EXHIBIT = Exhibit(
    PAPER,
    "ParAC, Figure 4",
    "depth, time and fill of the factor by ordering",
    frame,
    draw,
    """In vertices: the height of the elimination tree of L (classical) and of ParAC's factor G (actual), and
    the longest path of G. Fill ratio: 2 nnz(G) / nnz(L). Time: parac_gpu, or parac_cpu on one thread where
    that has no result.""",
    held=(
        Held(CLAIM, "shrinks_least", ("lower",), subsets=together, above=SAME),
        Held(CLAIM, "others_shrink", ("amd_less",), subsets=together, above=MUCH),
        Held(CLAIM, "path", ("amd_path",), subsets=together),
        Held(CLAIM, "ratio", ("amd_slowest",), "pair", subsets=on_gpu),
        Held(CLAIM, "alike", ("fill",), subsets=together, above=1 / SAME),
    ),
    span="the graph resident where it is factorised to its factor resident there",
)
