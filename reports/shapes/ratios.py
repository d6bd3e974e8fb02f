"""Ratios over one way of several as bars, the printed range as a band."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import AutoLocator, FuncFormatter, NullFormatter

from reports.shapes import bars
from reports.shapes.gains import MUCH, legend_mark

# What `pair` says of the rows that the others are held against.
BASELINE = "baseline"
BAND = "#e4e4e4"
# Of what the bars take: how much more the axis has for a ratio written above them, and for its regime too.
ROOM, WIDE = 0.45, 0.8


@dataclass(frozen=True)
class Over:
    """A panel of the ratios of all rows but the baseline's, and a legend.

    name : what they are over.
    printed : least and most.
    of : what these are of.
    regimes : each bar is labelled with its own too.
    marks : of the legend, as `gains_legend` takes them.
    """

    name: str
    printed: tuple[float, float]
    of: str = ""
    regimes: bool = False
    marks: tuple[tuple[str, str], ...] = ()

    def __call__(self, axes: Axes, frame: pd.DataFrame) -> None:
        over = frame["pair"] != BASELINE
        label = f"seconds over those\nof {self.name}"
        panel = bars.Panel("ratio", "ratio_low", "ratio_high", label, "pair", log=False)
        bars.bar_panel(axes, frame, panel, over)
        _scale(axes, frame, self.printed, WIDE if self.regimes else ROOM)
        axes.axhspan(*self.printed, color=BAND, zorder=0)
        axes.axhline(1, color="black", linewidth=1)
        _label(axes, frame[over], self.regimes)
        low, high = self.printed
        band = Patch(facecolor=BAND, label=f"printed{self.of}: {low:g}x to {high:g}x")
        marks = [legend_mark(kind, text) for kind, text in self.marks]
        bars.legend(axes, frame, {}, hidden=_unmeasured(frame), more=[band, *marks])


def _unmeasured(frame: pd.DataFrame) -> set[str]:
    """The series that only slots have, where others have a machine."""
    known = frame["machine"].notna()
    measured = set(frame.loc[known, "series"]) or set(frame.loc[frame["case"].notna(), "series"])
    return set(frame["series"]) - measured


def _scale(axes: Axes, rows: pd.DataFrame, printed: tuple[float, float], room: float) -> None:
    """Bars from 0, with room for their labels; a log axis where one is MUCH longer than the print, or the
    print spans much."""
    ok = rows[rows["pair"] == "ok"]
    low, high = printed
    most = max(high, float(ok["ratio_high"].max()) if len(ok) else 0.0)
    axes.yaxis.set_major_locator(AutoLocator())
    if most > MUCH * high or high > MUCH * low:
        least = min(1.0, float(ok["ratio_low"].min()) if len(ok) else 1.0)
        axes.set_yscale("log")
        axes.set_ylim(least / 2, most * (most / least) ** room)
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_ylim(0, (1 + room) * most)


def _label(axes: Axes, rows: pd.DataFrame, regimes: bool) -> None:
    """Ratio and regime of each bar, upwards from its whisker."""
    for x, row in zip(bars.positions(rows)[0], rows.to_dict("records"), strict=True):
        if row["pair"] == "ok":
            regime = row["regime"] if regimes else ""
            text = bars.times(row["ratio"]) + (f", {regime}" if regime else "")
            bars.write_upwards(axes, x, row["ratio_high"], text)
