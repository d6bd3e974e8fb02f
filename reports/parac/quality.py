"""Beyond the paper: the parallel factors as preconditioners, beside the sequential one."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes

from reports.exhibit import Exhibit
from reports.facts.inputs import Inputs
from reports.frames.device import columns_of
from reports.frames.parac import PAPER, names_of, solved_frame, solved_how, tried
from reports.frames.seconds import beside
from reports.shapes import bars
from reports.shapes.gains import gains_legend
from reports.shapes.panels import Panels
from reports.shapes.tables import COUNT

SEQUENTIAL = "ac_sequential"
ITERATIONS = bars.Panel(
    "iterations", "iterations", "iterations", "iterations", points=True, form=COUNT, log=False
)


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per case and machine: iterations, residual, entries of the factor, and by how many iterations
    and entries it differs from the sequential factor on that machine (more_iterations, more_entries)."""
    solved = solved_frame(inputs)
    solved["series"] = names_of(solved, solved["implementation"].tolist())
    sequential = solved["implementation"] == SEQUENTIAL
    for name, column in (("iterations", "more_iterations"), ("nnz_factor", "more_entries")):
        solved[column] = solved[name] - beside(solved, sequential, name)
    numbers = ("iterations", "residual", "nnz_factor", "more_iterations", "more_entries")
    return columns_of(solved, "implementation", *numbers)


def facts(frame: pd.DataFrame) -> Mapping[str, str]:
    """How many parallel factors are the sequential one, and how it was solved."""
    others = frame[(frame["implementation"] != SEQUENTIAL) & frame["more_entries"].notna()]
    same = int(((others["more_entries"] == 0) & (others["more_iterations"] == 0)).sum())
    equal = f"{same} of {len(others)} have its entries and its iterations to the last. "
    return {"equal": equal if len(others) else "", "solved": solved_how(frame)}


def _iterations(axes: Axes, frame: pd.DataFrame) -> None:
    """A point per implementation."""
    bars.bar_panel(axes, frame, ITERATIONS)
    axes.set_ylim(0, 1.3 * max([1.0, *frame["iterations"].dropna()]))
    gains_legend(axes, frame)


EXHIBIT = Exhibit(
    PAPER,
    "Beyond the paper",
    "iterations with the sequential and the parallel factors",
    frame,
    Panels([_iterations], 6.0, tried),
    """Of one seed ac_sequential, parac_cpu and parac_gpu give one factor, bit for bit, which the gate checks:
    parallelism costs no quality. {equal}{solved}""",
    facts,
)
