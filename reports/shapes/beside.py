"""The print and what was measured beside it: panels side by side on one axis, a group for each matrix."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from reports.shapes import bars
from reports.shapes.groups import name_matrices
from reports.shapes.marks import (
    Mark,
    PanelRow,
    draw_marks,
    handle,
    measured_marks,
    printed_marks,
    scale,
    steps_in,
    write_words,
)
from reports.shapes.style import NORMAL, SMALL, headline, new_figure

# Inches: of a picture, of a group of many steps and what a group of one step takes of it, beside the panels.
LEAST, MOST, A_GROUP, OF_ONE, SIDES = 10.0, 12.4, 1.4, 0.5, 1.6
# Points: between a heading and its panel, of a legend's line, of a heading's.
PAD, LINE, HEADING = 6.0, 20.0, 15.0
# Letters of a heading per inch.
LETTERS = 10.5
# Behind the print.
PAPER = "#f4f1e8"


@dataclass(frozen=True)
class PanelColumn:
    """The panels of one kind of measurement, or of the print.

    heading : above them.
    marks : of each row.
    size : of the groups, where one of all steps is 1.
    name : writes the groups below the lowest panel.
    """

    heading: str
    marks: list[list[Mark]]
    size: float
    name: Callable[[Axes], None]


@dataclass(frozen=True)
class BesidePrint:
    """Rows of panels: the print on the left, then a panel for each kind of measurement.

    rows : one above the other.
    printed_on : what the print was measured on, the heading of its panels.
    marks : what is drawn of the frame, as `marks_of` has it.
    hollow : what an empty bar or point means.
    height : of a row, in inches.
    """

    rows: Sequence[PanelRow]
    printed_on: str
    marks: Callable[[pd.DataFrame], pd.DataFrame]
    hollow: str = ""
    height: float = 4.2

    def __call__(self, frame: pd.DataFrame, title: str) -> Figure:
        marks = self.marks(frame)
        panels = list(dict.fromkeys(marks["panel"]))
        columns = [self._print(), *(self._measured(p, marks[marks["panel"] == p]) for p in panels)]
        whole = sum(column.size for column in columns)
        inches = float(np.clip(SIDES + A_GROUP * whole, LEAST, MOST))
        a_size = (inches - SIDES) / whole
        figure = new_figure(inches, 1.6 + self.height * len(self.rows))
        headline(figure, title)
        grid = figure.subplots(
            len(self.rows), len(columns), squeeze=False, sharey="row", sharex="col",
            width_ratios=[column.size for column in columns],
        )  # fmt: skip
        for number, (row, line) in enumerate(zip(self.rows, grid, strict=True)):
            drawn = [column.marks[number] for column in columns]
            self._draw(line, row, drawn)
            # Headings above the first row.
            wrapped = [_wrapped(c.heading, c.size * a_size) if number == 0 else "" for c in columns]
            tall = max(text.count("\n") + 1 for text in wrapped) if number == 0 else 0
            shown = [mark for own in drawn for mark in own]
            empty = self._legend(line, row, shown, inches, PAD + HEADING * tall)
            for axes, heading in zip(line, wrapped, strict=True):
                axes.set_title(heading or " ", loc="left", fontsize=NORMAL, pad=PAD)
                if empty:
                    # Room for the legend above.
                    axes.set_title("\n" * (empty + tall - 1) + " ", loc="right", fontsize=NORMAL, pad=PAD)
        for axes, column in zip(grid[-1], columns, strict=True):
            column.name(axes)
            axes.tick_params("x", labelrotation=40, labelsize=SMALL)
        return figure

    def _print(self) -> PanelColumn:
        names = list(dict.fromkeys(name for row in self.rows for name in (*row.printed, *row.words)))

        def name(axes: Axes) -> None:
            axes.set_xticks(range(len(names)), names, ha="right", rotation_mode="anchor")
            axes.set_xlim(-0.6, len(names) - 0.4)
            write_words(axes, self.rows[0], names)

        marks = [printed_marks(row, names) for row in self.rows]
        return PanelColumn(self.printed_on, marks, self._size(len(names), marks), name)

    def _measured(self, heading: str, part: pd.DataFrame) -> PanelColumn:
        keys = (part["label"] + " " + part["preparation"].fillna("")).tolist()
        places = list(dict.fromkeys(keys))
        rows = part.assign(group=[places.index(key) for key in keys])
        marks = [measured_marks(row, rows) for row in self.rows]
        return PanelColumn(
            heading, marks, self._size(len(places), marks), lambda axes: name_matrices(axes, rows)
        )

    def _size(self, groups: int, marks: Sequence[Sequence[Mark]]) -> float:
        """Groups of few of the steps are narrower."""
        share = max(
            len(steps_in(row, own)) / len(row.steps) for row, own in zip(self.rows, marks, strict=True)
        )
        return groups * (OF_ONE + (1 - OF_ONE) * share)

    def _draw(self, line: Sequence[Axes], row: PanelRow, marks: Sequence[Sequence[Mark]]) -> None:
        scale(line[0], row, [mark for own in marks for mark in own])
        for axes, own in zip(line, marks, strict=True):
            draw_marks(axes, row, own)
        line[0].set_facecolor(PAPER)
        line[0].set_ylabel(row.label)

    def _legend(
        self, line: Sequence[Axes], row: PanelRow, marks: Sequence[Mark], inches: float, above: float
    ) -> int:
        """So many points above the row: its steps where there are several, and what else is drawn, which is
        never of the print. Returns how many lines of a heading it takes."""
        handles = [handle(row, step) for step in steps_in(row, marks)] if len(row.steps) > 1 else []
        if any(mark.hollow for mark in marks):
            handles.append(Patch(facecolor="white", edgecolor="#444444", linewidth=2, label=self.hollow))
        if any(mark.state != "ok" for mark in marks):
            handles.append(Patch(fill=False, hatch="////", edgecolor="#888888", label="no number"))
        if not handles:
            return 0
        across = bars.columns_for(inches, handles)
        several = len(row.steps) > 1
        legend = line[0 if several else -1].legend(
            handles=handles, loc="lower left", bbox_to_anchor=(0, 1), ncols=across,
            borderaxespad=above / NORMAL,
        )  # fmt: skip
        # It is wider than its panel.
        legend.set_in_layout(False)
        return ceil(LINE * -(-len(handles) // across) / HEADING)


def _wrapped(heading: str, inches: float) -> str:
    return textwrap.fill(heading, max(14, int(LETTERS * inches)))
