"""The figure of columns and sub-columns along the levels, from which the three kernel modes follow."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from reports.exhibit import Exhibit
from reports.facts.means import trend
from reports.series import per_case
from reports.shapes.axes import Multiples, empty_panel
from reports.shapes.style import PALETTE, SMALL
from reports.verbs import ENDS, with_absent

# What the slides show.
SHOWN = "ASIC_100ks"
KINDS = ("mean", "min", "max")
# How each number of a level is drawn, and what it is called.
NUMBERS: dict[str, tuple[dict[str, Any], str]] = {
    "columns": ({"color": PALETTE[0], "linestyle": "-"}, "columns of the level"),
    "subcolumns": ({"color": PALETTE[5], "linestyle": "--"}, "most sub-columns of one"),
}
# Columns of a level above which the authors' code takes the mode (impl/numeric/right_looking.py).
MODES = {"A": 448, "B": 16}
# Of the slides' key observation: how each number is written into a panel, and with which sign.
TRENDS = {
    "columns_fall": ("columns with level", -1),
    "subcolumns_rise": ("sub-columns with level", 1),
    "inverse": ("columns with sub-columns", -1),
}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per bin of levels of each case, which is a level where there are at most 2000; one
    without numbers of a case without a series, and of the paper's matrix where it is not at hand.

    depth : levels; in_<mode> : those of each mode, where every bin is a level
    columns_fall, subcolumns_rise : rank correlation of columns, with its sign turned, and of the most
        sub-columns of one with the level; inverse : of the two, with its sign turned
    """
    bins = per_case(cases, ["first", "last", *(f"{name}_{kind}" for name in NUMBERS for kind in KINDS)])
    counts = pd.DataFrame({case: _counts(rows) for case, rows in bins.groupby("case", sort=False)}).T
    columns = ["depth", *(f"{name}{end}" for name in TRENDS for end in ENDS), "in_A", "in_B", "in_C"]
    rows = bins.join(counts.reindex(columns=columns).astype(float), on="case")
    rows = with_absent(rows, [SHOWN], "label")
    return rows.sort_values("abbr", key=pd.isna, kind="stable")


def _counts(bins: pd.DataFrame) -> dict[str, float]:
    """Return how many levels a case has, of each mode, and the rank correlations."""
    columns, subcolumns, level = bins["columns_mean"], bins["subcolumns_mean"], bins["first"]
    if columns.isna().all():
        return {}
    counts = {"depth": bins["last"].iloc[-1] + 1}
    pairs = {"columns_fall": (level, -columns), "subcolumns_rise": (level, subcolumns)}
    for name, (x, y) in {**pairs, "inverse": (columns, -subcolumns)}.items():
        counts |= zip([f"{name}{end}" for end in ENDS], trend(x.tolist(), y.tolist(), len(x)), strict=True)
    if (bins["first"] == bins["last"]).all():
        modes = pd.cut(columns, [0, MODES["B"], MODES["A"], float("inf")], labels=["in_C", "in_B", "in_A"])
        counts |= {str(mode): count for mode, count in modes.value_counts().items()}
    return counts


def draw(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw both numbers of each level of a matrix; the band of a bin is from its least to its most."""
    row: Any = rows.iloc[0]
    if pd.isna(row["depth"]):
        empty_panel(axes, row["status"], row["reason"])
        return
    middle = (rows["first"] + rows["last"]) / 2
    for name, (look, text) in NUMBERS.items():
        mean, least, largest = (rows[f"{name}_{kind}"] for kind in KINDS)
        axes.fill_between(middle, least, largest, color=look["color"], alpha=0.25, linewidth=0)
        axes.plot(middle, mean, **look, linewidth=1.6, label=text)
    for mode, above in MODES.items():
        axes.axhline(above, color="#777777", linewidth=1, linestyle=":")
        axes.text(1.005, above, f"{mode} above", va="center", transform=axes.get_yaxis_transform())
    in_modes = ", ".join(f"{mode} {row[f'in_{mode}']:,.0f}" for mode in (*MODES, "C"))
    counted = f"{row['depth']:,.0f} levels" + ("" if pd.isna(row["in_A"]) else f": {in_modes}")
    ranks = (f"{text} {sign * row[name]:+.2f}" for name, (text, sign) in TRENDS.items())
    text = "\n".join([counted, "rank correlation:", *ranks])
    axes.text(0.99, 0.97, text, ha="right", va="top", fontsize=SMALL, transform=axes.transAxes)
    # What is written stands above the lines.
    most = rows[["columns_max", "subcolumns_max"]].to_numpy().max()
    axes.set(xlabel="level", xlim=(0, row["depth"]), yscale="symlog", ylim=(0, 200 * most))


EXHIBIT = Exhibit(
    "columns and sub-columns along the levels",
    frame,
    Multiples(draw, "number (log)"),
    f"""Levels of glu3_relaxed: columns of each, and the most sub-columns of one of them (entries of its row
    of U right of the diagonal), as the slides have it for {SHOWN}, without numbers. Above 2000 levels a band
    shows least to most. Dotted: above it the authors' code takes mode A or B; C below.""",
    one_run=False,
    more_claims=("fig_levels",),
)
