"""Bars and points of measured values, a group per matrix, a place in it per series; what failed is a slot.

marks = marks_of(frame, "ratio", "pair", form=times)
scale(axes, marks, log=True)
draw_marks(axes, marks, looks(frame["series"]))
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.container import Container
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from numpy.typing import NDArray

from reports.shapes.style import SMALL, Look, looks

GROUP_WIDTH = 0.86
# Behind what is written over lines.
GROUND: dict[str, Any] = {"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.8}
# Inches that a letter of a legend takes.
LETTER = 0.095
# Shares: the room around the values of their span, and a whisker of an axis that has its text above.
ROOM, SHORT = 0.25, 0.15


def times(value: float) -> str:
    """Return a ratio with its sign: `1,234x`, `12.3x`."""
    return f"{value:,.0f}x" if value >= 100 else f"{value:.3g}x"


def ends(values: "pd.Series[Any]", form: Callable[[float], str] = times) -> str:
    """Return the least and the most of the numbers, `none` of none."""
    texts = dict.fromkeys(map(form, (values.min(), values.max())))
    return " to ".join(texts) if values.notna().any() else "none"


def few(names: str) -> str:
    """Return one or two names, of more the first and how many others: `a, b`, `a and 2 more`."""
    first, *others = names.split(", ")
    return names if len(others) < 2 else f"{first} and {len(others)} more"


def seconds(value: Any) -> str:
    """Return a time with three digits and its unit; `-` for none."""
    if value is None or pd.isna(value):
        return "-"
    # 1000 of a unit is written as 1 of the next.
    units = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (0.0, "ns"))
    scale, unit = next((s, u) for s, u in units if value >= 0.9995 * s)
    return f"{value / (scale or 1e-9):.3g} {unit}" if value < 999.5 else f"{value:,.0f} s"


def having(frame: pd.DataFrame, values: Mapping[str, Any]) -> pd.DataFrame:
    """Return the rows that have these values."""
    for column, wanted in values.items():
        frame = frame[frame[column] == wanted]
    return frame


def marks_of(
    rows: pd.DataFrame,
    value: str = "median",
    status: str = "status",
    form: Callable[[float], str] | None = None,
    hollow: str = "",
) -> pd.DataFrame:
    """Return a mark per row, in its `group` and `series`: `value`, `low`, `high`, `status`, `hollow`, `text`.

    value : a column, with its interval in `<value>_low` and `<value>_high` where the frame has them.
    status : a column, `ok` where there is a value; any other text is written into a slot.
    form : of the text at a mark.
    hollow : a column that is true where a mark is empty.
    """
    middle, prefix = rows[value].astype(float), "" if value == "median" else f"{value}_"
    low, high = (rows.get(f"{prefix}{end}", middle).astype(float).fillna(middle) for end in ("low", "high"))
    why = rows[status].astype("object").mask((rows[status] == "ok") & middle.isna(), "not measured")
    if value == "median":
        # The least seconds of a call that a time limit ended.
        why = why.mask((why == "timeout") & low.notna(), "> " + low.map(seconds).astype("object"))
    return rows[["group", "series"]].assign(
        value=middle,
        low=low,
        high=high,
        status=why,
        hollow=rows[hollow].astype(bool) if hollow else False,
        text=middle.map(form, na_action="ignore") if form else "",
    )


def scale(
    axes: Axes,
    marks: pd.DataFrame,
    log: bool = False,
    also: Sequence[float] = (),
    points: bool = False,
    form: Callable[[float], str] | None = None,
) -> None:
    """Put an axis around all values, and some numbers more, with room for texts; a long whisker leaves it."""
    ok = marks[marks["status"] == "ok"]
    if ok.empty:
        axes.set(ylim=(0.1, 10), yticks=[])
        return
    values = [*ok["value"], *also]
    least, most, room = min(values), max(values), ROOM if ok["text"].any() else 0.05
    if log:
        axes.set(yscale="log", ylim=(least / 2.5, 2 * most * (most / least) ** room))
        if form:
            label_log(axes.yaxis, form)
        return
    if form:
        axes.yaxis.set_major_formatter(lambda value, _: form(value))
    least = least if points else min(0.0, least)
    span = (most - least) or 0.1 * abs(most) or 1.0
    axes.set_ylim(least - ROOM * span if points or least < 0 else 0.0, most + room * span)


def draw_marks(axes: Axes, marks: pd.DataFrame, known: Mapping[str, Look], points: bool = False) -> None:
    """Draw bars, or points, with whiskers and texts on an axis that is scaled; slots where there is no value.

    A value without an interval, such as a printed one, has no whisker.
    """
    ok, width = with_slots(axes, marks)
    whisker: dict[str, Any] = {"elinewidth": 1.3, "capsize": 3, "ecolor": "black"}
    for name, (colour, hatch, marker) in known.items():
        for hollow, part in ok[ok["series"] == name].groupby("hollow"):
            ends = np.array([part["value"] - part["low"], part["high"] - part["value"]]).clip(0)
            ends[:, (part["low"] == part["high"]).to_numpy()] = np.nan
            fill, edge, line = ("white", colour, 2.0) if hollow else (colour, "black", 0.8)
            look: dict[str, Any] = {"color": fill, "label": name if len(known) > 1 else ""}
            if points:
                axes.errorbar(
                    part["x"], part["value"], ends, **look, **whisker, linestyle="none", marker=marker,
                    markersize=8, markeredgecolor=edge, markeredgewidth=line, zorder=4,
                )  # fmt: skip
            else:
                axes.bar(
                    part["x"], part["value"], 0.92 * width, yerr=ends, error_kw=whisker, **look,
                    hatch="" if hollow else hatch, edgecolor=edge, linewidth=line,
                )  # fmt: skip
    upwards, written, (bottom, top) = width < GROUP_WIDTH, ok[ok["text"] != ""], axes.get_ylim()
    # Texts are right of points in one group, else above the whisker, or the mark if the whisker is long.
    beside = points and upwards
    short = (written["high"] - written["value"] < SHORT * (top - bottom)) & (not beside)
    above = written["high"].where(short, written["value"])
    for place, height, text in zip(written["x"], above, written["text"], strict=True):
        axes.annotate(
            text, (place, height), (9, 0) if beside else (0, 5), textcoords="offset points",
            rotation=90 if upwards else 0, ha="center", va="center" if beside else "bottom", fontsize=SMALL,
            bbox=GROUND, zorder=5,
        )  # fmt: skip


def bar_panel(
    axes: Axes,
    frame: pd.DataFrame,
    label: str,
    value: str = "median",
    log: bool = True,
    known: Mapping[str, Look] | None = None,
) -> None:
    """Draw one panel of the values of a column with their intervals.

    known : the looks of the series, where other panels have more of them.
    """
    marks = marks_of(frame, value)
    scale(axes, marks, log, form=seconds if value == "median" else None)
    draw_marks(axes, marks, known or looks(frame["series"]))
    axes.set_ylabel(label)


def positions(rows: pd.DataFrame) -> tuple[NDArray[np.float64], float]:
    """Return the place of each row in its group, and the width of a place."""
    series = rows.groupby("group")["series"]
    within, count = series.transform(lambda own: pd.factorize(own)[0]), series.transform("nunique")
    width = GROUP_WIDTH / max([1, *count])
    return (rows["group"] + (within - (count - 1) / 2) * width).to_numpy(float), width


def label_log(axis: Axis, form: Callable[[float], str]) -> None:
    """Label a log axis at 1, 2 and 5 of each decade, of many decades at 1 alone."""
    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high < 1e3 * low else (1.0,), numticks=12))
    axis.set_major_formatter(FuncFormatter(lambda value, _: form(value)))
    axis.set_minor_formatter(NullFormatter())


def legend_of(panels: Iterable[Axes], width: float, more: Sequence[Artist] = ()) -> dict[str, Any]:
    """Return a legend of the labels in these panels, each once, and of `more`, with a width in inches."""
    found: dict[str, Artist] = {}
    for axes in panels:
        pairs = zip(*axes.get_legend_handles_labels(), strict=True)
        for mark, label in sorted(pairs, key=lambda pair: not isinstance(pair[0], Container)):
            found.setdefault(label, mark)
    found |= {str(mark.get_label()): mark for mark in more}
    across = max(1, int(width / (LETTER * (max(map(len, found), default=0) + 8))))
    return {"handles": [*found.values()], "labels": [*found], "ncols": across}


def legend(axes: Axes, more: Sequence[Artist] = ()) -> None:
    """Draw a legend above the panel, of what is labelled in it."""
    figure = axes.get_figure(root=True)
    assert figure
    if (marks := legend_of([axes], figure.get_figwidth(), more))["labels"]:
        axes.legend(**marks, loc="lower left", bbox_to_anchor=(0, 1.0), borderaxespad=0.2)


def with_slots(axes: Axes, rows: pd.DataFrame, status: str = "status") -> tuple[pd.DataFrame, float]:
    """Draw a slot for each row that is not `ok`; return the others with their place `x`, and its width."""
    x, width = positions(rows)
    is_ok = (rows[status] == "ok").to_numpy()
    draw_slots(axes, x[~is_ok], width, rows.loc[~is_ok, status])
    return rows.assign(x=x)[is_ok], width


def draw_slots(axes: Axes, x: Iterable[float], width: float, statuses: Iterable[object]) -> None:
    """Draw in each place a hatched empty slot with its status written upwards; its height has no meaning."""
    across = axes.get_xaxis_transform()
    look: dict[str, Any] = {"fill": False, "hatch": "////", "edgecolor": "#aaaaaa", "linestyle": ":"}
    written: dict[str, Any] = {"rotation": 90, "ha": "center", "va": "bottom", "fontsize": SMALL}
    for place, status in zip(x, statuses, strict=True):
        corner = (place - 0.46 * width, 0)
        slot = Rectangle(corner, 0.92 * width, 0.62, transform=across, label="no number", **look)
        axes.add_patch(slot)
        text = str(status).replace("_", " ")
        axes.text(place, 0.03, text, transform=across, bbox={**GROUND, "alpha": 1.0}, **written)
