"""The figure of columns and sub-columns along the levels, from which the three kernel modes follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from reports.exhibit import Exhibit, Held
from reports.facts.entries import MatrixEntry
from reports.facts.inputs import Inputs
from reports.facts.naming import label, listed
from reports.facts.series import series_bins
from reports.frames.frontiers import joined, with_case, without_case
from reports.frames.glu3 import PAPER, WAYS
from reports.shapes.axes import empty_panel
from reports.shapes.labels import legend_above
from reports.shapes.multiples import Grid, Multiples
from reports.shapes.style import NORMAL, PALETTE, SMALL

CLAIM = "fig_levels"
# What the slides show.
SHOWN = "ASIC_100ks"
KINDS = ("mean", "min", "max")
BINS = ("first", "last", *(f"{name}_{kind}" for name in ("columns", "subcolumns") for kind in KINDS))
# Columns of a level above which the authors' code takes the mode (impl/numeric/right_looking.py).
MODES = {"A": 448, "B": 16}
FLOOR = 0.7


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per bin of levels of each case, which is a level where there are at most 2000; a single one
    without numbers, with the reason, where there is no series or the paper's matrix is not at hand.

    depth : levels.
    correlation : of columns and sub-columns along the levels, by ranks. in_<mode> : levels of each mode,
        where every bin is a level.
    """
    rows = inputs.rows().to_dict("records")
    parts = [_case_frame(row, inputs.entry(row["matrix"])) for row in rows]
    if not any(part["label"].iloc[0] == SHOWN for part in parts):
        parts.append(without_case(SHOWN))
    parts.sort(key=_place)
    modes = [f"in_{mode}" for mode in (*MODES, "C")]
    numbers = [*BINS, "n", "depth", "correlation", *modes]
    texts = (
        "case", "matrix", "label", "abbr", "stand_in_for", "preparation", "machine", "device", "status",
        "reason",
    )  # fmt: skip
    return joined(parts, texts, numbers, ("n", "depth", "first", "last", *modes))


def draw(frame: pd.DataFrame, title: str) -> Figure:
    """One panel per case: columns of each level and most sub-columns of one, and where the modes change."""
    figure = Multiples(_panel, "", Grid(height=3.6, top=1.4))(frame, title)
    handles = [
        Line2D([], [], color=PALETTE[0], linewidth=2, label="columns of the level"),
        Line2D([], [], color=PALETTE[5], linewidth=2, linestyle="--", label="most sub-columns of one"),
        Line2D([], [], color="#777777", linewidth=1, linestyle=":", label="where the mode changes"),
    ]  # fmt: skip
    legend_above(figure, handles)
    return figure


def _case_frame(row: Mapping[Any, Any], entry: MatrixEntry | None) -> pd.DataFrame:
    """The rows of one case."""
    bins, reason = series_bins(row, BINS, "levels")
    name = label(row["matrix"], entry, PAPER)
    stood_for = SHOWN if entry is not None and SHOWN in entry.stands_for else None
    abbr = name if name == SHOWN else None
    return with_case(bins, row, reason, label=name, abbr=abbr, stand_in_for=stood_for, **_counts(bins))


def _counts(bins: pd.DataFrame) -> dict[str, float | None]:
    """How many levels there are, of each mode, and the rank correlation, where there are several."""
    columns = bins["columns_mean"].astype(float)
    if columns.isna().all():
        return {}
    counts: dict[str, float | None] = {"depth": int(bins["last"].iloc[-1]) + 1}
    if columns.nunique() > 1 and bins["subcolumns_mean"].nunique() > 1:
        counts["correlation"] = float(columns.corr(bins["subcolumns_mean"].astype(float), method="spearman"))
    if (bins["first"] == bins["last"]).all():
        counts["in_A"] = int((columns > MODES["A"]).sum())
        counts["in_B"] = int(((columns > MODES["B"]) & (columns <= MODES["A"])).sum())
        counts["in_C"] = int((columns <= MODES["B"]).sum())
    return counts


def _place(part: pd.DataFrame) -> tuple[int, str]:
    """The paper's matrix, what stands in for it, the others."""
    row = part.iloc[0].to_dict()
    stands_in = isinstance(row.get("stand_in_for"), str)
    return (0 if row["label"] == SHOWN else 1 if stands_in else 2), str(row["label"])


def _panel(axes: Axes, panel: pd.DataFrame) -> None:
    row = panel.iloc[0].to_dict()
    if pd.isna(row["depth"]):
        empty_panel(axes, row["status"], row["reason"])
        return
    axes.set_xlabel("level")
    middle = (panel["first"] + panel["last"]).astype(float) / 2
    for name, colour, style in (("columns", PALETTE[0], "-"), ("subcolumns", PALETTE[5], "--")):
        drawn = {kind: panel[f"{name}_{kind}"].clip(lower=FLOOR) for kind in KINDS}
        axes.fill_between(middle, drawn["min"], drawn["max"], color=colour, alpha=0.25, linewidth=0)
        axes.plot(middle, drawn["mean"], color=colour, linewidth=1.4, linestyle=style)
    most = float(panel[["columns_max", "subcolumns_max"]].max().max())
    axes.set_yscale("log")
    axes.set_ylim(FLOOR, 12 * most)
    axes.set_xlim(0, row["depth"])
    for mode, above in MODES.items():
        if above < 12 * most:
            axes.axhline(above, color="#777777", linewidth=1, linestyle=":")
            axes.annotate(
                f"{mode} above", (1, above), (-4, 2), xycoords=("axes fraction", "data"), ha="right",
                textcoords="offset points", va="bottom", fontsize=SMALL, color="#555555",
            )  # fmt: skip
    axes.text(0.02, 0.97, _written(row), transform=axes.transAxes, va="top", fontsize=NORMAL)


def _written(row: Mapping[Any, Any]) -> str:
    counted = f"{row['depth']:,} levels"
    if not pd.isna(row["in_A"]):
        counted += ": " + ", ".join(f"{mode} {row[f'in_{mode}']:,}" for mode in (*MODES, "C"))
    return (
        counted if pd.isna(row["correlation"]) else f"{counted}; rank correlation {row['correlation']:+.2f}"
    )


def _correlations(rows: pd.DataFrame) -> str:
    """Whether sub-columns rise where columns fall."""
    ordered = rows.sort_values("correlation")
    text = ", ".join(f"{row['correlation']:+.2f} {row['label']}" for row in ordered.to_dict("records"))
    return f"{text}; printed: the one falls, the other rises"


def _facts(frame: pd.DataFrame) -> Mapping[str, str]:
    return {
        "shown": SHOWN,
        "machines": listed(frame.loc[frame["depth"].notna(), "machine"].dropna()),
        "preparations": listed(frame["preparation"].dropna()),
        "ways": WAYS,
    }


EXHIBIT = Exhibit(
    PAPER,
    "GLU3.0",
    "columns and sub-columns along the levels",
    frame,
    draw,
    """Levels of glu3_relaxed: columns of each, and the most sub-columns of one of them (entries of its row of
    U right of the diagonal), as the slides have it for {shown}, without numbers. Above 2000 levels a band
    shows least to most. Dotted: above it the authors' code takes mode A or B; C below. Measured on:
    {machines}. Preparation: {preparations} ({ways}). Stand-ins are indicative only.""",
    _facts,
    held=(
        Held(
            CLAIM, "correlation", only={"first": 0}, remark=_correlations,
            basis="rank correlation of columns and most sub-columns along the levels",
        ),
    ),
)  # fmt: skip
