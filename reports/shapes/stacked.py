"""Stacked bars: what each part of a whole took, one bar per series."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import Patch

from fillpath.dicts import Row, dicts
from reports.shapes import bars

# Where the axis ends, so that what is written above it has room.
TOP = 1.45
STATUS = "stack"


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


def columns_of_parts(parts: Sequence[Part]) -> list[str]:
    """The columns that `add_shares` reads and adds."""
    return [*(part.seconds for part in parts), *(part.share for part in parts), STATUS]


def add_own_shares(frame: pd.DataFrame, parts: Sequence[Part]) -> None:
    """Add `share_<part>`, its seconds over those of its whole, and `stack`, which says `ok` or why a row has
    no bar. frame : as `add_shares` has it."""
    whole = _whole(frame, parts)
    for part in parts:
        frame[part.share] = (frame[part.seconds] / whole).astype("float64")
    frame[STATUS] = frame["status"].astype("object")


def add_shares(frame: pd.DataFrame, parts: Sequence[Part], over: pd.Series[float]) -> None:
    """Add `share_<part>`, its seconds over those of what the row is held against, and `stack`, which says
    `ok` or why a row has no bar.

    frame : with `status` and the columns of seconds.
    over : seconds, unknown where there is no such thing.
    """
    for part in parts:
        frame[part.share] = (frame[part.seconds] / over).astype("float64")
    ok = frame["status"] == "ok"
    frame[STATUS] = frame["status"].astype("object").where(~ok | over.notna(), "nothing_to_compare")


def stacked_panel(
    axes: Axes,
    frame: pd.DataFrame,
    parts: Sequence[Part],
    label: str,
    text: Callable[[Row], str],
    more: Sequence[Artist] = (),
) -> None:
    """Draw the shares, hatched as the series is elsewhere in the figure.

    label : of the axis.
    text : above the bar of a row.
    more : of the legend, after the parts that are drawn.
    """
    looks = bars.look_of(frame)
    places, width = bars.positions(frame)
    for x, row in zip(places, dicts(frame), strict=True):
        if row[STATUS] != "ok":
            bars.draw_slot(axes, x, 0.92 * width, str(row[STATUS]))
        else:
            top = _bar(axes, x, 0.92 * width, row, parts, looks[row["series"]][1])
            bars.write_upwards(axes, x, top, text(row))
    shares = frame.loc[frame[STATUS] == "ok", [part.share for part in parts]]
    axes.set_ylim(0, TOP * max(1.0, float(shares.sum(axis=1).max()) if len(shares) else 1.0))
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1])
    axes.set_ylabel(label)
    bars.place_legend(axes, [*(_patch(part) for part in parts if (shares[part.share] > 0).any()), *more])


def _whole(frame: pd.DataFrame, parts: Sequence[Part]) -> pd.Series[float]:
    """The seconds of all parts, unknown where none is known."""
    return frame[[part.seconds for part in parts]].sum(axis=1, min_count=1)


def _bar(axes: Axes, x: float, width: float, row: Row, parts: Sequence[Part], hatch: str) -> float:
    """Draw one bar. Returns its height."""
    bottom = 0.0
    for part in parts:
        height = float(row[part.share])
        # Not where it is unknown either.
        if height > 0:
            axes.bar(
                x, height, width, bottom=bottom, color=part.colour, hatch=hatch, edgecolor="black",
                linewidth=0.6,
            )  # fmt: skip
            bottom += height
    return bottom


def _patch(part: Part) -> Patch:
    return Patch(facecolor=part.colour, edgecolor="black", label=part.label)
