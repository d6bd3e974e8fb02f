"""The text's orderings: AMD is said to be the best on the CPU, nnz-sort on the GPU."""

from __future__ import annotations

from functools import partial

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.exhibit import Exhibit, Held, Subset
from reports.parac.by_ordering import first_names, in_order, over_others
from reports.parac.solution import PAPER, PARTS, RULE, SPAN, by_threads, solved
from reports.shapes import bars
from reports.shapes.axes import seconds_axis
from reports.shapes.panels import Panels
from reports.table import phases, timed

CLAIM = "orderings"
CPU, GPU = "parac_cpu", "parac_gpu"
PANELS = {CPU: "time on the CPU (log)", GPU: "time on the GPU (log)"}
SOLVE = phases(*PARTS["solve"])


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per case: seconds of a solution and of its parts, of the solve with their interval."""
    rows = in_order(solved(cases))
    solve = timed(rows, SOLVE)
    return rows.assign(solve_low=solve["low"], solve_high=solve["high"])


def amd_on_cpu(frame: pd.DataFrame) -> list[Subset]:
    """Return the seconds of the fastest other ordering over those of AMD."""
    rows = over_others(frame[frame["implementation"] == CPU], "amd", ("amd", "nnz"))
    return by_threads(rows, "threads_used")


def nnz_on_gpu(frame: pd.DataFrame) -> list[Subset]:
    """Return the seconds of the fastest other ordering over those of nnz-sort."""
    return [Subset(over_others(frame[frame["implementation"] == GPU], "nnz", ("amd", "nnz")))]


def amd_on_gpu(frame: pd.DataFrame) -> list[Subset]:
    """Return the seconds with AMD over those with the slowest other ordering."""
    return [Subset(over_others(frame[frame["implementation"] == GPU], "amd", slowest=True))]


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Draw seconds by matrix, a bar per ordering; a panel for the CPU and one for the GPU."""
    devices = [name for name in PANELS if (frame["implementation"] == name).any()] or [CPU]
    panels = [partial(_panel, name=name) for name in devices]
    figure = Panels(panels, 2.2 + 3.4 * len(devices), first_names, 14.0)(frame, title)
    bars.legend(figure.axes[0], frame)
    return figure


def _panel(axes: Axes, frame: pd.DataFrame, name: str) -> None:
    rows = frame["implementation"] == name
    bars.bar_panel(axes, frame, bars.Panel("median", "low", "high", PANELS[name]), rows)
    if (frame.loc[rows, "status"] == "ok").any():
        seconds_axis(axes)


EXHIBIT = Exhibit(
    PAPER,
    "ParAC",
    "time to solution by ordering",
    frame,
    draw,
    f"""The factor differs by the ordering, and so do the iterations. {RULE}""",
    held=(
        Held(CLAIM, "ratio", ("cpu",), "pair", subsets=amd_on_cpu),
        Held(CLAIM, "ratio", ("cpu_solve",), "pair", subsets=lambda rows: amd_on_cpu(timed(rows, SOLVE))),
        Held(CLAIM, "ratio", ("gpu",), "pair", subsets=nnz_on_gpu),
        Held(CLAIM, "ratio", ("gpu_amd",), "pair", subsets=amd_on_gpu),
    ),
    one_run=True,
    span=SPAN,
)
