"""What pictures of seconds share: a panel of them, and a title that names the one machine."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.exhibit import Shape
from reports.frames.timed import SECONDS, on_one
from reports.shapes import bars


@dataclass(frozen=True)
class OnOne:
    """A shape whose title ends with the machine where all was measured on one."""

    shape: Shape

    def __call__(self, frame: pd.DataFrame, title: str) -> Figure:
        return self.shape(frame, f"{title}{on_one(frame)}")


def seconds_panel(axes: Axes, frame: pd.DataFrame) -> None:
    """The seconds of all rows as bars on a log axis."""
    bars.bar_panel(axes, frame, SECONDS, pd.Series(True, index=frame.index))
