"""The print and what was measured beside it, on one axis: a group for each matrix, a mark for each step."""

from __future__ import annotations

import itertools
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, NullFormatter

from reports.shapes import bars
from reports.shapes.axes import legend_above, name_matrices
from reports.shapes.style import HATCHES, MARKERS, NORMAL, PALETTE, SMALL, new_figure

# Inches: of a picture, of a group of many steps and what a group of one step takes of it, beside the panels.
LEAST, MOST, A_GROUP, OF_ONE, SIDES = 10.0, 12.4, 1.4, 0.5, 1.6
# Of a group that its marks fill; letters of a heading per inch; inches of a letter of a value.
FILLED, LETTERS, LETTER = 0.8, 10.5, 0.085
# Behind the print.
PAPER = "#f4f1e8"
# Colour, hatch and marker.
Look = tuple[str, str, str]
LOOKS: Sequence[Look] = [*zip(PALETTE, HATCHES, MARKERS, strict=True)]


@dataclass(frozen=True)
class Step:
    """The things that stand side by side in a group.

    name : of the legend.
    value : the column; its interval is in `<value>_low` and `<value>_high` where the frame has them.
    only : of the frame's rows, those with these values.
    """

    name: str
    value: str
    only: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class PanelRow:
    """One row of panels.

    label : of the axis.
    steps : what stands side by side in a group.
    printed : numbers by what stands below the axis, and by the name of a step.
    words : what the paper says without a number, by what stands below the axis; of the first row.
    status : the column that is `ok` where there is a value; else it is written into a slot.
    hollow : the column that is true where a mark is empty.
    base : the name of the step that the others are held against, drawn at `even`; empty for none.
    even : where there is no effect, None where there is no such value.
    points : with whiskers, in place of bars.
    log : the axis.
    form : of a written value.
    """

    label: str
    steps: Sequence[Step]
    printed: Mapping[str, Mapping[str, float]]
    words: Mapping[str, str] = field(default_factory=dict)
    status: str = "pair"
    hollow: str = ""
    base: str = ""
    even: float | None = 1.0
    points: bool = False
    log: bool = False
    form: Callable[[float], str] = bars.times

    @property
    def names(self) -> list[str]:
        """The names of the steps, the base first."""
        return [*([self.base] if self.base else []), *(step.name for step in self.steps)]

    def __call__(self, axes: Axes, frame: pd.DataFrame) -> None:
        """Draw what was measured on axes of its own; a legend of bars of several steps."""
        marks, looks = self.marks(frame), dict(zip(self.names, itertools.cycle(LOOKS), strict=False))
        axes.set_ylabel(self.label)
        _scale(axes, self, marks)
        _draw_marks(axes, self, marks, looks)
        bars.legend(axes, self.handles(looks, marks))

    def handles(self, looks: Mapping[str, Look], marks: pd.DataFrame) -> list[Artist]:
        """Return of a legend the steps that are drawn, where there are several."""
        drawn = [name for name in self.names if len(self.names) > 1 and name in set(marks["step"])]
        look: dict[str, Any] = {"linestyle": "none", "markersize": 8, "markeredgecolor": "black"}
        if self.points:
            return [Line2D([], [], color=looks[n][0], marker=looks[n][2], label=n, **look) for n in drawn]
        return [Patch(facecolor=looks[n][0], hatch=looks[n][1], edgecolor="black", label=n) for n in drawn]

    def marks(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return a mark per row and step: `group`, `step`, `value`, `low`, `high`, `status`, `hollow`."""
        parts = []
        for step in self.steps:
            rows = bars.having(frame, step.only)
            value, low, high = bars.with_ends(rows, step.value)
            lost = (rows[self.status] == "ok") & value.isna()
            why = rows[self.status].astype("object").mask(lost, "not measured")
            empty = rows[self.hollow].astype(bool) if self.hollow else False
            parts.append(
                rows[["group"]].assign(
                    step=step.name, value=value, low=low, high=high, status=why, hollow=empty
                )
            )
        return self._with_base(pd.concat(parts, ignore_index=True))

    def prints(self, names: Sequence[str]) -> pd.DataFrame:
        """Return the marks of what is printed of each name, in groups of their order."""
        marks = [(names.index(name), *mark) for name, of in self.printed.items() for mark in of.items()]
        frame = pd.DataFrame(marks, columns=["group", "step", "value"]).astype({"value": float})
        return self._with_base(
            frame.assign(low=frame["value"], high=frame["value"], status="ok", hollow=False)
        )

    def _with_base(self, marks: pd.DataFrame) -> pd.DataFrame:
        """Return the marks, and the base in each group that has a number."""
        if not self.base:
            return marks
        first = marks[marks["status"] == "ok"].drop_duplicates("group")
        base = first.assign(step=self.base, value=self.even, low=self.even, high=self.even, hollow=False)
        return pd.concat([base, marks], ignore_index=True)


@dataclass(frozen=True)
class BesidePrint:
    """Rows of panels: the print on the left, then what was measured.

    rows : one above the other.
    printed_on : what the print was measured on, the heading of its panels.
    hollow : what an empty bar or point means.
    by : the column whose values have a panel each, which they head; empty for one panel.
    height : of a row, in inches.
    """

    rows: Sequence[PanelRow]
    printed_on: str
    hollow: str = ""
    by: str = ""
    height: float = 4.2

    def __call__(self, frame: pd.DataFrame, title: str) -> Figure:
        names = list(dict.fromkeys(name for row in self.rows for name in (*row.printed, *row.words)))
        printed = pd.DataFrame({"label": names, "group": range(len(names)), "stand_in_for": None})
        parts = {self.printed_on: printed.assign(preparation=None)}
        kinds = frame[self.by] if self.by else pd.Series("measured", frame.index)
        for kind, part in frame.groupby(kinds, sort=False):
            parts[f"{kind} on {where(frame)}"] = part.assign(group=pd.factorize(part["group"])[0])
        marks = [[row.prints(names), *map(row.marks, [*parts.values()][1:])] for row in self.rows]
        sizes = []
        for place, part in enumerate(parts.values()):
            shares = [
                own[place]["step"].nunique() / len(r.names) for r, own in zip(self.rows, marks, strict=True)
            ]
            # With few of the steps a group is narrower.
            sizes.append(part["group"].nunique() * (OF_ONE + (1 - OF_ONE) * max(shares)))
        inches = float(np.clip(SIDES + A_GROUP * sum(sizes), LEAST, MOST))
        figure = new_figure(inches, 1.6 + self.height * len(self.rows), title)
        grid = figure.subplots(
            len(self.rows), len(sizes), squeeze=False, sharey="row", sharex="col", width_ratios=sizes
        )
        steps = dict.fromkeys(name for row in self.rows for name in row.names)
        looks = dict(zip(steps, itertools.cycle(LOOKS), strict=False))
        for row, line, own in zip(self.rows, grid, marks, strict=True):
            line[0].set(facecolor=PAPER, ylabel=row.label)
            _scale(line[0], row, pd.concat(own))
            for axes, each in zip(line, own, strict=True):
                _draw_marks(axes, row, each, looks)
        for axes, heading, size in zip(grid[0], parts, sizes, strict=True):
            wide = int(LETTERS * size * (inches - SIDES) / sum(sizes))
            lines = textwrap.wrap(heading, max(14, wide), break_on_hyphens=False)
            axes.set_title("\n".join(lines), loc="left", fontsize=NORMAL)
        for axes, part in zip(grid[-1], parts.values(), strict=True):
            name_matrices(axes, part)
            axes.tick_params("x", labelrotation=40, labelsize=SMALL)
        first = self.rows[0]
        for name, words in first.words.items():
            start = (first.even or 0.0) if first.points else 0.0
            bars.write_upwards(grid[-1][0], names.index(name), start, words)
        drawn = [pd.concat(own) for own in marks]
        handles = [
            mark for row, own in zip(self.rows, drawn, strict=True) for mark in row.handles(looks, own)
        ]
        if any(own["hollow"].any() for own in drawn):
            handles.append(Patch(facecolor="white", edgecolor="#444444", linewidth=2, label=self.hollow))
        if any((own["status"] != "ok").any() for own in drawn):
            handles.append(bars.slot_mark("no number"))
        legend_above(figure, handles)
        return figure


def where(frame: pd.DataFrame) -> str:
    """Return the machine of the rows and what device they were measured on: `h200 (NVIDIA H200)`."""
    machine, device = (" and ".join(frame[name].dropna().unique()) for name in ("machine", "device"))
    return f"{machine} ({device})" if device else machine


def _scale(axes: Axes, row: PanelRow, marks: pd.DataFrame) -> None:
    """Put an axis around all values and what is written beside them: of bars from 0.

    A whisker leaves the axis that is longer than half of what the values span.
    """
    ok = marks[marks["status"] == "ok"]
    values = [*ok["value"], *([] if row.even is None else [row.even])]
    if not values:
        axes.set_yticks([])
        return
    least, most = min(values), max(values)
    if row.log:
        room = 1.5 * (most / least) ** (0.08 if row.points else 0.25)
        # At least a decade, whose ends are labelled.
        low = least / 2.0 if most > 100 * least else min(least / 2.5, 10 ** np.floor(np.log10(least)))
        axes.set(yscale="log", ylim=(low, most * room))
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        least = least if row.points else min(0.0, least)
        room = (most - least) or 0.1 * abs(most) or 1.0
        low = max(min([least, *ok["low"]]), least - room / 2)
        high = min(max([most, *ok["high"]]), most + room / 2)
        axes.set_ylim(low - 0.08 * room if row.points or least < 0 else 0.0, high + 0.18 * room)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: row.form(value)))


def _draw_marks(axes: Axes, row: PanelRow, marks: pd.DataFrame, looks: Mapping[str, Look]) -> None:
    """Draw the marks, each with its value, on an axis that is scaled."""
    steps = [name for name in row.names if (marks["step"] == name).any()]
    width = FILLED / max(1, len(steps))
    beside = marks["step"].map({step: (k - (len(steps) - 1) / 2) * width for k, step in enumerate(steps)})
    placed = marks.assign(x=marks["group"] + beside)
    lost, ok = placed[placed["status"] != "ok"], placed[placed["status"] == "ok"]
    bars.draw_slots(axes, lost["x"], width, lost["status"])
    for (step, hollow), part in ok.groupby(["step", "hollow"], sort=False):
        _draw_step(axes, part, 0.92 * width, row.points, bool(hollow), looks[str(step)])
    for x, *mark in ok.loc[ok["step"] != row.base, ["x", "value", "low", "high"]].to_numpy():
        _write(axes, row, x, mark, upwards=len(steps) > 1)
    if row.even is not None:
        axes.axhline(row.even, color="black", linewidth=1, zorder=3)


def _draw_step(axes: Axes, part: pd.DataFrame, width: float, points: bool, hollow: bool, look: Look) -> None:
    """Draw the marks of a step; a printed number has no whisker."""
    colour, hatch, marker = look
    ends = np.array([part["value"] - part["low"], part["high"] - part["value"]]).clip(0)
    ends[:, (part["low"] == part["high"]).to_numpy()] = np.nan
    fill, edge = ("white", colour) if hollow else (colour, "black")
    if points:
        axes.errorbar(
            part["x"], part["value"], ends, elinewidth=1.4, capsize=3, ecolor="black", marker=marker,
            markersize=8, linestyle="none", color=fill, markeredgecolor=edge,
            markeredgewidth=2.0 if hollow else 1.0, zorder=4,
        )  # fmt: skip
    else:
        axes.bar(
            part["x"], part["value"], width, color=fill, hatch="" if hollow else hatch, edgecolor=edge,
            linewidth=2.0 if hollow else 0.6, yerr=ends,
            error_kw={"elinewidth": 1.2, "capsize": 2.5, "ecolor": "black"},
        )  # fmt: skip


def _write(axes: Axes, row: PanelRow, x: float, mark: Sequence[float], upwards: bool) -> None:
    """Write the value: upwards beside its point, else above its mark and whisker, and never across `even`.

    Where that leaves the axis it stands above the mark. In a bar that ends far below its whisker or the line
    at `even` it stands at the foot.
    """
    (value, least, most), (bottom, top) = mark, axes.get_ylim()
    text, even, beside = row.form(value), row.even, row.points and upwards
    start, aside, above = most if most < top else value, 0.0, 7.0 if row.points else 5.0
    if beside:
        start, aside, above = value, 9.5, 0.0
    inches = axes.get_window_extent().height / axes.figure.dpi
    length = 0.0 if row.log or not upwards else LETTER * (len(text) + 1) * (top - bottom) / inches
    low = start - length / 2 if beside else start
    crosses = even is not None and low < even < low + length
    far = start - value > length or (crosses and value < (even or 0.0))
    if length and far and not row.points and 1.3 * length < least - bottom:
        start = bottom
    elif even is not None and crosses:
        start, above, beside = even, 3.0, False
    axes.annotate(
        text, (x, start), (aside, above), textcoords="offset points", ha="center",
        va="center" if beside else "bottom", rotation=90 if upwards else 0, fontsize=SMALL, bbox=bars.GROUND,
        zorder=5,
    )  # fmt: skip
