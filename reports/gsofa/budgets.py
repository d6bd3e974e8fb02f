"""Budgets of device memory: which a case has, whether it binds, and a bar per budget."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from fillpath.options import Option
from reports.exhibit import Subset
from reports.gsofa.printed import printed_values
from reports.gsofa.space import MEMORY
from reports.shapes.beside import BesidePrint, PanelRow, Step
from reports.verbs import beside, in_papers_order, on, option, over_variant

BUDGET = "memory_budget"
# The budget at which GSoFA's ratios are printed.
PRINTED_AT = "1GB"
# What the caption says of the bars.
FULL = "Full bars: the budget is below what gsofa takes without one; empty bars: it is not, or not known."


def bytes_of(budgets: pd.Series[str]) -> pd.Series[float]:
    """Return the bytes that budgets stand for, as cases write them."""
    return budgets.map(Option(BUDGET, int, None).parse).astype(float)


def budgeted(
    cases: pd.DataFrame, rows: pd.DataFrame, base: pd.Series[str], role: str, claim: str
) -> pd.DataFrame:
    """Return the rows with their ratio over other variants, the largest budget first in each group.

    `unlimited_bytes` is what gsofa takes of the device without a budget; `binds` is 1 for a budget below it.

    base : the variant of each row's partner
    role : what `pair` calls the partner
    claim : the subject that prints ratios by matrix
    """
    rows = rows.join(over_variant(cases, rows, base, ("", role)))
    budget = option(rows["variant"], BUDGET)
    free = on(rows, cases[cases["variant"] == "gsofa"]).reindex(columns=MEMORY)
    limit, unlimited = bytes_of(budget), free.sum(axis=1, min_count=len(MEMORY))
    binds = (limit < unlimited).astype(float).where(unlimited.notna())
    rows = rows.assign(
        budget=budget, budget_bytes=limit, unlimited_bytes=unlimited, binds=binds, loose=binds != 1
    ).sort_values("budget_bytes", ascending=False, kind="stable")
    printed = printed_values(claim)
    return in_papers_order(beside(rows, "gsofa", {"paper_ratio": printed}), "gsofa", printed)


def where_binding(frame: pd.DataFrame) -> list[Subset]:
    """Return the rows of each budget that binds.

    They are judged at the paper's own budget, and stand beside the print at others.
    """
    binding = frame[frame["binds"] == 1]
    return [
        Subset(
            binding[binding["budget"] == budget],
            f"{{}} at {budget} where it binds".format,
            beside=budget != PRINTED_AT,
        )
        for budget in dict.fromkeys([PRINTED_AT, *binding["budget"]])
    ]


def picture(label: str, claim: str, on: str, budgets: Sequence[str], base: str = "") -> BesidePrint:
    """Return a shape with a bar per matrix and budget, empty where the budget is not known to bind.

    label : of the axis
    claim : the subject that prints ratios by matrix, at PRINTED_AT
    on : what the print was measured on
    base : the budget that the others are held against
    """
    printed = {abbr: {PRINTED_AT: value} for abbr, value in printed_values(claim).items()}
    steps = [Step(budget, "ratio", {"budget": budget}) for budget in budgets]
    row = PanelRow(label, steps, printed, hollow="loose", base=base)
    return BesidePrint([row], on, "the budget does not bind", height=5.0)
