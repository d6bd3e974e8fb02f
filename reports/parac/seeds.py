"""Iterations and time by seed."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from reports.exhibit import Exhibit, Subset
from reports.parac.orderings import first_names
from reports.parac.solution import RULE, SPAN, solved
from reports.shapes import bars
from reports.shapes.axes import Panels
from reports.shapes.style import SMALL, looks
from reports.verbs import with_groups

# The part of a matrix's place that the points of a case take.
SPREAD = 0.3
# The label of an axis and the form of its numbers, by column.
DRAWN = {"iterations": ("iterations", "{:g}"), "relative": ("time over its median", "{:.2f}")}
MATRIX = ["label", "preparation"]
SEEDS = [*MATRIX, "implementation"]


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per case and seed; `relative`, seconds over the median of the seeds of a run."""
    seeds = cases["case"].str.extract(r"\.seed=(\d+)", expand=False).fillna(0).astype(int)
    places = pd.factorize(cases["case"].str.replace(r"\.seed=\d+", "", regex=True))[0]
    rows = solved(cases).assign(seed=seeds, place=places)
    rows = rows[(rows["status"] != "not_run") | (rows["seed"] == 0)]
    rows = with_groups(rows.sort_values(["place", "seed"]))
    of_run = rows.groupby([*SEEDS, "run_id", "host"], dropna=False)["median"]
    return rows.drop(columns="place").assign(relative=rows["median"] / of_run.transform("median"))


def by_matrix(frame: pd.DataFrame) -> list[Subset]:
    """Return each matrix's least over most iterations of any seed, of the code where that is least."""
    ok = frame[frame["status"] == "ok"].groupby(SEEDS)["iterations"]
    spread = (ok.min() / ok.max()).where(ok.size() > 1).groupby(level=MATRIX).min()
    first = frame.drop_duplicates(MATRIX).set_index(MATRIX)
    spread, is_known = spread.reindex(first.index), first.index.isin(spread.index)
    status = first["status"].mask(is_known, "one seed").mask(spread.notna(), "ok")
    return [Subset(first.assign(iterations=spread, status=status).reset_index())]


def _panel(axes: Axes, frame: pd.DataFrame, value: str) -> None:
    """Draw a point per seed, with the least and the most and their number in words."""
    (label, form), known = DRAWN[value], looks(frame["series"])
    ok = frame[frame["status"] == "ok"]
    first = pd.concat([ok, frame]).drop_duplicates(["group", "series"]).sort_index()
    placed, _ = bars.with_slots(axes, first)
    places = placed.set_index(["group", "series"])["x"].to_dict()
    for (group, series), seeds in ok.groupby(["group", "series"], sort=False):
        x, values, (colour, _, marker) = places[group, series], seeds[value], known[str(series)]
        across = x + SPREAD * ((np.arange(len(values)) + 0.5) / len(values) - 0.5)
        look: Any = {"color": colour, "marker": marker, "markeredgecolor": "black"}
        axes.plot(across, values, linestyle="none", markersize=6, label=series, **look)
        axes.hlines(values.median(), x - SPREAD / 2, x + SPREAD / 2, color="black", linewidth=1.2)
        axes.annotate(
            f"{bars.ends(values, form.format)}\nof {len(values)}", (x, values.max()), (0, 8),
            textcoords="offset points", ha="center", va="bottom", fontsize=SMALL, bbox=bars.GROUND,
        )  # fmt: skip
    axes.set(ylabel=label, ylim=(0, 1.35 * max([1.0, *ok[value]])))


CAPTION = f"""One point per seed, of the sampling and of the ordering's ties. Written: least to most. Time:
    {SPAN}. With one seed the factors of the CPU and the GPU are the same. {RULE}"""
SHAPE = Panels([partial(_panel, value=value) for value in DRAWN], 8.5, first_names)
EXHIBIT = Exhibit(
    frame, SHAPE, CAPTION, more_claims=("run_to_run",), subsets={"by_matrix": by_matrix}, one_run=False
)
