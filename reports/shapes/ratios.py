"""Ways of doing one thing as bars over one of them, which is 1; the printed range as a band."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Patch
from matplotlib.ticker import AutoLocator, FuncFormatter, NullFormatter

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

    name : what they are over
    printed : least and most
    of : what these are of
    dash : a column that is drawn across the bars; empty for none
    dashed : what the legend says of it
    """

    name: str
    printed: tuple[float, float]
    of: str = ""
    dash: str = ""
    dashed: str = ""

    def __call__(self, axes: Axes, frame: pd.DataFrame) -> None:
        baseline = frame["pair"] == BASELINE
        ratios = {name: frame[name].mask(baseline, 1.0) for name in ("ratio", "ratio_low", "ratio_high")}
        rows = frame.assign(**ratios, pair=frame["pair"].mask(baseline, frame["status"]))
        label = f"seconds over those\nof {self.name}"
        bars.bar_panel(axes, rows, bars.Panel("ratio", "ratio_low", "ratio_high", label, "pair", log=False))
        places, width = bars.positions(rows)
        ok = rows.assign(x=places)[rows["pair"] == "ok"]
        if _scale(axes, ok, self.printed):
            axes.set_ylabel(f"{label} (log)")
        axes.axhspan(*self.printed, color=BAND, zorder=0)
        axes.axhline(1, color="black", linewidth=1)
        ratios_or_seconds = ok["ratio"].map(bars.times).mask(baseline, ok["median"].map(bars.seconds))
        texts = ok.get("written", ratios_or_seconds)
        for x, high, text in zip(ok["x"], ok["ratio_high"], texts, strict=True):
            bars.write_upwards(axes, x, high, text)
        low, high = self.printed
        more: list[Artist] = [Patch(facecolor=BAND, label=f"printed{self.of}: {low:g}x to {high:g}x")]
        if self.dash:
            dashes = rows.assign(x=places)[rows[self.dash].notna()]
            ends = dashes["x"] - width / 2, dashes["x"] + width / 2
            axes.hlines(dashes[self.dash], *ends, color="black", linewidth=2.6)
            more.append(legend_mark("dash", self.dashed))
        bars.legend(axes, frame, more)


def _scale(axes: Axes, ok: pd.DataFrame, printed: tuple[float, float]) -> bool:
    """Scale bars from 0, with room for their labels; on a log axis where one is MUCH longer than the print.
    Returns whether it is one."""
    most = max([printed[1], *ok["ratio_high"]])
    axes.yaxis.set_major_locator(AutoLocator())
    if most <= MUCH * printed[1]:
        axes.set_ylim(0, (1 + ROOM) * most)
        return False
    least = min([1.0, *ok["ratio_low"]])
    axes.set_yscale("log")
    axes.set_ylim(least / 2, most * (most / least) ** ROOM)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    return True
