"""Figure 4: how the frontier grows with the source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from impl.symbolic.gsofa_device import THREADS
from reports.exhibit import Exhibit, Held, Subset
from reports.facts.claims import subject
from reports.facts.means import trend
from reports.facts.naming import among
from reports.series import per_case
from reports.shapes.axes import empty_panel, legend_above, lines
from reports.shapes.style import NORMAL, PALETTE, headline, new_figure
from reports.verbs import ENDS

CLAIM, CPU, GPU = "fig4_frontier_growth", "gsofa_cpu", "gsofa"
TREND = "rank correlation with the source"
# The paper's ratio by matrix, in its order.
PRINTED: Mapping[str, float] = subject("gsofa", CLAIM).data["per"]
BINS = ("first", "last", "frontier_mean", "frontier_min", "frontier_max")
KEPT = [
    "case", "implementation", "matrix", "label", "abbr", "stand_in_for", "near", "distance", "preparation",
    "machine", "status", "reason", "series_file", "n",
]  # fmt: skip
# Sources that the moving average is over, as a share of all.
WINDOW = 0.02
# How each code is drawn.
LOOKS: Mapping[str, Mapping[str, Any]] = {
    CPU: {"color": PALETTE[0], "label": f"{CPU}, moving average (thin: of a few sources each)"},
    GPU: {"color": PALETTE[5], "label": f"{GPU}, moving average", "linestyle": "--"},
}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per bin of sources of each case, without a series a single one with the reason.

    average : of frontier_mean, over WINDOW of the sources around.
    ratio : largest over smallest average frontier of a source, 0 left out.
    growth : rank correlation of frontier_mean with the source, with its interval.
    paper_ratio : what is printed of paper_matrix.
    """
    bins = per_case(cases[KEPT], BINS)
    rows = pd.concat([_grown(bins[:0]), *(_grown(part) for _, part in bins.groupby("case", sort=False))])
    instead = rows["stand_in_for"].map(lambda names: among(names, PRINTED)).astype("object")
    short = rows["abbr"].astype("object").fillna(instead.str.split(", ").str[0])
    near = [among(names, [of]) is not None for names, of in zip(rows["near"], short, strict=True)]
    rows = rows.assign(
        stand_in_for=instead,
        paper_matrix=short.where(short.isin(PRINTED)),
        paper_ratio=short.map(PRINTED),
        place=short.map({name: place for place, name in enumerate(PRINTED)}).fillna(len(PRINTED)),
        rank=np.select([rows["abbr"].notna(), np.array(near, dtype=bool)], [0, 1], 2),
    )
    # The paper's order, its own matrices first, then those that are near.
    rows = rows.sort_values(["place", "rank"], kind="stable", ignore_index=True)
    return rows.drop(columns=["place", "rank"])


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Draw a panel for each of the paper's matrices, or for one that stands in, with a line per code."""
    figure = new_figure(12.5, 5.8)
    headline(figure, title)
    places = figure.subplots(1, len(PRINTED))
    panels = _panels(frame)
    for axes, rows in zip(places, panels, strict=False):
        axes.set_title(lines(rows.iloc[0].to_dict()).replace("\n", ", "), loc="left")
        _panel(axes, rows)
    places[0].set_ylabel("average frontier of a source")
    for axes in places[len(panels) :]:
        axes.set_axis_off()
    if not panels:
        empty_panel(places[0], "not_run", "no case of it was measured")
    drawn = set(frame.loc[frame["frontier_mean"].notna(), "implementation"])
    legend_above(figure, [Line2D([], [], **look) for code, look in LOOKS.items() if code in drawn])
    return figure


def by_code(frame: pd.DataFrame) -> list[Subset]:
    """Return one row per case of gsofa_cpu, and beside it of gsofa.

    An iteration of gsofa_cpu expands the whole frontier, as the paper's do.
    """
    rows = frame.drop_duplicates("case")
    on_gpu = f"{{}}, {GPU}: its blocks expand at most {THREADS} vertices at a step".format
    return [
        Subset(rows[rows["implementation"] == CPU], f"{{}}, {CPU}".format),
        Subset(rows[rows["implementation"] == GPU], on_gpu, beside=True),
    ]


