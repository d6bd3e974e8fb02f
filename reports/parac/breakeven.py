"""Beyond the paper: time to solution against right-hand sides, and where multigrid takes over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from fillpath.case import Case
from reports import bars
from reports.device import columns_of
from reports.figures import Entries, FigureSpec
from reports.naming import lines
from reports.parac.panels import line_handles, line_look, panel_figure
from reports.parac.paper import RULE, ordered_how, solved_frame, variant_of
from reports.records import Records
from reports.style import SMALL

VARIANTS = ("parac_cpu", "ict", "pyamg")
OURS, AMG = "parac_cpu", "pyamg"
# Right-hand sides at the ends of the axis.
FIRST, LAST = 1.0, 1000.0
NEVER, ALWAYS = "multigrid from the first on", "ParAC, however many"


def is_counted(case: Case) -> bool:
    """A solution on the CPU, by ParAC or by what it is held against."""
    return case.stage == "laplacian" and variant_of(case) in VARIANTS and not case.seed


def breakeven_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """A row a case and machine: seconds of `setup`, factor and analysis, and of each right-hand side, `each`;
    on ParAC's rows, `breakeven`: the right-hand sides up to which it takes no longer than multigrid in the
    same run, `taken` in words; infinite where it never takes longer, 0 where it always does."""
    frame = solved_frame(records, entries, [case for case in cases if is_counted(case)])
    frame["setup"] = frame["factor"] + frame["analysis"]
    frame["each"] = frame["solve"]
    keys = ["label", "preparation", "machine"]
    rows = frame.to_dict("records")
    amg = {tuple(row[key] for key in keys): row for row in rows if row["variant"] == AMG}
    found = [_breakeven(row, amg.get(tuple(row[key] for key in keys))) for row in rows]
    frame["breakeven"] = pd.Series(found, index=frame.index, dtype="float64")
    frame["taken"] = [_words(value) for value in found]
    own = ("implementation", "setup", "each", "median", "iterations", "breakeven", "taken")
    return columns_of(frame, *own)


def breakeven(frame: pd.DataFrame) -> Figure:
    """A panel a matrix and machine: seconds against right-hand sides; a dotted line at the break-even."""
    even = Line2D([], [], color="black", linestyle=":", label="where parac_cpu and pyamg take as long")
    title = "Beyond the paper: seconds against right-hand sides"
    keys = ["label", "preparation"]
    return panel_figure(title, frame, keys, 3.7, _panel, [*line_handles(VARIANTS), even])


def breakeven_caption(frame: pd.DataFrame) -> str:
    """What a line is."""
    return (
        "Factor and analysis once, conjugate gradients as often as there are right-hand sides, at the "
        "median of one; "
        "for ict its factor alone, without the search for the tolerance. ParAC and ict with all cores, PyAMG "
        f"(Ruge-Stuben) sequential but for the vectors. {RULE}{ordered_how(frame)}"
    )


def _breakeven(row: Mapping[Any, Any], amg: Mapping[Any, Any] | None) -> float | None:
    if row["variant"] != OURS or amg is None or row["status"] != "ok" or amg["status"] != "ok":
        return None
    if row["run_id"] != amg["run_id"]:
        return None
    ahead, behind = float(amg["setup"] - row["setup"]), float(row["each"] - amg["each"])
    if behind <= 0:
        return float("inf") if ahead >= 0 else None
    return max(0.0, ahead / behind)


def _words(value: float | None) -> str:
    if value is None:
        return ""
    if value < FIRST:
        return NEVER
    return ALWAYS if np.isinf(value) else f"ParAC up to {value:,.0f} right-hand sides"


def _panel(axes: Axes, panel: pd.DataFrame, machine: str) -> None:
    host = f"\non {machine}" if machine else ""
    axes.set_title(f"{lines(panel.iloc[0].to_dict(), True)}{host}", loc="left")
    axes.set_xlabel("right-hand sides")
    axes.set_ylabel("time")
    counts = np.logspace(np.log10(FIRST), np.log10(LAST), 7)
    absent = []
    for row in panel.to_dict("records"):
        if row["status"] != "ok":
            absent.append(f"{row['implementation']}: {str(row['status']).replace('_', ' ')}")
            continue
        i = VARIANTS.index(row["implementation"])
        axes.plot(
            counts, row["setup"] + counts * row["each"], **line_look(i), markeredgecolor="black",
        )  # fmt: skip
    words = [text for text in panel["taken"] if text]
    even = panel["breakeven"].dropna()
    if len(even) and FIRST <= even.iloc[0] <= LAST:
        axes.axvline(float(even.iloc[0]), color="black", linestyle=":")
    axes.text(
        0.03, 0.97, "\n".join([*words, *absent]), transform=axes.transAxes, va="top", fontsize=SMALL,
        bbox=bars.GROUND,
    )  # fmt: skip
    if (panel["status"] == "ok").any():
        axes.set_xscale("log")
        axes.set_yscale("log")
        low, high = axes.get_ylim()
        axes.set_ylim(low, high * (high / low) ** 0.25)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: bars.seconds(value)))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


SPEC = FigureSpec(
    "Beyond the paper: seconds against right-hand sides",
    is_counted,
    breakeven_frame,
    breakeven,
    breakeven_caption,
    one_run=True,
)
