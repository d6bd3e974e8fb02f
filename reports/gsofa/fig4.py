"""Figure 4: how the frontier grows with the source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from reports.exhibit import Exhibit, Held, Subset
from reports.facts.claims import subject
from reports.facts.inputs import Inputs
from reports.facts.naming import listed
from reports.frames.device import GSOFA
from reports.frames.growth import GPU_STEP, WINDOW, growth_frame
from reports.shapes.axes import empty_panel
from reports.shapes.groups import lines
from reports.shapes.labels import legend_above
from reports.shapes.multiples import Grid, draw_grid
from reports.shapes.style import NORMAL, PALETTE

CLAIM = "fig4_frontier_growth"
# The paper's ratio by matrix, in its order.
PRINTED: Mapping[str, float] = subject("gsofa", CLAIM).data["per"]
CPU = "gsofa_cpu"
# How each code is drawn.
LOOKS: Mapping[str, Mapping[str, Any]] = {
    CPU: {"color": PALETTE[0]},
    GSOFA: {"color": PALETTE[5], "linestyle": "--"},
}


def frame(inputs: Inputs) -> pd.DataFrame:
    """As `growth_frame`, with what is printed of the two matrices."""
    return growth_frame(inputs, PRINTED)


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """A panel for each of the paper's matrices, or for one that stands in for it: a line for each code."""
    panels = [(lines(rows.iloc[0].to_dict()).replace("\n", ", "), rows) for rows in _panels(frame)]
    figure, axes = draw_grid(title, panels, _panel, Grid(width=12.5, height=4.6, top=1.2))
    axes[0].set_ylabel("average frontier of a source")
    if not panels:
        empty_panel(axes[0], "not_run", "no case of it was measured")
    drawn = set(frame.loc[frame["frontier_mean"].notna(), "implementation"])
    names = {CPU: f"{CPU}, moving average (thin: of a few sources each)", GSOFA: f"{GSOFA}, moving average"}
    legend_above(
        figure, [Line2D([], [], **LOOKS[code], label=names[code]) for code in LOOKS if code in drawn]
    )
    return figure


def by_code(frame: pd.DataFrame) -> list[Subset]:
    """One row per case: of gsofa_cpu, whose iterations expand the whole frontier as the paper's do, and
    beside it of gsofa."""
    rows = frame.drop_duplicates(["case", "machine"])
    on_gpu = f"{{}}, {GSOFA}: its blocks expand at most {GPU_STEP} vertices at a step".format
    return [
        Subset(rows[rows["implementation"] == CPU], f"{{}}, {CPU}".format),
        Subset(rows[rows["implementation"] == GSOFA], on_gpu, beside=True),
    ]


def _title(frame: pd.DataFrame) -> str:
    """With how many of the measured matrices are drawn, where those are not all."""
    drawn, measured = len(_panels(frame)), frame.loc[frame["frontier_mean"].notna(), "matrix"].nunique()
    more = f" ({drawn} drawn of {measured} measured matrices)" if drawn < measured else ""
    return f"average frontier size of each source{more}"


def _facts(frame: pd.DataFrame) -> Mapping[str, object]:
    return {"step": GPU_STEP, "window": f"{WINDOW:.0%}", "prepared": listed(frame["preparation"].dropna())}


def _panels(frame: pd.DataFrame) -> list[pd.DataFrame]:
    """Of each of the paper's matrices its own rows, or those of a stand-in, the near enough before others."""
    panels = []
    for short in PRINTED:
        rows = frame[frame["paper_matrix"] == short]
        near = rows["near"].astype("object").fillna("").str.split(", ").map(lambda names, s=short: s in names)
        for chosen in (rows["abbr"].notna(), near, rows["abbr"].isna()):
            if chosen.any():
                matrix = rows.loc[chosen, "matrix"].iloc[0]
                panels.append(rows[rows["matrix"] == matrix])
                break
    return panels


def _panel(axes: Axes, panel: pd.DataFrame) -> None:
    axes.set_xlabel("source")
    texts = []
    for code, rows in panel.groupby("implementation", sort=False):
        row = rows.iloc[0].to_dict()
        if pd.isna(row["ratio"]):
            continue
        middle = (rows["first"] + rows["last"]).astype(float) / 2
        if code == CPU:
            axes.plot(middle, rows["frontier_mean"], color=PALETTE[0], linewidth=0.4, alpha=0.5)
        axes.plot(middle, rows["average"], linewidth=2, **LOOKS[str(code)])
        axes.set_xlim(0, row["n"])
        axes.xaxis.set_major_locator(MaxNLocator(5))
        axes.xaxis.set_major_formatter("{x:,.0f}")
        texts.append(f"{code}: {_ratio(row)}")
    if not texts:
        empty_panel(axes, panel["status"].iloc[0], panel["reason"].iloc[0])
        return
    axes.set_ylim(0, None)
    axes.yaxis.set_major_formatter("{x:,.0f}")
    printed = panel["paper_ratio"].iloc[0]
    texts.append(f"printed of {panel['paper_matrix'].iloc[0]}: {printed:,.0f}x")
    text = "\n".join(["largest over smallest", *texts])
    axes.text(0.02, 0.97, text, transform=axes.transAxes, va="top", fontsize=NORMAL)


def _ratio(row: Mapping[Any, Any]) -> str:
    return f"{row['ratio']:,.0f}x ({row['largest']:,.4g} / {row['smallest']:,.3g})"


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 4",
    _title,
    frame,
    draw,
    """One panel per printed matrix. Average frontier of a source: vertices expanded over iterations, 0 left
    out of the ratio; moving average over {window} of the sources. gsofa_cpu, on one thread, expands the whole
    frontier in an iteration, as the paper does; a block of gsofa at most {step} vertices at a step.
    Preparation: {prepared} (the paper orders by ParMETIS). Stand-ins are indicative only.""",
    _facts,
    topic="average frontier size of each source",
    held=(
        Held(CLAIM, "ratio", ("each",), basis="largest over smallest mean frontier", subsets=by_code),
        Held(
            CLAIM, "growth", ("rises",), basis="rank correlation with the source", above=0.0,
            subsets=lambda rows: by_code(rows)[:1],
        ),
    ),
)  # fmt: skip
