"""The intermediate arrays of all rows, the three ways of having them, and the regime of unified memory."""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from fillpath.case import Case
from fillpath.dicts import dicts
from reports.exhibit import Subset
from reports.facts.claims import subject
from reports.facts.naming import among
from reports.facts.printed import printed_column, printed_table
from reports.facts.records import Records
from reports.frames.seconds import RATIO, STAND_INS, groups_of, prepared_how, seconds_how
from reports.shapes.ratios import BASELINE

PAPER = "ooclu"
# The matrices of Table 2 with the largest n, in place of those that Figure 7 does not name.
LARGEST = ("AP", "PR", "IN")
MATRICES, FAULTS_TABLE = "ooclu_table2_matrices", "ooclu_table3_page_faults"
# Words per vertex and row, and bytes per word.
WORDS, WORD = 6, 4
# Share of the card's memory that unified_memory asks for at most (impl/cuda/managed.py: of what is free).
SHARE = 0.5
OUT_OF_CORE, PREFETCHED, PLAIN = "out_of_core", "unified memory, prefetched", "unified memory"
# Beside the paper's: prefetched, in arrays that an earlier call left.
KEPT = "unified memory, prefetched, arrays kept"
OPTIONS = {
    (): PLAIN,
    (("prefetch", "true"),): PREFETCHED,
    (("keep", "true"), ("prefetch", "true")): KEPT,
}
FITS, OVERSUBSCRIBED = "fits", "oversubscribed"
UNKNOWN = "regime unknown"
# Why another regime than the paper's tests no claim.
OTHER_REGIME = {
    FITS: "the arrays fit the card's memory, the claim is of arrays that do not, and a card that others use "
    "too may not be filled until they do not",
    UNKNOWN: "the card's memory is not recorded",
}
REGIMES = f"{FITS}: in the card's memory, so that nothing is evicted; {OVERSUBSCRIBED}: not, as in the paper."


def is_out_of_core(case: Case) -> bool:
    """A case of out_of_core, whatever its options."""
    return case.stage == "symbolic" and case.implementation == OUT_OF_CORE


def variant_of(case: Case) -> str:
    """Which of the ways a case is; empty for none."""
    if is_out_of_core(case) and not case.options:
        return OUT_OF_CORE
    if case.stage != "symbolic" or case.implementation != "unified_memory":
        return ""
    return OPTIONS.get(case.options, "")


def variants_of(frame: pd.DataFrame) -> pd.Series[Any]:
    """`variant_of` each row's case."""
    variants = [variant_of(Case.parse(case)) for case in frame["case"]]
    return pd.Series(variants, index=frame.index, dtype="object")


def over_out_of_core(case: Case) -> Case | None:
    """out_of_core with its defaults on the same matrix, for a case of one of the ways."""
    return replace(case, implementation=OUT_OF_CORE, options=()) if variant_of(case) else None


def printed_of(table: str, abbreviations: Sequence[str]) -> dict[str, float | None]:
    """nnz/n as Table 2 prints it, of these matrices."""
    numbers = printed_column(PAPER, table, "nnz_per_row")
    return {abbr: numbers[abbr] for abbr in abbreviations}


def the_seven() -> list[str]:
    """The abbreviations of the matrices that Figure 6 and Table 3 show."""
    return [str(abbr) for abbr in printed_table(FAULTS_TABLE)["abbr"]]


def by_density(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows in the order of nnz/n, measured or printed, by which the paper explains its ratios."""
    density = frame["nnz_per_row"].fillna(frame["paper_nnz_per_row"])
    frame = frame.iloc[density.argsort(kind="stable")].reset_index(drop=True)
    frame["group"] = groups_of(frame)
    return frame


def labelled(frame: pd.DataFrame, memory: bool = False) -> pd.DataFrame:
    """The frame as a picture names its matrices: each with its nnz/n, and one only of what it stands in for.

    memory : with that of the arrays of all rows, and its regime.
    """
    rows = dicts(frame)
    labels = [f"{row['label']}{_density(row)}{_memory(row) if memory else ''}" for row in rows]
    names = pd.Series([_first_of(row["stand_in_for"]) for row in rows], index=frame.index, dtype="object")
    return frame.assign(label=labels, stand_in_for=names)


def how(frame: pd.DataFrame, span: str = "") -> str:
    """The caption's part on what was measured and how. span : of its seconds; empty where it has none."""
    if not (frame["status"] == "ok").any():
        return "Nothing was measured here."
    seconds = f"{seconds_how(frame, span)} " if span else ""
    return f"{seconds}{prepared_how(frame, PAPER)} {STAND_INS}"


def _density(row: Mapping[Any, Any]) -> str:
    return "" if pd.isna(row["nnz_per_row"]) else f", nnz/n {row['nnz_per_row']:.3g}"


def _memory(row: Mapping[Any, Any]) -> str:
    if pd.isna(row["managed_bytes"]):
        return ""
    regime = f" ({row['regime']})" if row["regime"] else ""
    return f"\n{row['managed_bytes'] / 1e9:.2g} GB{regime}"


def _first_of(names: Any) -> str | None:
    """`IN and 6 more`."""
    if not isinstance(names, str):
        return None
    first, *others = names.split(", ")
    return f"{first} and {len(others)} more" if others else first


def stand_in_among(frame: pd.DataFrame, abbreviations: Collection[str]) -> None:
    """Leave of what each row stands in for only these."""
    for column in ("stand_in_for", "near"):
        left = [among(names, abbreviations) for names in frame[column]]
        frame[column] = pd.Series(left, index=frame.index, dtype="object")


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


def regimes_of(frame: pd.DataFrame, status: str) -> list[tuple[str, pd.DataFrame]]:
    """The rows of each regime that has a number; of the paper's, where none has."""
    present = set(frame.loc[frame[status] == "ok", "regime"])
    regimes = [(name or UNKNOWN, name) for name in (OVERSUBSCRIBED, FITS, "") if name in present]
    return [(text, frame[frame["regime"] == name]) for text, name in regimes] or [(OVERSUBSCRIBED, frame)]


def by_regime(frame: pd.DataFrame, status: str) -> list[Subset]:
    """The rows of each regime; judged where the regime is the paper's alone."""
    return [
        Subset(rows, functools.partial(_in_regime, regime), OTHER_REGIME.get(regime, ""))
        for regime, rows in regimes_of(frame, status)
    ]


def _in_regime(regime: str, basis: str) -> str:
    return basis.replace(OVERSUBSCRIBED, regime)


def printed_range(of: str) -> tuple[float, float]:
    """The least and the most ratio that the paper prints. of : a subject of config/claims/."""
    low, high = subject(PAPER, of).data["range"]
    return float(low), float(high)


def over_baseline(frame: pd.DataFrame, baseline: str) -> None:
    """Make of the rows of that variant the baseline, which has no ratio, and of each variant a series, with
    its machine where there are several."""
    rows = frame["variant"] == baseline
    frame.loc[rows, "pair"] = BASELINE
    frame.loc[rows, list(RATIO[1:])] = float("nan")
    several = frame["machine"].nunique() > 1
    frame["series"] = frame["variant"] + (", " + frame["machine"].fillna("no machine") if several else "")
