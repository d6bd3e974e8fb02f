"""Figure 16: what a budget of device memory costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from reports.claims import claim
from reports.device import add_printed, is_gsofa, pair_frame, printed_values
from reports.figures import Entries, FigureSpec
from reports.gsofa.budgets import (
    BUDGET,
    PRINTED_AT,
    add_budgets,
    budget_bytes,
    budget_caption,
    budget_columns,
    budget_verdicts,
    by_budget,
    draw_budgets,
)
from reports.records import Records
from reports.standings import Verdict

CLAIM = "fig16_memory_budget"
# What the paper's budgets are held against.
MOST = "16GB"


def fig16_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """A row a matrix, budget below 16 GB and machine: `ratio`, seconds within the budget over those within 16
    GB; `binds`, whether gsofa takes more than it where nothing limits it."""
    frame = pair_frame(records, entries, cases, with_most, role=f"at {MOST}", facts=("concurrent_sources",))
    frame = add_printed(add_budgets(frame, records), {"paper_slowdown": printed_values(CLAIM)})
    return budget_columns(by_budget(frame), "paper_slowdown")


def fig16(frame: pd.DataFrame) -> Figure:
    """The slow-down of each matrix, a point a budget."""
    return draw_budgets(
        frame,
        "GSoFA, Figure 16: a budget of device memory",
        f"seconds within the budget\nover within {MOST}",
        "paper_slowdown",
        claim("gsofa", CLAIM, "each").value,
    )


def fig16_caption(frame: pd.DataFrame) -> str:
    """What is compared."""
    return (
        "Seconds of gsofa with a memory_budget (bytes of fill, maxId and queues on the device) over those "
        f"with {MOST}: the ratio of their medians in one run. The paper's numbers are of 44 nodes with six "
        f"V100 each, at {PRINTED_AT} a GPU; here it is one GPU, so each has more sources to work on. "
        f"{budget_caption(frame)}"
    )


def fig16_verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """At the paper's budget and at those that bind here, in seconds."""
    return budget_verdicts(frame, CLAIM)


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


SPEC = FigureSpec(
    "Figure 16: a budget of device memory",
    is_gsofa,
    fig16_frame,
    fig16,
    fig16_caption,
    claims=(CLAIM,),
    judge=fig16_verdicts,
    one_run=True,
)
