"""Figure 16: what a budget of device memory costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pandas as pd

from fillpath.case import Case
from reports.exhibit import Exhibit
from reports.facts.claims import claim
from reports.facts.records import Entries, Records
from reports.frames.budgets import (
    BUDGET,
    PRINTED_AT,
    add_budgets,
    budget_bytes,
    budget_caption,
    budget_columns,
    budget_points,
    budget_verdicts,
    by_budget,
)
from reports.frames.device import add_printed, is_gsofa, pair_frame, printed_values

CLAIM = "fig16_memory_budget"
# What the paper's budgets are held against.
MOST = "16GB"


def frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """One row per matrix, budget below 16 GB and machine: `ratio`, seconds within the budget over those
    within 16 GB; `binds`, whether gsofa takes more than it where nothing limits it."""
    rows = pair_frame(records, entries, cases, with_most, role=f"at {MOST}", facts=("concurrent_sources",))
    rows = add_printed(add_budgets(rows, records), {"paper_slowdown": printed_values(CLAIM)})
    return budget_columns(by_budget(rows), "paper_slowdown")


def with_most(case: Case) -> Case | None:
    """The same case within 16 GB, for one that has a budget below."""
    options = dict(case.options)
    if (
        not is_gsofa(case)
        or options.keys() != {BUDGET}
        or budget_bytes(options[BUDGET]) >= budget_bytes(MOST)
    ):
        return None
    return replace(case, options=((BUDGET, MOST),))


EXHIBIT = Exhibit(
    "gsofa",
    "GSoFA, Figure 16",
    "a budget of device memory",
    frame,
    budget_points(
        f"seconds within the budget\nover within {MOST}",
        "paper_slowdown",
        claim("gsofa", CLAIM, "each").value,
    ),
    """Seconds of gsofa with a memory_budget (bytes of fill, maxId and queues on the device) over those with
    {most}: the ratio of their medians in one run. The paper's numbers are of 44 nodes with six V100 each, at
    {printed_at} a GPU; here it is one GPU, so each has more sources to work on. {budgets}""",
    lambda frame: {"most": MOST, "printed_at": PRINTED_AT, "budgets": budget_caption(frame)},
    held=(partial(budget_verdicts, subject=CLAIM),),
    claims=(CLAIM,),
    edges=True,
    one_run=True,
)
