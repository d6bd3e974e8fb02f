"""Bars of measured values, one group a matrix, one bar an implementation; what failed is a marked slot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from reports.style import HATCHES, PALETTE, SMALL

GROUP_WIDTH = 0.86
SLOT_HEIGHT = 0.62
# Inches that a letter of a legend takes.
LETTER = 0.095


@dataclass(frozen=True)
class Panel:
    """One panel: columns of the frame and what the axis says. Rows with `shown` False have no slot in it.
    status : the column that says `ok` where there is a value. points : with whiskers, in place of bars."""

    value: str
    low: str
    high: str
    label: str
    status: str = "status"
    points: bool = False


def bar_panel(axes: Axes, frame: pd.DataFrame, panel: Panel, shown: pd.Series[bool]) -> None:
    """Draw one panel on a log axis. frame has `group` (position of the matrix), `series`, `status`."""
    slots = list(dict.fromkeys(frame.loc[shown, "series"]))
    looks = look_of(frame)
    width = GROUP_WIDTH / max(1, len(slots))
    for row in frame[shown].to_dict("records"):
        x = row["group"] + (slots.index(row["series"]) - (len(slots) - 1) / 2) * width
        numbers = (row[panel.value], row[panel.low], row[panel.high])
        if row[panel.status] != "ok":
            _slot(axes, x, 0.92 * width, str(row[panel.status]))
        elif panel.points:
            _point(axes, x, numbers, looks[row["series"]])
        else:
            _bar(axes, x, 0.92 * width, numbers, looks[row["series"]])
    ok = frame[shown & (frame[panel.status] == "ok")]
    axes.set_yscale("log")
    axes.set_ylabel(panel.label)
    if ok.empty:
        axes.set_ylim(0.1, 10)
        axes.set_yticks([])
    else:
        axes.set_ylim(float(ok[panel.low].min()) / 4, float(ok[panel.high].max()) * 2)


def look_of(frame: pd.DataFrame) -> Mapping[str, tuple[str, str]]:
    """(colour, hatch) of each series, the same in every panel."""
    names = list(dict.fromkeys(frame["series"]))
    return {name: (PALETTE[i % len(PALETTE)], HATCHES[i % len(HATCHES)]) for i, name in enumerate(names)}


def legend(axes: Axes, frame: pd.DataFrame, labels: Mapping[str, str]) -> int:
    """A legend above the panel: the series, and what an empty slot means where there is one. Returns how many
    lines it takes."""
    handles = [
        Patch(facecolor=colour, hatch=hatch, edgecolor="black", label=labels.get(name, name))
        for name, (colour, hatch) in look_of(frame).items()
    ]
    if (frame["status"] != "ok").any():
        handles.append(Patch(fill=False, hatch="////", edgecolor="#888888", label="no valid result"))
    if not handles:
        return 0
    longest = max(len(str(handle.get_label())) for handle in handles)
    figure = axes.get_figure(root=True)
    assert figure is not None
    across = max(1, int(figure.get_figwidth() / (LETTER * (longest + 8))))
    axes.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 1.0), ncols=across, borderaxespad=0.2)
    return -(-len(handles) // across)


def _bar(
    axes: Axes, x: float, width: float, numbers: tuple[float, float, float], look: tuple[str, str]
) -> None:
    axes.bar(
        x, numbers[0], width, color=look[0], hatch=look[1], edgecolor="black", linewidth=0.6,
        yerr=_whiskers(numbers), error_kw={"elinewidth": 1.4, "capsize": 3, "ecolor": "black"},
    )  # fmt: skip


def _point(axes: Axes, x: float, numbers: tuple[float, float, float], look: tuple[str, str]) -> None:
    """A point with its value written beside it."""
    axes.errorbar(
        x, numbers[0], yerr=_whiskers(numbers), marker="D", markersize=8, color=look[0],
        markeredgecolor="black", elinewidth=1.4, capsize=3, ecolor="black",
    )  # fmt: skip
    axes.annotate(
        f"{numbers[0]:.3g}x", (x, numbers[0]), (9, 0), textcoords="offset points", va="center", fontsize=SMALL
    )


def _whiskers(numbers: tuple[float, float, float]) -> list[list[float]]:
    value, low, high = numbers
    return [[max(0.0, value - low)], [max(0.0, high - value)]]


def _slot(axes: Axes, x: float, width: float, status: str) -> None:
    """A hatched empty slot with the status written upwards: its height says nothing."""
    across = axes.get_xaxis_transform()
    axes.add_patch(
        Rectangle(
            (x - width / 2, 0), width, SLOT_HEIGHT, transform=across, fill=False, hatch="////",
            edgecolor="#aaaaaa", linewidth=0.8, linestyle=":",
        )
    )  # fmt: skip
    axes.text(
        x, 0.03, status.replace("_", " "), transform=across, rotation=90, ha="center", va="bottom",
        fontsize=SMALL, bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
    )  # fmt: skip
