"""Lines over numbers on log axes: how a line looks, what stands at its end, and a panel per series."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fillpath.record import UNTRIED
from reports.shapes import bars
from reports.shapes.axes import seconds_axis
from reports.shapes.groups import lines
from reports.shapes.labels import legend_above
from reports.shapes.style import MARKERS, PALETTE, SMALL, headline, new_figure

# Inches from a text at a line's end to the next.
LINE = 0.35
# One number's seconds over the numbers.
EVEN: dict[str, Any] = {"color": "#777777", "linestyle": ":", "linewidth": 1.0}


def look(place: int) -> dict[str, Any]:
    """Return the colour and marker of a line; no two share both."""
    count = len(PALETTE)
    return {"color": PALETTE[place % count], "marker": MARKERS[(place + place // count) % count]}


def draw_line(axes: Axes, x: str, rows: pd.DataFrame, look: dict[str, Any], joined: bool = True) -> None:
    """Draw `median` over a column with its whiskers, the points joined or not."""
    whiskers = [rows["median"] - rows["low"], rows["high"] - rows["median"]]
    axes.errorbar(
        rows[x].astype(float), rows["median"], yerr=[side.clip(lower=0) for side in whiskers], **look,
        linestyle="-" if joined else "none", linewidth=1.8, markersize=7, markeredgecolor="black",
        capsize=3, ecolor="black", elinewidth=1.0,
    )  # fmt: skip


def write_ends(axes: Axes, x: str, ends: pd.DataFrame, texts: pd.Series[str]) -> None:
    """Write the texts right of the lines' ends, one above the other where these are close."""
    low, high = axes.get_ylim()
    gap, least = (high / low) ** (LINE / _height(axes)), 0.0
    ordered = ends.sort_values("median", kind="stable")
    numbers = ordered[[x, "median"]].astype(float).to_numpy().tolist()
    for (place, median), text in zip(numbers, texts[ordered.index], strict=True):
        least = max(median, least)
        axes.annotate(
            text, (place, least), (9, 0), textcoords="offset points", va="center", fontsize=SMALL,
            bbox=bars.GROUND,
        )  # fmt: skip
        least *= gap


def _height(axes: Axes) -> float:
    """Return the inches of the figure that a row of panels has."""
    place, figure = axes.get_subplotspec(), axes.get_figure()
    rows = place.get_gridspec().nrows if place else 1
    return float(figure.get_figheight()) / rows if isinstance(figure, Figure) else 1.0


@dataclass(frozen=True)
class Lines:
    """A panel per series, with a line per matrix over a count; written at its end: a ratio.

    x : the column of the count
    panels : the series
    label : of the vertical axis, which is of seconds
    written : the column of the ratio; the row that has it at an end is true in `most`
    without : what `pair` says of rows that are not drawn
    even : what the first point of a line over the numbers is called
    """

    x: str
    panels: Sequence[str]
    label: str
    written: str = "ratio"
    without: str = ""
    even: str = ""

    def __call__(self, frame: pd.DataFrame, title: str) -> Figure:
        drawn = frame[(frame["status"] == "ok") & (frame["pair"] != self.without)]
        firsts = drawn.drop_duplicates("label")
        looks = {label: look(place) for place, label in enumerate(firsts["label"])}
        figure = new_figure(13.0, 6.4)
        headline(figure, title)
        panels = figure.subplots(1, len(self.panels), sharex=True, sharey=True)
        for axes, name in zip(panels, self.panels, strict=True):
            axes.set_title(name, loc="left")
            axes.set_xlabel(f"{self.x} (log)")
            self._panel(axes, drawn[drawn["series"] == name], looks)
            _write_failures(axes, frame[frame["series"] == name])
        if len(drawn):
            self._scale(panels[0], drawn)
            for axes, name in zip(panels, self.panels, strict=True):
                ends = drawn[(drawn["series"] == name) & drawn["most"]]
                write_ends(axes, self.x, ends, ends[self.written].map(bars.times))
        panels[0].set_ylabel(self.label)
        names = {row["label"]: lines(row).replace("\n", ", ") for row in firsts.to_dict("records")}
        named = [
            Line2D([], [], **look, linewidth=1.8, markeredgecolor="black", label=names[label])
            for label, look in looks.items()
        ]
        legend_above(figure, [*named, Line2D([], [], **EVEN, label=self.even)])
        return figure

    def _panel(self, axes: Axes, rows: pd.DataFrame, looks: dict[str, dict[str, Any]]) -> None:
        for label, line in rows.sort_values(self.x).groupby("label", sort=False):
            draw_line(axes, self.x, line, looks[str(label)])
            x = line[self.x].astype(float)
            for one in line.loc[line[self.x] == 1, "median"]:
                axes.plot(x, one / x, **EVEN, zorder=1)
            if len(line) == 1:
                _ring(axes, float(x.iloc[0]), line.iloc[0], looks[str(label)]["color"])
        if rows.empty:
            axes.text(0.5, 0.5, "not measured", transform=axes.transAxes, ha="center")

    def _scale(self, axes: Axes, drawn: pd.DataFrame) -> None:
        ticks = sorted(drawn[self.x].astype(int).unique())
        axes.set_xscale("log", base=2)
        axes.set_xticks(ticks, [str(tick) for tick in ticks])
        axes.set_xlim(0.85, 2.1 * ticks[-1])
        seconds_axis(axes)


def _ring(axes: Axes, x: float, row: pd.Series[Any], colour: str) -> None:
    """Draw a ring around a point without a line, which another's marker does not hide, and its matrix."""
    place = (x, float(row["median"]))
    axes.plot(*place, marker="o", markersize=13, color="none", markeredgecolor=colour, markeredgewidth=2)
    axes.annotate(
        row["label"], place, (0, -13), textcoords="offset points", ha="center", va="top", fontsize=SMALL,
        color=colour, bbox=bars.GROUND,
    )  # fmt: skip


def _write_failures(axes: Axes, rows: pd.DataFrame) -> None:
    """Write the matrices without a line, and why."""
    failed = rows.loc[~rows["status"].isin(["ok", *UNTRIED]), ["label", "status"]].astype(str)
    texts = (failed["label"] + ": " + failed["status"].str.replace("_", " ")).unique()
    axes.text(0.02, 0.02, "\n".join(texts), transform=axes.transAxes, fontsize=SMALL, va="bottom")
