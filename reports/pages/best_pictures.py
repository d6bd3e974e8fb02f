"""A picture of the best that machines achieve: one panel per problem, one row per input, one point per
machine."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from reports.pages.best import COPIED, Achieved, Answer
from reports.pages.best_pools import PROBLEMS
from reports.pages.comparison import Comparison
from reports.pages.comparison_text import ONE_PROCESS, SPANS, by_input, described, mean_lines
from reports.shapes import style
from reports.shapes.bars import seconds
from reports.shapes.labels import legend_above
from reports.shapes.style import MARKERS, PALETTE, SMALL, new_figure

WIDTH = 12.0
# Inches of a row, and of what a panel has beside rows; of its width, of a letter, between a point and words.
ROW, REST = 0.42, 1.2
ACROSS, LETTER, ASIDE = 8.5, 0.078, 0.25
# Of a row: how far below the others the points with copies stand, clear of words.
BELOW = 0.36


def best_picture(comparison: Comparison) -> Figure:
    """The best verified time of each machine on every input that all have solved."""
    by_problem = {stage: _answers(comparison, stage) for stage in PROBLEMS}
    shown = {stage: answers for stage, answers in by_problem.items() if answers}
    heights = [ROW * _rows(answers) + REST for answers in shown.values()] or [REST]
    figure = new_figure(WIDTH, 0.8 + sum(heights))
    style.headline(figure, "The best verified time to solution on each machine, whoever implements it")
    panels = list(figure.subplots(len(heights), 1, squeeze=False, height_ratios=heights).ravel())
    for axes, (stage, answers) in zip(panels, shown.items(), strict=False):
        _panel(axes, answers)
        axes.set_title(_title(comparison, stage), loc="left", fontsize=SMALL)
    if not shown:
        panels[0].text(0.5, 0.5, "no input that all of them have solved", ha="center", va="center")
        panels[0].set_axis_off()
    legend_above(figure, _legend(comparison.machines))
    style.write_below(
        figure,
        "Medians with their 95% intervals; beside a point who implements it, with one option or how many, "
        "and for linear systems in which order. Ordering itself is in no time. With copies another "
        "implementation may be the best: best.csv names it. Means are geometric, over the inputs shown."
        + (f" {ONE_PROCESS}" if comparison.best.of_one_process else ""),
    )
    return figure


def _answers(comparison: Comparison, stage: str) -> list[Answer]:
    return [answer for answer in comparison.best.answers if answer.problem == stage]


def _rows(answers: Sequence[Answer]) -> int:
    return len({answer.input for answer in answers})


def _title(comparison: Comparison, stage: str) -> str:
    """The problem, and what its means say."""
    means = [mean for mean in comparison.best.means if mean.problem == stage]
    lines = [line for mean in means for line in mean_lines(mean, comparison.machines[0])]
    return "\n".join([PROBLEMS[stage].name, *lines])


def _panel(axes: Axes, answers: Sequence[Answer]) -> None:
    """The inputs from above in their order."""
    rows = by_input(answers)
    inputs = [resident.input for resident, _ in rows]
    for y, (resident, copied) in enumerate(rows):
        times = [achieved.seconds for achieved in resident.achieved]
        axes.plot((min(times), max(times)), (y, y), color="#d0d0d0", linewidth=3, zorder=1)
        _write(axes, resident.achieved, y)
        for place, achieved in enumerate(resident.achieved):
            axes.plot((achieved.low, achieved.high), (y, y), color=_colour(place), linewidth=1.5, zorder=2)
            _point(axes, achieved, place, y, copied=False)
        for place, achieved in enumerate(copied.achieved if copied else ()):
            # On a processor nothing is copied.
            if achieved.seconds != times[place]:
                _point(axes, achieved, place, y + BELOW, copied=True)
    # What is beside the matrix stands below its name.
    labels = [name.replace(", ", "\n", 1) for name in inputs]
    axes.set_yticks(range(len(inputs)), labels, fontsize=SMALL)
    axes.set_ylim(len(inputs) - 0.4, -0.5)
    axes.set_xscale("log")
    axes.set_xlim(_limits(answers))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: seconds(x)))
    axes.grid(True, axis="x")
    axes.grid(False, axis="y")


def _limits(answers: Sequence[Answer]) -> tuple[float, float]:
    """Of the axis, so that there is room for what is written beside the points."""
    left, right = [], []
    for answer in answers:
        ordered = sorted(answer.achieved, key=lambda each: each.seconds)
        left.append((np.log(ordered[0].low), len(described(ordered[0])) * LETTER))
        right.append((np.log(ordered[-1].high), len(described(ordered[-1])) * LETTER))
    low, high = min(x for x, _ in left), max(x for x, _ in right)
    # A wider axis makes the same words longer on it.
    for _ in range(20):
        span = max(high - low, 1.0)
        low = min(x - (ASIDE + words) / ACROSS * span for x, words in left)
        high = max(x + (ASIDE + words) / ACROSS * span for x, words in right)
    return float(np.exp(low)), float(np.exp(high))


def _point(axes: Axes, achieved: Achieved, place: int, y: float, *, copied: bool) -> None:
    axes.plot(
        [achieved.seconds], [y], marker=MARKERS[place % len(MARKERS)], markersize=5 if copied else 7,
        linestyle="", markeredgecolor=_colour(place), color="white" if copied else _colour(place), zorder=3,
    )  # fmt: skip


def _colour(place: int) -> str:
    return PALETTE[place % len(PALETTE)]


def _write(axes: Axes, achieved: Sequence[Achieved], y: int) -> None:
    """Who implements the fastest to its left, the slowest to its right."""
    ordered = sorted(achieved, key=lambda each: each.seconds)
    fastest, slowest = ordered[0], ordered[-1]
    for each, x, shift, side in (
        (fastest, fastest.low, -9, "right"),
        (slowest, slowest.high, 9, "left"),
    ):
        axes.annotate(
            described(each), (x, y), (shift, 0), textcoords="offset points", ha=side,
            va="center", fontsize=SMALL - 1,
        )  # fmt: skip


def _legend(machines: Sequence[str]) -> list[Line2D]:
    marks = [_mark(name, i, _colour(i)) for i, name in enumerate(machines)]
    return [*marks, _mark(f"empty: {SPANS[COPIED]}", 0, "white")]


def _mark(label: str, place: int, colour: str) -> Line2D:
    edge = "black" if colour == "white" else colour
    return Line2D(
        [], [], linestyle="", marker=MARKERS[place % len(MARKERS)], markersize=7, color=colour,
        markeredgecolor=edge, label=label,
    )  # fmt: skip
