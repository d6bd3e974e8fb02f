"""The text's orderings: AMD is said to be the best on the CPU, nnz-sort on the GPU."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.exhibit import Exhibit, Subset
from reports.parac.by_ordering import draw_seconds, first_names, in_order, over_others
from reports.parac.solution import PAPER, RULE, SPAN, by_threads, solved
from reports.shapes import bars
from reports.shapes.panels import Draw, Panels
from reports.table import phases, timed

CPU, GPU = "parac_cpu", "parac_gpu"
LABELS = {CPU: "time on the CPU (log)", GPU: "time on the GPU (log)"}
SOLVE = phases("solve")


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
    panels = [_panel(name) for name in LABELS if (frame["implementation"] == name).any()] or [_panel(CPU)]
    figure = Panels(panels, 2.2 + 3.4 * len(panels), first_names, 14.0)(frame, title)
    bars.legend(figure.axes[0], bars.handles(frame))
    return figure


def _panel(name: str) -> Draw:
    def draw_panel(axes: Axes, frame: pd.DataFrame) -> None:
        draw_seconds(axes, frame, LABELS[name], frame["implementation"] == name)

    return draw_panel


EXHIBIT = Exhibit(
    PAPER,
    "ParAC",
    "time to solution by ordering",
    frame,
    draw,
    f"""The factor differs by the ordering, and so do the iterations. {RULE}""",
    claims=("orderings",),
    subsets={
        "cpu": amd_on_cpu,
        "cpu_solve": lambda frame: amd_on_cpu(timed(frame, SOLVE)),
        "gpu": nnz_on_gpu,
        "gpu_amd": amd_on_gpu,
    },
    one_run=True,
    span=SPAN,
)
