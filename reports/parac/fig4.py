"""Figure 4: how deep the factor is, its time and its fill, for three orderings."""

from functools import partial
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from reports.exhibit import Exhibit, Subset
from reports.parac import orderings
from reports.parac.orderings import ORDERINGS, draw_seconds, first_names
from reports.shapes import bars
from reports.shapes.axes import Panels
from reports.shapes.style import looks
from reports.verbs import fact

# By fact: its text, and how it is drawn.
DEPTHS: dict[str, tuple[str, dict[str, Any]]] = {
    "height_classical": ("classical e-tree height", {"marker": "o", "markerfacecolor": "white"}),
    "height_actual": ("actual e-tree height", {"marker": "o", "markeredgewidth": 0.0}),
    "critical_path": ("critical path of a triangular solve", {"marker": "_", "markersize": 12}),
}
TIMES = partial(draw_seconds, label="time of the factor (log)")
FILLS = partial(bars.bar_panel, label="fill ratio", value="fill", log=False)
POINT: dict[str, Any] = {"linestyle": "none", "markersize": 9, "markeredgewidth": 2.5}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and ordering: both heights and the critical path, in vertices, and seconds.

    These are of the GPU, as the paper's, where the machine has a result of it, else of one thread. `fill`:
    2 nnz(G) over nnz(L) with both diagonals; `shrinks`: the classical height over the actual one.
    """
    counted = cases.assign(**{name: fact(cases, name) for name in (*DEPTHS, "nnz_l", "nnz_g")})
    place = (counted["implementation"] != "parac_gpu") + 2 * (counted["status"] != "ok")
    rows = counted.iloc[place.argsort(kind="stable")].drop_duplicates(["label", "preparation"])
    fill = 2 * rows["nnz_g"] / rows["nnz_l"]
    return orderings.in_order(
        rows.assign(fill=fill, shrinks=rows["height_classical"] / rows["height_actual"])
    )


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
    rows = orderings.by_matrix(frame).assign(
        shrinks_least=shrinks.min(axis=1),
        others_shrink=shrinks[others].min(axis=1) / shrinks["amd"],
        path=paths["amd"] / paths[others].max(axis=1),
        alike=entries.min(axis=1) / entries.max(axis=1),
    )
    return [Subset(rows.reset_index())]


def _depths(axes: Axes, frame: pd.DataFrame) -> None:
    """Draw three marks per row, joined, on a log axis."""
    known, _ = bars.with_slots(axes, frame)
    known, colours = known.dropna(subset=[*DEPTHS]), looks(frame["series"])
    depths = known[[*DEPTHS]]
    axes.vlines(known["x"], depths.min(axis=1), depths.max(axis=1), color="black", linewidth=1.0, zorder=1)
    for series, part in known.groupby("series"):
        for name, (_, look) in DEPTHS.items():
            axes.plot(part["x"], part[name], color=colours[str(series)].colour, **(POINT | look))
    for x, height in known[["x", "height_classical"]].to_numpy().tolist():
        bars.write_upwards(axes, x, height, f"{height:,.0f}", 8)
    axes.set_ylabel("vertices (log)")
    if len(known):
        axes.set(yscale="log", ylim=(depths.min().min() / 2, depths.max().max() * 8))
    for text, look in DEPTHS.values():
        axes.plot([], [], color="#777777", label=text, **(POINT | look))


EXHIBIT = Exhibit(
    "depth, time and fill of the factor by ordering",
    frame,
    Panels([_depths, TIMES, FILLS], 11.5, first_names),
    """In vertices: the height of the elimination tree of L (classical) and of ParAC's factor G (actual), and
    the longest path of G. Fill ratio: 2 nnz(G) / nnz(L). Time: parac_gpu, or parac_cpu on one thread where
    that has no result.""",
    subsets={"together": together, "amd_slowest": orderings.slowest_amd},
    span="the graph resident where it is factorised to its factor resident there",
    one_run=False,
)
