"""A picture of the best that machines achieve: one panel per problem, one row per input, one point per
machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from reports.hardware.best import COPIED, ByInput, by_input
from reports.hardware.comparison import Comparison
from reports.hardware.questions import PROBLEMS
from reports.hardware.text import ONE_PROCESS, SPANS, described, mean_lines
from reports.shapes import style
from reports.shapes.axes import legend_above
from reports.shapes.bars import seconds
from reports.shapes.style import MARKERS, PALETTE, SMALL, new_figure

WIDTH = 12.0
# Inches of a row, of what a panel has beside rows, of a line above it; of its width, of a letter, between a
# point and words.
ROW, REST, LINE = 0.42, 0.8, 0.2
ACROSS, LETTER, ASIDE = 8.5, 0.078, 0.25
# Of a row: how far below the others the points with copies stand, clear of words.
BELOW = 0.36


def best_picture(comparison: Comparison) -> Figure:
    """Return the best verified time of each machine on every input that the first and another have solved."""
    answers = comparison.best.answers
    parts = {problem: list(by_input(answers[answers["problem"] == problem])) for problem in PROBLEMS}
    shown = {problem: inputs for problem, inputs in parts.items() if inputs}
    titles = {problem: mean_lines(comparison, problem) for problem in shown}
    heights = [ROW * len(shown[each]) + REST + LINE * len(titles[each]) for each in shown] or [REST]
    figure = new_figure(WIDTH, 0.8 + sum(heights))
    style.headline(figure, "The best verified time to solution on each machine, whoever implements it")
    panels = list(figure.subplots(len(heights), 1, squeeze=False, height_ratios=heights).ravel())
    for axes, (problem, inputs) in zip(panels, shown.items(), strict=False):
        _panel(axes, inputs, comparison.machines)
        axes.set_title("\n".join([PROBLEMS[problem], *titles[problem]]), loc="left", fontsize=SMALL)
    if not shown:
        panels[0].text(0.5, 0.5, "no input that two of them have solved", ha="center", va="center")
        panels[0].set_axis_off()
    legend_above(figure, _legend(comparison.machines))
    style.write_below(
        figure,
        "Medians with their 95% intervals; beside a point who implements it, with one option or how many, "
        "and for linear systems in which order. Ordering itself is in no time. With copies another "
        "implementation may be the best: best.csv names it. Means are geometric, over the inputs that both "
        "have solved." + (f" {ONE_PROCESS}" if comparison.best.of_one_process else ""),
    )
    return figure


def _panel(axes: Axes, inputs: Sequence[ByInput], machines: Sequence[str]) -> None:
    """Draw the inputs from above in their order."""
    for y, (_, _, resident, copied) in enumerate(inputs):
        times = [row.seconds for row in resident.values()]
        axes.plot((min(times), max(times)), (y, y), color="#d0d0d0", linewidth=3, zorder=1)
        fastest, slowest = _ends(resident)
        _write(axes, fastest, (min(row.low for row in resident.values()), y), -9, "right")
        _write(axes, slowest, (max(row.high for row in resident.values()), y), 9, "left")
        for place, machine in enumerate(machines):
            row, moved = resident.get(machine), copied.get(machine)
            if row is not None:
                axes.plot((row.low, row.high), (y, y), color=_colour(place), linewidth=1.5, zorder=2)
                _point(axes, row, place, y, copied=False)
            # On a processor nothing is copied.
            if moved is not None and (row is None or moved.seconds != row.seconds):
                _point(axes, moved, place, y + BELOW, copied=True)
    # What is beside the matrix stands below its name.
    labels = [name.replace(", ", "\n", 1) for _, name, _, _ in inputs]
    axes.set_yticks(range(len(inputs)), labels, fontsize=SMALL)
    axes.set_ylim(len(inputs) - 0.4, -0.5)
    axes.set_xscale("log")
    axes.set_xlim(_limits(inputs))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: seconds(x)))
    axes.grid(True, axis="x")
    axes.grid(False, axis="y")


def _ends(resident: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the fastest answer and the slowest."""
    ordered = sorted(resident.values(), key=lambda row: float(row.seconds))
    return ordered[0], ordered[-1]


def _limits(inputs: Sequence[ByInput]) -> tuple[float, float]:
    """Return those of the axis, so that there is room for what is written beside the points."""
    left, right = [], []
    for _, _, resident, _ in inputs:
        fastest, slowest = _ends(resident)
        left.append((np.log(min(row.low for row in resident.values())), len(described(fastest)) * LETTER))
        right.append((np.log(max(row.high for row in resident.values())), len(described(slowest)) * LETTER))
    low, high = min(x for x, _ in left), max(x for x, _ in right)
    # A wider axis makes the same words longer on it.
    for _ in range(20):
        span = max(high - low, 1.0)
        low = min(x - (ASIDE + words) / ACROSS * span for x, words in left)
        high = max(x + (ASIDE + words) / ACROSS * span for x, words in right)
    return float(np.exp(low)), float(np.exp(high))


def _write(axes: Axes, row: Any, at: tuple[float, float], shift: int, side: str) -> None:
    axes.annotate(
        described(row), at, (shift, 0), textcoords="offset points", ha=side, va="center", fontsize=SMALL - 1
    )


def _point(axes: Axes, row: Any, place: int, y: float, *, copied: bool) -> None:
    axes.plot([row.seconds], [y], zorder=3, **_marker(place, copied, 5 if copied else 7))


def _marker(place: int, empty: bool, size: int) -> dict[str, Any]:
    marker, colour = MARKERS[place % len(MARKERS)], _colour(place)
    return {
        "marker": marker, "markersize": size, "linestyle": "", "markeredgecolor": colour,
        "color": "white" if empty else colour,
    }  # fmt: skip


def _colour(place: int) -> str:
    return PALETTE[place % len(PALETTE)]


def _legend(machines: Sequence[str]) -> list[Line2D]:
    marks = [Line2D([], [], label=name, **_marker(i, False, 7)) for i, name in enumerate(machines)]
    empty = {**_marker(0, True, 7), "markeredgecolor": "black"}
    return [*marks, Line2D([], [], label=f"empty: {SPANS[COPIED]}", **empty)]
