"""Lines over numbers on log axes, with a text at the end of each: a panel per series, or per family.

A family is a kind of generated matrices, whose seconds make a line with an exponent of n.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from fillpath.record import UNTRIED
from reports.shapes.axes import legend_above, write_names
from reports.shapes.bars import label_log, seconds
from reports.shapes.style import SMALL, Look, looks, new_figure

# The family of matrices that make no line.
POINTS = "real matrices"


def draw_line(axes: Axes, x: str, rows: pd.DataFrame, look: dict[str, Any], joined: bool = True) -> None:
    """Draw `median` over a column with its whiskers, the points joined or not."""
    whiskers = [rows["median"] - rows["low"], rows["high"] - rows["median"]]
    axes.errorbar(
        rows[x].astype(float), rows["median"], yerr=[side.clip(lower=0) for side in whiskers], **look,
        linestyle="-" if joined else "none", linewidth=1.8, markersize=7, markeredgecolor="black",
        capsize=3, ecolor="black", elinewidth=1.0,
    )  # fmt: skip


def draw_lines(axes: Axes, frame: pd.DataFrame, known: Mapping[str, Look], joined: bool) -> None:
    """Draw a line over n for each code, by its look; in a corner what failed, and how often."""
    ok = frame[frame["status"] == "ok"].sort_values("n")
    for name, look in known.items():
        if len(rows := ok[ok["code"] == name]):
            draw_line(axes, "n", rows, {"color": look.colour, "marker": look.marker, "label": name}, joined)
    if ok.empty:
        axes.text(0.5, 0.5, "not measured", transform=axes.transAxes, ha="center")
    failed = frame[~frame["status"].isin(["ok", *UNTRIED])]
    failures = failed["code"].astype(str) + ": " + failed["status"].str.replace("_", " ")
    texts = [f"{text} on {count}" for text, count in failures.value_counts(sort=False).items()]
    axes.text(0.02, 0.98, "\n".join(texts), transform=axes.transAxes, fontsize=SMALL, va="top")


def draw_panels(
    panels: Sequence[Axes],
    frame: pd.DataFrame,
    families: Sequence[str],
    known: Mapping[str, Look],
    named: bool = True,
) -> None:
    """Draw each family of matrices into its panel: a line per code of generated ones, points for others.

    frame : a row per code and matrix, with the text `written` at a line's end, or the `exponent` of n
    named : whether the real matrices are named above the axis of n
    """
    for axes, family in zip(panels, families, strict=True):
        axes.grid(axis="x", which="major")
        draw_lines(axes, frame[frame["family"] == family], known, joined=family != POINTS)
    ok = frame[frame["status"] == "ok"].sort_values("n")
    if ok.empty:
        return
    if "written" not in ok:
        ok = ok.assign(written=ok["exponent"].map("$n^{{{:.2f}}}$".format, na_action="ignore"))
    least, most, low, high = ok["n"].min() / 1.4, ok["n"].max() * 2.4, ok["low"].min(), ok["high"].max()
    room = max(4.0, (high / low) ** 0.3) if named else 1.6
    panels[0].set(xscale="log", yscale="log", xlim=(least, most), ylim=(low / room, high * 2))
    panels[0].xaxis.set_minor_formatter(NullFormatter())
    # Here powers of ten alone are too few labels.
    if most / least < 50.0:
        label_log(panels[0].xaxis, "{:,.0f}".format)
    for axes, family in zip(panels, families, strict=True):
        rows = ok[ok["family"] == family]
        ends = rows.dropna(subset="written").drop_duplicates("code", keep="last")
        points = [*zip(ends["n"].astype(float), ends["median"], strict=True)]
        write_names(axes, points, ends["written"].tolist())
        if named and family == POINTS:
            _write_matrices(axes, rows.drop_duplicates("label"))


def _write_matrices(axes: Axes, rows: pd.DataFrame) -> None:
    """Write the matrices above the axis of n, side by side where their n are close."""
    (left, right), place = np.log(axes.get_xlim()), -1.0
    look: dict[str, Any] = {"rotation": 90, "ha": "center", "va": "bottom", "fontsize": SMALL}
    for label, n in rows[["label", "n"]].itertuples(index=False):
        place = max((np.log(float(n)) - left) / (right - left), place + 0.045)
        axes.text(place, 0.015, label, transform=axes.transAxes, **look)


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
