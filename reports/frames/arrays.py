"""What the figures of this paper share: the intermediate arrays of all rows, the three ways of having them,
and the regime that unified memory is in."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import pandas as pd

from fillpath.case import Case
from reports.facts.claims import Claim, printed_table
from reports.facts.records import Records
from reports.facts.standings import Verdict
from reports.facts.verdicts import judge
from reports.frames.variants import Row, said

PAPER = "ooclu"
# The matrices of Table 2 with the largest n, in place of those that Figure 7 does not name.
LARGEST = ("AP", "PR", "IN")
MATRICES, FAULTS_TABLE = "ooclu_table2_matrices", "ooclu_table3_page_faults"
# Words a vertex and row, and bytes of a word.
WORDS, WORD = 6, 4
# Share of the card's memory that unified_memory asks for at most (impl/cuda/managed.py: of what is free).
SHARE = 0.5
OUT_OF_CORE, PREFETCHED, PLAIN = "out_of_core", "unified memory, prefetched", "unified memory"
FITS, OVERSUBSCRIBED = "fits", "oversubscribed"
UNKNOWN = "regime unknown"
# Why another regime than the paper's tests no claim.
OTHER_REGIME = {
    FITS: "the arrays fit the card's memory, and the claim is of arrays that do not",
    UNKNOWN: "the card's memory is not recorded",
}
REGIMES = (
    f"`{FITS}`: the managed memory is less than the card's, pages are made there once and nothing is "
    f"evicted; `{OVERSUBSCRIBED}`: it is more, as in the paper."
)


def is_out_of_core(case: Case) -> bool:
    """A case of out_of_core, whatever its options."""
    return case.stage == "symbolic" and case.implementation == OUT_OF_CORE


def variant_of(case: Case) -> str:
    """Which of the three ways a case is; empty for none."""
    if is_out_of_core(case) and not case.options:
        return OUT_OF_CORE
    if case.stage != "symbolic" or case.implementation != "unified_memory":
        return ""
    return {(): PLAIN, (("prefetch", "true"),): PREFETCHED}.get(case.options, "")


def over_out_of_core(case: Case) -> Case | None:
    """out_of_core with its defaults on the same matrix, for a case of one of the three ways."""
    return replace(case, implementation=OUT_OF_CORE, options=()) if variant_of(case) else None


def where(row: Row) -> str:
    """The machine, or why a table has no number."""
    return str(row["where"]) if row["status"] == "ok" else said(str(row["status"]))


def printed_numbers(table: str, column: str) -> dict[str, float | None]:
    """A column of a printed table, by abbreviation."""
    rows = printed_table(table)
    return {str(abbr): float(value) for abbr, value in zip(rows["abbr"], rows[column], strict=True)}


def printed_of(table: str, abbreviations: Sequence[str]) -> dict[str, float | None]:
    """nnz/n as Table 2 prints it, of these matrices."""
    numbers = printed_numbers(table, "nnz_per_row")
    return {abbr: numbers[abbr] for abbr in abbreviations}


def the_seven() -> list[str]:
    """The abbreviations of the matrices that Figure 6 and Table 3 show."""
    return [str(abbr) for abbr in printed_table(FAULTS_TABLE)["abbr"]]


def stand_in_among(frame: pd.DataFrame, abbreviations: Collection[str]) -> None:
    """Leave of what each row stands in for only these."""
    stood_for = [name.split(", ") if isinstance(name, str) else [] for name in frame["stand_in_for"]]
    left = [", ".join(short for short in shorts if short in abbreviations) or None for shorts in stood_for]
    frame["stand_in_for"] = pd.Series(left, index=frame.index, dtype="object")


def add_memory(frame: pd.DataFrame, records: Records, order: pd.Series[float] | None = None) -> None:
    """Add `managed_bytes` (24 n^2), `card_bytes`, `times_card` and `regime`, empty where it is not known.

    order : in place of n, where that is not known.
    """
    n = frame["n"].astype("float64")
    n = n if order is None else n.fillna(order)
    cards = [
        records.gpu(case, machine).get("memory") if isinstance(machine, str) else None
        for case, machine in zip(frame["case"], frame["machine"], strict=True)
    ]
    frame["managed_bytes"] = WORDS * WORD * n**2
    frame["card_bytes"] = pd.Series(cards, index=frame.index, dtype="float64")
    frame["times_card"] = frame["managed_bytes"] / frame["card_bytes"]
    known = frame["times_card"].notna()
    regimes = (frame["times_card"] < 1).map({True: FITS, False: OVERSUBSCRIBED})
    frame["regime"] = regimes.where(known, "").astype("object")


def by_regime(frame: pd.DataFrame, claim: Claim, value: str, *, status: str) -> list[Verdict]:
    """A verdict for each regime, machine and scope; judged where the regime is the paper's alone."""
    return [
        verdict
        for regime, rows in in_regimes(frame, status)
        for verdict in judge(
            rows, claim, value, status=status, untestable=OTHER_REGIME.get(regime, ""),
            basis=claim.metric.replace(OVERSUBSCRIBED, regime),
        )
    ]  # fmt: skip


def in_regimes(frame: pd.DataFrame, status: str) -> list[tuple[str, pd.DataFrame]]:
    """The rows of each regime that has a number; of the paper's, where none has."""
    has = set(frame.loc[frame[status] == "ok", "regime"])
    found = [(name or UNKNOWN, name) for name in (OVERSUBSCRIBED, FITS, "") if name in has]
    return [(text, frame[frame["regime"] == name]) for text, name in found] or [(OVERSUBSCRIBED, frame)]
