"""The files of a comparison of machines: its tables as CSV, its rooflines, and a picture of the best with one
panel per problem, one row per input, one point per machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from fillpath import paths
from fillpath.paths import write_text
from reports.facts.records import Records
from reports.hardware.comparison import COPIED, RESIDENT, Comparison
from reports.hardware.roofline import rooflines
from reports.hardware.solved import PROBLEMS, each
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


def comparison_folder(comparison: Comparison) -> Path:
    """Return where its pictures and its CSVs lie."""
    return paths.SITE / "compare" / "_".join(comparison.machines)


def draw_comparison(comparison: Comparison, records: Records) -> list[Path]:
    """Write best.csv, ratios.csv, and best and rooflines (SVG, and PNG of a large one) into its folder, and
    return their paths.

    Raises InputError for damaged ceilings.
    """
    folder = comparison_folder(comparison)
    tables = {folder / "best.csv": comparison.best.answers, folder / "ratios.csv": comparison.pairs}
    for path, table in tables.items():
        write_text(path, table.to_csv(index=False, lineterminator="\n"))
    pictures = {"best": best_picture(comparison), "rooflines": rooflines(comparison.machines, records)}
    drawn = [style.save_shown(picture, folder / f"{name}.svg") for name, picture in pictures.items()]
    return [*tables, *(path for written in drawn for path in written)]


def best_picture(comparison: Comparison) -> Figure:
    """Return the best verified time of each machine on every input that the first and another have solved."""
    answers = comparison.best.answers
    parts = {name: part for name in PROBLEMS if len(part := answers[answers["problem"] == name])}
    titles = {problem: [PROBLEMS[problem], *mean_lines(comparison, problem)] for problem in parts}
    heights = [
        ROW * part.index.nunique() + REST + LINE * (len(titles[problem]) - 1)
        for problem, part in parts.items()
    ] or [REST]
    title = "The best verified time to solution on each machine, whoever implements it"
    figure = new_figure(WIDTH, 0.8 + sum(heights), title)
    panels = list(figure.subplots(len(heights), 1, squeeze=False, height_ratios=heights).ravel())
    for axes, (problem, part) in zip(panels, parts.items(), strict=False):
        _draw(axes, part, comparison.machines)
        axes.set_title("\n".join(titles[problem]), loc="left", fontsize=SMALL)
    if not parts:
        panels[0].text(0.5, 0.5, "no input that two of them have solved", ha="center", va="center")
        panels[0].set_axis_off()
    marks = [Line2D([], [], label=name, **_marker(i)) for i, name in enumerate(comparison.machines)]
    empty = {**_marker(0, empty=True), "markersize": 7, "markeredgecolor": "black"}
    legend_above(figure, [*marks, Line2D([], [], label=f"empty: {SPANS[COPIED]}", **empty)])
    style.write_below(
        figure,
        "Medians with their 95% intervals; beside a point who implements it, with one option or how many, "
        "and for linear systems in which order. Ordering itself is in no time. With copies another "
        "implementation may be the best: best.csv names it. Means are geometric, over the inputs that both "
        "have solved." + (f" {ONE_PROCESS}" if comparison.best.of_one_process else ""),
    )
    return figure


def _draw(axes: Axes, answers: pd.DataFrame, machines: Sequence[str]) -> None:
    """Draw the answers on a problem, its inputs from above in their order."""
    rows = answers.assign(y=pd.factorize(answers.index)[0], who=[described(row) for row in each(answers)])
    resident, copied = (rows[rows["span"] == span] for span in (RESIDENT, COPIED))
    own = copied.merge(resident, on=["y", "machine"], how="left")["seconds_y"].to_numpy()
    # On a processor nothing is copied.
    moved = copied[copied["seconds"] != own]
    for place, machine in enumerate(machines):
        at, beside = (part[part["machine"] == machine] for part in (resident, moved))
        axes.hlines(
            at["y"], at["low"], at["high"], color=PALETTE[place % len(PALETTE)], linewidth=1.5, zorder=2
        )
        axes.plot(at["seconds"], at["y"], zorder=3, **_marker(place))
        axes.plot(beside["seconds"], beside["y"] + BELOW, zorder=3, **_marker(place, empty=True))
    spans = {"low": "min", "high": "max", "seconds": ["min", "max"], "who": ["first", "last"]}
    ends = resident.sort_values("seconds", kind="stable").groupby("y").agg(spans)
    ends.columns = ["low", "high", "least", "most", "fastest", "slowest"]
    axes.hlines(ends.index, ends["least"], ends["most"], color="#d0d0d0", linewidth=3, zorder=1)
    for end in each(ends):
        for who, x, shift, side in ((end.fastest, end.low, -9, "right"), (end.slowest, end.high, 9, "left")):
            axes.annotate(
                who, (x, end.Index), (shift, 0), textcoords="offset points", ha=side, va="center",
                fontsize=SMALL - 1,
            )  # fmt: skip
    # What is beside the matrix stands below its name.
    axes.set_yticks(
        ends.index, rows.groupby("y")["input"].first().str.replace(", ", "\n", n=1), fontsize=SMALL
    )
    axes.set_ylim(len(ends) - 0.4, -0.5)
    axes.set(xscale="log", xlim=_limits(ends))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: seconds(x)))
    axes.grid(True, axis="x")
    axes.grid(False, axis="y")


def _limits(ends: pd.DataFrame) -> tuple[float, float]:
    """Return those of the axis, so that there is room for what is written beside the points."""
    least, most = np.log(ends["low"]), np.log(ends["high"])
    left, right = (ASIDE + LETTER * ends[name].str.len() for name in ("fastest", "slowest"))
    low, high = least.min(), most.max()
    # A wider axis makes the same words longer on it.
    for _ in range(20):
        inch = max(high - low, 1.0) / ACROSS
        low, high = (least - left * inch).min(), (most + right * inch).max()
    return float(np.exp(low)), float(np.exp(high))


def _marker(place: int, *, empty: bool = False) -> dict[str, Any]:
    colour, marker = (marks[place % len(marks)] for marks in (PALETTE, MARKERS))
    face, size = ("white", 5) if empty else (colour, 7)
    return {"marker": marker, "color": face, "markeredgecolor": colour, "markersize": size, "linestyle": ""}
