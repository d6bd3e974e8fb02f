"""Figure 16: what a budget of device memory costs."""

import pandas as pd

from reports.exhibit import Exhibit
from reports.gsofa.memory import FULL, budgeted, picture, where_binding
from reports.gsofa.symbolic import SPAN
from reports.verbs import BUDGET, bytes_of, fact, with_budgets, with_option

CLAIM = "fig16_memory_budget"
# What the paper's budgets are held against, and those below.
MOST, BELOW = "16GB", ["5GB", "1GB", "256MB", "64MB"]
LABEL = f"seconds within the budget\nover within {MOST}"


def frame(cases: pd.DataFrame) -> pd.DataFrame:
    """Return one row per matrix and budget: `ratio`, seconds within it over those within 16 GB;
    `sources_left`, the share of the concurrent sources."""
    alone = with_budgets(cases[cases["variant"].str.fullmatch(rf"gsofa\.{BUDGET}=[^.]*")])
    rows = alone[alone["budget_bytes"] < bytes_of(MOST)]
    rows = budgeted(cases, rows, with_option(rows["variant"], BUDGET, MOST), f"at {MOST}", CLAIM)
    return rows.assign(sources_left=fact(rows, "concurrent_sources") / fact(rows, "other_concurrent_sources"))


EXHIBIT = Exhibit(
    "a budget of device memory",
    frame,
    picture(LABEL, CLAIM, "printed: 264 V100, budgets per GPU", BELOW),
    f"""Seconds of gsofa with a memory_budget over those with {MOST}; one GPU alone has more sources to work
    on than each of 264. {FULL}""",
    subsets={"budgets": where_binding},
    span=SPAN,
)
