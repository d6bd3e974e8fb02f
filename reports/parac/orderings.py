"""The text's orderings: AMD is said to be the best on the CPU, nnz-sort on the GPU."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.exhibit import Exhibit, Held, Subset
from reports.facts.inputs import Inputs
from reports.frames.device import columns_of
from reports.frames.orderings import ByOrdering, across_orderings, in_one_run
from reports.frames.parac import (
    PAPER,
    RULE,
    by_threads,
    of_span,
    ordered_how,
    short_names,
    solved_frame,
    sorted_orderings,
)
from reports.frames.seconds import RATIO, slots_how
from reports.shapes import bars
from reports.shapes.axes import seconds_axis
from reports.shapes.groups import name_matrices, width
from reports.shapes.style import headline, new_figure

CLAIM = "orderings"
CPU, GPU = "parac_cpu", "parac_gpu"
PANELS = {CPU: "time on the CPU (log)", GPU: "time on the GPU (log)"}


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per case and machine: its `ordering`, seconds of factor, analysis and solve (with its interval)
    and of their sum (median, low, high), iterations, and the threads it ran on."""
    solved = sorted_orderings(solved_frame(inputs))
    parts = ("factor", "analysis", "solve", "solve_low", "solve_high", "median", "low", "high")
    pairs = ("host", "rounds", "rounds_solve")
    return columns_of(solved, "ordering", "implementation", *parts, "iterations", "threads_used", *pairs)


def _fastest_other(implementation: str, name: str, span: str = "") -> Callable[[pd.DataFrame], list[Subset]]:
    """Seconds of the fastest other ordering over those of this one. span : of what, if not of the whole."""

    def numbers(by_ordering: ByOrdering) -> Mapping[str, Any]:
        rows = {ordering: of_span(row, span) if span else row for ordering, row in by_ordering.items()}
        return in_one_run(rows, name, min)

    def subsets(frame: pd.DataFrame) -> list[Subset]:
        rows = frame[frame["implementation"] == implementation]
        rows = across_orderings(rows, numbers, RATIO, ("amd", "nnz"))
        return by_threads(rows, "threads_used") if implementation == CPU else [Subset(rows)]

    return subsets


def _amd_on_gpu(frame: pd.DataFrame) -> list[Subset]:
    """Seconds on the GPU with AMD over those with the slowest other ordering."""
    rows = frame[frame["implementation"] == GPU]
    return [Subset(across_orderings(rows, lambda by: in_one_run(by, "amd", max, inverse=True), RATIO))]


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Seconds by matrix, a bar per ordering; a panel for the CPU and one for the GPU."""
    devices = [name for name in PANELS if (frame["implementation"] == name).any()] or [CPU]
    figure = new_figure(min(14.0, width(frame)), 2.2 + 3.4 * len(devices))
    headline(figure, title)
    panels = figure.subplots(len(devices), 1, sharex=True, squeeze=False).ravel()
    for axes, name in zip(panels, devices, strict=True):
        _panel(axes, frame, name)
    bars.legend(panels[0], frame, {})
    name_matrices(panels[-1], short_names(frame))
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
    """Factor, analysis and solve together: {named}, medians with their 95% intervals. The factor differs by
    the ordering, and so do the iterations. {rule}{slots}{ordered}""",
    lambda frame: {
        "named": " and ".join(dict.fromkeys(frame.loc[frame["status"] == "ok", "implementation"]))
        or "nothing",
        "rule": RULE,
        "slots": slots_how(frame),
        "ordered": ordered_how(frame),
    },
    held=(
        Held(CLAIM, "ratio", ("cpu",), "pair", subsets=_fastest_other(CPU, "amd")),
        Held(CLAIM, "ratio", ("cpu_solve",), "pair", subsets=_fastest_other(CPU, "amd", "solve")),
        Held(CLAIM, "ratio", ("gpu",), "pair", subsets=_fastest_other(GPU, "nnz")),
        Held(CLAIM, "ratio", ("gpu_amd",), "pair", subsets=_amd_on_gpu),
    ),
    one_run=True,
)
