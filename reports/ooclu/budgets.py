"""Beyond the paper: what a budget of device memory costs out_of_core, beside gsofa without any."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from reports.exhibit import Exhibit
from reports.ooclu.arrays import LARGEST, PAPER, SYMBOLIC, budgeted, standing_in
from reports.shapes import bars
from reports.shapes.axes import PRINTED_LINE, empty_panel
from reports.shapes.panels import Multiples
from reports.shapes.style import PALETTE
from reports.verbs import fact, of, on, over, with_groups

NONE = "none"
WHISKERS: dict[str, Any] = {"elinewidth": 1.4, "capsize": 3, "ecolor": "black", "linestyle": "none"}


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and budget: `ratio`, seconds of out_of_core within the budget over those
    without; and gsofa, without a budget, over the same.

    whole, whole_launches : the seconds and the launches without a budget
    """
    within = budgeted(cases, "out_of_core")
    rows = pd.concat([within, cases[cases["variant"] == "gsofa"]]).sort_index()
    whole = on(rows, of(cases, "out_of_core").reset_index())
    rows = rows.join(over(rows, whole, ("", "without a budget")))
    rows = rows.assign(whole=whole["median"], whole_launches=fact(whole, "launches"))
    rows = with_groups(standing_in(rows, LARGEST))
    return rows.sort_values(["group", "budget_bytes"], kind="stable")


def draw(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw the ratios along the budgets, and gsofa as a line."""
    first = rows.iloc[0]
    within = rows[rows["budget"].notna()].reset_index(drop=True)
    ok, failed = within[within["pair"] == "ok"], within[within["pair"] != "ok"]
    if ok.empty:
        empty_panel(axes, first["pair"], first["reason"])
        return
    last, launches = len(within), ok["whole_launches"].iloc[0]
    axes.plot([*ok.index, last], [*ok["ratio"], 1.0], color=PALETTE[0], linewidth=1.5, zorder=2)
    for x, why in failed["pair"].items():
        bars.draw_slot(axes, float(str(x)), 0.8, why)
    for full, points in ok.groupby(ok["binds"] == 1):
        whiskers = [points["ratio"] - points["ratio_low"], points["ratio_high"] - points["ratio"]]
        axes.errorbar(points.index, points["ratio"], whiskers, **WHISKERS, **_marker(bool(full)))
    for x, ratio, high in zip(ok.index, ok["ratio"], ok["ratio_high"], strict=True):
        bars.write_upwards(axes, x, high, bars.times(ratio), 6)
    axes.plot(last, 1.0, **_marker(launches > 1))
    words = f"1x: {bars.seconds(first['whole'])}\n{_gsofa(axes, rows[rows['budget'].isna()])}"
    axes.text(0.99, 0.97, words, transform=axes.transAxes, ha="right", va="top", bbox=bars.GROUND)
    places = [*within["budget"], NONE]
    axes.set_xticks(range(len(places)), places, rotation=45, ha="right", rotation_mode="anchor")
    axes.set_xlabel("budget of device memory")
    high = float(rows.loc[rows["pair"] == "ok", "ratio_high"].max())
    axes.set(xlim=(-0.6, len(places) - 0.4), ylim=(0, 1.35 * max(1.0, high)))


def _marker(full: bool) -> dict[str, Any]:
    edge = {"markeredgecolor": "black" if full else PALETTE[0], "markeredgewidth": 1.0 if full else 2.0}
    return {"marker": "o", "markersize": 8, "color": PALETTE[0] if full else "white", "zorder": 3, **edge}


def _gsofa(axes: Axes, rows: pd.DataFrame) -> str:
    """Draw a line at gsofa's ratio. Returns the ratio as text, or why there is none."""
    why = rows["pair"].iloc[0] if len(rows) else "not_run"
    if why != "ok":
        return f"gsofa: {why.replace('_', ' ')}"
    axes.axhline(rows["ratio"].iloc[0], **PRINTED_LINE)
    return f"gsofa: {bars.times(rows['ratio'].iloc[0])}"


def marks(frame: pd.DataFrame) -> Iterable[tuple[str, str]]:
    """Return of a legend what is drawn."""
    binds, known = frame["binds"], frame["pair"] == "ok"
    there = {
        ("full", "out_of_core, several launches"): known & (binds == 1),
        ("hollow", "out_of_core, one launch"): known & frame["budget"].notna() & (binds != 1),
        ("line", "gsofa, without a budget"): known & frame["budget"].isna(),
        ("slot", "no ratio"): ~known,
    }
    return [mark for mark, drawn in there.items() if drawn.any()]


EXHIBIT = Exhibit(
    PAPER,
    "PPoPP'23, beyond the paper",
    "out_of_core under a budget of device memory",
    frame,
    Multiples(draw, "seconds over those\nwithout a budget", marks, across=3, height=4.2, top=1.4),
    """Seconds of out_of_core with a memory_budget over those without. Full points: several launches, each a
    chunk of rows; empty: one, or not known. Dashed: gsofa without a budget, over the same. The paper varies
    no budget.""",
    one_run=True,
    span=SYMBOLIC,
)
