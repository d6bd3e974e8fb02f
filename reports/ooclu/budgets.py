"""Beyond the paper: out_of_core under a budget of device memory."""

import pandas as pd
from matplotlib.axes import Axes

from reports.exhibit import Exhibit
from reports.ooclu.arrays import SYMBOLIC, budgeted
from reports.shapes.axes import Multiples
from reports.shapes.bars import GROUND, seconds
from reports.shapes.beside import PanelRow, Step
from reports.verbs import fact, of, on, over

WAYS = {"several launches": False, "one launch, or not known": True}
STEPS = [Step(name, "ratio", {"loose": loose}) for name, loose in WAYS.items()]
ROW = PanelRow("", STEPS, {}, points=True)


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and budget: `ratio` over seconds without one; and gsofa over the same."""
    rows = budgeted(cases, "out_of_core", "gsofa")
    whole = on(rows, of(cases, "out_of_core").reset_index())
    rows = rows.join(over(rows, whole, ("", "without a budget")))
    rows = rows.assign(whole=whole["median"], whole_launches=fact(whole, "launches"))
    return rows.sort_values(["group", "budget_bytes"], kind="stable")


def draw(axes: Axes, rows: pd.DataFrame) -> None:
    """Draw the ratios along the budgets, then gsofa's."""
    first, places = rows.iloc[0], rows["budget"].fillna("gsofa").tolist()
    ROW(axes, rows.assign(group=range(len(rows)), loose=rows["binds"] != 1))
    axes.set_xticks(range(len(places)), places, rotation=45, ha="right", rotation_mode="anchor")
    axes.set(xlim=(-0.6, len(places) - 0.4), xlabel="budget of device memory")
    words = f"1x: {seconds(first['whole'])}{' in several launches' if first['whole_launches'] > 1 else ''}"
    axes.text(0.99, 0.97, words, transform=axes.transAxes, ha="right", va="top", bbox=GROUND)


CAPTION = """Seconds of out_of_core with a memory_budget over seconds without. Circles: several launches, each
    with a chunk of rows. Squares: one launch, or unknown. Last: gsofa without a budget over the same."""
EXHIBIT = Exhibit(frame, Multiples(draw, "seconds over those\nwithout a budget", 3), CAPTION, span=SYMBOLIC)
