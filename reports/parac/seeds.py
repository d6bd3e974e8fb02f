"""Beyond the paper: how far iterations depend on the seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fillpath.case import Case
from reports import bars
from reports.device import columns_of
from reports.figures import Entries, FigureSpec
from reports.gains import gains_legend
from reports.parac.paper import RULE, absent_in_words, names_of, ordered_how, solved_frame
from reports.records import Records
from reports.style import HATCHES, LARGE, MARKERS, SMALL, new_figure
from reports.timed import NO_RESULT, name_matrices, told_in_words, width

OURS = ("parac_cpu", "parac_gpu")
# Of a place, how far the points of one case lie apart.
SPREAD = 0.35


def is_seeded(case: Case) -> bool:
    """A solution by ParAC, whatever its seed."""
    return case.stage == "laplacian" and case.implementation in OURS and not case.options


def seeds_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """A row a case, seed and machine: its iterations and the entries of its factor. Of each case all seeds
    that there are records of."""
    chosen = {replace(case, seed=0): None for case in cases if is_seeded(case)}
    measured = [Case.parse(record.case) for record in records.rows]
    others = [case for case in measured if case.seed and replace(case, seed=0) in chosen]
    whole = sorted(
        {*chosen, *others}, key=lambda case: (list(chosen).index(replace(case, seed=0)), case.seed)
    )
    frame = solved_frame(records, entries, whole)
    frame["series"] = names_of(frame, frame["implementation"].tolist())
    frame["seed"] = [Case.parse(name).seed for name in frame["case"]]
    return columns_of(frame, "implementation", "seed", "iterations", "residual", "nnz_factor")


def seeds(frame: pd.DataFrame) -> Figure:
    """A point a seed; written: the least and the most, and of how many."""
    figure = new_figure(width(frame), 6.5)
    axes = figure.subplots()
    figure.suptitle(
        "Beyond the paper: iterations of ParAC by seed", x=0.01, ha="left", fontsize=LARGE, weight="bold"
    )
    idle, _ = told_in_words(frame)
    named = frame[~idle]
    looks = bars.look_of(named)
    firsts = named.drop_duplicates(["group", "series"])
    places, wide = bars.positions(firsts)
    for x, row in zip(places, firsts.to_dict("records"), strict=True):
        own = named[(named["group"] == row["group"]) & (named["series"] == row["series"])]
        _points(axes, x, wide, own, looks[row["series"]])
    axes.set_ylabel("iterations")
    axes.set_ylim(0, 1.3 * max([1.0, *frame["iterations"].dropna()]))
    gains_legend(axes, named)
    name_matrices(axes, named)
    return figure


def seeds_caption(frame: pd.DataFrame) -> str:
    """What differs between the points."""
    ok = frame[frame["status"] == "ok"]
    counts = ok.groupby(["label", "machine", "implementation"]).size()
    said = " to ".join(dict.fromkeys(str(n) for n in (counts.min(), counts.max()))) if len(counts) else "0"
    return (
        f"A point a seed, of the sampling and of the ordering's ties ({said} seeds a case; `fillpath run ... "
        "--seed S` measures one more). Written: least to most. A seed is one factor: iterations on the "
        "CPU and on "
        f"the GPU differ by rounding alone. {RULE}{NO_RESULT} {absent_in_words(frame)}{ordered_how(frame)}"
    )


def _points(axes: Axes, x: float, wide: float, own: pd.DataFrame, look: tuple[str, str]) -> None:
    ok = own[own["status"] == "ok"]
    if ok.empty:
        bars.draw_slot(axes, x, 0.92 * wide, str(own["status"].iloc[0]))
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


SPEC = FigureSpec(
    "Beyond the paper: iterations of ParAC by seed",
    is_seeded,
    seeds_frame,
    seeds,
    seeds_caption,
)
