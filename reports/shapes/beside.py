"""Printed and measured numbers on one axis: a group for each matrix, a mark for each step."""

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from reports.shapes import bars
from reports.shapes.axes import legend_above, name_matrices
from reports.shapes.style import NORMAL, Look, looks, new_figure

# Inches around the panels.
SIDES = 1.6


@dataclass(frozen=True)
class Step:
    """A mark of each group.

    name : of the legend.
    value : a column, with its interval in `<value>_low` and `<value>_high` where the frame has them.
    only : values of the frame's rows.
    """

    name: str
    value: str
    only: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class PanelRow:
    """One row of panels.

    printed : numbers by the name of a step, and by the matrix below the axis.
    words : the paper's statements without a number, by the matrix below the axis.
    status : a column that is `ok` where there is a value; else it is written into a slot.
    hollow : a column that is true where a mark is empty.
    even : the value of no effect, None where there is none.
    points : with whiskers, in place of bars.
    form : of a written value.
    """

    label: str
    steps: Sequence[Step]
    printed: Mapping[str, Mapping[str, float]]
    words: Mapping[str, str] = field(default_factory=dict)
    status: str = "pair"
    hollow: str = ""
    even: float | None = 1.0
    points: bool = False
    log: bool = False
    form: Callable[[float], str] = bars.times

    def __call__(self, axes: Axes, frame: pd.DataFrame) -> None:
        """Draw what was measured on axes of its own."""
        self.draw([axes], [self.marks(frame)], looks(step.name for step in self.steps))

    def draw(self, panels: Sequence[Axes], marks: Sequence[pd.DataFrame], known: Mapping[str, Look]) -> None:
        """Draw each panel's marks on a common axis, with a line where there is no effect."""
        even, own = [] if self.even is None else [self.even], {s.name: known[s.name] for s in self.steps}
        panels[0].set_ylabel(self.label)
        bars.scale(panels[0], pd.concat(marks), self.log, even, self.points, self.form)
        for axes, each in zip(panels, marks, strict=True):
            bars.draw_marks(axes, each, own, self.points)
            for value in even:
                axes.axhline(value, color="black", linewidth=1, zorder=3)

    def marks(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return a mark per row and step."""
        parts = [(step, bars.having(frame, step.only).assign(series=step.name)) for step in self.steps]
        how = self.status, self.form, self.hollow
        return pd.concat([bars.marks_of(rows, step.value, *how) for step, rows in parts], ignore_index=True)

    def prints(self, names: Sequence[str]) -> pd.DataFrame:
        """Return the marks of what is printed of each name, in groups of their order; words are in slots."""
        steps = [step.name for step in self.steps]
        if unknown := {*self.printed} - {*steps}:
            raise ValueError(f"printed numbers of {min(unknown)}, which is none of {', '.join(steps)}")
        printed = pd.DataFrame(dict(self.printed), [*names], steps).stack().dropna().reset_index()
        numbers = [(*mark, "ok") for mark in printed.itertuples(index=False)]
        words = [(name, steps[-1], np.nan, text) for name, text in self.words.items()]
        frame = pd.DataFrame([*numbers, *words], columns=["group", "series", "value", "status"])
        frame["group"] = frame["group"].map(names.index)
        return bars.marks_of(frame, "value", form=self.form)


@dataclass(frozen=True)
class BesidePrint:
    """Rows of panels: the print on the left, then what was measured.

    printed_on : the heading of the print's panels.
    hollow : the meaning of an empty bar or point.
    by : a column whose values have a panel each, which they head; empty for one panel.
    height : of a row, in inches.
    """

    rows: Sequence[PanelRow]
    printed_on: str
    hollow: str = ""
    by: str = ""
    height: float = 4.2

    def __call__(self, frame: pd.DataFrame, title: str) -> Figure:
        printed = [by for row in self.rows for by in (*row.printed.values(), row.words)]
        names = list(dict.fromkeys(name for by in printed for name in by))
        groups = pd.DataFrame({"label": names, "group": range(len(names))})
        parts = {self.printed_on: groups.assign(stand_in_for=None, preparation=None)}
        kinds = frame[self.by] if self.by else pd.Series("measured", frame.index)
        machine, device = (" and ".join(frame[name].dropna().unique()) for name in ("machine", "device"))
        where = f"{machine} ({device})" if device else machine
        for kind, part in frame.groupby(kinds, sort=False):
            parts[f"{kind} on {where}"] = part.assign(group=pd.factorize(part["group"])[0])
        sizes = [part["group"].nunique() for part in parts.values()]
        inches = float(np.clip(SIDES + 1.4 * sum(sizes), 10.0, max(12.4, SIDES + 0.65 * sum(sizes))))
        figure = new_figure(inches, 1.6 + self.height * len(self.rows), title)
        shape: Any = {"squeeze": False, "sharey": "row", "sharex": "col", "width_ratios": sizes}
        grid = figure.subplots(len(self.rows), len(sizes), **shape)
        known = looks(step.name for row in self.rows for step in row.steps)
        for row, line in zip(self.rows, grid, strict=True):
            line[0].set_facecolor("#f4f1e8")
            row.draw(line, [row.prints(names), *map(row.marks, [*parts.values()][1:])], known)
        for (heading, part), size, column in zip(parts.items(), sizes, grid.T, strict=True):
            wide = max(14, int(10.5 * size * (inches - SIDES) / sum(sizes)))
            text = textwrap.fill(heading, wide, break_on_hyphens=False)
            column[0].set_title(text, loc="left", fontsize=NORMAL)
            name_matrices(column[-1], part)
        empty = Patch(facecolor="white", edgecolor="#444444", linewidth=2, label=self.hollow)
        has_empty = any(frame[row.hollow].any() for row in self.rows if row.hollow)
        legend_above(figure, [empty] if has_empty else [])
        return figure
