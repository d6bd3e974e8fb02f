"""Bars of measured values, one group per matrix, one bar per implementation; what failed is a marked slot."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from fillpath.dicts import dicts
from reports.shapes.style import HATCHES, MARKERS, PALETTE, SMALL

GROUP_WIDTH = 0.86
SLOT_HEIGHT = 0.62
# Behind what is written over lines.
GROUND: dict[str, Any] = {"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.75}
# Of a group, what a point's slot has to be wide for its value to stand beside it.
WRITTEN = 0.4
# Inches that a letter of a legend takes.
LETTER = 0.095


def times(value: float) -> str:
    """A ratio with its sign: `1,234x`, `12.3x`."""
    return f"{value:,.0f}x" if value >= 100 else f"{value:.3g}x"


def seconds(value: Any) -> str:
    """A time with three digits and its unit; `-` for none."""
    if value is None or pd.isna(value):
        return "-"
    # What would be written as 1000 of a unit is 1 of the next.
    units = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (0.0, "ns"))
    scale, unit = next((s, u) for s, u in units if value >= 0.9995 * s)
    return f"{value / (scale or 1e-9):.3g} {unit}" if value < 999.5 else f"{value:,.0f} s"


@dataclass(frozen=True)
class Panel:
    """One panel of values with their intervals.

    value, low, high : columns of the frame.
    label : of the axis.
    status : the column that says `ok` where there is a value.
    points : with whiskers and the value written, in place of bars.
    hollow : the column that is true where a point is drawn empty.
    form : of a written value.
    log : the axis.
    """

    value: str
    low: str
    high: str
    label: str
    status: str = "status"
    points: bool = False
    hollow: str = ""
    form: Callable[[float], str] = times
    log: bool = True


def bar_panel(axes: Axes, frame: pd.DataFrame, panel: Panel, shown: pd.Series[bool] | None = None) -> None:
    """Draw one panel.

    frame : with `group` (position of the matrix), `series` and the panel's columns.
    shown : the rows that have a slot; None: all.
    """
    looks = look_of(frame)
    rows = frame if shown is None else frame[shown]
    places, width = positions(rows)
    for x, row in zip(places, dicts(rows), strict=True):
        numbers = (row[panel.value], row[panel.low], row[panel.high])
        if row[panel.status] != "ok":
            draw_slot(axes, x, 0.92 * width, _status(row, panel))
        elif panel.points:
            filled = not (panel.hollow and row[panel.hollow])
            _point(axes, x, numbers, looks[row["series"]], filled)
            _write(axes, x, numbers, panel.form, beside=width > WRITTEN)
        else:
            _bar(axes, x, 0.92 * width, numbers, looks[row["series"]])
    ok = rows[rows[panel.status] == "ok"]
    axes.set_ylabel(panel.label)
    if ok.empty:
        axes.set_ylim(0.1, 10)
        axes.set_yticks([])
    elif panel.log:
        axes.set_yscale("log")
        axes.set_ylim(float(ok[panel.low].min()) / 4, float(ok[panel.high].max()) * 2)


def _status(row: Mapping[Any, Any], panel: Panel) -> str:
    """Why there is no bar; of seconds that a limit of time ended, more than how many."""
    stopped = row[panel.status] == "timeout" and panel.low == "low" and pd.notna(row[panel.low])
    return f"> {seconds(row[panel.low])}" if stopped else str(row[panel.status])


def positions(rows: pd.DataFrame) -> tuple[list[float], float]:
    """Where each row stands: beside the other series of its group, and how wide a place is."""
    within = {group: list(dict.fromkeys(part["series"])) for group, part in rows.groupby("group", sort=False)}
    width = GROUP_WIDTH / max(map(len, within.values()), default=1)
    slots = [(group, within[group], name) for group, name in zip(rows["group"], rows["series"], strict=True)]
    return [group + (all_.index(name) - (len(all_) - 1) / 2) * width for group, all_, name in slots], width


def look_of(frame: pd.DataFrame) -> Mapping[str, tuple[str, str]]:
    """(colour, hatch) of each series, the same in every panel; no two share both."""
    names = list(dict.fromkeys(frame["series"]))
    count = len(PALETTE)
    return {n: (PALETTE[i % count], HATCHES[(i + i // count) % len(HATCHES)]) for i, n in enumerate(names)}


def legend(
    axes: Axes,
    frame: pd.DataFrame,
    labels: Mapping[str, str],
    hidden: Collection[str] = (),
    more: Sequence[Artist] = (),
) -> int:
    """A legend above the panel: the series but for hidden ones, what an empty slot means where there is one,
    and more. Returns how many lines it takes."""
    handles: list[Artist] = [
        Patch(facecolor=colour, hatch=hatch, edgecolor="black", label=labels.get(name, name))
        for name, (colour, hatch) in look_of(frame).items()
        if name not in hidden
    ]
    if (frame["status"] != "ok").any():
        handles.append(Patch(fill=False, hatch="////", edgecolor="#888888", label="no valid result"))
    return place_legend(axes, [*handles, *more])


def place_legend(axes: Axes, handles: Sequence[Artist]) -> int:
    """A legend above the panel, in as many columns as there is room for. Returns how many lines it takes."""
    if not handles:
        return 0
    figure = axes.get_figure(root=True)
    assert figure is not None
    across = columns_for(figure.get_figwidth(), handles)
    axes.legend(handles=handles, loc="lower left", bbox_to_anchor=(0, 1.0), ncols=across, borderaxespad=0.2)
    return -(-len(handles) // across)


def columns_for(width: float, handles: Sequence[Artist]) -> int:
    """In how many columns a legend fits into so many inches."""
    longest = max(len(str(handle.get_label())) for handle in handles)
    return max(1, int(width / (LETTER * (longest + 8))))


def _bar(
    axes: Axes, x: float, width: float, numbers: tuple[float, float, float], look: tuple[str, str]
) -> None:
    axes.bar(
        x, numbers[0], width, color=look[0], hatch=look[1], edgecolor="black", linewidth=0.6,
        yerr=_whiskers(numbers), error_kw={"elinewidth": 1.4, "capsize": 3, "ecolor": "black"},
    )  # fmt: skip


def _point(
    axes: Axes, x: float, numbers: tuple[float, float, float], look: tuple[str, str], filled: bool
) -> None:
    marker = MARKERS[HATCHES.index(look[1])]
    axes.errorbar(
        x, numbers[0], yerr=_whiskers(numbers), marker=marker, markersize=8,
        color=look[0] if filled else "white", markeredgecolor="black" if filled else look[0],
        markeredgewidth=1.0 if filled else 2.0, elinewidth=1.4, capsize=3, ecolor="black", zorder=4,
    )  # fmt: skip


def _write(
    axes: Axes, x: float, numbers: tuple[float, float, float], form: Callable[[float], str], beside: bool
) -> None:
    """The value, beside its point where there is room, else upwards from its whisker."""
    value, _, high = numbers
    place: Any = {"va": "center"} if beside else {"va": "bottom", "ha": "center", "rotation": 90}
    axes.annotate(
        form(value), (x, value if beside else max(value, high)), (9, 0) if beside else (0, 8),
        textcoords="offset points", fontsize=SMALL, bbox=GROUND, **place,
    )  # fmt: skip


def _whiskers(numbers: tuple[float, float, float]) -> list[list[float]]:
    value, low, high = numbers
    return [[max(0.0, value - low)], [max(0.0, high - value)]]


def write_upwards(axes: Axes, x: float, y: float, text: str, points: int = 5) -> None:
    """The text above that place. points : between the two."""
    axes.annotate(
        text, (x, y), (0, points), textcoords="offset points", rotation=90, ha="center", va="bottom",
        fontsize=SMALL, bbox=GROUND,
    )  # fmt: skip


def draw_slot(axes: Axes, x: float, width: float, status: str) -> None:
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
