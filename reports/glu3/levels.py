"""Columns and sub-columns along the levels."""

from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from reports.exhibit import Exhibit
from reports.facts.means import trend
from reports.series import per_case
from reports.shapes.axes import Multiples
from reports.shapes.style import PALETTE, SMALL
from reports.verbs import ENDS, with_absent

SHOWN = "ASIC_100ks"
KINDS = ("mean", "min", "max")
NUMBERS: dict[str, tuple[dict[str, Any], str]] = {
    "columns": ({"color": PALETTE[0], "linestyle": "-"}, "columns of the level"),
    "subcolumns": ({"color": PALETTE[5], "linestyle": "--"}, "most sub-columns of one"),
}
# Columns of a level above which the authors' code takes the mode (impl/numeric/right_looking.py).
MODES = {"A": 448, "B": 16}
# The slides' key observation: which numbers are correlated, and with which sign.
TRENDS = {
    "columns_fall": ("columns with level", "columns_mean", "first", -1),
    "subcolumns_rise": ("sub-columns with level", "subcolumns_mean", "first", 1),
    "inverse": ("columns with sub-columns", "subcolumns_mean", "columns_mean", -1),
}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per bin of levels of each case, with its `depth` and the correlations of TRENDS."""
    bins = per_case(cases, ["first", "last", *(f"{name}_{kind}" for name in NUMBERS for kind in KINDS)])
    counts = pd.DataFrame({case: _counts(rows) for case, rows in bins.groupby("case", sort=False)}).T
    columns = ["depth", *(f"{name}{end}" for name in TRENDS for end in ENDS)]
    rows = bins.join(counts.reindex(columns=columns).astype(float), on="case")
    return with_absent(rows, [SHOWN], "label").sort_values("abbr", key=pd.isna, kind="stable")


def _counts(bins: pd.DataFrame) -> dict[str, float]:
    """Return how many levels a case has, and the rank correlations."""
    if bins["columns_mean"].isna().all():
        return {}
    counts = {"depth": bins["last"].iloc[-1] + 1}
    for name, (_, y, x, sign) in TRENDS.items():
        found = trend(bins[x].tolist(), (sign * bins[y]).tolist(), len(bins))
        counts |= zip([f"{name}{end}" for end in ENDS], found, strict=True)
    return counts


def draw(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw both numbers of each level of a matrix; the band of a bin is from its least to its most."""
    row: Any = rows.iloc[0]
    middle = (rows["first"] + rows["last"]) / 2
    for name, (look, text) in NUMBERS.items():
        mean, least, largest = (rows[f"{name}_{kind}"] for kind in KINDS)
        axes.fill_between(middle, least, largest, color=look["color"], alpha=0.25, linewidth=0)
        axes.plot(middle, mean, **look, linewidth=1.6, label=text)
    for mode, above in MODES.items():
        axes.axhline(above, color="#777777", linewidth=1, linestyle=":")
        axes.text(1.005, above, f"{mode} above", va="center", transform=axes.get_yaxis_transform())
    ranks = (f"{text} {sign * row[name]:+.2f}" for name, (text, _, _, sign) in TRENDS.items())
    text = "\n".join([f"{row['depth']:,.0f} levels", "rank correlation:", *ranks])
    axes.text(0.99, 0.97, text, ha="right", va="top", fontsize=SMALL, transform=axes.transAxes)
    most = rows[["columns_max", "subcolumns_max"]].to_numpy().max()
    axes.set(xlabel="level", xlim=(0, row["depth"]), yscale="symlog", ylim=(0, 200 * most))


CAPTION = f"""Levels of glu3_relaxed: columns of each, and the most sub-columns of one (entries of its row of
    U), as in the slides for {SHOWN}. Above 2000 levels a band shows least to most. Dotted: above it mode A or
    B, below it C."""
EXHIBIT = Exhibit(
    frame, Multiples(draw, "number (log)", known="depth"), CAPTION, more_claims=("fig_levels",), one_run=False
)
