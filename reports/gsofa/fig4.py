"""Figure 4: how the frontier grows with the source."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from impl.symbolic.gsofa_device import THREADS
from reports.exhibit import Exhibit
from reports.facts.claims import subject
from reports.facts.means import trend
from reports.facts.naming import among
from reports.gsofa.symbolic import printed_matrix
from reports.series import per_case
from reports.shapes.axes import Multiples, empty_panel, legend_above
from reports.shapes.style import NORMAL, PALETTE
from reports.verbs import ENDS, in_papers_order

CLAIM, CPU, GPU = "fig4_frontier_growth", "gsofa_cpu", "gsofa"
PRINTED = subject("gsofa", CLAIM).data["per"]
BINS = ("first", "last", "frontier_mean", "frontier_min", "frontier_max")
KEPT = [
    "case", "implementation", "matrix", "label", "abbr", "stand_in_for", "near", "distance", "preparation",
    "machine", "status", "reason", "series_file", "n",
]  # fmt: skip
# Sources that the moving average is over, as a share of all.
WINDOW = 0.02
LOOKS: dict[str, dict[str, Any]] = {
    CPU: {"color": PALETTE[0], "label": f"{CPU}, moving average (thin: of a few sources each)"},
    GPU: {"color": PALETTE[5], "label": f"{GPU}, moving average", "linestyle": "--"},
}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per bin of sources of each case, without a series a single one with the reason.

    `average` of frontier_mean is over WINDOW of the sources around; `ratio`, largest over smallest average
    frontier of a source, 0 left out; `growth`, rank correlation of frontier_mean with the source.
    """
    bins = per_case(cases[KEPT], BINS)
    rows = pd.concat([_grown(bins[:0]), *(_grown(part) for _, part in bins.groupby("case", sort=False))])
    rows = in_papers_order(rows, "gsofa", PRINTED)
    matrix = printed_matrix(rows, PRINTED)
    return rows.assign(paper_matrix=matrix, paper_ratio=matrix.map(PRINTED))


def _grown(bins: pd.DataFrame) -> pd.DataFrame:
    """Return the bins of a case with their moving average, their extremes above 0, and their growth."""
    if (bins["frontier_max"] <= 0).all():
        bins = bins[:1].assign(reason="no source has a frontier", **dict.fromkeys(BINS, np.nan))
    sizes, mean = bins[["frontier_min", "frontier_max"]], bins["frontier_mean"]
    smallest, largest = sizes[sizes > 0].min().min(), sizes.max().max()
    growth = trend(bins["first"].tolist(), mean.tolist(), len(bins)) if len(bins) > 1 else (np.nan,) * 3
    return bins.assign(
        # Claims are held against the first bin of a case.
        first=bins["first"].fillna(0),
        average=mean.rolling(max(1, round(WINDOW * len(bins))), center=True, min_periods=1).mean(),
        smallest=smallest,
        largest=largest,
        ratio=largest / smallest,
        **{f"growth{end}": number for end, number in zip(ENDS, growth, strict=True)},
    )


def _shown(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of one matrix for each of the paper's: its own, or the first that is near."""
    near = frame["near"].map(lambda names: among(names, PRINTED))
    ordered = frame.assign(far=frame["abbr"].isna() & near.isna()).sort_values("far", kind="stable")
    return frame[frame["matrix"].isin(ordered.groupby("paper_matrix")["matrix"].first())]


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Draw a panel for each of the paper's matrices, or for one that stands in, with a line per code."""
    figure = Multiples(_panel, "average frontier of a source", height=4.8)(_shown(frame), title)
    drawn = set(frame.loc[frame["ratio"].notna(), "implementation"])
    legend_above(figure, [Line2D([], [], **look) for code, look in LOOKS.items() if code in drawn])
    return figure


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
        ratio, largest, smallest = rows[["ratio", "largest", "smallest"]].iloc[0]
        texts.append(f"{code}: {ratio:,.0f}x ({largest:,.4g} / {smallest:,.3g})")
    matrix = measured["paper_matrix"].iloc[0]
    texts.append(f"printed of {matrix}: {PRINTED[matrix]:,.0f}x")
    axes.text(0.02, 0.97, "\n".join(texts), transform=axes.transAxes, va="top", fontsize=NORMAL)
    axes.set(xlabel="source", xlim=(0, measured["n"].iloc[0]), ylim=(0, None))
    axes.xaxis.set_major_locator(MaxNLocator(5))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:,.0f}")


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 4",
    "average frontier size of each source",
    frame,
    draw,
    f"""One panel per printed matrix, of {{measured}} measured. Average frontier of a source: vertices
    expanded over iterations, 0 left out of the ratio; moving average over {WINDOW:.0%} of the sources.
    gsofa_cpu, on one thread, expands the whole frontier in an iteration, as the paper does; a block of gsofa
    at most {THREADS} vertices at a step.""",
    lambda frame: {"measured": frame.dropna(subset="ratio")["matrix"].nunique()},
    claims=(CLAIM,),
)
