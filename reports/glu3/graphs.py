"""The panels of the dependency figure: patterns of small matrices, graphs of their columns, and factors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from fillpath.dicts import dicts
from reports.glu3.examples import DOUBLE, LEFT, METHODS, UPPER, Example
from reports.shapes.style import LARGE, NORMAL, PALETTE, SMALL

# Colour and style of an arrow.
LOOKS: Mapping[str, tuple[str, Any]] = {
    UPPER: ("black", "-"),
    DOUBLE: (PALETTE[5], "-"),
    LEFT: (PALETTE[0], (0, (3, 2))),
}


def pattern(axes: Axes, entries_of: pd.DataFrame, example: Example) -> None:
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


def graph(axes: Axes, rows: pd.DataFrame, example: Example, method: str) -> None:
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


def factors(axes: Axes, rows: pd.DataFrame) -> None:
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
