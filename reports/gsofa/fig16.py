"""Figure 16: a budget of device memory."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.gsofa.memory import BUDGETS, FULL, budgeted, picture
from reports.gsofa.symbolic import SPAN
from reports.verbs import BUDGET, fact, with_option

CLAIM = "fig16_memory_budget"
MOST, BELOW = "16GB", ["5GB", "1GB", "256MB", "64MB"]
LABEL = f"seconds within the budget\nover within {MOST}"


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and budget: `ratio` over 16 GB, and the share of `sources_left`."""
    rows = cases[cases["variant"].str.fullmatch(rf"gsofa\.{BUDGET}=({'|'.join(BELOW)})")]
    rows = budgeted(cases, rows, with_option(rows["variant"], BUDGET, MOST), f"at {MOST}", CLAIM)
    return rows.assign(sources_left=fact(rows, "concurrent_sources") / fact(rows, "other_concurrent_sources"))


CAPTION = f"""Seconds of gsofa with a memory_budget over seconds with {MOST}. One GPU alone has more sources
    to work on than each of 264. {FULL}"""
SHAPE = picture(LABEL, CLAIM, "printed: 264 V100, budgets per GPU", BELOW)
EXHIBIT = Exhibit(frame, SHAPE, CAPTION, subsets=BUDGETS, span=SPAN)
