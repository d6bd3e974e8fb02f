"""The figure of columns and sub-columns along the levels, from which the three kernel modes follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reports.exhibit import Exhibit
from reports.facts.means import trend
from reports.series import per_case
from reports.shapes.axes import empty_panel, legend_above, lines
from reports.shapes.style import NORMAL, PALETTE, SMALL, headline, new_figure
from reports.verbs import ENDS, with_absent

# What the slides show.
SHOWN = "ASIC_100ks"
KINDS = ("mean", "min", "max")
BINS = ("first", "last", *(f"{name}_{kind}" for name in ("columns", "subcolumns") for kind in KINDS))
# Columns of a level above which the authors' code takes the mode (impl/numeric/right_looking.py).
MODES = {"A": 448, "B": 16}
# Of the slides' key observation: how each number is written into a panel.
TRENDS = {
    "columns_fall": "columns with level",
    "subcolumns_rise": "sub-columns with level",
    "inverse": "columns with sub-columns",
}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per bin of levels of each case, which is a level where there are at most 2000.

    A case without a series, and the paper's matrix where it is not at hand, is one row without numbers.

    depth : levels.
    columns_fall, subcolumns_rise : rank correlation of columns, with its sign turned, and of the most
        sub-columns of one with the level; inverse : of the two, with its sign turned. With intervals.
    in_<mode> : levels of each mode, where every bin is a level.
    """
    bins = per_case(cases, BINS)
    counts = pd.DataFrame({case: _counts(rows) for case, rows in bins.groupby("case", sort=False)}).T
    columns = ["depth", *(f"{name}{end}" for name in TRENDS for end in ENDS), "in_A", "in_B", "in_C"]
    rows = bins.join(counts.reindex(columns=columns).astype(float), on="case")
    rows = with_absent(rows, [SHOWN], "label")
    # The slides' matrix, others of the paper, the others.
    place = rows["abbr"].isna().astype(int).mask(rows["label"] == SHOWN, -1)
    return rows.assign(place=place).sort_values(["place", "label"], kind="stable").drop(columns="place")


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """Per matrix, as the slides have it, columns of each level and most sub-columns of one; beside it the
    same near the axis."""
    panels = [rows for _, rows in frame.groupby("label", sort=False)]
    figure = new_figure(13.0, 1.4 + 2.7 * max(1, len(panels)))
    headline(figure, title)
    axes = figure.subplots(max(1, len(panels)), 2, squeeze=False)
    for (whole, near), rows in zip(axes, panels, strict=False):
        row = rows.iloc[0].to_dict()
        whole.set_title(lines(row).replace("\n", ", "), loc="left")
        if pd.isna(row["depth"]):
            near.set_axis_off()
            empty_panel(whole, row["status"], row["reason"])
        else:
            near.set_title("zoomed in", loc="left")
            _panel(whole, rows, float(rows["columns_max"].max()))
            # Up to the most sub-columns, and to where mode B begins.
            _panel(near, rows, max(float(rows["subcolumns_max"].max()), 2.0 * MODES["B"]))
            _write(whole, row)
    if not panels:
        for each in axes.ravel():
            each.set_axis_off()
        axes[0][0].text(0, 0.5, "nothing was measured", transform=axes[0][0].transAxes)
    legend_above(figure, _handles() if panels else [])
    return figure


def _counts(bins: pd.DataFrame) -> dict[str, float]:
    """Return how many levels a case has, of each mode, and the rank correlations."""
    columns, subcolumns, level = bins["columns_mean"], bins["subcolumns_mean"], bins["first"]
    if columns.isna().all():
        return {}
    counts = {"depth": bins["last"].iloc[-1] + 1}
    pairs = {"columns_fall": (level, -columns), "subcolumns_rise": (level, subcolumns)}
    for name, (x, y) in {**pairs, "inverse": (columns, -subcolumns)}.items():
        counts |= {
            f"{name}{end}": number for end, number in zip(ENDS, trend(x.tolist(), y.tolist()), strict=True)
        }
    if (bins["first"] == bins["last"]).all():
        counts["in_A"] = (columns > MODES["A"]).sum()
        counts["in_B"] = columns.between(MODES["B"], MODES["A"], inclusive="right").sum()
        counts["in_C"] = (columns <= MODES["B"]).sum()
    return counts


def _panel(axes: Axes, rows: pd.DataFrame, most: float) -> None:
    """Both numbers of each level; of a bin of several levels the band is from least to most. most : where the
    axis ends."""
    axes.set_xlabel("level")
    axes.set_ylabel("number")
    middle = (rows["first"] + rows["last"]).astype(float) / 2
    for name, colour, style in (("columns", PALETTE[0], "-"), ("subcolumns", PALETTE[5], "--")):
        drawn = {kind: rows[f"{name}_{kind}"].astype(float) for kind in KINDS}
        axes.fill_between(middle, drawn["min"], drawn["max"], color=colour, alpha=0.25, linewidth=0)
        axes.plot(middle, drawn["mean"], color=colour, linewidth=1.6, linestyle=style)
    axes.set_xlim(0, float(rows["depth"].iloc[0]))
    axes.set_ylim(0, 1.08 * most)
    for mode, above in MODES.items():
        if 0.02 * most < above < most:
            axes.axhline(above, color="#777777", linewidth=1, linestyle=":")
            axes.annotate(
                f"{mode} above", (1, above), (3, 0), xycoords=("axes fraction", "data"), va="center",
                textcoords="offset points", fontsize=SMALL, color="#555555",
            )  # fmt: skip


def _write(axes: Axes, row: Mapping[Any, Any]) -> None:
    """The levels of each mode, and the rank correlations, where there are few columns."""
    counted = f"{row['depth']:,.0f} levels"
    if not pd.isna(row["in_A"]):
        counted += ": " + ", ".join(f"{mode} {row[f'in_{mode}']:,.0f}" for mode in (*MODES, "C"))
    signs = {"columns_fall": -1, "subcolumns_rise": 1, "inverse": -1}
    ranks = [f"{text} {signs[name] * row[name]:+.2f}" for name, text in TRENDS.items()]
    axes.text(
        0.99, 0.97, "\n".join([counted, "rank correlation:", *ranks]), transform=axes.transAxes, va="top",
        ha="right", fontsize=NORMAL - 1, bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8},
    )  # fmt: skip


def _handles() -> list[Line2D]:
    return [
        Line2D([], [], color=PALETTE[0], linewidth=2, label="columns of the level (its size)"),
        Line2D([], [], color=PALETTE[5], linewidth=2, linestyle="--", label="most sub-columns of one"),
        Line2D([], [], color="#777777", linewidth=1, linestyle=":", label="where the mode changes"),
    ]


EXHIBIT = Exhibit(
    "glu3",
    "GLU3.0",
    "columns and sub-columns along the levels",
    frame,
    draw,
    """Levels of glu3_relaxed: columns of each, and the most sub-columns of one of them (entries of its row of
    U right of the diagonal), as the slides have it for {shown}, without numbers. Above 2000 levels a band
    shows least to most. Dotted: above it the authors' code takes mode A or B; C below.""",
    lambda frame: {"shown": SHOWN},
    claims=("fig_levels",),
)
