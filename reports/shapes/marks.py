"""Bars and points in groups: one group per matrix, one mark per step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, NullFormatter

from reports.shapes import bars
from reports.shapes.style import HATCHES, MARKERS, PALETTE, SMALL

# Of a group that its marks fill.
FILLED = 0.8
# Inches of a letter of a value.
LETTER = 0.085


@dataclass(frozen=True)
class PanelRow:
    """One row of panels.

    label : of the axis.
    steps : what stands side by side in a group.
    printed : numbers by what stands below the axis, and by step.
    words : what the paper says without a number, by what stands below the axis; of the first row.
    base : the step that the others are held against, drawn at `even`; empty for none.
    even : where there is no effect, None where there is no such value.
    points : with whiskers, in place of bars.
    log : the axis.
    form : of a written value.
    """

    label: str
    steps: Sequence[str]
    printed: Mapping[str, Mapping[str, float]]
    words: Mapping[str, str] = field(default_factory=dict)
    base: str = ""
    even: float | None = 1.0
    points: bool = False
    log: bool = False
    form: Callable[[float], str] = bars.times


@dataclass(frozen=True)
class Mark:
    """One step of the group at that place. Without a value its state is written into a slot."""

    group: int
    step: str
    value: float
    low: float
    high: float
    state: str = "ok"
    hollow: bool = False


def marks_of(
    frame: pd.DataFrame,
    value: str,
    state: str,
    *,
    step: str | pd.Series[str],
    panel: str | pd.Series[str],
    hollow: bool | pd.Series[bool] = False,
) -> pd.DataFrame:
    """The rows with the columns of a Mark, but `group`, and `panel`, the heading of the panel that a row is
    drawn in.

    value : the column; its interval is in `<value>_low` and `<value>_high` where the frame has them.
    state : the column that is `ok` where there is a value.
    """
    ends = [frame[name] if name in frame else frame[value] for name in (f"{value}_low", f"{value}_high")]
    low, high = (end.fillna(frame[value]).astype(float) for end in ends)
    without = (frame[state] == "ok") & frame[value].isna()
    return frame.assign(
        panel=panel, step=step, value=frame[value].astype(float), low=low, high=high, hollow=hollow,
        state=frame[state].astype(str).mask(without, "not measured"),
    )  # fmt: skip


def printed_marks(row: PanelRow, names: Sequence[str]) -> list[Mark]:
    """What the paper prints of each name, in groups of their order."""
    marks = [
        Mark(group, step, value, value, value)
        for group, name in enumerate(names)
        for step, value in row.printed.get(name, {}).items()
    ]
    return _with_base(row, marks)


def measured_marks(row: PanelRow, rows: pd.DataFrame) -> list[Mark]:
    """The rows of that row's steps. rows : as `marks_of` has them, with `group`."""
    fields = ["group", "step", "value", "low", "high", "state", "hollow"]
    own = rows.loc[rows["step"].isin(row.steps), fields]
    return _with_base(row, [Mark(*each) for each in own.itertuples(index=False, name=None)])


def steps_in(row: PanelRow, marks: Sequence[Mark]) -> list[str]:
    """The steps of a row that any of these marks is of."""
    there = {mark.step for mark in marks}
    return [step for step in row.steps if step in there]


def handle(row: PanelRow, step: str) -> Artist:
    """Of a legend."""
    colour, hatch = _look(row, step)
    if not row.points:
        return Patch(facecolor=colour, hatch=hatch, edgecolor="black", label=step)
    return Line2D(
        [], [], linestyle="none", marker=MARKERS[HATCHES.index(hatch)], markersize=8, color=colour,
        markeredgecolor="black", label=step,
    )  # fmt: skip


def scale(axes: Axes, row: PanelRow, marks: Sequence[Mark]) -> None:
    """An axis around all values and what is written beside them: of bars from 0. A whisker leaves it that is
    longer than half of what the values span."""
    drawn = [mark for mark in marks if mark.state == "ok"]
    values = [mark.value for mark in drawn] + ([] if row.even is None else [row.even])
    if not values:
        axes.set_yticks([])
        return
    least, most = min(values), max(values)
    if not row.points and not row.log:
        least = min(0.0, least)
    if row.log:
        axes.set_yscale("log")
        room = 1.5 * (most / least) ** (0.08 if row.points else 0.25)
        # At least a decade, whose ends are labelled.
        low = least / 2.0 if most > 100 * least else min(least / 2.5, 10 ** np.floor(np.log10(least)))
        axes.set_ylim(low, most * room)
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        room = (most - least) or 0.1 * abs(most) or 1.0
        low = max(min([least, *(mark.low for mark in drawn)]), least - room / 2)
        high = min(max([most, *(mark.high for mark in drawn)]), most + room / 2)
        axes.set_ylim(low - 0.08 * room if row.points or least < 0 else 0.0, high + 0.18 * room)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: row.form(value)))


