"""Bars over those of a baseline: of what each part of a whole took, and of ways of doing one thing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from reports.shapes import bars
from reports.shapes.style import SMALL, looks

# The `pair` of rows that others are compared with.
BASELINE = "baseline"
STATUS = "stack"


class Part(NamedTuple):
    """A part of a bar, whose seconds are in the column `seconds_<name>`."""

    name: str
    label: str
    colour: str


def with_shares(
    frame: pd.DataFrame, parts: Sequence[Part], over: "pd.Series[float] | None" = None
) -> pd.DataFrame:
    """Return the frame with `share_<part>`, seconds over `over`, and `stack`, why a bar is absent or `ok`.

    over : seconds, unknown where there is no such thing; None for the sum of the row's parts
    """
    if over is None:
        over = frame[[f"seconds_{part.name}" for part in parts]].sum(axis=1, min_count=1)
    seconds = {f"share_{part.name}": frame[f"seconds_{part.name}"] for part in parts}
    shares = {name: (each / over).astype("float64") for name, each in seconds.items()}
    nothing = (frame["status"] == "ok") & over.isna()
    status = frame["status"].astype("object").mask(nothing, "nothing_to_compare")
    return frame.assign(**shares, **{STATUS: status})


def stacked_panel(
    axes: Axes, frame: pd.DataFrame, parts: Sequence[Part], label: str, more: Sequence[Artist] = ()
) -> pd.DataFrame:
    """Draw the shares one on another, hatched by series, and return the rows with a bar, `x` and `top`.

    more : of the legend, after the parts that are drawn
    """
    known, (drawn, width) = looks(frame["series"]), bars.with_slots(axes, frame.assign(top=0.0), STATUS)
    hatches = [known[name].hatch for name in drawn["series"]]
    for part in parts:
        height = drawn[f"share_{part.name}"].fillna(0.0)
        axes.bar(
            drawn["x"], height, 0.92 * width, drawn["top"], color=part.colour, hatch=hatches,
            edgecolor="black", linewidth=(height > 0) * 0.6,
        )  # fmt: skip
        drawn = drawn.assign(top=drawn["top"] + height)
    axes.set(ylim=(0, 1), yticks=[0, 0.25, 0.5, 0.75, 1], ylabel=label)
    present = [part for part in parts if drawn[f"share_{part.name}"].gt(0).any()]
    patches = [Patch(facecolor=part.colour, edgecolor="black", label=part.label) for part in present]
    bars.legend(axes, [*patches, *more])
    return drawn


@dataclass(frozen=True)
class Stacked:
    """A panel of bars of parts over the seconds of a series, and the ratio of that series above each group.

    over : the series
    printed : least and most of the ratios
    """

    over: str
    parts: Sequence[Part]
    printed: tuple[float, float]

    def __call__(self, axes: Axes, frame: pd.DataFrame) -> None:
        low, high = self.printed
        words = f"above, printed {low:g}x to {high:g}x"
        hatched = [
            Patch(facecolor="white", hatch=look.hatch, edgecolor="black", label=name)
            for name, look in looks(frame["series"]).items()
        ]
        more = [*hatched, Line2D([], [], linestyle="none", label=words)] if hatched else []
        drawn = stacked_panel(axes, frame, self.parts, f"seconds over those of\n{self.over}", more)
        for x, top, median in drawn[["x", "top", "median"]].to_numpy().tolist():
            axes.annotate(
                bars.seconds(median), (x, top), (0, 5), textcoords="offset points", rotation=90, ha="center",
                va="bottom", fontsize=SMALL, bbox=bars.GROUND,
            )  # fmt: skip
        axes.set_ylim(0, 1.45 * max([1.0, *drawn["top"]]))
        rows = frame[(frame["series"] == self.over) & (frame["pair"] == "ok")]
        for group, ratio in zip(rows["group"], rows["ratio"], strict=True):
            axes.text(
                group, 0.98, bars.times(ratio), transform=axes.get_xaxis_transform(), ha="center", va="top",
                weight="bold", bbox=bars.GROUND,
            )  # fmt: skip


@dataclass(frozen=True)
class Over:
    """A panel of ratios over `name`, the baseline's as 1, the printed range, `of` something, as a band.

    Above a bar is its ratio, above the baseline its seconds; in place of both `written` of the frame.

    dash : a column that is drawn across the bars, and its name in the legend; empty for none
    """

    name: str
    printed: tuple[float, float]
    of: str = ""
    dash: str = ""

    def __call__(self, axes: Axes, frame: pd.DataFrame) -> None:
        baseline, (low, high) = frame["pair"] == BASELINE, self.printed
        ratios = {name: frame[name].mask(baseline, 1.0) for name in ("ratio", "ratio_low", "ratio_high")}
        rows = frame.assign(**ratios, pair=frame["pair"].mask(baseline, frame["status"]))
        marks = bars.marks_of(rows, "ratio", "pair", bars.times)
        texts = marks["text"].mask(baseline, frame["median"].map(bars.seconds))
        marks = marks.assign(text=frame.get("written", texts))
        log = bool(marks["high"].max() > 8.0 * high)
        bars.scale(axes, marks, log, [high, 1.2 * max([1.0, *marks["high"].dropna()])], form="{:g}".format)
        bars.draw_marks(axes, marks, looks(frame["series"]))
        axes.set_ylabel(f"seconds over those\nof {self.name}" + log * " (log)")
        axes.axhspan(low, high, color="#e4e4e4", zorder=0, label=f"printed{self.of}: {low:g}x to {high:g}x")
        axes.axhline(1, color="black", linewidth=1)
        if self.dash:
            x, width = bars.positions(rows)
            ends = x - width / 2, x + width / 2
            axes.hlines(rows[self.dash], *ends, color="black", linewidth=2.6, label=self.dash)
