"""Figure 16: what a budget of device memory costs."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from fillpath.case import Case
from reports.exhibit import Held
from reports.exhibit import OldExhibit as Exhibit
from reports.facts.claims import subject
from reports.facts.inputs import Inputs
from reports.frames import budgets
from reports.frames.device import add_printed, is_gsofa, pair_frame, printed_values

CLAIM = "fig16_memory_budget"
# What the paper's budgets are held against.
MOST = "16GB"


def frame(inputs: Inputs) -> pd.DataFrame:
    """One row per matrix, budget below 16 GB and machine: `ratio`, seconds within the budget over those
    within 16 GB; `binds`, whether gsofa takes more than it where nothing limits it; `sources_left`, the
    share of the concurrent sources at 16 GB."""
    rows = pair_frame(inputs, with_most, role=f"at {MOST}", facts=("concurrent_sources",))
    budgets.add_budgets(rows)
    budgets.add_binding(rows, inputs.records)
    rows = add_printed(rows, "gsofa", {"paper_slowdown": printed_values("gsofa", CLAIM)})
    rows["sources_left"] = rows["concurrent_sources"] / rows["other_concurrent_sources"]
    return budgets.budget_columns(budgets.by_budget(rows), "paper_slowdown", "sources_left")


def with_most(case: Case) -> Case | None:
    """The same case within 16 GB, for one that has a budget below."""
    options = dict(case.options)
    if (
        not is_gsofa(case)
        or options.keys() != {budgets.BUDGET}
        or budgets.budget_bytes(options[budgets.BUDGET]) >= budgets.budget_bytes(MOST)
    ):
        return None
    return replace(case, options=((budgets.BUDGET, MOST),))


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 16",
    "a budget of device memory",
    frame,
    budgets.budget_panels(
        f"seconds within the budget\nover within {MOST}", subject("gsofa", CLAIM).data["per"],
        "printed: 264 V100, budgets per GPU", (MOST, "5GB", "1GB", "256MB", "64MB"), base=MOST,
    ),
    """Seconds of gsofa with a memory_budget over those with {most}; one GPU alone has more sources to work
    on than each of 264. {budgets}""",
    lambda frame: {"most": MOST, "budgets": budgets.budget_caption(frame)},
    held=(
        # Beside the print: no machine here has 264 GPUs.
        Held(CLAIM, "ratio", ("each",), "pair", "seconds", subsets=budgets.where_binding, beside=True),
        Held(CLAIM, "ratio", ("slower",), "pair", "seconds", subsets=budgets.where_binding),
        Held(
            CLAIM, "ratio", ("fewer_sources",), "pair", "seconds", against="sources_left",
            subsets=lambda frame: budgets.where_binding(frame)[:1],
        ),
    ),
    one_run=True,
)  # fmt: skip