def draw_marks(axes: Axes, row: PanelRow, marks: Sequence[Mark]) -> None:
    """The marks, each with its value, on an axis that is scaled."""
    steps = steps_in(row, marks)
    width = FILLED / max(1, len(steps))
    for mark in marks:
        x = mark.group + (steps.index(mark.step) - (len(steps) - 1) / 2) * width
        if mark.state != "ok":
            bars.draw_slot(axes, x, 0.92 * width, mark.state)
            continue
        (_point if row.points else _bar)(axes, x, 0.92 * width, mark, _look(row, mark.step))
        if mark.step != row.base:
            _write(axes, row, x, mark, upwards=len(steps) > 1)
    if row.even is not None:
        axes.axhline(row.even, color="black", linewidth=1, zorder=3)


def write_words(axes: Axes, row: PanelRow, names: Sequence[str]) -> None:
    """What the paper says of a name without a number, upwards from no effect, or from where bars begin."""
    for group, name in enumerate(names):
        if name in row.words:
            bars.write_upwards(axes, group, (row.even or 0.0) if row.points else 0.0, row.words[name])


def _with_base(row: PanelRow, marks: Sequence[Mark]) -> list[Mark]:
    """And the step that they are held against, in each group that has a number."""
    even = row.even or 0.0
    groups = sorted({mark.group for mark in marks if mark.state == "ok"}) if row.base else []
    return [*(Mark(group, row.base, even, even, even) for group in groups), *marks]


def _look(row: PanelRow, step: str) -> tuple[str, str]:
    """Colour and hatch of a step."""
    place = list(row.steps).index(step)
    return PALETTE[place % len(PALETTE)], HATCHES[place % len(HATCHES)]


def _bar(axes: Axes, x: float, width: float, mark: Mark, look: tuple[str, str]) -> None:
    colour, hatch = look
    axes.bar(
        x, mark.value, width, color="white" if mark.hollow else colour, hatch="" if mark.hollow else hatch,
        edgecolor=colour if mark.hollow else "black", linewidth=2.0 if mark.hollow else 0.6,
        yerr=_ends(mark), error_kw={"elinewidth": 1.2, "capsize": 2.5, "ecolor": "black"},
    )  # fmt: skip


def _point(axes: Axes, x: float, width: float, mark: Mark, look: tuple[str, str]) -> None:
    colour, hatch = look
    axes.errorbar(
        x, mark.value, yerr=_ends(mark), elinewidth=1.4, capsize=3,
        ecolor="black", marker=MARKERS[HATCHES.index(hatch)], markersize=8, linestyle="none",
        color="white" if mark.hollow else colour, markeredgecolor=colour if mark.hollow else "black",
        markeredgewidth=2.0 if mark.hollow else 1.0, zorder=4,
    )  # fmt: skip


def _ends(mark: Mark) -> list[list[float]] | None:
    """Of a whisker; None where there is no interval, as of a printed number."""
    if mark.low == mark.high:
        return None
    return [[max(0.0, mark.value - mark.low)], [max(0.0, mark.high - mark.value)]]


def _write(axes: Axes, row: PanelRow, x: float, mark: Mark, upwards: bool) -> None:
    """The value: upwards beside its point; else above its mark and the whisker, unless that leaves the axis,
    or at the foot of a bar that ends far below the whisker or the line at `even`. Never across that line."""
    text = row.form(mark.value)
    beside = row.points and upwards
    start = mark.high if mark.high < axes.get_ylim()[1] else mark.value
    aside, above, anchor = 0.0, 7.0 if row.points else 5.0, "bottom"
    if beside:
        start, aside, above, anchor = mark.value, 9.5, 0.0, "center"
    length = 0.0 if row.log or not upwards else _length(axes, text)
    low = start - length / 2 if beside else start
    crosses = row.even is not None and low < row.even < low + length
    far = start - mark.value > length or (crosses and mark.value < (row.even or 0.0))
    if length and far and not row.points and 1.3 * length < mark.low - axes.get_ylim()[0]:
        start = axes.get_ylim()[0]
    elif row.even is not None and crosses:
        start, above, anchor = row.even, 3.0, "bottom"
    axes.annotate(
        text, (x, start), (aside, above), textcoords="offset points", ha="center", va=anchor,
        rotation=90 if upwards else 0, fontsize=SMALL, bbox=bars.GROUND, zorder=5,
    )  # fmt: skip


def _length(axes: Axes, text: str) -> float:
    """What a text that is written upwards takes of a linear axis, about."""
    low, high = axes.get_ylim()
    inches = axes.get_window_extent().height / axes.figure.dpi
    return LETTER * (len(text) + 1) * (high - low) / inches
