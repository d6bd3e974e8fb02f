"""Bars of measured values, one group per matrix, one bar per implementation; what failed is a marked slot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle
from numpy.typing import NDArray

from reports.shapes.style import HATCHES, PALETTE, SMALL

GROUP_WIDTH = 0.86
SLOT_HEIGHT = 0.62
# Behind what is written over lines.
GROUND: dict[str, Any] = {"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.75}
# Inches that a letter of a legend takes.
LETTER = 0.095


def times(value: float) -> str:
    """Return a ratio with its sign: `1,234x`, `12.3x`."""
    return f"{value:,.0f}x" if value >= 100 else f"{value:.3g}x"


def few(names: str) -> str:
    """Return one or two names, of more the first and how many others: `a, b`, `a and 2 more`."""
    first, *others = names.split(", ")
    return names if len(others) < 2 else f"{first} and {len(others)} more"


def seconds(value: Any) -> str:
    """Return a time with three digits and its unit; `-` for none."""
    if value is None or pd.isna(value):
        return "-"
    # What would be written as 1000 of a unit is 1 of the next.
    units = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (0.0, "ns"))
    scale, unit = next((s, u) for s, u in units if value >= 0.9995 * s)
    return f"{value / (scale or 1e-9):.3g} {unit}" if value < 999.5 else f"{value:,.0f} s"


def with_ends(rows: pd.DataFrame, name: str) -> list[pd.Series[float]]:
    """Return a column and the ends of its interval, which are the value where there is none."""
    value, prefix = rows[name].astype(float), "" if name == "median" else f"{name}_"
    ends = (rows.get(f"{prefix}{end}", value).astype(float).fillna(value) for end in ("low", "high"))
    return [value, *ends]


def having(frame: pd.DataFrame, values: Mapping[str, Any]) -> pd.DataFrame:
    """Return the rows that have these values."""
    for column, wanted in values.items():
        frame = frame[frame[column] == wanted]
    return frame


def bar_panel(
    axes: Axes,
    frame: pd.DataFrame,
    label: str,
    value: str = "median",
    status: str = "status",
    log: bool = True,
    shown: pd.Series[bool] | None = None,
) -> None:
    """Draw one panel of values with their intervals.

    frame : with `group` (position of the matrix), `series` and these columns.
    label : of the axis.
    status : the column that says `ok` where there is a value.
    shown : the rows that have a slot; None: all.
    """
    rows = frame if shown is None else frame[shown]
    x, width = positions(rows)
    ok = (rows[status] == "ok").to_numpy()
    failed, words = rows[~ok], rows.loc[~ok, status].astype(str)
    if value == "median":
        # Of seconds that a limit of time ended, more than how many.
        stopped = (words == "timeout") & failed["low"].notna()
        words = words.mask(stopped, "> " + failed["low"].map(seconds).astype("object"))
    draw_slots(axes, x[~ok], width, words)
    middle, low, high = with_ends(rows, value)
    whiskers = np.nan_to_num([middle - low, high - middle]).clip(0)
    for series, (colour, hatch) in look_of(frame).items():
        own = ok & (rows["series"] == series).to_numpy()
        axes.bar(
            x[own], middle[own], 0.92 * width, color=colour, hatch=hatch, edgecolor="black", linewidth=0.6,
            yerr=whiskers[:, own], error_kw={"elinewidth": 1.4, "capsize": 3, "ecolor": "black"},
        )  # fmt: skip
    axes.set_ylabel(label)
    if not ok.any():
        axes.set_ylim(0.1, 10)
        axes.set_yticks([])
    elif log:
        axes.set_yscale("log")
        axes.set_ylim(low[ok].min() / 4, high[ok].max() * 2)


def positions(rows: pd.DataFrame) -> tuple[NDArray[np.float64], float]:
    """Return where each row stands, beside the other series of its group, and how wide a place is."""
    series = rows.groupby("group")["series"]
    within, count = series.transform(lambda own: pd.factorize(own)[0]), series.transform("nunique")
    width = GROUP_WIDTH / max([1, *count])
    return (rows["group"] + (within - (count - 1) / 2) * width).to_numpy(float), width


def look_of(frame: pd.DataFrame) -> Mapping[str, tuple[str, str]]:
    """Return (colour, hatch) of each series, the same in every panel; no two share both."""
    names = list(dict.fromkeys(frame["series"]))
    count = len(PALETTE)
    return {n: (PALETTE[i % count], HATCHES[(i + i // count) % len(HATCHES)]) for i, n in enumerate(names)}


def handles(frame: pd.DataFrame) -> list[Artist]:
    """Return a legend's marks: of each series, and of an empty slot where there is one."""
    marks: list[Artist] = [
        Patch(facecolor=colour, hatch=hatch, edgecolor="black", label=name)
        for name, (colour, hatch) in look_of(frame).items()
    ]
    if (frame["status"] != "ok").any():
        marks.append(slot_mark("no valid result"))
    return marks


def slot_mark(text: str) -> Patch:
    """Return a legend's mark of an empty slot."""
    return Patch(fill=False, hatch="////", edgecolor="#888888", label=text)


def legend(axes: Axes, marks: Sequence[Artist]) -> None:
    """Draw a legend above the panel, in as many columns as there is room for."""
    figure = axes.get_figure(root=True)
    if marks and figure is not None:
        across = columns_for(figure.get_figwidth(), marks)
        place: Any = {"loc": "lower left", "bbox_to_anchor": (0, 1.0), "borderaxespad": 0.2}
        axes.legend(handles=marks, ncols=across, **place)


def columns_for(width: float, handles: Sequence[Artist]) -> int:
    """Return in how many columns a legend fits into so many inches."""
    longest = max(len(str(handle.get_label())) for handle in handles)
    return max(1, int(width / (LETTER * (longest + 8))))


def write_upwards(axes: Axes, x: float, y: float, text: str, points: int = 5) -> None:
    """Write the text above that place. points : between the two."""
    axes.annotate(
        text, (x, y), (0, points), textcoords="offset points", rotation=90, ha="center", va="bottom",
        fontsize=SMALL, bbox=GROUND,
    )  # fmt: skip


def draw_slots(axes: Axes, x: Iterable[float], width: float, statuses: Iterable[object]) -> None:
    """Draw a slot in each of these places, which are that wide."""
    for place, status in zip(x, statuses, strict=True):
        draw_slot(axes, place, 0.92 * width, str(status))


def draw_slot(axes: Axes, x: float, width: float, status: str) -> None:
    """Draw a hatched empty slot with the status written upwards: its height says nothing."""
    across = axes.get_xaxis_transform()
    slot = Rectangle((x - width / 2, 0), width, SLOT_HEIGHT, transform=across, fill=False, hatch="////")
    slot.set(edgecolor="#aaaaaa", linewidth=0.8, linestyle=":")
    axes.add_patch(slot)
    axes.text(
        x, 0.03, status.replace("_", " "), transform=across, rotation=90, ha="center", va="bottom",
        fontsize=SMALL, bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
    )  # fmt: skip
