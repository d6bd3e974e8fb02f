"""A panel for each ratio that the frame's `what` names, measured points full, simulated ones empty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from reports.shapes import bars
from reports.shapes.gains import draw_gains, gains_legend
from reports.shapes.groups import name_matrices, width
from reports.shapes.style import headline, new_figure


@dataclass(frozen=True)
class Pair:
    """One panel.

    what : of the frame's column of that name.
    label : of the vertical axis.
    mean : the printed one.
    printed : the printed ratios by matrix.
    """

    what: str
    label: str
    mean: float | None = None
    printed: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Pairs:
    """The panels one above the other."""

    panels: Sequence[Pair]

    def __call__(self, frame: pd.DataFrame, title: str) -> Figure:
        figure = new_figure(width(frame), 1.5 + 3.8 * len(self.panels))
        axes = np.atleast_1d(figure.subplots(len(self.panels), 1, sharex=True))
        headline(figure, title)
        for each, pair in zip(axes, self.panels, strict=True):
            rows = frame[(frame["what"] == pair.what) | frame["what"].isna()].copy()
            rows["paper"] = [
                pair.printed.get(abbr) if isinstance(abbr, str) else None for abbr in rows["abbr"]
            ]
            rows["paper"] = rows["paper"].astype("float64")
            _draw(each, rows, pair)
        name_matrices(axes[-1], frame)
        return figure


def _draw(axes: Axes, frame: pd.DataFrame, pair: Pair) -> None:
    panel = bars.Panel(
        "ratio", "ratio_low", "ratio_high", pair.label, "pair", points=True, hollow="simulated"
    )
    draw_gains(axes, frame, panel, "paper", pair.mean)
    stars = [("star", "printed, of the matrix")] if pair.printed else []
    means = [("line", f"printed mean, {pair.mean:g}x")] if pair.mean is not None else []
    hollow = [("hollow", "simulated in turn")] if frame["simulated"].any() else []
    in_turn = frozenset(frame.loc[frame["simulated"], "series"])
    gains_legend(axes, frame, [*stars, *means, *hollow, ("slot", "no ratio")], in_turn)
