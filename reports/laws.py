"""Growth with the matrix: families of generated matrices, their exponents of n, and panels."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.shapes.axes import legend_above
from reports.shapes.bars import label_log, seconds
from reports.shapes.lines import POINTS, draw_panels
from reports.shapes.style import looks, new_figure


class Span(NamedTuple):
    """A row of panels.

    label : str, of the vertical axis
    form : function, writes a number of the axis
    draw : function, adds to the panels by the rows of the span
    """

    label: str
    form: Callable[[float], str] = seconds
    draw: Callable[[Sequence[Axes], pd.DataFrame], None] = lambda panels, rows: None


def families(rows: pd.DataFrame, lines: Mapping[str, str]) -> "pd.Series[str]":
    """Return the family of each row's matrix: what `lines` calls a kind of generated ones, or POINTS."""
    return rows["kind"].map(lines).where(rows["collection"].isna()).fillna(POINTS)


def exponents(rows: pd.DataFrame) -> "pd.Series[float]":
    """Return the slope of log seconds over log n, by least squares, on each row of a code on a family."""
    found = pd.Series(np.nan, rows.index)
    timed = rows[(rows["status"] == "ok") & (rows["family"] != POINTS)]
    for _, part in timed.groupby(["code", "family"], sort=False):
        n, values = part["n"].astype(float), part["median"].astype(float)
        if n.nunique() > 1 and values.notna().all():
            found[part.index] = np.polyfit(np.log(n), np.log(values), 1)[0]
    return found


def draw_spans(
    frame: pd.DataFrame, title: str, lines: Mapping[str, str], spans: Mapping[str, Span], codes: Iterable[str]
) -> Figure:
    """Draw a row of panels per `span` that was measured, all if none was; a panel per family."""
    ok, names, known = frame[frame["status"] == "ok"], (*lines.values(), POINTS), looks(codes)
    shown = [span for span in spans if span in set(ok["span"])] or list(spans)
    figure = new_figure(14.0, 3.0 + 3.5 * len(shown), title)
    grid = figure.subplots(len(shown), len(names), sharex=True, sharey="row", squeeze=False)
    for panels, span in zip(grid, shown, strict=True):
        rows, own = frame[frame["span"] == span], spans[span]
        draw_panels(panels, rows, names, known, named=span == shown[-1])
        panels[0].set_ylabel(own.label)
        if len(ok):
            own.draw(panels, rows)
            label_log(panels[0].yaxis, own.form)
    for first, last, family in zip(grid[0], grid[-1], names, strict=True):
        first.set_title(family, loc="left")
        last.set_xlabel("rows n (log)")
    legend_above(figure)
    return figure
