"""Lines over numbers on log axes, with a text at the end of each: a panel per series, or per family."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullFormatter

from fillpath.record import UNTRIED
from reports.shapes.axes import legend_above, names, seconds_axis, write_names
from reports.shapes.bars import label_log, times
from reports.shapes.style import SMALL, Look, looks, new_figure

# The family of matrices that make no line.
POINTS = "real matrices"
# One thread's seconds over the threads.
EVEN: dict[str, Any] = {"color": "#777777", "linestyle": ":", "linewidth": 1.0, "zorder": 1}


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


def draw_scaling(
    frame: pd.DataFrame, title: str, panels: Sequence[str], label: str, without: str = ""
) -> Figure:
    """Draw a panel per series, with a line per matrix over `threads`, and its `ratio` on the row of `most`.

    without : the `pair` of rows that are not drawn
    """
    rows = frame[frame["pair"] != without].assign(family=frame["series"], preparation=None)
    rows = rows.assign(code=names(rows, ", "), n=rows["threads"].astype(float))
    figure = new_figure(13.0, 6.4, title)
    grid = figure.subplots(1, len(panels), sharex=True, sharey=True)
    ok = rows[rows["status"] == "ok"]
    # A single point has the name of its matrix.
    single = ok["label"].where(ok.groupby(["family", "code"])["n"].transform("size") == 1)
    ends = rows["ratio"].map(times).where(rows["most"]).astype("object").fillna(single)
    draw_panels(grid, rows.assign(written=ends), panels, looks(ok["code"]), named=False)
    for axes, series in zip(grid, panels, strict=True):
        axes.set_title(series, loc="left")
        axes.set_xlabel("threads (log)")
        for _, line in ok[ok["series"] == series].sort_values("n").groupby("code"):
            for one in line.loc[line["n"] == 1, "median"]:
                axes.plot(line["n"], one / line["n"], **EVEN)
    grid[0].set_ylabel(label)
    if len(ok):
        seconds_axis(grid[0])
        grid[0].set_xticks(ticks := sorted(ok["n"].unique()), list(map("{:g}".format, ticks)))
    legend_above(figure, [Line2D([], [], **EVEN, label="one thread's time over the threads")])
    return figure


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
