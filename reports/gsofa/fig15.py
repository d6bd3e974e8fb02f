"""Figure 15: dynamic space allocation."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.gsofa.memory import BUDGETS, FULL, budgeted, picture
from reports.gsofa.symbolic import SPAN
from reports.verbs import without

CLAIM = "fig15_dynamic_space"


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and budget: `ratio`, seconds without dynamic space over with it."""
    rows = cases[cases["variant"].str.match(r"gsofa\..*dynamic_space=")]
    return budgeted(cases, rows, without(rows["variant"], "dynamic_space"), "with dynamic space", CLAIM)


CAPTION = f"Seconds of gsofa with dynamic_space=false over seconds with true, within the same budget. {FULL}"
SHAPE = picture("seconds without dynamic space\nover with", CLAIM, "printed: one V100", ["1GB", "64MB"])
EXHIBIT = Exhibit(frame, SHAPE, CAPTION, subsets=BUDGETS, span=SPAN)
