"""Figure 15: dynamic space allocation under a budget of device memory."""

from __future__ import annotations

import pandas as pd

from reports.exhibit import Held
from reports.exhibit import OldExhibit as Exhibit
from reports.facts.claims import subject
from reports.facts.inputs import Inputs
from reports.frames import budgets
from reports.frames.device import add_printed, pair_frame, printed_values, without

CLAIM = "fig15_dynamic_space"


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, budget and machine: `ratio`, seconds without dynamic space over with it, both
    within the budget; `binds`, whether gsofa takes more than it where nothing limits it."""
    rows = pair_frame(
        inputs, without("dynamic_space"), role="with dynamic space",
        facts=("concurrent_sources",),
    )  # fmt: skip
    budgets.add_budgets(rows)
    budgets.add_binding(rows, inputs.records)
    rows = add_printed(rows, "gsofa", {"paper_speedup": printed_values("gsofa", CLAIM)})
    return budgets.budget_columns(budgets.by_budget(rows), "paper_speedup")


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 15",
    "dynamic space allocation",
    frame,
    budgets.budget_panels(
        "seconds without dynamic space\nover with",
        subject("gsofa", CLAIM).data["per"],
        "printed: one V100",
        ("1GB", "64MB"),
    ),
    """Seconds of gsofa with dynamic_space=false over those with it, within the same budget. {budgets}""",
    lambda frame: {"budgets": budgets.budget_caption(frame)},
    held=(Held(CLAIM, "ratio", ("each", "all_gain"), "pair", "seconds", subsets=budgets.where_binding),),
    one_run=True,
)
