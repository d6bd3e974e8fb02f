"""Budgets of device memory: which a case has, whether it binds, and one point per budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from fillpath.case import Case
from fillpath.options import Option
from reports.exhibit import Subset
from reports.facts.records import Records
from reports.frames.device import MEMORY, columns_of, gpu_caption, option_of, without
from reports.frames.order import in_papers_order
from reports.frames.seconds import RATIO
from reports.shapes.beside import BesidePrint
from reports.shapes.marks import PanelRow, marks_of

BUDGET = "memory_budget"
# The budget at which GSoFA's ratios are printed.
PRINTED_AT = "1GB"


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


def add_binding(frame: pd.DataFrame, records: Records) -> None:
    """Add `unlimited_bytes`, what gsofa takes of the device without a budget, unknown where that was not
    measured, and `binds`, 1 where the budget is below it."""
    pairs = zip(frame["case"], frame["machine"], strict=True)
    unlimited = [_unlimited(records, case, machine) for case, machine in pairs]
    frame["unlimited_bytes"] = pd.Series(unlimited, index=frame.index, dtype="float64")
    binds = (frame["budget_bytes"] < frame["unlimited_bytes"]).astype("float64")
    frame["binds"] = binds.where(frame["unlimited_bytes"].notna())


def by_budget(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows with the largest budget first, in each group."""
    order = frame.sort_values("budget_bytes", ascending=False, kind="stable", na_position="first")
    return order.sort_values("group", kind="stable").reset_index(drop=True)


def budget_columns(frame: pd.DataFrame, *more: str) -> pd.DataFrame:
    """The columns of Figures 15 and 16 of GSoFA."""
    return columns_of(
        frame, "other", "budget", "budget_bytes", "unlimited_bytes", "binds", "median", "other_median",
        *RATIO, "concurrent_sources", "other_concurrent_sources", *more,
    )  # fmt: skip


def budget_panels(
    label: str, printed: Mapping[str, float], on: str, budgets: Sequence[str], base: str = ""
) -> BesidePrint:
    """A bar per matrix and budget; empty where the budget does not bind or that is not known.

    label : of the axis.
    printed : the ratio of each matrix, at PRINTED_AT.
    on : what the print was measured on.
    budgets : the steps.
    base : of these, the one that the others are held against.
    """
    numbers = {abbr: {PRINTED_AT: value} for abbr, value in printed.items()}
    row = PanelRow(label, budgets, numbers, base=base)

    def marks(frame: pd.DataFrame) -> pd.DataFrame:
        rows = in_papers_order(frame[frame["budget"].notna()], "gsofa", of=printed)
        panel = "measured: one GPU, " + rows["where"]
        return marks_of(rows, "ratio", "pair", step=rows["budget"], panel=panel, hollow=rows["binds"] != 1)

    return BesidePrint([row], on, marks, "the budget does not bind", height=5.0)


def budget_caption(frame: pd.DataFrame) -> str:
    """Which budgets bind, and where it was measured."""
    return (
        "Full bars: the budget is below what gsofa takes without one; empty bars: it is not, or not known. "
        f"{gpu_caption(frame, 'gsofa')}"
    )


def where_binding(frame: pd.DataFrame) -> list[Subset]:
    """The rows of each budget that binds: at the paper's own budget they are judged, at others they stand
    beside the print."""
    binding = frame[frame["binds"] == 1]
    return [
        Subset(
            binding[binding["budget"] == budget],
            f"{{}} at {budget} where it binds".format,
            beside=budget != PRINTED_AT,
        )
        for budget in dict.fromkeys([PRINTED_AT, *binding["budget"]])
    ]


def _unlimited(records: Records, case: str | float, machine: str | float) -> float | None:
    """Bytes of the device that the same case takes without a budget and with space divided dynamically."""
    if not isinstance(case, str) or not isinstance(machine, str):
        return None
    parsed = Case.parse(case)
    for option in ("dynamic_space", BUDGET):
        parsed = without(option)(parsed) or parsed
    facts = records.facts(parsed.name, machine)
    return sum(facts[name] for name in MEMORY) if facts.keys() >= set(MEMORY) else None
