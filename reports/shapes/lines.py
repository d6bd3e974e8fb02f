"""Lines over numbers on log axes, with a text at the end of each: a panel per series, or per family."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullFormatter

from fillpath.record import UNTRIED
from reports.shapes.axes import label_log, legend_above, lines, seconds_axis
from reports.shapes.bars import GROUND, times
from reports.shapes.style import MARKERS, PALETTE, SMALL, new_figure

# The family of matrices that make no line.
POINTS = "real matrices"
# The ratio of the ends of an axis below which powers of ten alone are too few labels.
FEW_DECADES = 50.0
# Inches from a text at a line's end to the next.
LINE = 0.35
# Of the axis of n, what two names are apart at least; of what the points take, the room for names below them.
APART, ROOM = 0.045, 0.3
# One number's seconds over the numbers.
EVEN: dict[str, Any] = {"color": "#777777", "linestyle": ":", "linewidth": 1.0}
_SMALL: dict[str, Any] = {"textcoords": "offset points", "fontsize": SMALL, "bbox": GROUND}


@dataclass(frozen=True)
class Codes:
    """Whose lines a figure has, in the order of its legend.

    notes : what the legend adds to a name
    """

    names: Sequence[str]
    notes: Mapping[str, str] = field(default_factory=dict)

    def look(self, code: str) -> dict[str, Any]:
        """Return the colour and marker of a line; no two share both."""
        place, count = self.names.index(code), len(PALETTE)
        return {"color": PALETTE[place % count], "marker": MARKERS[(place + place // count) % count]}

    def handles(self, drawn: Collection[str]) -> list[Artist]:
        """Return of a legend those that are drawn."""
        texts = {code: f"{code}, {self.notes[code]}" if self.notes.get(code) else code for code in self.names}
        edge: dict[str, Any] = {"linewidth": 1.8, "markeredgecolor": "black"}
        return [Line2D([], [], **self.look(c), **edge, label=texts[c]) for c in self.names if c in drawn]


def draw_line(axes: Axes, x: str, rows: pd.DataFrame, look: dict[str, Any], joined: bool = True) -> None:
    """Draw `median` over a column with its whiskers, the points joined or not."""
    whiskers = [rows["median"] - rows["low"], rows["high"] - rows["median"]]
    axes.errorbar(
        rows[x].astype(float), rows["median"], yerr=[side.clip(lower=0) for side in whiskers], **look,
        linestyle="-" if joined else "none", linewidth=1.8, markersize=7, markeredgecolor="black",
        capsize=3, ecolor="black", elinewidth=1.0,
    )  # fmt: skip


def _draw_lines(axes: Axes, x: str, rows: pd.DataFrame, by: str, codes: Codes, joined: bool = True) -> None:
    """Draw a line for each value of the column `by`."""
    for name, line in rows.sort_values(x).groupby(by, sort=False):
        draw_line(axes, x, line, codes.look(str(name)), joined)
    if rows.empty:
        axes.text(0.5, 0.5, "not measured", transform=axes.transAxes, ha="center")


def _write_ends(axes: Axes, x: str, ends: pd.DataFrame, texts: pd.Series[str]) -> None:
    """Write the texts right of the lines' ends, one above the other where these are close."""
    (low, high), place, figure = axes.get_ylim(), axes.get_subplotspec(), axes.get_figure(root=True)
    assert place and figure
    gap, least = (high / low) ** (LINE * place.get_gridspec().nrows / figure.get_figheight()), 0.0
    ordered = ends.sort_values("median", kind="stable")
    numbers = ordered[[x, "median"]].astype(float).to_numpy().tolist()
    for (across, median), text in zip(numbers, texts[ordered.index], strict=True):
        least = max(median, least)
        axes.annotate(text, (across, least), (9, 0), va="center", **_SMALL)
        least *= gap


