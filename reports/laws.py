"""Growth with the matrix: families of generated matrices, their exponents of n, and panels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reports.shapes.axes import legend_above, seconds_axis
from reports.shapes.lines import POINTS, draw_panels
from reports.shapes.style import looks, new_figure


def families(rows: pd.DataFrame, lines: Mapping[str, str]) -> pd.Series[str]:
    """Return the family of each row's matrix: what `lines` calls a kind of generated ones, or POINTS."""
    return rows["kind"].map(lines).where(rows["collection"].isna()).fillna(POINTS)


def exponents(rows: pd.DataFrame) -> pd.Series[float]:
    """Return the slope of log seconds over log n, by least squares, on each row of a code on a family."""
    found = pd.Series(np.nan, rows.index)
    timed = rows[(rows["status"] == "ok") & (rows["family"] != POINTS)]
    for _, part in timed.groupby(["code", "family"], sort=False):
        n, values = part["n"].astype(float), part["median"].astype(float)
        if n.nunique() > 1 and values.notna().all():
            found[part.index] = np.polyfit(np.log(n), np.log(values), 1)[0]
    return found


def draw_spans(
    frame: pd.DataFrame, title: str, lines: Mapping[str, str], labels: Mapping[str, str], codes: Iterable[str]
) -> Figure:
    """Draw a row of panels per `span` that was measured, all if none was; a panel per family."""
    ok, names, known = frame[frame["status"] == "ok"], (*lines.values(), POINTS), looks(codes)
    spans = [span for span in labels if span in set(ok["span"])] or list(labels)
    figure = new_figure(14.0, 3.0 + 3.5 * len(spans), title)
    grid = figure.subplots(len(spans), len(names), sharex=True, sharey="row", squeeze=False)
    for panels, span in zip(grid, spans, strict=True):
        draw_panels(panels, frame[frame["span"] == span], names, known, named=span == spans[-1])
        panels[0].set_ylabel(labels[span])
        if len(ok):
            seconds_axis(panels[0])
    for first, last, family in zip(grid[0], grid[-1], names, strict=True):
        first.set_title(family, loc="left")
        last.set_xlabel("rows n (log)")
    legend_above(figure)
    return figure
