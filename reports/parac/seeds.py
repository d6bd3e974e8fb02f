"""The text's robustness: how far iterations and time depend on the seed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from reports.exhibit import Exhibit, Held, Subset
from reports.parac.by_ordering import first_names
from reports.parac.solution import PAPER, RULE, SAME, SPAN, solved
from reports.shapes import bars
from reports.shapes.panels import Panels
from reports.shapes.style import HATCHES, MARKERS, SMALL
from reports.verbs import with_groups

CLAIM = "run_to_run"
# Of a place, how far the points of one case lie apart.
SPREAD = 0.35
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


def facts(frame: pd.DataFrame) -> Mapping[str, str]:
    """Return how many seeds a case has."""
    counts = frame[frame["status"] == "ok"].groupby(SEEDS).size()
    ends = (counts.min(), counts.max()) if len(counts) else (0,)
    return {"counts": " to ".join(dict.fromkeys(map(str, ends)))}


def _panel(axes: Axes, frame: pd.DataFrame, value: str, label: str, digits: str) -> None:
    """Draw a point per seed; written: the least and the most, and of how many."""
    looks = bars.look_of(frame)
    places, width = bars.positions(frame.drop_duplicates(["group", "series"]))
    for x, ((_, series), seeds) in zip(places, frame.groupby(["group", "series"], sort=False), strict=True):
        values = seeds.loc[seeds["status"] == "ok", value].to_numpy(dtype=float)
        if len(values):
            _points(axes, x, width, values, *looks[str(series)])
            _write(axes, x, values, digits)
        else:
            bars.draw_slot(axes, x, 0.92 * width, seeds["status"].iloc[0])
    axes.set_ylabel(label)
    axes.set_ylim(0, 1.35 * max([1.0, *frame[value].dropna()]))
    if value == "iterations":
        bars.place_legend(axes, _handles(frame[frame["status"] == "ok"], looks))


def _handles(ok: pd.DataFrame, looks: Mapping[str, tuple[str, str]]) -> list[Line2D]:
    """Return a mark of each series that was measured."""
    return [
        Line2D(
            [], [], linestyle="none", marker=MARKERS[HATCHES.index(looks[name][1])], markersize=8,
            color=looks[name][0], markeredgecolor="black", label=name,
        )
        for name in ok["series"].unique()
    ]  # fmt: skip


def _points(axes: Axes, x: float, width: float, values: np.ndarray, colour: str, hatch: str) -> None:
    ends = np.array([x - width * SPREAD, x + width * SPREAD])
    xs = np.linspace(ends[0], ends[1], len(values)) if len(values) > 1 else [x]
    axes.plot(
        xs, values, linestyle="none", marker=MARKERS[HATCHES.index(hatch)], markersize=6, color=colour,
        markeredgecolor="black",
    )  # fmt: skip
    axes.plot(ends, [np.median(values)] * 2, color="black", linewidth=1.2)


def _write(axes: Axes, x: float, values: np.ndarray, digits: str) -> None:
    ends = " to ".join(dict.fromkeys(format(end, digits) for end in (values.min(), values.max())))
    axes.annotate(
        f"{ends}\nof {len(values)}", (x, values.max()), (0, 8), textcoords="offset points", ha="center",
        va="bottom", fontsize=SMALL, bbox=bars.GROUND,
    )  # fmt: skip


EXHIBIT = Exhibit(
    PAPER,
    "ParAC",
    "iterations and time by seed",
    frame,
    Panels(
        [
            partial(_panel, value="iterations", label="iterations", digits="g"),
            partial(_panel, value="relative", label="time over its median", digits=".2f"),
        ],
        8.5,
        first_names,
    ),
    f"""One point per seed, of the sampling and of the ordering's ties ({{counts}} seeds per case); written:
    least to most. Time: {SPAN}. Of one seed the CPU's and the GPU's factor are the same. {RULE}""",
    facts,
    held=(Held(CLAIM, "iterations", ("iterations",), subsets=by_matrix, above=1 / SAME),),
)
