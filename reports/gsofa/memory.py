"""The memory of gsofa: with its space optimisations and without, and within budgets that may bind."""

from collections.abc import Sequence

import pandas as pd

from reports.exhibit import Subset
from reports.facts.claims import subject
from reports.facts.printed import printed_table
from reports.shapes.beside import BesidePrint, PanelRow, Step
from reports.table import NOT_MEASURED
from reports.verbs import beside, in_papers_order, on, over_variant, with_budgets, with_option, without

_SPACE = ("bubble_removal", "dynamic_space", "external_frontiers")
# Bytes of a word of the paper's Table 2, and its words per vertex and source; gsofa has one queue.
WORD = 4
_TABLE2 = printed_table("gsofa_table2_space")
_STRUCTURE = _TABLE2["structure"].map({"maxId": "maxid", "fill": "fill"}).fillna("queue")
PRINTED_WORDS = _TABLE2["words"].groupby(_STRUCTURE).sum()
PRINTED_AT = "1GB"
FULL = "Full bars: the budget is below gsofa's need. Empty bars: the budget is above, or the need is unknown."


def is_off(variants: "pd.Series[str]") -> "pd.Series[bool]":
    """Return whether variants have every space optimisation off."""
    return variants.str.fullmatch(rf"gsofa\.{'.*'.join(_SPACE)}.*")


def with_and_without(cases: pd.DataFrame) -> pd.DataFrame:
    """Return the cases with every space optimisation off over those with all on, which are `other_...`."""
    rows = cases[is_off(cases["variant"])]
    all_on = with_option(without(rows["variant"], *_SPACE), "queue_fraction", "8")
    return rows.join(over_variant(cases, rows, all_on, ("", "space optimisations on")))


def device_bytes(rows: pd.DataFrame, prefix: str = "") -> "pd.Series[float]":
    """Return the device memory of concurrent sources, unknown where a part of it is."""
    names = [f"{prefix}bytes_{name}" for name in PRINTED_WORDS.index]
    return rows.reindex(columns=names).sum(axis=1, skipna=False)


def told(rows: pd.DataFrame, *names: str, status: str = "status") -> "pd.Series[str]":
    """Return a status where it is not `ok`, else whether these columns are known."""
    lost = (rows[status] == "ok") & rows[list(names)].isna().any(axis=1)
    return rows[status].fillna("not_run").mask(lost, NOT_MEASURED)


def budgeted(
    cases: pd.DataFrame, rows: pd.DataFrame, base: "pd.Series[str]", role: str, claim: str
) -> pd.DataFrame:
    """Return the rows with their ratio over variants `base`, the largest budget first, and `binds`.

    `binds` is 1 for a budget below `unlimited_bytes`, the memory without one; `pair` calls the base `role`.
    """
    rows = with_budgets(rows.join(over_variant(cases, rows, base, ("", role))))
    free = device_bytes(on(rows, cases[cases["variant"] == "gsofa"]))
    binds = (rows["budget_bytes"] < free).where(free.notna()).astype(float)
    rows = rows.assign(unlimited_bytes=free, binds=binds, loose=binds != 1)
    rows = rows.sort_values("budget_bytes", ascending=False, kind="stable")
    printed = subject("gsofa", claim)["per"]
    return in_papers_order(beside(rows, "gsofa", {"paper_ratio": printed}), "gsofa", printed)


def where_binding(frame: pd.DataFrame) -> list[Subset]:
    """Return a subset for each budget that binds, unjudged where the paper has another budget."""
    binding = frame[frame["binds"] == 1]
    parts = {PRINTED_AT: binding[:0]} | {str(b): rows for b, rows in binding.groupby("budget", sort=False)}
    return [
        Subset(rows, f"{{}} at {budget} where it binds".format, beside=budget != PRINTED_AT)
        for budget, rows in parts.items()
    ]


BUDGETS = {"budgets": where_binding}


def picture(label: str, claim: str, on: str, budgets: Sequence[str]) -> BesidePrint:
    """Return a shape with a bar per matrix and budget, empty where the budget is not known to bind."""
    steps = [Step(budget, "ratio", {"budget": budget}) for budget in budgets]
    row = PanelRow(label, steps, {PRINTED_AT: subject("gsofa", claim)["per"]}, hollow="loose")
    return BesidePrint([row], on, "the budget does not bind", height=5.0)
