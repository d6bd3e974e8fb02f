"""The text's robustness: how far iterations and time depend on the seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from fillpath.case import Case
from fillpath.dicts import dicts
from reports.exhibit import Exhibit, Held, Subset
from reports.facts.inputs import Inputs
from reports.frames.device import columns_of
from reports.frames.parac import PAPER, SAME, names_of, short_names, solved_frame, solved_how, tried
from reports.frames.seconds import groups_of
from reports.shapes import bars
from reports.shapes.gains import Form, gains_legend
from reports.shapes.panels import Panels
from reports.shapes.style import HATCHES, MARKERS, SMALL

CLAIM = "run_to_run"
# Of a place, how far the points of one case lie apart.
SPREAD = 0.35
KEYS = ["label", "preparation", "machine", "implementation"]


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per case, seed and machine: its iterations, the entries of its factor, seconds of factor,
    analysis and solve (median), and these over the median of all seeds of that case, run and host
    (`relative`). Of each case all seeds that there are records of."""
    chosen = list(dict.fromkeys(replace(case, seed=0) for case in inputs.cases))
    measured = [Case.parse(record.case) for record in inputs.records.rows]
    others = [case for case in measured if case.seed and replace(case, seed=0) in chosen]
    whole = sorted({*chosen, *others}, key=lambda case: (chosen.index(replace(case, seed=0)), case.seed))
    solved = solved_frame(replace(inputs, cases=whole))
    solved["series"] = names_of(solved, solved["implementation"].tolist())
    solved["seed"] = [Case.parse(name).seed for name in solved["case"]]
    solved["group"] = groups_of(solved)
    of_run = solved.groupby([*KEYS, "run_id", "host"], dropna=False)["median"]
    solved["relative"] = solved["median"] / of_run.transform("median")
    numbers = ("iterations", "residual", "nnz_factor", "median", "relative")
    return columns_of(solved, "implementation", "seed", *numbers)


def by_matrix(frame: pd.DataFrame) -> list[Subset]:
    """One row per matrix and machine: the least over the most `iterations` of any seed of an implementation,
    and of the seconds of those seeds that were measured in one run (`relative`), where that is least."""
    rows = []
    for _, seeds in frame.groupby(KEYS[:-1], sort=False, dropna=False):
        ok = seeds[seeds["status"] == "ok"]
        several = ok[ok.groupby("implementation")["seed"].transform("size") > 1]
        status = "ok" if len(several) else "one seed" if len(ok) else seeds["status"].iloc[0]
        run = several.groupby("implementation")["run_id"].transform(lambda runs: runs.mode().iloc[0])
        spreads = {
            "iterations": _spread(several, "iterations"),
            "relative": _spread(several[several["run_id"] == run], "relative"),
        }
        rows.append({**seeds.iloc[0], **spreads, "status": status})
    return [Subset(pd.DataFrame(rows) if rows else frame)]


def _spread(rows: pd.DataFrame, name: str) -> float:
    """The least over the most of an implementation, where that is least."""
    values = rows.groupby("implementation")[name]
    return float((values.min() / values.max()).min())


def facts(frame: pd.DataFrame) -> Mapping[str, str]:
    """How many seeds a case has, and how it was solved."""
    ok = frame[frame["status"] == "ok"]
    counts = ok.groupby(["label", "machine", "implementation"]).size()
    ends = (counts.min(), counts.max()) if len(counts) else (0,)
    return {"counts": " to ".join(dict.fromkeys(map(str, ends))), "solved": solved_how(frame)}


def _iterations(axes: Axes, frame: pd.DataFrame) -> None:
    _panel(axes, frame, "iterations", "{:g}".format)
    axes.set_ylabel("iterations")
    axes.set_ylim(0, 1.35 * max([1.0, *frame["iterations"].dropna()]))
    gains_legend(axes, frame)


def _times(axes: Axes, frame: pd.DataFrame) -> None:
    _panel(axes, frame, "relative", "{:.2f}".format)
    axes.set_ylabel("time over its median")
    axes.set_ylim(0, 1.35 * max([1.0, *frame["relative"].dropna()]))


def _panel(axes: Axes, frame: pd.DataFrame, value: str, form: Form) -> None:
    """A point per seed; written: the least and the most, and of how many."""
    looks = bars.look_of(frame)
    firsts = frame.drop_duplicates(["group", "series"])
    places, wide = bars.positions(firsts)
    for x, row in zip(places, dicts(firsts), strict=True):
        seeds = frame[(frame["group"] == row["group"]) & (frame["series"] == row["series"])]
        ok = seeds.loc[seeds["status"] == "ok", value].to_numpy(dtype=float)
        if len(ok):
            _points(axes, x, wide, ok, looks[row["series"]], form)
        else:
            bars.draw_slot(axes, x, 0.92 * wide, str(seeds["status"].iloc[0]))


def _points(axes: Axes, x: float, wide: float, values: np.ndarray, look: tuple[str, str], form: Form) -> None:
    aside = np.linspace(-SPREAD, SPREAD, len(values)) if len(values) > 1 else np.zeros(1)
    axes.plot(
        x + wide * aside, values, linestyle="none", marker=MARKERS[HATCHES.index(look[1])],
        markersize=6, color=look[0], markeredgecolor="black",
    )  # fmt: skip
    axes.plot([x - wide * SPREAD, x + wide * SPREAD], [np.median(values)] * 2, color="black", linewidth=1.2)
    ends = " to ".join(dict.fromkeys((form(values.min()), form(values.max()))))
    axes.annotate(
        f"{ends}\nof {len(values)}", (x, values.max()), (0, 8), textcoords="offset points", ha="center",
        va="bottom", fontsize=SMALL, bbox=bars.GROUND,
    )  # fmt: skip


EXHIBIT = Exhibit(
    PAPER,
    "ParAC",
    "iterations and time by seed",
    frame,
    Panels([_iterations, _times], 8.5, lambda frame: short_names(tried(frame))),
    """One point per seed, of the sampling and of the ordering's ties ({counts} seeds per case); written:
    least to most. Of one seed the CPU's and the GPU's factor are the same. {solved}""",
    facts,
    held=(Held(CLAIM, "iterations", ("iterations",), subsets=by_matrix, above=1 / SAME),),
)
