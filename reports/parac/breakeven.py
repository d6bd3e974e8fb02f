"""Beyond the paper: time to solution against right-hand sides, and where multigrid takes over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from reports.exhibit import Exhibit
from reports.facts.inputs import Inputs
from reports.frames.device import columns_of
from reports.frames.parac import PAPER, RULE, ordered_how, solved_frame
from reports.shapes import bars
from reports.shapes.multiples import TimeLines, line_look
from reports.shapes.style import SMALL

OURS, AMG = "parac_cpu", "pyamg"
VARIANTS = (OURS, "ict", AMG)
# Right-hand sides at the ends of the axis.
FIRST, LAST = 1.0, 1000.0
NEVER, ALWAYS = "multigrid from the first on", "ParAC, however many"


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per case and machine: seconds of `setup`, factor and analysis, and of `each` right-hand side.

    On ParAC's rows `breakeven`: the right-hand sides up to which it takes no longer than multigrid in the
    same run, infinite where it never takes longer, 0 where it always does; `taken`: the same in words.
    """
    solved = solved_frame(inputs)
    solved["setup"] = solved["factor"] + solved["analysis"]
    solved["each"] = solved["solve"]
    keys = ["label", "preparation", "machine"]
    rows = solved.to_dict("records")
    amg = {tuple(row[key] for key in keys): row for row in rows if row["variant"] == AMG}
    counts = [_breakeven(row, amg.get(tuple(row[key] for key in keys))) for row in rows]
    solved["breakeven"] = pd.Series(counts, index=solved.index, dtype="float64")
    solved["taken"] = [_words(count) for count in counts]
    names = ("implementation", "setup", "each", "median", "iterations", "breakeven", "taken")
    return columns_of(solved, *names)


def _breakeven(row: Mapping[Any, Any], amg: Mapping[Any, Any] | None) -> float | None:
    if row["variant"] != OURS or amg is None or row["status"] != "ok" or amg["status"] != "ok":
        return None
    if row["run_id"] != amg["run_id"]:
        return None
    ahead, behind = float(amg["setup"] - row["setup"]), float(row["each"] - amg["each"])
    if behind <= 0:
        return float("inf") if ahead >= 0 else None
    return max(0.0, ahead / behind)


def _words(count: float | None) -> str:
    if count is None:
        return ""
    if count < FIRST:
        return NEVER
    return ALWAYS if np.isinf(count) else f"ParAC up to {count:,.0f} right-hand sides"


def _panel(axes: Axes, panel: pd.DataFrame) -> None:
    """Seconds against right-hand sides; a dotted line at the break-even."""
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


EXHIBIT = Exhibit(
    PAPER,
    "Beyond the paper",
    "seconds against right-hand sides",
    frame,
    TimeLines(
        _panel,
        "right-hand sides",
        3.7,
        VARIANTS,
        ("black", "where parac_cpu and pyamg take as long"),
        preparations=True,
    ),
    """Factor and analysis once, conjugate gradients once per right-hand side. ParAC on all cores; of ict the
    solves on all, the factor on one, without the search for its tolerance; PyAMG (Ruge-Stuben) sequential but
    for the vectors. {rule}{ordered}""",
    lambda frame: {"rule": RULE, "ordered": ordered_how(frame)},
    one_run=True,
)
