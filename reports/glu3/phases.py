"""Beyond the papers: what each phase of a solution takes, beside other direct solvers, with residuals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fillpath.dicts import dicts
from reports.exhibit import OldExhibit as Exhibit
from reports.facts.inputs import Inputs
from reports.facts.records import Records
from reports.frames.device import columns_of
from reports.frames.glu3 import PAPER, prepared_how
from reports.frames.seconds import add_columns, idle_series, seconds_how, timed_frame
from reports.shapes import bars
from reports.shapes.panels import Panels
from reports.shapes.seconds import SECONDS
from reports.shapes.stacked import Part, add_own_shares, columns_of_parts, stacked_panel
from reports.shapes.style import HATCHES, MARKERS, PALETTE

REST = Part("rest", "conversion, rest", "#bbbbbb")
MEASURED = (
    Part("ordering", "ordering", PALETTE[3]),
    Part("analysis", "ordering and symbolic at once", "#882255"),
    Part("symbolic", "symbolic", PALETTE[0]),
    Part("levels", "levels, A's values on F, index maps", PALETTE[1]),
    Part("numeric", "numeric", PALETTE[4]),
    Part("both", "symbolic and numeric at once", PALETTE[2]),
    Part("triangular", "triangular solves", PALETTE[6]),
    Part("refine", "refinement", PALETTE[5]),
)
PARTS = (*MEASURED, REST)
_STAGES = {
    "symbolic": ("symbolic",),
    "levels": ("columns", "levels", "assemble"),
    "numeric": ("numeric",),
    "triangular": ("triangular",),
    "refine": ("refine",),
}
_ANALYSED = {
    "analysis": ("analysis",),
    "numeric": ("numeric",),
    "triangular": ("triangular",),
    "refine": ("refine",),
}
# The phases that make up each part, by implementation: a phase inside another one counts in both.
PHASES: Mapping[str, Mapping[str, Sequence[str]]] = {
    "lu_cpu": _STAGES,
    "lu_gpu": _STAGES,
    "superlu": {"both": ("factorise",), "triangular": ("triangular",), "refine": ("refine",)},
    "klu": {
        "ordering": ("analysis",),
        "both": ("factorise",),
        "triangular": ("triangular",),
        "refine": ("refine",),
    },
    "pardiso": _ANALYSED,
    "mumps": _ANALYSED,
    "cusolver_rf": {
        "both": ("to_host", "factorise", "traverse", "set_up", "analysis"),
        "numeric": ("numeric",),
        "triangular": ("triangular",),
        "refine": ("refine",),
    },
    "umfpack": _ANALYSED,
    "cholmod": _ANALYSED,
    "direct_gpu": {
        "symbolic": ("fronts",),
        "levels": ("maps", "parts"),
        "numeric": ("numeric",),
        "triangular": ("inverses", "triangular"),
        "refine": ("refine",),
    },
    "cudss": {
        "ordering": ("separators", "reordering"),
        "symbolic": ("symbolic",),
        "numeric": ("numeric",),
        "triangular": ("triangular",),
        "refine": ("refine",),
    },
}
# Not meant to be run on most matrices: CHOLMOD takes symmetric positive definite ones alone.
FEW = ("cholmod", "cusolver_rf", "mumps")
FRONTS, UNTRIED = "symbolic=bitfronts", ("not_run", "unavailable")
SPAN = "the prepared matrix resident in memory to x resident there, without making b"


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per case and machine: its seconds, those of each part and their share, and the residual by
    norms (`bound` : the largest that passed the gate that held those). The rest is what no part has."""
    frame = timed_frame(inputs)
    parts = [seconds_by_part(inputs.records, row) for row in dicts(frame)]
    add_columns(frame, parts, [*(part.seconds for part in PARTS), "residual", "bound"])
    add_own_shares(frame, PARTS)
    return columns_of(
        frame, "implementation", "options", "n", "entries", "median", "low", "high", *columns_of_parts(PARTS),
        "residual", "bound",
    )  # fmt: skip


def seconds_by_part(records: Records, row: Mapping[Any, Any]) -> dict[str, float]:
    """The seconds of each part, medians as the whole is one, and the residual; nothing without a result."""
    record = records.result(row["case"], row["machine"]) if row["status"] == "ok" else None
    if record is None:
        return {}
    phases = PHASES[row["implementation"]]
    medians = {name: float(np.median(values)) for name, values in record.phases.items() if values}
    seconds = {
        part.seconds: sum(medians.get(name, 0.0) for name in phases[part.name])
        for part in MEASURED
        if part.name in phases
    }
    seconds[REST.seconds] = max(0.0, row["median"] - sum(seconds.values()))
    if record.verified is not None:
        facts = (record.work or {}).get("facts") or {}
        seconds["residual"] = facts.get("normwise_error", record.verified.value)
        if record.verified.by_norms:
            seconds["bound"] = record.verified.bound
    return seconds


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Seconds of each solution, the share of its phases, and its residual below."""
    figure = Panels([_whole, _phases, _residuals], 10.5)(frame.assign(stand_in_for=None), title)
    figure.set_figwidth(min(14.0, figure.get_figwidth()))
    return figure


def _whole(axes: Axes, frame: pd.DataFrame) -> None:
    bars.bar_panel(axes, frame, replace(SECONDS, label="seconds, log axis"))
    bars.legend(axes, frame, {})


def _phases(axes: Axes, frame: pd.DataFrame) -> None:
    drawn = set(frame.loc[frame["stack"] == "ok", "implementation"])
    used = {name for implementation in drawn for name in PHASES[implementation]}
    parts = [part for part in PARTS if part is REST or part.name in used]
    stacked_panel(axes, frame, parts, "share of its seconds", lambda row: "")
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
    return f"Not run on all {total} matrices: {', '.join(gaps)}. " if gaps else ""


def _facts(frame: pd.DataFrame) -> Mapping[str, str]:
    _, absent = idle_series(frame)
    tried = frame.loc[~frame["status"].isin(UNTRIED), "options"]
    measured = tried.str.contains(FRONTS).any()
    return {
        "fronts": f"{FRONTS} is not the papers'{'' if measured else ', and not measured yet'}.",
        "how": seconds_how(frame, SPAN),
        "absent": (f"{absent}. " if absent else "") + _gaps(frame),
        "prepared": prepared_how(frame),
    }


EXHIBIT = Exhibit(
    PAPER,
    "Beyond the papers",
    "each phase of a solution, beside other direct solvers",
    frame,
    draw,
    """A x = b from the prepared matrix to x: its seconds, the share of each phase in them, and its residual,
    which the gate computes in float64. {fronts} Not the papers' either: triangular=sweeps, and direct_gpu,
    with maps=kept for a second matrix of a pattern. lu_cpu and lu_gpu do not pivot for size, direct_gpu
    within blocks of 32 rows. SuperLU, KLU, PARDISO, MUMPS, UMFPACK and CHOLMOD run on one core;
    these, and cuDSS without ordering=given, order the matrix once more, SuperLU in today's records
    alone. {how} {absent}{prepared}""",
    _facts,
    one_run=True,
)