@dataclass(frozen=True)
class Lines:
    """A panel per series, with a line per matrix over a count; at its end its `ratio`, on the row that has
    `most`.

    x : the column of the count
    panels : the series
    label : of the vertical axis, which is of seconds
    without : what `pair` says of rows that are not drawn
    even : what the first point of a line over the numbers is called
    """

    x: str
    panels: Sequence[str]
    label: str
    without: str = ""
    even: str = ""

    def __call__(self, frame: pd.DataFrame, title: str) -> Figure:
        drawn = frame[(frame["status"] == "ok") & (frame["pair"] != self.without)]
        firsts = drawn.drop_duplicates("label").to_dict("records")
        codes = Codes(
            [row["label"] for row in firsts], {r["label"]: lines(r).partition("\n")[2] for r in firsts}
        )
        figure = new_figure(13.0, 6.4, title)
        panels = figure.subplots(1, len(self.panels), sharex=True, sharey=True)
        for axes, name in zip(panels, self.panels, strict=True):
            axes.set_title(name, loc="left")
            axes.set_xlabel(f"{self.x} (log)")
            self._draw(axes, drawn[drawn["series"] == name], codes)
            failed = frame[(frame["series"] == name) & ~frame["status"].isin(["ok", *UNTRIED])].astype(str)
            texts = (failed["label"] + ": " + failed["status"].str.replace("_", " ")).unique()
            axes.text(0.02, 0.02, "\n".join(texts), transform=axes.transAxes, fontsize=SMALL, va="bottom")
        if len(drawn):
            ticks = sorted(drawn[self.x].astype(int).unique())
            panels[0].set_xscale("log", base=2)
            panels[0].set_xticks(ticks, [str(tick) for tick in ticks])
            panels[0].set_xlim(0.85, 2.1 * ticks[-1])
            seconds_axis(panels[0])
            for axes, name in zip(panels, self.panels, strict=True):
                ends = drawn[(drawn["series"] == name) & drawn["most"]]
                _write_ends(axes, self.x, ends, ends["ratio"].map(times))
        panels[0].set_ylabel(self.label)
        legend_above(figure, [*codes.handles(codes.names), Line2D([], [], **EVEN, label=self.even)])
        return figure

    def _draw(self, axes: Axes, rows: pd.DataFrame, codes: Codes) -> None:
        """Draw the lines, one number's seconds over the numbers, and the matrix below a point without a line,
        with a ring that another's marker does not hide."""
        _draw_lines(axes, self.x, rows, "label", codes)
        for label, line in rows.sort_values(self.x).groupby("label", sort=False):
            x, colour = line[self.x].astype(float), codes.look(str(label))["color"]
            for one in line.loc[x == 1, "median"]:
                axes.plot(x, one / x, **EVEN, zorder=1)
            if len(line) == 1:
                place = float(x.iloc[0]), float(line["median"].iloc[0])
                ring = {"marker": "o", "markersize": 13, "markeredgecolor": colour, "markeredgewidth": 2}
                axes.plot(*place, color="none", **ring)
                axes.annotate(str(label), place, (0, -13), ha="center", va="top", color=colour, **_SMALL)


def draw_panels(
    panels: Sequence[Axes], frame: pd.DataFrame, families: Sequence[str], codes: Codes, names: bool = True
) -> None:
    """Draw each family of matrices into its panel: a line per code over the order n of generated ones, with
    its exponent of n at the end, and points for all others. The panels share both axes, made here.

    frame : a row per code and matrix: `code`, `family`, `n`, `median`, `low`, `high`, `exponent`, `status`,
        `label`
    names : of the real matrices, above the axis of n
    """
    ok = frame[frame["status"] == "ok"]
    for axes, family in zip(panels, families, strict=True):
        axes.grid(axis="x", which="major")
        _draw_lines(axes, "n", ok[ok["family"] == family], "code", codes, joined=family != POINTS)
        failed = frame[(frame["family"] == family) & ~frame["status"].isin(["ok", *UNTRIED])]
        counts = Counter(zip(failed["code"], failed["status"].str.replace("_", " "), strict=True))
        texts = [f"{code}: {status} on {count}" for (code, status), count in counts.items()]
        axes.text(0.02, 0.98, "\n".join(texts), transform=axes.transAxes, fontsize=SMALL, va="top")
    if ok.empty:
        return
    (least, most), (low, high) = (
        (ok["n"].min() / 1.4, ok["n"].max() * 2.4),
        (ok["low"].min(), ok["high"].max()),
    )
    room = max(4.0, (high / low) ** ROOM) if names else 1.6
    panels[0].set(xscale="log", yscale="log", xlim=(least, most), ylim=(low / room, high * 2))
    panels[0].xaxis.set_minor_formatter(NullFormatter())
    if most / least < FEW_DECADES:
        label_log(panels[0].xaxis, "{:,.0f}".format)
    for axes, family in zip(panels, families, strict=True):
        rows = ok[ok["family"] == family].sort_values("n")
        ends = rows[rows["exponent"].notna()].drop_duplicates("code", keep="last")
        _write_ends(axes, "n", ends, ends["exponent"].map("$n^{{{:.2f}}}$".format))
        if names and family == POINTS:
            _write_names(axes, rows.drop_duplicates("label"))


def _write_names(axes: Axes, rows: pd.DataFrame) -> None:
    """Write the matrices above the axis of n, side by side where their n are close."""
    (left, right), place = np.log(axes.get_xlim()), -1.0
    look: dict[str, Any] = {"rotation": 90, "ha": "center", "va": "bottom", "fontsize": SMALL}
    for label, n in rows[["label", "n"]].itertuples(index=False):
        place = max((np.log(float(n)) - left) / (right - left), place + APART)
        axes.text(place, 0.015, label, transform=axes.transAxes, **look)
