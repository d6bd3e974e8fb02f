"""Figure 15: dynamic space allocation under a budget of device memory."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

from fillpath.case import Case
from reports.claims import claim
from reports.device import add_printed, is_gsofa, pair_frame, printed_values, without
from reports.figures import Entries, FigureSpec
from reports.gsofa.budgets import (
    BUDGET,
    PRINTED_AT,
    add_budgets,
    budget_caption,
    budget_columns,
    budget_verdicts,
    by_budget,
    draw_budgets,
)
from reports.records import Records
from reports.standings import Verdict

CLAIM = "fig15_dynamic_space"


def fig15_frame(records: Records, entries: Entries, cases: Sequence[Case]) -> pd.DataFrame:
    """A row a matrix, budget and machine: `ratio`, seconds without dynamic space over with it, both within
    the budget; `binds`, whether gsofa takes more than it where nothing limits it."""
    budgeted = [case for case in cases if BUDGET in dict(case.options)]
    frame = pair_frame(
        records, entries, budgeted, without("dynamic_space"), role="with dynamic space",
        facts=("concurrent_sources",),
    )  # fmt: skip
    frame = add_printed(add_budgets(frame, records), {"paper_speedup": printed_values(CLAIM)})
    return budget_columns(by_budget(frame), "paper_speedup")


def fig15(frame: pd.DataFrame) -> Figure:
    """The speed-up of each matrix, a point a budget."""
    return draw_budgets(
        frame,
        "GSoFA, Figure 15: dynamic space allocation",
        "seconds without dynamic space\nover with",
        "paper_speedup",
        claim("gsofa", CLAIM, "each").value,
    )


def fig15_caption(frame: pd.DataFrame) -> str:
    """What is compared."""
    return (
        "Seconds of gsofa with dynamic_space=false over those with it, under the same memory_budget (bytes "
        "of fill, maxId and queues on the device): the ratio of their medians in one run. The paper's "
        f"numbers are of one V100 at {PRINTED_AT}. {budget_caption(frame)}"
    )


def fig15_verdicts(frame: pd.DataFrame) -> list[Verdict]:
    """At the paper's budget and at those that bind here, in seconds."""
    return budget_verdicts(frame, CLAIM)


SPEC = FigureSpec(
    "Figure 15: dynamic space allocation",
    is_gsofa,
    fig15_frame,
    fig15,
    fig15_caption,
    claims=(CLAIM,),
    judge=fig15_verdicts,
    one_run=True,
)