def _grown(bins: pd.DataFrame) -> pd.DataFrame:
    """Return the bins of a case with their moving average, their extremes above 0, and their growth."""
    if (bins["frontier_max"] <= 0).all():
        bins = bins[:1].assign(reason="no source has a frontier", **dict.fromkeys(BINS, np.nan))
    sizes, mean = bins[["frontier_min", "frontier_max"]].to_numpy(), bins["frontier_mean"]
    known = sizes[sizes > 0]
    smallest, largest = (known.min(), known.max()) if len(known) else (np.nan, np.nan)
    growth = trend(bins["first"].tolist(), mean.tolist()) if len(bins) > 1 else (np.nan,) * 3
    ends = {f"growth{end}": number for end, number in zip(ENDS, growth, strict=True)}
    return bins.assign(
        average=mean.rolling(max(1, round(WINDOW * len(bins))), center=True, min_periods=1).mean(),
        smallest=smallest,
        largest=largest,
        ratio=largest / smallest,
        **ends,
    )


def _title(frame: pd.DataFrame) -> str:
    """Return the title with how many of the measured matrices are drawn, where those are not all."""
    drawn, measured = len(_panels(frame)), frame.loc[frame["frontier_mean"].notna(), "matrix"].nunique()
    more = f" ({drawn} drawn of {measured} measured matrices)" if drawn < measured else ""
    return f"average frontier size of each source{more}"


def _panels(frame: pd.DataFrame) -> list[pd.DataFrame]:
    """Return the rows of the first matrix for each of the paper's."""
    firsts = frame.groupby("paper_matrix", sort=False)["matrix"].first()
    return [frame[frame["matrix"] == matrix] for matrix in firsts]


def _panel(axes: Axes, panel: pd.DataFrame) -> None:
    measured = panel[panel["ratio"].notna()]
    if measured.empty:
        empty_panel(axes, panel["status"].iloc[0], panel["reason"].iloc[0])
        return
    texts = ["largest over smallest"]
    for code, rows in measured.groupby("implementation", sort=False):
        middle, look = (rows["first"] + rows["last"]) / 2, LOOKS[str(code)]
        if code == CPU:
            axes.plot(middle, rows["frontier_mean"], color=look["color"], linewidth=0.4, alpha=0.5)
        axes.plot(middle, rows["average"], linewidth=2, **look)
        row = rows.iloc[0].to_dict()
        texts.append(f"{code}: {row['ratio']:,.0f}x ({row['largest']:,.4g} / {row['smallest']:,.3g})")
    texts.append(f"printed of {row['paper_matrix']}: {row['paper_ratio']:,.0f}x")
    axes.text(0.02, 0.97, "\n".join(texts), transform=axes.transAxes, va="top", fontsize=NORMAL)
    axes.set(xlabel="source", xlim=(0, measured["n"].iloc[0]), ylim=(0, None))
    axes.xaxis.set_major_locator(MaxNLocator(5))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:,.0f}")


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 4",
    _title,
    frame,
    draw,
    f"""One panel per printed matrix. Average frontier of a source: vertices expanded over iterations, 0 left
    out of the ratio; moving average over {WINDOW:.0%} of the sources. gsofa_cpu, on one thread, expands the
    whole frontier in an iteration, as the paper does; a block of gsofa at most {THREADS} vertices at a
    step.""",
    topic="average frontier size of each source",
    held=(
        Held(CLAIM, "ratio", ("each",), basis="largest over smallest mean frontier", subsets=by_code),
        Held(CLAIM, "growth", ("rises",), basis=TREND, above=0.0, subsets=lambda rows: by_code(rows)[:1]),
    ),
)
