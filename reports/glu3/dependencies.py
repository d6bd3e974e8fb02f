"""The dependency graphs of the three methods, GLU1.0's wrong factor, and how many dependencies each finds.

Longer than two screens: four pictures of a kind that no other figure has, and their frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from fillpath.dicts import dicts, grouped
from reports.claims.judge import judge_numbers
from reports.claims.verdict import Verdict
from reports.exhibit import Exhibit
from reports.facts.claims import claim
from reports.facts.inputs import Inputs
from reports.frames import examples
from reports.frames.device import device_frame
from reports.frames.examples import DOUBLE, EXAMPLES, LEFT, METHODS, SLIDES, UPPER
from reports.frames.glu3 import PAPER, prepared_how
from reports.shapes import bars
from reports.shapes.labels import legend_above
from reports.shapes.style import LARGE, NORMAL, PALETTE, SMALL, headline, new_figure

# The status of what is no measurement.
COMPUTED = "computed"
GRAPHS, WRONG = "fig_dependency_graphs", "glu1_is_wrong"
COUNTED = ("glu2", "glu3_relaxed")
# Colour and style of an arrow.
LOOKS: Mapping[str, tuple[str, Any]] = {
    UPPER: ("black", "-"), DOUBLE: (PALETTE[5], "-"), LEFT: (PALETTE[0], (0, (3, 2)))
}  # fmt: skip
EDGE = ("example", "method", "before", "column", "why")
LEVEL = ("level",)
ENTRY = ("row", "value", "filled", "right")
MATRIX = (
    "case", "matrix", "label", "abbr", "stand_in_for", "near", "distance", "preparation", "machine", "where",
    "status", "reason", "series",
)  # fmt: skip
NUMBERS = ("dependencies_exact", "double_u", "dependencies_relaxed", "ratio")


def frame(inputs: Inputs) -> pd.DataFrame:
    """Rows of five kinds (`part`): an entry of an example's F (row and column from 1; filled: not of A), a
    dependency (column on before, and why), a level of a column, from 1, a value of the factor of the slides'
    example under a method's levels (right: that of GLU2.0's), and of a measured matrix how many dependencies
    the exact and the relaxed rule find. status : computed, of what is no measurement."""
    parts: list[Mapping[str, Any]] = []
    for example in EXAMPLES:
        parts += [row | {"status": COMPUTED} for row in _example_rows(example)]
    matrices = _matrix_rows(inputs)
    columns = list(dict.fromkeys(["part", *EDGE, *LEVEL, *ENTRY, *MATRIX, *NUMBERS]))
    frame = pd.DataFrame([*parts, *matrices], columns=columns)
    whole = dict.fromkeys(("before", "column", "level", "row"), "Int64")
    return frame.astype(whole | dict.fromkeys(("value", *NUMBERS), "float64"))


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Per example a row of panels: its pattern, and the graph of each method; the two factors; the counts."""
    matrices = _of_matrices(frame)
    heights = [2.8, 3.6, max(2.4, 0.9 + 0.27 * len(matrices))]
    figure = new_figure(13.0, 0.9 + sum(heights))
    headline(figure, title)
    top, middle, bottom = figure.subfigures(3, 1, squeeze=False, height_ratios=heights).ravel()
    for part, example in zip((top, middle), EXAMPLES, strict=True):
        rows = frame[frame["example"] == example.name]
        panels = part.subplots(1, 4, squeeze=False, width_ratios=[1.0, 1.2, 1.2, 1.2]).ravel()
        _pattern(panels[0], rows, example)
        for axes, method in zip(panels[1:], METHODS, strict=True):
            _graph(axes, rows[rows["method"] == method], example, method)
    left, right = bottom.subplots(1, 2, width_ratios=[1.0, 1.6])
    _factors(left, frame[frame["part"] == "factor"])
    _counts(right, matrices)
    words = (UPPER, "L dependency"), (DOUBLE, "double-U dependency"), (LEFT, "redundant, by the relaxed rule")
    legend_above(
        figure,
        [
            Line2D([], [], color=LOOKS[why][0], linestyle=LOOKS[why][1], linewidth=2, label=text)
            for why, text in words
        ],
    )
    return figure


def verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """Whether GLU1.0's levels give a wrong factor of the slides' matrix."""
    factors = frame[frame["part"] == "factor"]
    last = factors[(factors["row"] == 3) & (factors["column"] == 3)].set_index("method")["value"]
    return [judge_numbers(claim(PAPER, WRONG, "last_pivot"), {"by GLU1.0": float(last["GLU1.0"])})]


def _example_rows(example: examples.Example) -> list[dict[str, Any]]:
    """All rows of an example, columns from 1."""
    factor = examples.filled(example)
    dense, key = examples.dense_of(factor), {"example": example.name}
    rows: list[dict[str, Any]] = [
        {"part": "entry", **key, "row": i + 1, "column": k + 1, "filled": not example.dense[i, k]}
        for i, k in zip(*np.nonzero(dense), strict=True)
    ]
    right = examples.factor_by(examples.levels_of(examples.filled(SLIDES), "GLU2.0"))
    for method in METHODS:
        levels, named = examples.levels_of(factor, method), key | {"method": method}
        rows += [
            {"part": "level", **named, "column": k + 1, "level": level + 1}
            for k, level in enumerate(examples.level_of(levels))
        ]
        rows += [
            {"part": "dependency", **named, "before": i + 1, "column": k + 1, "why": why}
            for (i, k), why in examples.dependencies(dense, method).items()
        ]
        if example is SLIDES:
            values = examples.factor_by(levels)
            rows += [
                {"part": "factor", **named, "row": i + 1, "column": k + 1, "value": value, "right": same}
                for ((i, k), value), same in zip(
                    np.ndenumerate(values), (values == right).ravel().tolist(), strict=True
                )
            ]
    return rows


def _matrix_rows(inputs: Inputs) -> list[dict[str, Any]]:
    """One row per matrix, preparation and machine with what glu2 and glu3_relaxed counted."""
    frame = device_frame(inputs, ("dependencies", "double_u"))
    rows = []
    for group in grouped(dicts(frame), "group", "machine").values():
        by = {row["implementation"]: row for row in group}
        exact, relaxed = (by.get(name) for name in COUNTED)
        first = relaxed or exact
        assert first is not None
        failed = [row["status"] if row else "not_run" for row in (exact, relaxed)]
        row = {"part": "matrix", **{name: first[name] for name in MATRIX}}
        row["status"] = next((status for status in failed if status != "ok"), "ok")
        if row["status"] == "ok" and exact and relaxed:
            row |= {
                "dependencies_exact": exact["dependencies"],
                "double_u": exact["double_u"],
                "dependencies_relaxed": relaxed["dependencies"],
                "ratio": relaxed["dependencies"] / exact["dependencies"] if exact["dependencies"] else None,
            }
        rows.append(row)
    return rows


def _of_matrices(frame: pd.DataFrame) -> pd.DataFrame:
    return frame[frame["part"] == "matrix"]


def _pattern(axes: Axes, entries_of: pd.DataFrame, example: examples.Example) -> None:
    axes.set_title(example.name, loc="left")
    entries = entries_of[entries_of["part"] == "entry"]
    for grey, rows in entries.groupby(entries["filled"].astype(bool)):
        axes.scatter(
            rows["column"], rows["row"], marker="s", s=260 if example.n < 5 else 110,
            color="#b5b5b5" if grey else "black",
        )  # fmt: skip
    ticks = range(1, example.n + 1)
    axes.set_xticks(ticks)
    axes.set_yticks(ticks)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.set_xlim(0.4, example.n + 0.6)
    axes.set_ylim(example.n + 0.6, 0.4)
    axes.set_aspect("equal")
    axes.grid(visible=False)


