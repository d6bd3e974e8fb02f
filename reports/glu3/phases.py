"""Beyond the papers: what each phase of a solution takes, beside other direct solvers, with residuals."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fillpath.dicts import dicts
from reports.exhibit import Exhibit
from reports.glu3.solutions import PARTS, PHASES, REST, unavailable, with_parts
from reports.how import UNTRIED
from reports.shapes import bars
from reports.shapes.panels import Panels
from reports.shapes.stacked import stacked_panel, with_shares
from reports.shapes.style import HATCHES, MARKERS
from reports.verbs import with_groups

# Not meant to be run on most matrices: CHOLMOD takes symmetric positive definite ones alone.
FEW = ("cholmod", "cusolver_rf", "mumps")
FRONTS = "symbolic=bitfronts"


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per case: its seconds, those of each part and their share, and the residual."""
    return with_shares(with_groups(with_parts(cases)), PARTS)


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Seconds of each solution, the share of its phases, and its residual below."""
    figure = Panels([_whole, _phases, _residuals], 10.5)(frame.assign(stand_in_for=None), title)
    figure.set_figwidth(min(14.0, figure.get_figwidth()))
    return figure


def _whole(axes: Axes, frame: pd.DataFrame) -> None:
    bars.bar_panel(axes, frame, bars.Panel("median", "low", "high", "seconds, log axis"))
    bars.legend(axes, frame)


def _phases(axes: Axes, frame: pd.DataFrame) -> None:
    drawn = set(frame.loc[frame["stack"] == "ok", "implementation"])
    used = {name for implementation in drawn for name in PHASES[implementation]}
    parts = [part for part in PARTS if part is REST or part.name in used]
    stacked_panel(axes, frame, parts, "share of its seconds")
    axes.set_ylim(0, 1.0)


def _residuals(axes: Axes, frame: pd.DataFrame) -> None:
    """Points, each in the place of its bar above."""
    known = frame[frame["residual"] > 0]
    axes.set_ylabel("residual, log axis")
    axes.set_yscale("log")
    looks = bars.look_of(frame)
    places, _ = bars.positions(frame)
    for x, row in zip(places, dicts(frame), strict=True):
        if pd.notna(row["residual"]):
            colour, hatch = looks[row["series"]]
            marker = MARKERS[HATCHES.index(hatch)]
            axes.plot(x, row["residual"], marker=marker, markersize=7, color=colour, markeredgecolor="black")
    if len(known):
        axes.set_ylim(float(known["residual"].min()) / 3, float(known["residual"].max()) * 3)


def _gaps(frame: pd.DataFrame) -> str:
    """Which of the implementations that were run was not run on how many of the matrices; empty for none."""
    run = frame[~frame["implementation"].isin(FEW) & ~frame["status"].isin(UNTRIED)]
    total = run["label"].nunique()
    counts = run.groupby("series", sort=False)["label"].nunique()
    gaps = [f"{name} ({count})" for name, count in counts.items() if count < total]
    return f" Not run on all {total} matrices: {', '.join(gaps)}." if gaps else ""


def facts(frame: pd.DataFrame) -> Mapping[str, str]:
    """Return what was not run, or could not be."""
    tried = frame.loc[~frame["status"].isin(UNTRIED), "options"]
    measured = tried.str.contains(FRONTS).any()
    return {
        "fronts": f"{FRONTS} is not the papers'{'' if measured else ', and not measured yet'}.",
        "absent": unavailable(frame) + _gaps(frame),
    }


EXHIBIT = Exhibit(
    "glu3",
    "Beyond the papers",
    "each phase of a solution, beside other direct solvers",
    frame,
    draw,
    """A x = b from the prepared matrix to x: its seconds, the share of each phase in them, and its residual,
    which the gate computes in float64. {fronts} Not the papers' either: triangular=sweeps, and direct_gpu,
    with maps=kept for a second matrix of a pattern. lu_cpu and lu_gpu do not pivot for size, direct_gpu
    within blocks of 32 rows. SuperLU, KLU, PARDISO, MUMPS, UMFPACK and CHOLMOD run on one core;
    these, and cuDSS without ordering=given, order the matrix once more, SuperLU in today's records
    alone.{absent}""",
    facts,
    one_run=True,
    span="the prepared matrix resident in memory to x resident there, without making b",
)
