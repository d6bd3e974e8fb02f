"""Figure 4: how deep the factor is, its time and its fill, for three orderings."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.exhibit import Exhibit, Subset
from reports.parac import by_ordering
from reports.parac.by_ordering import ORDERINGS, by_matrix, first_names, in_order, over_others
from reports.parac.solution import PAPER
from reports.shapes import bars
from reports.shapes.axes import Panels
from reports.shapes.style import looks
from reports.verbs import fact

# By fact: its text, and how its marks differ from points in the colour of the ordering.
DEPTHS: dict[str, tuple[str, dict[str, Any]]] = {
    "height_classical": ("classical e-tree height", {"markeredgewidth": 2.0, "color": "white"}),
    "height_actual": ("actual e-tree height", {"markeredgecolor": "black"}),
    "critical_path": (
        "critical path of a triangular solve", {"marker": "_", "markersize": 12, "markeredgewidth": 3.0},
    ),
}  # fmt: skip
# The GPU's first: its time is the paper's.
FACTORS = ("parac_gpu", "parac_cpu")


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
    shrinks, paths, entries = (
        frame.pivot(index="label", columns="preparation", values=name).reindex(columns=[*ORDERINGS])
        for name in ("shrinks", "critical_path", "nnz_g")
    )
    others = ["nnz", "random"]
    numbers = {
        "shrinks_least": shrinks.min(axis=1),
        "others_shrink": shrinks[others].min(axis=1) / shrinks["amd"],
        "path": paths["amd"] / paths[others].max(axis=1),
        "alike": entries.min(axis=1) / entries.max(axis=1),
    }
    return [Subset(by_matrix(frame).assign(**numbers).reset_index())]


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Draw depths above, then the time of the factor and the fill ratio, a colour per ordering."""
    times = partial(by_ordering.draw_seconds, label="time of the factor (log)")
    return Panels([_depths, times, _fills], 11.5, first_names)(frame, title)


def _mark(colour: str, name: str) -> dict[str, Any]:
    point = {"linestyle": "none", "marker": "o", "markersize": 8, "color": colour, "markeredgecolor": colour}
    return point | DEPTHS[name][1]


def _depths(axes: Axes, frame: pd.DataFrame) -> None:
    """Draw three marks per row, joined, on a log axis."""
    unknown = (frame["status"] == "ok") & frame["height_actual"].isna()
    known, _ = bars.with_slots(axes, frame.assign(status=frame["status"].mask(unknown, "not measured")))
    heights, colours = known[list(DEPTHS)], looks(frame["series"])
    axes.vlines(known["x"], heights.min(axis=1), heights.max(axis=1), color="black", linewidth=1.0, zorder=1)
    for name, (text, _) in DEPTHS.items():
        axes.plot([], [], label=text, **_mark("#777777", name))
    for series, part in known.groupby("series"):
        for name in DEPTHS:
            axes.plot(part["x"], part[name], **_mark(colours[str(series)].colour, name), zorder=3)
    for x, height in known[["x", "height_classical"]].to_numpy().tolist():
        bars.write_upwards(axes, x, height, f"{height:,.0f}", 8)
    axes.set_ylabel("vertices (log)")
    if len(known):
        axes.set(yscale="log", ylim=(heights.min().min() / 2, heights.max().max() * 8))


def _fills(axes: Axes, frame: pd.DataFrame) -> None:
    bars.bar_panel(axes, frame, "fill ratio", "fill", log=False)
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
    claims=("fig4_dependency_depth",),
    subsets={
        "together": together,
        "amd_slowest": lambda rows: [Subset(over_others(rows, "amd", slowest=True))],
    },
    span="the graph resident where it is factorised to its factor resident there",
)
