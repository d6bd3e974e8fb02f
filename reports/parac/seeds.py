"""Beyond the paper: how far iterations depend on the seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from fillpath.case import Case
from reports.exhibit import Exhibit
from reports.facts.inputs import Inputs
from reports.frames.device import columns_of
from reports.frames.parac import PAPER, names_of, solved_frame, solved_how, tried
from reports.shapes import bars
from reports.shapes.gains import gains_legend
from reports.shapes.panels import Panels
from reports.shapes.style import HATCHES, MARKERS, SMALL

# Of a place, how far the points of one case lie apart.
SPREAD = 0.35


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per case, seed and machine: its iterations and the entries of its factor. Of each case all
    seeds that there are records of."""
    chosen = list(dict.fromkeys(replace(case, seed=0) for case in inputs.cases))
    measured = [Case.parse(record.case) for record in inputs.records.rows]
    others = [case for case in measured if case.seed and replace(case, seed=0) in chosen]
    whole = sorted({*chosen, *others}, key=lambda case: (chosen.index(replace(case, seed=0)), case.seed))
    solved = solved_frame(replace(inputs, cases=whole))
    solved["series"] = names_of(solved, solved["implementation"].tolist())
    solved["seed"] = [Case.parse(name).seed for name in solved["case"]]
    return columns_of(solved, "implementation", "seed", "iterations", "residual", "nnz_factor")


def facts(frame: pd.DataFrame) -> Mapping[str, str]:
    """How many seeds a case has, and how it was solved."""
    ok = frame[frame["status"] == "ok"]
    counts = ok.groupby(["label", "machine", "implementation"]).size()
    ends = (counts.min(), counts.max()) if len(counts) else (0,)
    return {"counts": " to ".join(dict.fromkeys(map(str, ends))), "solved": solved_how(frame)}


def _iterations(axes: Axes, frame: pd.DataFrame) -> None:
    """A point per seed; written: the least and the most, and of how many."""
    looks = bars.look_of(frame)
    firsts = frame.drop_duplicates(["group", "series"])
    places, wide = bars.positions(firsts)
    for x, row in zip(places, firsts.to_dict("records"), strict=True):
        seeds = frame[(frame["group"] == row["group"]) & (frame["series"] == row["series"])]
        _points(axes, x, wide, seeds, looks[row["series"]])
    axes.set_ylabel("iterations")
    axes.set_ylim(0, 1.3 * max([1.0, *frame["iterations"].dropna()]))
    gains_legend(axes, frame)


def _points(axes: Axes, x: float, wide: float, seeds: pd.DataFrame, look: tuple[str, str]) -> None:
    ok = seeds[seeds["status"] == "ok"]
    if ok.empty:
        bars.draw_slot(axes, x, 0.92 * wide, str(seeds["status"].iloc[0]))
        return
    values = ok["iterations"].to_numpy(dtype=float)
    aside = np.linspace(-SPREAD, SPREAD, len(values)) if len(values) > 1 else np.zeros(1)
    axes.plot(
        x + wide * aside, values, linestyle="none", marker=MARKERS[HATCHES.index(look[1])],
        markersize=6, color=look[0], markeredgecolor="black",
    )  # fmt: skip
    axes.plot([x - wide * SPREAD, x + wide * SPREAD], [np.median(values)] * 2, color="black", linewidth=1.2)
    ends = " to ".join(f"{value:g}" for value in dict.fromkeys((values.min(), values.max())))
    axes.annotate(
        f"{ends}\nof {len(values)}", (x, values.max()), (0, 8), textcoords="offset points", ha="center",
        va="bottom", fontsize=SMALL, bbox=bars.GROUND,
    )  # fmt: skip


EXHIBIT = Exhibit(
    PAPER,
    "Beyond the paper",
    "iterations of ParAC by seed",
    frame,
    Panels([_iterations], 6.5, tried),
    """One point per seed, of the sampling and of the ordering's ties ({counts} seeds per case); written:
    least to most. Of one seed the CPU's and the GPU's factor are the same. {solved}""",
    facts,
)