def _graph(axes: Axes, rows: pd.DataFrame, example: examples.Example, method: str) -> None:
    levels = rows[rows["part"] == "level"]
    place = {int(row["column"]): int(row["level"]) for row in dicts(levels)}
    depth = max(place.values())
    axes.set_title(f"{method} ({METHODS[method]}): {depth} levels", loc="left")
    for row in dicts(rows[rows["part"] == "dependency"]):
        colour, style = LOOKS[row["why"]]
        start, end = (int(row[name]) for name in ("before", "column"))
        axes.annotate(
            "", (end, place[end]), (start, place[start]), zorder=1,
            arrowprops={
                "arrowstyle": "-|>", "color": colour, "linestyle": style, "linewidth": 1.6, "shrinkA": 11,
                "shrinkB": 11, "connectionstyle": "arc3,rad=0.12",
            },
        )  # fmt: skip
    for column, level in place.items():
        axes.text(
            column, level, str(column), ha="center", va="center", fontsize=NORMAL, zorder=3,
            bbox={"boxstyle": "circle,pad=0.3", "facecolor": "white", "edgecolor": "black"},
        )  # fmt: skip
    axes.set_xlim(0.3, example.n + 0.7)
    axes.set_ylim(depth + 0.6, 0.4)
    axes.set_xticks([])
    axes.set_yticks(range(1, depth + 1))
    axes.set_ylabel("level")


def _factors(axes: Axes, rows: pd.DataFrame) -> None:
    """L + U - I by each method, wrong entries marked."""
    axes.set_axis_off()
    axes.set_xlim(0, 12.5)
    axes.set_ylim(4.6, -0.4)
    axes.set_title("L + U - I of the slides' matrix", loc="left")
    for number, (method, factor) in enumerate(rows.groupby("method", sort=False)):
        left = 0.7 + 4.2 * number
        axes.text(left + 1, 0.2, str(method), ha="center", va="center", fontsize=NORMAL, weight="bold")
        for row in dicts(factor):
            x, y = left + row["column"] - 1, row["row"] + 0.1
            wrong = {} if row["right"] else {"bbox": {"facecolor": "#f3c7b8", "edgecolor": PALETTE[5]}}
            axes.text(x, y, f"{row['value']:g}", ha="center", va="center", fontsize=LARGE, **wrong)
        verdict = "right" if factor["right"].astype(bool).all() else "wrong: marked"
        axes.text(left + 1, 4.1, verdict, ha="center", va="center", fontsize=SMALL)


def _counts(axes: Axes, rows: pd.DataFrame) -> None:
    """One line per matrix: dependencies of the relaxed rule over those of the exact one."""
    axes.set_title("dependencies of glu3_relaxed over those of glu2", loc="left")
    axes.grid(visible=False)
    axes.grid(visible=True, axis="x")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: bars.times(value)))
    for place, row in enumerate(dicts(rows)):
        known = bool(pd.notna(row["ratio"]))
        at = float(row["ratio"]) if known else 1.0
        if known:
            axes.plot(at, place, marker="o", markersize=7, color=PALETTE[0], markeredgecolor="black")
        axes.annotate(
            bars.times(at) if known else str(row["status"]).replace("_", " "), (at, place), (9, 0),
            textcoords="offset points", va="center", fontsize=SMALL, bbox=bars.GROUND,
        )  # fmt: skip
    most = max([*rows["ratio"].dropna(), 1.1])
    axes.axvline(1, color="black", linewidth=1)
    axes.set_xlim(1 - 0.05 * (most - 1), 1 + 1.2 * (most - 1))
    axes.set_yticks(range(len(rows)), list(rows["label"]), fontsize=SMALL)
    axes.set_ylim(max(len(rows), 1) - 0.4, -0.6)


EXHIBIT = Exhibit(
    PAPER,
    "GLU3.0",
    "dependency graphs of GLU1.0, 2.0 and 3.0",
    frame,
    draw,
    """Above, an illustration and no measurement: levels by each on two examples, the second made up; grey:
    fill-in; an arrow goes to a column that waits. Bottom left: the slides' matrix factorised by the levels of
    each; GLU1.0's are wrong. Bottom right, measured: how many dependencies the relaxed rule finds over those
    of the exact one. {prepared}""",
    lambda frame: {"prepared": prepared_how(_of_matrices(frame))},
    held=(verdicts,),
    claims=(GRAPHS, WRONG),
)
