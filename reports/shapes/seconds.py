"""What pictures of seconds share: a panel of them, and a title that names the one machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.shapes import bars

SECONDS = bars.Panel("median", "low", "high", "seconds")


@dataclass(frozen=True)
class OnOne:
    """A shape whose title ends with the machine where all was measured on one."""

    shape: Callable[[pd.DataFrame, str], Figure]

    def __call__(self, frame: pd.DataFrame, title: str) -> Figure:
        return self.shape(frame, f"{title}{on_one(frame)}")


def seconds_panel(axes: Axes, frame: pd.DataFrame) -> None:
    """The seconds of all rows as bars on a log axis."""
    bars.bar_panel(axes, frame, SECONDS)


def on_one(frame: pd.DataFrame) -> str:
    """`, on h200 (NVIDIA H200)` where all that was measured was measured on one machine."""
    rows = frame[frame["machine"].notna()]
    if rows["machine"].nunique() != 1:
        return ""
    devices = ", ".join(sorted(set(rows["device"].dropna())))
    return f", on {rows['machine'].iloc[0]}{f' ({devices})' if devices else ''}"
