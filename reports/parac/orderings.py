"""The text's orderings: AMD is said to be the best on the CPU, nnz-sort on the GPU."""

from functools import partial

import pandas as pd
from matplotlib.figure import Figure

from reports.exhibit import Exhibit, Subset
from reports.parac.by_ordering import draw_seconds, first_names, in_order, over_others
from reports.parac.solution import PAPER, RULE, SPAN, by_threads, solved
from reports.shapes.axes import Panels
from reports.table import phases, timed

LABELS = {"parac_cpu": "time on the CPU (log)", "parac_gpu": "time on the GPU (log)"}
SOLVE = phases("solve")


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per case: seconds of a solution and of its parts, of the solve with their interval."""
    rows = in_order(solved(cases))
    solve = timed(rows, SOLVE)
    return rows.assign(solve_low=solve["low"], solve_high=solve["high"])


def amd_on_cpu(rows: pd.DataFrame) -> list[Subset]:
    """Return the seconds of the fastest other ordering over those of AMD."""
    return by_threads(over_others(rows, "amd", needed=("amd", "nnz")), "threads_used")


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Draw seconds by matrix, a bar per ordering; a panel for the CPU and one for the GPU."""
    codes = [code for code in LABELS if (frame["implementation"] == code).any()] or ["parac_cpu"]
    panels = [partial(draw_seconds, label=LABELS[code], code=code) for code in codes]
    return Panels(panels, 2.2 + 3.4 * len(panels), first_names)(frame, title)


EXHIBIT = Exhibit(
    PAPER,
    "ParAC",
    "time to solution by ordering",
    frame,
    draw,
    f"""The factor differs by the ordering, and so do the iterations. {RULE}""",
    claims=("orderings",),
    subsets={
        "amd": amd_on_cpu,
        "amd_solve": lambda rows: amd_on_cpu(timed(rows, SOLVE)),
        "nnz": lambda rows: [Subset(over_others(rows, "nnz", needed=("amd", "nnz")))],
        "amd_slowest": lambda rows: [Subset(over_others(rows, "amd", slowest=True))],
    },
    one_run=True,
    span=SPAN,
)
