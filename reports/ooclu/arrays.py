"""The arrays of all rows: the ways of having them, their bytes, and the regime of unified memory."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from fillpath.options import Option
from reports.exhibit import Held, Subset
from reports.facts.claims import subject
from reports.facts.naming import among
from reports.facts.printed import printed_column, printed_table
from reports.shapes.stacked import BASELINE
from reports.verbs import beside, fact, on, option, over, with_groups, without

PAPER = "ooclu"
MATRICES, FAULTS = "ooclu_table2_matrices", "ooclu_table3_page_faults"
SYMBOLIC = "from the input pattern to the filled pattern, both resident"
BUDGET = "memory_budget"
# The matrices of Table 2 with the largest n, in place of those that Figure 7 does not name.
LARGEST = ["AP", "PR", "IN"]
# Words per vertex and row, and bytes per word.
WORDS, WORD = 6, 4
OUT_OF_CORE, PLAIN, PREFETCHED = "out_of_core", "unified memory", "unified memory, prefetched"
# What figures call the ways of having the arrays. The last has those that an earlier call left.
WAYS = {
    "out_of_core": OUT_OF_CORE,
    "unified_memory": PLAIN,
    "unified_memory.prefetch=true": PREFETCHED,
    "unified_memory.keep=true.prefetch=true": "unified memory, prefetched, arrays kept",
}
FITS, OVERSUBSCRIBED, UNKNOWN = "fits", "oversubscribed", "regime unknown"
# Why another regime than the paper's tests no claim.
OTHER_REGIME = {
    FITS: "the arrays fit the card's memory, the claim is of arrays that do not, and a card that others use "
    "too may not be filled until they do not",
    UNKNOWN: "the card's memory is not recorded",
}
REGIMES = f"{FITS}: in the card's memory, so that nothing is evicted; {OVERSUBSCRIBED}: not, as in the paper."


def the_seven() -> list[str]:
    """Return the abbreviations of the matrices that Figures 5 and 6 and Table 3 show."""
    return [str(abbr) for abbr in printed_table(FAULTS)["abbr"]]


def printed_range(claim: str) -> tuple[float, float]:
    """Return the least and the most ratio that the paper prints of a subject."""
    low, high = subject(PAPER, claim).data["range"]
    return float(low), float(high)


def standing_in(rows: pd.DataFrame, shown: Collection[str]) -> pd.DataFrame:
    """Return the rows, with these matrices alone of what each stands in for."""
    names = {name: rows[name].map(lambda names: among(names, shown)) for name in ("stand_in_for", "near")}
    return rows.assign(**names).astype(dict.fromkeys(names, "object"))


def with_budgets(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with `budget`, as the case writes its memory_budget, and `budget_bytes`."""
    budget = option(rows["variant"], BUDGET)
    return rows.assign(budget=budget, budget_bytes=budget.map(_bytes, na_action="ignore").astype(float))


def budgeted(cases: pd.DataFrame, variant: str) -> pd.DataFrame:
    """Return the rows of a variant within some budget, with it.

    binds : 1 where the budget takes several launches, unknown where these are not counted
    """
    rows = with_budgets(cases)
    rows = rows[rows["budget"].notna() & (without(rows["variant"], BUDGET) == variant)]
    launches = fact(rows, "launches")
    return rows.assign(binds=(launches > 1).astype(float).where(launches.notna()))


def _bytes(text: str) -> int:
    return int(Option(BUDGET, int, None).parse(text))


def managed_bytes(n: pd.Series[float]) -> pd.Series[float]:
    """Return the bytes of the arrays of all rows."""
    return WORDS * WORD * n.astype(float) ** 2


def with_regime(rows: pd.DataFrame, n: pd.Series[float] | None = None) -> pd.DataFrame:
    """Return the rows with `managed_bytes`, how many times the card's they are, and the `regime`.

    n : in place of the order, where that is not known
    """
    order = rows["n"] if n is None else rows["n"].fillna(n)
    rows = rows.assign(managed_bytes=managed_bytes(order))
    times = rows["managed_bytes"] / rows["card"].astype(float)
    regimes = np.select([times < 1, times >= 1], [FITS, OVERSUBSCRIBED], "")
    return rows.assign(times_card=times, regime=regimes)


def by_density(rows: pd.DataFrame, shown: Collection[str]) -> pd.DataFrame:
    """Return the rows by nnz/n, by which the paper explains its ratios, with the memory and its regime.

    shown : abbreviations of the matrices that the figure has; one without a row is `not_run`
    """
    density = printed_column(PAPER, MATRICES, "nnz_per_row")
    rows = standing_in(rows, shown).assign(nnz_per_row=rows["entries"] / rows["n"])
    rows = beside(rows, PAPER, {"paper_nnz_per_row": {abbr: density[abbr] for abbr in shown}})
    order = rows["nnz_per_row"].fillna(rows["paper_nnz_per_row"]).argsort(kind="stable")
    return with_groups(with_regime(rows.iloc[order].reset_index(drop=True)))


def over_baseline(rows: pd.DataFrame, way: str, name: str) -> pd.DataFrame:
    """Return the rows with their ratios over those of a way, which has none itself.

    name : of that way in `pair`
    """
    ratios = over(rows, on(rows, rows[rows["way"] == way]), ("", name))
    baseline = rows["way"] == way
    return rows.join(ratios.mask(baseline).assign(pair=ratios["pair"].mask(baseline, BASELINE)))


def by_regime(frame: pd.DataFrame, status: str) -> list[Subset]:
    """Return the rows of each regime that has a number, judged where it is the paper's; else all rows."""
    there = set(frame.loc[frame[status] == "ok", "regime"])
    return [
        Subset(frame[frame["regime"] == name], partial(_in_regime, word), OTHER_REGIME.get(word, ""))
        for name, word in ((OVERSUBSCRIBED, OVERSUBSCRIBED), (FITS, FITS), ("", UNKNOWN))
        if name in there
    ] or [Subset(frame)]


def held_in_regimes(subject: str, value: str, claim: str, status: str, **more: Any) -> Held:
    """Return what holds a claim against the rows of each regime apart."""
    return Held(subject, value, (claim,), status, subsets=partial(by_regime, status=status), **more)


def _in_regime(regime: str, basis: str) -> str:
    return basis.replace(OVERSUBSCRIBED, regime)


def labelled(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame as a picture names matrices: with nnz/n, and one only of what each stands in for."""
    labels = frame["label"] + _text(frame["nnz_per_row"], ", nnz/n {:.3g}")
    return frame.assign(label=labels, stand_in_for=frame["stand_in_for"].map(_first, na_action="ignore"))


def labelled_with_memory(frame: pd.DataFrame) -> pd.DataFrame:
    """Return `labelled` with the bytes of the arrays of all rows, and their regime."""
    rows, regimes = labelled(frame), frame["regime"].where(frame["regime"] != "")
    memory = _text(frame["managed_bytes"] / 1e9, "\n{:.2g} GB") + _text(regimes, " ({})")
    return rows.assign(label=rows["label"] + memory)


def _text(values: pd.Series[Any], form: str) -> pd.Series[str]:
    return values.astype("object").map(form.format, na_action="ignore").astype("object").fillna("")


def _first(names: str) -> str:
    """Return `IN and 6 more`."""
    first, *others = names.split(", ")
    return f"{first} and {len(others)} more" if others else first
