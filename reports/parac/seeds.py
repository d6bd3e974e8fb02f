"""The text's robustness: how far iterations and time depend on the seed."""

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from reports.exhibit import Exhibit, Subset
from reports.parac.by_ordering import first_names
from reports.parac.solution import PAPER, RULE, SPAN, solved
from reports.shapes import bars
from reports.shapes.axes import Panels
from reports.shapes.style import SMALL, looks
from reports.verbs import with_groups

# Of a place, how far the points of one case lie apart.
SPREAD = 0.35
# By column, the label of its axis and how its numbers are written.
DRAWN = {"iterations": ("iterations", "{:g}"), "relative": ("time over its median", "{:.2f}")}
MATRIX = ["label", "preparation"]
SEEDS = [*MATRIX, "implementation"]


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per case and seed that was measured, and one of seed 0.

    `relative` is its seconds over the median of all seeds of that case, run and host.
    """
    seeds = cases["case"].str.extract(r"\.seed=(\d+)", expand=False).fillna(0).astype(int)
    places = pd.factorize(cases["case"].str.replace(r"\.seed=\d+", "", regex=True))[0]
    rows = solved(cases).assign(seed=seeds, place=places)
    rows = rows[(rows["status"] != "not_run") | (rows["seed"] == 0)]
    rows = with_groups(rows.sort_values(["place", "seed"]))
    of_run = rows.groupby([*SEEDS, "run_id", "host"], dropna=False)["median"]
    return rows.drop(columns="place").assign(relative=rows["median"] / of_run.transform("median"))


def by_matrix(frame: pd.DataFrame) -> list[Subset]:
    """Return of each matrix the least over the most iterations of any seed of an implementation, where that
    is least."""
    ok = frame[frame["status"] == "ok"].groupby(SEEDS)["iterations"]
    spread = (ok.min() / ok.max()).where(ok.size() > 1).groupby(level=MATRIX).min()
    first = frame.drop_duplicates(MATRIX).set_index(MATRIX)
    spread, is_known = spread.reindex(first.index), first.index.isin(spread.index)
    status = first["status"].mask(is_known, "one seed").mask(spread.notna(), "ok")
    return [Subset(first.assign(iterations=spread, status=status).reset_index())]


def facts(frame: pd.DataFrame) -> dict[str, str]:
    """Return how many seeds a case has."""
    counts = frame[frame["status"] == "ok"].groupby(SEEDS).size()
    ends = (counts.min(), counts.max()) if len(counts) else (0,)
    return {"counts": " to ".join(dict.fromkeys(map(str, ends)))}


def _panel(axes: Axes, frame: pd.DataFrame, value: str) -> None:
    """Draw a point per seed; written: the least and the most, and of how many."""
    (label, form), known = DRAWN[value], looks(frame["series"])
    places, width = bars.positions(frame.drop_duplicates(["group", "series"]))
    for x, ((_, series), seeds) in zip(places, frame.groupby(["group", "series"], sort=False), strict=True):
        values = seeds.loc[seeds["status"] == "ok", value].to_numpy(dtype=float)
        if not len(values):
            bars.draw_slots(axes, [x], width, seeds["status"][:1])
            continue
        colour, _, marker = known[str(series)]
        ends = x - width * SPREAD, x + width * SPREAD
        look: Any = {"color": colour, "marker": marker, "markeredgecolor": "black"}
        across = np.linspace(*ends, len(values)) if len(values) > 1 else [x]
        axes.plot(across, values, linestyle="none", markersize=6, label=series, **look)
        axes.hlines(np.median(values), *ends, color="black", linewidth=1.2)
        text = " to ".join(dict.fromkeys(map(form.format, (values.min(), values.max()))))
        axes.annotate(
            f"{text}\nof {len(values)}", (x, values.max()), (0, 8), textcoords="offset points", ha="center",
            va="bottom", fontsize=SMALL, bbox=bars.GROUND,
        )  # fmt: skip
    axes.set(ylabel=label, ylim=(0, 1.35 * max([1.0, *frame[value].dropna()])))


EXHIBIT = Exhibit(
    PAPER,
    "ParAC",
    "iterations and time by seed",
    frame,
    Panels([partial(_panel, value=value) for value in DRAWN], 8.5, first_names),
    f"""One point per seed, of the sampling and of the ordering's ties ({{counts}} seeds per case); written:
    least to most. Time: {SPAN}. Of one seed the CPU's and the GPU's factor are the same. {RULE}""",
    facts,
    claims=("run_to_run",),
    subsets={"by_matrix": by_matrix},
)
