"""Figure 4: how the frontier grows with the source."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from reports.exhibit import Exhibit, Held
from reports.facts.claims import subject
from reports.facts.inputs import Inputs
from reports.facts.naming import add_names, among, listed
from reports.facts.trend import trend
from reports.facts.verdicts import Subset
from reports.frames.device import GSOFA
from reports.frames.frontiers import BINS, GPU_STEP, bins_of
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
# Sources that the moving average is over, as a share of all.
WINDOW = 0.02


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per bin of sources of each case and machine; a single one without numbers, with the reason,
    where there is no series.

    average : of frontier_mean, over 2 % of the sources around.
    ratio : largest over smallest average frontier of a source, 0 left out.
    growth : rank correlation of frontier_mean with the source, with its interval.
    paper_ratio : of paper_matrix.
    """
    cases = inputs.rows()
    add_names(cases, inputs.entries, inputs.paper)
    parts = [_case_frame(row) for row in cases.to_dict("records")]
    parts.sort(key=_place)
    columns = [
        "case", "implementation", "matrix", "label", "abbr", "stand_in_for", "near", "distance",
        "preparation", "threads", "machine", "status", "reason", "n", *BINS, "average", "smallest",
        "largest", "ratio", "growth", "growth_low", "growth_high", "paper_matrix", "paper_ratio",
    ]  # fmt: skip
    numbers = (*BINS, *columns[columns.index("average") : columns.index("paper_matrix")], "n", "paper_ratio")
    empty = pd.DataFrame(columns=columns)
    result = pd.concat(parts, ignore_index=True)[columns] if parts else empty
    return result.astype(dict.fromkeys(numbers, "float64") | dict.fromkeys(("n", "first", "last"), "Int64"))


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """A panel for each of the paper's matrices, or for one that stands in for it: a line for each code."""
    panels = [(lines(rows.iloc[0].to_dict()).replace("\n", ", "), rows) for rows in _panels(frame)]
    figure, axes = draw_grid(title, panels, _panel, Grid(width=12.5, height=4.6, top=1.2))
    axes[0].set_ylabel("average frontier of a source")
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


def _facts(frame: pd.DataFrame) -> Mapping[str, object]:
    return {"step": GPU_STEP, "window": f"{WINDOW:.0%}", "prepared": listed(frame["preparation"].dropna())}


def _case_frame(row: Mapping[Any, Any]) -> pd.DataFrame:
    """The rows of one case."""
    stood_for = among(row["stand_in_for"], PRINTED)
    short = row["abbr"] if isinstance(row["abbr"], str) else (stood_for or "").partition(", ")[0]
    bins, reason = bins_of(row)
    kept = (
        "case", "implementation", "matrix", "label", "abbr", "near", "distance", "preparation", "threads",
        "machine", "status", "n",
    )  # fmt: skip
    return bins.assign(
        **{name: row[name] for name in kept},
        stand_in_for=stood_for,
        reason=reason,
        **_growth(bins),
        paper_matrix=short if short in PRINTED else None,
        paper_ratio=PRINTED.get(short),
    )


def _growth(bins: pd.DataFrame) -> dict[str, Any]:
    """The moving average; the smallest average frontier above 0, the largest, their ratio; the growth."""
    values = bins[["frontier_min", "frontier_max"]].astype(float)
    values = values[values > 0]
    smallest, largest = values.min().min(), values.max().max()
    mean = bins["frontier_mean"].astype(float)
    over = max(1, round(WINDOW * len(bins)))
    growth, low, high = trend(bins["first"].tolist(), mean.tolist()) if len(bins) > 1 else (None,) * 3
    return {
        "average": mean.rolling(over, center=True, min_periods=1).mean(),
        "smallest": smallest,
        "largest": largest,
        "ratio": largest / smallest,
        "growth": growth,
        "growth_low": low,
        "growth_high": high,
    }


def _place(part: pd.DataFrame) -> tuple[int, bool]:
    """The paper's order, its own matrices before stand-ins; what it does not show comes last."""
    shown, row = list(PRINTED), part.iloc[0]
    place = shown.index(row["paper_matrix"]) if row["paper_matrix"] in shown else len(shown)
    return place, not isinstance(row["abbr"], str)


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
    axes.text(
        0.02,
        0.97,
        "\n".join(["largest over smallest", *texts]),
        transform=axes.transAxes,
        va="top",
        fontsize=NORMAL,
    )


def _ratio(row: Mapping[Any, Any]) -> str:
    return f"{row['ratio']:,.0f}x ({row['largest']:,.4g} / {row['smallest']:,.3g})"


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 4",
    "average frontier size of each source",
    frame,
    draw,
    """Average frontier of a source: vertices expanded over iterations, 0 left out of the ratio; moving
    average over {window} of the sources. gsofa_cpu, on one thread, expands the whole frontier in an
    iteration, as the paper does; a block of gsofa at most {step} vertices at a step. Preparation: {prepared}
    (the paper orders by ParMETIS). Stand-ins are indicative only.""",
    _facts,
    held=(
        Held(CLAIM, "ratio", ("each",), basis="largest over smallest mean frontier", subsets=by_code),
        Held(
            CLAIM,
            "growth",
            ("rises",),
            basis="rank correlation with the source",
            above=0.0,
            only={"implementation": CPU},
            subsets=lambda rows: by_code(rows)[:1],
        ),
    ),
)
