"""Figure 4: depth, time and fill of the factor by ordering."""

from functools import partial

import pandas as pd

from reports.exhibit import Exhibit, Subset
from reports.parac import orderings
from reports.parac.orderings import ORDERINGS
from reports.shapes import bars
from reports.shapes.axes import Panels
from reports.verbs import fact

DEPTHS = {
    "height_classical": "classical e-tree\nheight (log)",
    "height_actual": "actual e-tree\nheight (log)",
    "critical_path": "critical path of a\ntriangular solve (log)",
}
DRAWN = {**DEPTHS, "median": "time of the\nfactor (log)", "fill": "fill ratio"}
PANELS = [partial(bars.bar_panel, label=text, value=of, log=of != "fill") for of, text in DRAWN.items()]


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per input: DEPTHS, seconds of the GPU, else of one thread; `fill`; `shrinks`."""
    counted = cases.assign(**{name: fact(cases, name) for name in (*DEPTHS, "nnz_l", "nnz_g")})
    place = (counted["implementation"] != "parac_gpu") + 2 * (counted["status"] != "ok")
    rows = counted.iloc[place.argsort(kind="stable")].drop_duplicates(["label", "preparation"])
    rows = rows.assign(fill=2 * rows["nnz_g"] / rows["nnz_l"])
    return orderings.in_order(rows.assign(shrinks=rows["height_classical"] / rows["height_actual"]))


def together(frame: pd.DataFrame) -> list[Subset]:
    """Return by matrix how the orderings compare: `shrinks_least`, `others_shrink`, `path`, `alike`."""
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


CAPTION = """In vertices: the heights of the elimination trees of L (classical) and of ParAC's factor G
    (actual), and G's longest path. Fill ratio: 2 nnz(G) / nnz(L). Time: parac_gpu, else parac_cpu on one
    thread."""
SUBSETS = {"together": together, "amd_slowest": orderings.SUBSETS["amd_slowest"]}
SPAN = "the graph resident where it is factorised to its factor resident there"
SHAPE = Panels(PANELS, 15.0, orderings.first_names)
EXHIBIT = Exhibit(frame, SHAPE, CAPTION, subsets=SUBSETS, span=SPAN, one_run=False)
