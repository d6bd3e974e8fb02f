"""Budgets of device memory, as cases write them."""

from __future__ import annotations

import pandas as pd

from fillpath.options import Option
from reports.frames.device import option_of

BUDGET = "memory_budget"


def budget_bytes(text: str) -> int:
    """The bytes that a case's memory_budget stands for."""
    return int(Option(BUDGET, int, None).parse(text))


def budgets_of(frame: pd.DataFrame) -> pd.DataFrame:
    """The `budget` of each row's case as the case writes it, and `budget_bytes`; empty without one."""
    texts = [option_of(case, BUDGET) if isinstance(case, str) else None for case in frame["case"]]
    numbers = [budget_bytes(text) if text else None for text in texts]
    return pd.DataFrame(
        {
            "budget": pd.Series(texts, index=frame.index, dtype="object"),
            "budget_bytes": pd.Series(numbers, index=frame.index, dtype="float64"),
        }
    )


def add_budgets(frame: pd.DataFrame) -> None:
    """Add `budget` and `budget_bytes`, and make a series for each budget and machine."""
    frame[["budget", "budget_bytes"]] = budgets_of(frame)
    named = frame["budget"] + ", " + frame["where"]
    frame["series"] = frame["where"].where(frame["status"] == "unavailable", named)


def by_budget(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows with the largest budget first, in each group."""
    order = frame.sort_values("budget_bytes", ascending=False, kind="stable", na_position="first")
    return order.sort_values("group", kind="stable").reset_index(drop=True)
