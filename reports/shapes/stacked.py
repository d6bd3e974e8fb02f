"""Bars over those of a baseline: of what each part of a whole took, and of ways of doing one thing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import AutoLocator, FuncFormatter, NullFormatter

from reports.shapes import bars
from reports.shapes.axes import Panels

# What `pair` says of the rows that the others are held against.
BASELINE = "baseline"
STATUS = "stack"
BAND = "#e4e4e4"
# Where the axis of shares ends; of what bars of ratios take: how much more their axis has. Both are room for
# what is written above.
TOP, ROOM = 1.45, 0.45
# The longest bar over the print from which on an axis is a log axis.
MUCH = 8.0
# Inches: how wide a picture may be, and a bar that needs more.
WIDE, BAR = 14.0, 0.2


@dataclass(frozen=True)
class Part:
    """A part of a bar.

    name : its seconds stand in the column `seconds_<name>`.
    label : in the legend.
    """

    name: str
    label: str
    colour: str

    @property
    def seconds(self) -> str:
        return f"seconds_{self.name}"

    @property
    def share(self) -> str:
        return f"share_{self.name}"


def with_shares(
    frame: pd.DataFrame, parts: Sequence[Part], over: pd.Series[float] | None = None
) -> pd.DataFrame:
    """Return the frame with `share_<part>`, the seconds of a part over those of what the row is held against,
    and `stack`, which says `ok` or why a row has no bar.

    frame : with `status` and the columns of seconds
    over : seconds, unknown where there is no such thing; None for the sum of the row's parts
    """
    if over is None:
        over = frame[[part.seconds for part in parts]].sum(axis=1, min_count=1)
    shares = {part.share: (frame[part.seconds] / over).astype("float64") for part in parts}
    nothing = (frame["status"] == "ok") & over.isna()
    status = frame["status"].astype("object").mask(nothing, "nothing_to_compare")
    return frame.assign(**shares, **{STATUS: status})


def stacked_panel(
    axes: Axes,
    frame: pd.DataFrame,
    parts: Sequence[Part],
    label: str,
    text: Callable[[float], str] | None = None,
    more: Sequence[Artist] = (),
) -> None:
    """Draw the shares, hatched as the series is elsewhere in the figure.

    label : of the axis
    text : above a bar, of its seconds; None for nothing
    more : of the legend, after the parts that are drawn
    """
    looks = bars.look_of(frame)
    places, width = bars.positions(frame)
    rows = frame.assign(x=places, hatch=[looks[name][1] for name in frame["series"]])
    drawn, failed = rows[rows[STATUS] == "ok"], rows[rows[STATUS] != "ok"]
    bars.draw_slots(axes, failed["x"], width, failed[STATUS])
    shares = drawn[[part.share for part in parts]].fillna(0.0)
    tops = shares.cumsum(axis=1)
    for part in parts:
        height = shares[part.share][shares[part.share] > 0]
        there = drawn.loc[height.index]
        axes.bar(
            there["x"], height, 0.92 * width, bottom=tops.loc[height.index, part.share] - height,
            color=part.colour, hatch=there["hatch"].tolist(), edgecolor="black", linewidth=0.6,
        )  # fmt: skip
    if text:
        for x, top, seconds in zip(drawn["x"], tops.iloc[:, -1], drawn["median"], strict=True):
            bars.write_upwards(axes, x, top, text(seconds))
    axes.set(ylim=(0, TOP * max([1.0, *tops.iloc[:, -1]])), yticks=[0, 0.25, 0.5, 0.75, 1], ylabel=label)
    present = [part for part in parts if shares[part.share].any()]
    patches = [Patch(facecolor=part.colour, edgecolor="black", label=part.label) for part in present]
    bars.legend(axes, [*patches, *more])


@dataclass(frozen=True)
class Stacked:
    """A bar for each of some series over the seconds of the second; above each group the ratio of the first
    two.

    series : those that have a bar
    parts : of a bar
    printed : least and most of the ratios
    derived : the rows as they are drawn
    """

    series: tuple[str, ...]
    parts: Sequence[Part]
    printed: tuple[float, float]
    derived: Callable[[pd.DataFrame], pd.DataFrame]

    def __call__(self, frame: pd.DataFrame, title: str) -> Figure:
        rows = self.derived(frame[frame["series"].isin(self.series)].reset_index(drop=True))
        widest = max(WIDE, BAR * rows["group"].nunique() * rows["series"].nunique())
        return Panels([self._panel], height=7.5, widest=widest)(rows, title)

    def _panel(self, axes: Axes, frame: pd.DataFrame) -> None:
        low, high = self.printed
        more: list[Artist] = [
            Patch(facecolor="white", hatch=hatch, edgecolor="black", label=name)
            for name, (_, hatch) in bars.look_of(frame).items()
        ]
        if more:
            more.append(Line2D([], [], linestyle="none", label=f"above, printed {low:g}x to {high:g}x"))
        label = f"seconds over those of\n{self.series[1]}"
        stacked_panel(axes, frame, self.parts, label, bars.seconds, more)
        second = frame[(frame["series"] == self.series[1]) & (frame["pair"] == "ok")]
        for group, ratio in zip(second["group"], second["ratio"], strict=True):
            axes.text(
                group, 0.98, bars.times(ratio), transform=axes.get_xaxis_transform(), ha="center", va="top",
                weight="bold", bbox=bars.GROUND,
            )  # fmt: skip


@dataclass(frozen=True)
class Over:
    """A panel of the ratios of all rows, the baseline's as 1, the printed range as a band, and a legend.

    Above a bar stands its ratio, above the baseline its seconds; in place of both `written` of the frame.

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
        baseline, (low, high) = frame["pair"] == BASELINE, self.printed
        ratios = {name: frame[name].mask(baseline, 1.0) for name in ("ratio", "ratio_low", "ratio_high")}
        rows = frame.assign(**ratios, pair=frame["pair"].mask(baseline, frame["status"]))
        label = f"seconds over those\nof {self.name}"
        bars.bar_panel(axes, rows, label, "ratio", "pair", log=False)
        places, width = bars.positions(rows)
        rows = rows.assign(x=places)
        ok = rows[rows["pair"] == "ok"]
        self._scale(axes, ok, label)
        axes.axhspan(low, high, color=BAND, zorder=0)
        axes.axhline(1, color="black", linewidth=1)
        texts = ok["ratio"].map(bars.times).mask(baseline, ok["median"].map(bars.seconds))
        for x, end, text in zip(ok["x"], ok["ratio_high"], ok.get("written", texts), strict=True):
            bars.write_upwards(axes, x, end, text)
        more: list[Artist] = [Patch(facecolor=BAND, label=f"printed{self.of}: {low:g}x to {high:g}x")]
        if self.dash:
            dashes = rows[rows[self.dash].notna()]
            ends = dashes["x"] - width / 2, dashes["x"] + width / 2
            axes.hlines(dashes[self.dash], *ends, color="black", linewidth=2.6)
            look: dict[str, Any] = {"linestyle": "none", "marker": "_", "markersize": 12, "color": "black"}
            more.append(Line2D([], [], label=self.dashed, **look))
        bars.legend(axes, [*bars.handles(frame), *more])

    def _scale(self, axes: Axes, ok: pd.DataFrame, label: str) -> None:
        """Scale bars from 0, with room for their labels; on a log axis where one is MUCH longer than the
        print."""
        least, most = min([1.0, *ok["ratio_low"]]), max([self.printed[1], *ok["ratio_high"]])
        if most <= MUCH * self.printed[1]:
            axes.set_ylim(0, (1 + ROOM) * most)
            axes.yaxis.set_major_locator(AutoLocator())
            return
        axes.set(yscale="log", ylim=(least / 2, most * (most / least) ** ROOM), ylabel=f"{label} (log)")
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.yaxis.set_minor_formatter(NullFormatter())
