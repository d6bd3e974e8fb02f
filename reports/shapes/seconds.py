"""What pictures of seconds share: a panel of them."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from reports.shapes import bars

SECONDS = bars.Panel("median", "low", "high", "seconds")


def seconds_panel(axes: Axes, frame: pd.DataFrame) -> None:
    """The seconds of all rows as bars on a log axis."""
    bars.bar_panel(axes, frame, SECONDS)
