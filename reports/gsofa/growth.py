"""Beyond the paper: how the seconds of row counts grow with the matrix, by each code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullFormatter

from reports.exhibit import Exhibit
from reports.facts.naming import listed
from reports.frames.cost_growth import CODES, LINES, POINTS, cost_frame, lines_of
from reports.frames.seconds import prepared_how
from reports.shapes import bars
from reports.shapes.axes import seconds_axis
from reports.shapes.labels import legend_above
from reports.shapes.style import MARKERS, PALETTE, SMALL, headline, new_figure

# Which of the codes use how much of the host.
ON_CORES = {
    "fill1_pruned": "one core",
    "fill1_supernodal": "one core",
    "etree_cpu": "one core",
    "bitfronts_cpu": "all cores",
}
# Of the height of a panel, a line of text; of the axis of n, what two names are apart at least; of what the
# points take, the room for names below them.
LINE, APART, ROOM = 0.05, 0.045, 0.3


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """A panel per family on common axes: a line per code, with its exponent at the end; the real matrices as
    points above their names."""
    figure = new_figure(14.0, 7.0)
    headline(figure, title)
    ok = frame[frame["status"] == "ok"]
    families = (*LINES.values(), POINTS)
    panels = figure.subplots(1, len(families), sharex=True, sharey=True)
    for axes, family in zip(panels, families, strict=True):
        axes.set_title(_heading(ok, family), loc="left")
        axes.set_xlabel("rows n (log)")
        axes.grid(axis="x", which="major")
        _points(axes, ok[ok["family"] == family], joined=family != POINTS)
        _write_failures(axes, frame[frame["family"] == family])
    if len(ok):
        panels[0].set_xscale("log")
        panels[0].xaxis.set_minor_formatter(NullFormatter())
        panels[0].set_xlim(float(ok["n"].min()) / 1.4, float(ok["n"].max()) * 2.4)
        low, high = float(ok["low"].min()), float(ok["high"].max())
        panels[0].set_ylim(low / max(4.0, (high / low) ** ROOM), high * 2)
        seconds_axis(panels[0])
        for axes, family in zip(panels, families, strict=True):
            _write_exponents(axes, ok[ok["family"] == family])
        _write_names(panels[-1], ok[ok["family"] == POINTS])
    panels[0].set_ylabel("seconds (log)")
    legend_above(figure, [_handle(code) for code in CODES if code in set(ok["code"])])
    return figure


def _heading(ok: pd.DataFrame, family: str) -> str:
    """With how the output grows, where one code has a line over all of the family's matrices."""
    rows = ok[(ok["family"] == family) & ok["exponent_filled"].notna()]
    if rows.empty:
        return family
    sizes = rows.groupby("code")["n"].nunique()
    longest = rows[rows["code"] == sizes.idxmax()].iloc[0]
    return f"{family}: entries of L + U as $n^{{{longest['exponent_filled']:.2f}}}$"


def _look(code: str) -> Mapping[str, Any]:
    """How a code is drawn; no two share colour and marker."""
    i, count = CODES.index(code), len(PALETTE)
    return {"color": PALETTE[i % count], "marker": MARKERS[(i + i // count) % count]}


def _handle(code: str) -> Artist:
    on = f", {ON_CORES[code]}" if code in ON_CORES else ""
    return Line2D([], [], **_look(code), linewidth=1.8, markeredgecolor="black", label=f"{code}{on}")


def _points(axes: Axes, rows: pd.DataFrame, joined: bool) -> None:
    for code, line in rows.sort_values("n").groupby("code", sort=False):
        whiskers = [line["median"] - line["low"], line["high"] - line["median"]]
        axes.errorbar(
            line["n"].astype(float), line["median"], yerr=[side.clip(lower=0) for side in whiskers],
            **_look(str(code)), linestyle="-" if joined else "none", linewidth=1.8, markersize=7,
            markeredgecolor="black", capsize=3, ecolor="black", elinewidth=1.0,
        )  # fmt: skip
    if rows.empty:
        axes.text(0.5, 0.5, "not measured", transform=axes.transAxes, ha="center")


def _write_exponents(axes: Axes, rows: pd.DataFrame) -> None:
    """Right of the lines' ends, one above the other where these are close."""
    ends = [part.iloc[-1] for part in lines_of(rows) if pd.notna(part["exponent"].iloc[0])]
    low, high = axes.get_ylim()
    gap, least = (high / low) ** LINE, 0.0
    for end in sorted(ends, key=lambda row: float(row["median"])):
        height = max(float(end["median"]), least)
        least = height * gap
        axes.annotate(
            f"$n^{{{end['exponent']:.2f}}}$", (float(end["n"]), height), (9, 0), textcoords="offset points",
            va="center", fontsize=SMALL, bbox=bars.GROUND,
        )  # fmt: skip


def _write_failures(axes: Axes, rows: pd.DataFrame) -> None:
    """What a code did not do, and on how many matrices."""
    failed = rows[~rows["status"].isin(["ok", "not_run", "unavailable"])]
    counts = Counter(zip(failed["code"], failed["status"], strict=True))
    lines = [f"{code}: {status.replace('_', ' ')} on {count}" for (code, status), count in counts.items()]
    axes.text(0.02, 0.98, "\n".join(lines), transform=axes.transAxes, fontsize=SMALL, va="top")


def _write_names(axes: Axes, rows: pd.DataFrame) -> None:
    """The matrices above the axis of n, side by side where their n are close."""
    (left, right), place = np.log(axes.get_xlim()), -1.0
    for label, n in rows.drop_duplicates("label").sort_values("n")[["label", "n"]].itertuples(index=False):
        place = max((np.log(float(n)) - left) / (right - left), place + APART)
        axes.text(
            place,
            0.015,
            label,
            transform=axes.transAxes,
            rotation=90,
            ha="center",
            va="bottom",
            fontsize=SMALL,
        )


def _facts(frame: pd.DataFrame) -> Mapping[str, str]:
    ok = frame[frame["status"] == "ok"]
    if ok.empty:
        return {"how": "Nothing of it was measured here."}
    absent = [code for code in CODES if code not in set(ok["code"])]
    without = f"Not measured there: {', '.join(absent)}. " if absent else ""
    few = listed(str(count) for count in ok["processes"])
    return {"how": f"{without}Medians; processes: {few}. {prepared_how(ok, 'gsofa')}"}


EXHIBIT = Exhibit(
    "gsofa",
    "Growth with the matrix",
    "seconds of row counts over n, by each code",
    cost_frame,
    draw,
    """Not in the paper: rows are counted, none is stored. Lines: generated matrices, with the exponent of n
    at the end, by least squares. cuDSS orders the matrix itself and stores its factors' pattern; drawn is its
    symbolic phase alone. {how}""",
    _facts,
    topic="How the cost of row counts grows with the matrix (beyond the paper)",
)
