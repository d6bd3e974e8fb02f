"""Numbers over the order n: a panel per family of matrices, a line per code over a family of generated ones,
with its exponent of n at the end, and points for all other matrices.

A frame has one row per code and matrix: `code`, `family`, `n`, `median`, `low`, `high`, `exponent`, `status`,
`label`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from reports.shapes.lines import draw_line, look, write_ends
from reports.shapes.style import SMALL

# The family of matrices that make no line.
POINTS = "real matrices"
# Of the axis of n, what two names are apart at least; of what the points take, the room for names below them.
APART, ROOM = 0.045, 0.3
# The ratio of the ends of an axis below which powers of ten alone are too few labels.
FEW_DECADES = 50.0


@dataclass(frozen=True)
class Codes:
    """The codes of a figure, in the order of its legend.

    notes : what the legend adds to a name
    """

    names: Sequence[str]
    notes: Mapping[str, str] = field(default_factory=dict)

    def look(self, code: str) -> dict[str, Any]:
        """How a code is drawn; no two share colour and marker."""
        return look(self.names.index(code))

    def handles(self, drawn: set[str]) -> list[Artist]:
        """Of a legend, those that are drawn."""
        return [self._handle(code) for code in self.names if code in drawn]

    def _handle(self, code: str) -> Artist:
        note = f", {self.notes[code]}" if code in self.notes else ""
        look = self.look(code)
        return Line2D([], [], **look, linewidth=1.8, markeredgecolor="black", label=f"{code}{note}")


def draw_panels(
    panels: Sequence[Axes], frame: pd.DataFrame, families: Sequence[str], codes: Codes, names: bool = True
) -> None:
    """Draw each family into its panel. The panels share both axes, of which that of n is made here.

    names : of the real matrices, above the axis of n
    """
    ok = frame[frame["status"] == "ok"]
    for axes, family in zip(panels, families, strict=True):
        axes.grid(axis="x", which="major")
        _points(axes, ok[ok["family"] == family], codes, joined=family != POINTS)
        _write_failures(axes, frame[frame["family"] == family])
    if ok.empty:
        return
    panels[0].set_xscale("log")
    panels[0].set_yscale("log")
    panels[0].xaxis.set_minor_formatter(NullFormatter())
    least, most = float(ok["n"].min()) / 1.4, float(ok["n"].max()) * 2.4
    panels[0].set_xlim(least, most)
    if most / least < FEW_DECADES:
        panels[0].xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        panels[0].xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    low, high = float(ok["low"].min()), float(ok["high"].max())
    panels[0].set_ylim(low / max(4.0, (high / low) ** ROOM) if names else low / 1.6, high * 2)
    for axes, family in zip(panels, families, strict=True):
        _write_exponents(axes, ok[ok["family"] == family])
        if names and family == POINTS:
            _write_names(axes, ok[ok["family"] == family])


def _points(axes: Axes, rows: pd.DataFrame, codes: Codes, joined: bool) -> None:
    for code, line in rows.sort_values("n").groupby("code", sort=False):
        draw_line(axes, "n", line, codes.look(str(code)), joined)
    if rows.empty:
        axes.text(0.5, 0.5, "not measured", transform=axes.transAxes, ha="center")


def _write_exponents(axes: Axes, rows: pd.DataFrame) -> None:
    ends = rows[rows["exponent"].notna()].sort_values("n").drop_duplicates("code", keep="last")
    write_ends(axes, "n", ends, ends["exponent"].map("$n^{{{:.2f}}}$".format))


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
