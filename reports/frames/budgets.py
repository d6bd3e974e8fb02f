"""What Figures 15 and 16 share: ratios under a budget of device memory, a point per budget."""

from __future__ import annotations

import pandas as pd

from fillpath.case import Case
from fillpath.options import Option
from reports.exhibit import Gains, Panels
from reports.facts.claims import claim
from reports.facts.records import Records
from reports.facts.standings import Verdict
from reports.facts.verdicts import judge
from reports.frames.device import MEMORY, columns_of, gpu_caption, option_of, without
from reports.frames.timed import RATIO
from reports.shapes import bars

BUDGET = "memory_budget"
# The budget at which the paper prints its ratios.
PRINTED_AT = "1GB"


def budget_bytes(text: str) -> int:
    """The bytes that a case's memory_budget stands for."""
    return int(Option(BUDGET, int, None).parse(text))


def add_budgets(frame: pd.DataFrame, records: Records) -> pd.DataFrame:
    """The frame with `budget` (as its case writes it), `budget_bytes`, `unlimited_bytes` (what gsofa takes of
    the device without a budget, unknown where that was not measured), `binds` (1 where the first is below the
    second) and a series for each budget and machine."""
    budgets = [option_of(case, BUDGET) for case in frame["case"]]
    pairs = zip(frame["case"], frame["machine"], strict=True)
    found = frame.assign(
        budget=pd.Series(budgets, index=frame.index, dtype="object"),
        budget_bytes=pd.Series([budget_bytes(b or "0") for b in budgets], index=frame.index, dtype="float64"),
        unlimited_bytes=pd.Series(
            [_unlimited(records, *pair) for pair in pairs], index=frame.index, dtype="float64"
        ),
    )
    binds = (found["budget_bytes"] < found["unlimited_bytes"]).astype("float64")
    found["binds"] = binds.where(found["unlimited_bytes"].notna())
    named = found["budget"] + ", " + found["where"]
    found["series"] = found["where"].where(found["status"] == "unavailable", named)
    return found


def by_budget(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows with the largest budget first, in each group."""
    order = frame.sort_values("budget_bytes", ascending=False, kind="stable", na_position="first")
    return order.sort_values("group", kind="stable").reset_index(drop=True)


def budget_columns(frame: pd.DataFrame, printed: str) -> pd.DataFrame:
    """What the two figures write."""
    return columns_of(
        frame, "other", "budget", "budget_bytes", "unlimited_bytes", "binds", "median", "other_median",
        *RATIO, "concurrent_sources", "other_concurrent_sources", printed,
    )  # fmt: skip


def budget_points(label: str, printed: str, mean: float) -> Panels:
    """A point per budget; empty where the budget does not bind or that is not known. label, printed, mean :
    of the ratio, as a panel and `Gains` take them."""
    panel = bars.Panel("ratio", "ratio_low", "ratio_high", label, "pair", points=True, hollow="loose")
    legend = (
        ("star", f"printed, at {PRINTED_AT}"),
        ("line", f"printed mean, {mean:.3g}x"),
        ("hollow", "the budget does not bind"),
        ("slot", "no ratio"),
    )
    return Panels([Gains(panel, printed, mean, legend=legend)], height=7.0, shown=_shown)


def budget_caption(frame: pd.DataFrame) -> str:
    """Which budgets bind, and where it was measured."""
    return (
        "Full points: the budget is below what gsofa takes without one on this card and matrix; empty "
        f"points: it is not, or that was not measured. {gpu_caption(frame)}"
    )


def budget_verdicts(frame: pd.DataFrame, subject: str) -> list[Verdict]:
    """In seconds, a verdict per budget where it binds: at the paper's own budget it is judged, at others it
    stands beside the print."""
    binding = frame[frame["binds"] == 1]
    return [
        verdict
        for budget in dict.fromkeys([PRINTED_AT, *binding["budget"]])
        for verdict in judge(
            binding[binding["budget"] == budget], claim("gsofa", subject, "each"), "ratio", status="pair",
            basis=f"seconds at {budget} where it binds", beside=budget != PRINTED_AT,
        )
    ]  # fmt: skip


def _shown(frame: pd.DataFrame) -> pd.DataFrame:
    """Where a machine cannot run gsofa, one slot says so for all budgets."""
    return frame.assign(loose=frame["binds"] != 1).drop_duplicates(["group", "series"])


def _unlimited(records: Records, case: str | float, machine: str | float) -> float | None:
    """Bytes of the device that the same case takes without a budget and with space divided dynamically."""
    if not isinstance(case, str) or not isinstance(machine, str):
        return None
    parsed = Case.parse(case)
    for option in ("dynamic_space", BUDGET):
        parsed = without(option)(parsed) or parsed
    facts = records.facts(parsed.name, machine)
    return sum(facts[name] for name in MEMORY) if facts.keys() >= set(MEMORY) else None
