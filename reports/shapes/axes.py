"""Axes: logarithmic ones of counts and of seconds, and one with nothing to draw."""

from __future__ import annotations

import textwrap

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from reports.shapes import bars


def count_axis(axes: Axes, values: pd.Series[float]) -> None:
    """A log axis of counts, labelled as counts."""
    if values.notna().any():
        axes.set_ylim(float(values.min()) / 1.6, float(values.max()) * 2)
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.yaxis.set_minor_formatter(NullFormatter())


def seconds_axis(axes: Axes) -> None:
    """A log axis of seconds, labelled with their units."""
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=12))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: bars.seconds(value)))
    axes.yaxis.set_minor_formatter(NullFormatter())


def empty_panel(axes: Axes, status: str, reason: str) -> None:
    """A hatched panel that says why there is nothing in it."""
    axes.set_xticks([])
    axes.set_yticks([])
    axes.patch.set(hatch="////", edgecolor="#cccccc")
    why = "nothing to draw" if status == "ok" else status.replace("_", " ")
    axes.text(
        0.5, 0.5, textwrap.fill(f"{why}: {' '.join(reason.split())}", 44), transform=axes.transAxes,
        ha="center", va="center", bbox={"facecolor": "white", "edgecolor": "none"},
    )  # fmt: skip
