"""Ways of doing one thing as bars over one of them, which is 1; the printed range as a band."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import AutoLocator, FuncFormatter, NullFormatter

from fillpath.dicts import dicts
from reports.shapes import bars
from reports.shapes.gains import MUCH, legend_mark

# What `pair` says of the rows that the others are held against.
BASELINE = "baseline"
BAND = "#e4e4e4"
# Of what the bars take: how much more the axis has for what is written above them.
ROOM = 0.45


@dataclass(frozen=True)
class Over:
    """A panel of the ratios of all rows, the baseline's as 1, and a legend.

    name : what they are over.
    printed : least and most.
    of : what these are of.
    marks : of the legend, as `gains_legend` takes them.
    """

    name: str
    printed: tuple[float, float]
    of: str = ""
    marks: tuple[tuple[str, str], ...] = ()

    def __call__(self, axes: Axes, frame: pd.DataFrame) -> None:
        rows = _with_baseline(frame)
        label = f"seconds over those\nof {self.name}"
        bars.bar_panel(axes, rows, bars.Panel("ratio", "ratio_low", "ratio_high", label, "pair", log=False))
        if _scale(axes, rows, self.printed):
            axes.set_ylabel(f"{label} (log)")
        axes.axhspan(*self.printed, color=BAND, zorder=0)
        axes.axhline(1, color="black", linewidth=1)
        _label(axes, frame, rows)
        low, high = self.printed
        band = Patch(facecolor=BAND, label=f"printed{self.of}: {low:g}x to {high:g}x")
        marks = [legend_mark(kind, text) for kind, text in self.marks]
        bars.legend(axes, frame, {}, hidden=_unmeasured(frame), more=[band, *marks])


def _with_baseline(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows, those of the baseline with a ratio of 1, or their status."""
    baseline = frame["pair"] == BASELINE
    ratios = {name: frame[name].where(~baseline, 1.0) for name in ("ratio", "ratio_low", "ratio_high")}
    return frame.assign(pair=frame["pair"].where(~baseline, frame["status"]), **ratios)


def _unmeasured(frame: pd.DataFrame) -> set[str]:
    """The series that only slots have, where others have a machine."""
    known = frame["machine"].notna()
    measured = set(frame.loc[known, "series"]) or set(frame.loc[frame["case"].notna(), "series"])
    return set(frame["series"]) - measured


def _scale(axes: Axes, rows: pd.DataFrame, printed: tuple[float, float]) -> bool:
    """Bars from 0, with room for their labels; a log axis where one is MUCH longer than the print. Returns
    whether it is one."""
    ok = rows[rows["pair"] == "ok"]
    most = max(printed[1], float(ok["ratio_high"].max()) if len(ok) else 0.0)
    axes.yaxis.set_major_locator(AutoLocator())
    if most <= MUCH * printed[1]:
        axes.set_ylim(0, (1 + ROOM) * most)
        return False
    least = min(1.0, float(ok["ratio_low"].min()))
    axes.set_yscale("log")
    axes.set_ylim(least / 2, most * (most / least) ** ROOM)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    return True


def _label(axes: Axes, frame: pd.DataFrame, rows: pd.DataFrame) -> None:
    """The ratio of each bar, of the baseline its seconds, upwards from its whisker."""
    baseline = frame["pair"] == BASELINE
    places = bars.positions(rows)[0]
    for x, row, is_baseline in zip(places, dicts(rows), baseline, strict=True):
        if row["pair"] == "ok":
            text = bars.seconds(row["median"]) if is_baseline else bars.times(row["ratio"])
            bars.write_upwards(axes, x, row["ratio_high"], text)
