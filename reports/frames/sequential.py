"""The good sequential code of a matrix: of those here that examine few entries the fastest, by records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from fillpath.dicts import Row, dicts
from reports.facts.naming import listed
from reports.frames.phase_sums import phases_of
from reports.frames.seconds import add_columns, by_machine, ratio_of, with_transfers


@dataclass(frozen=True)
class Code:
    """A good sequential code.

    mark : its letter in a picture.
    fills : whether it gives the rows of F, which a later stage needs; else their counts alone.
    """

    mark: str
    fills: bool = True


# etree_cpu takes structurally symmetric patterns alone.
SEQUENTIAL = {
    "fill1_pruned": Code("p"),
    "etree_cpu": Code("e"),
    "fill1_supernodal": Code("n"),
    "superlu_dist": Code("s", fills=False),
}
FILLING = tuple(name for name, code in SEQUENTIAL.items() if code.fills)
# The columns that `sequential_over` fills, and those of text among them.
TEXTS = ("sequential", "sequential_untimed")
ENDS = ("", "_low", "_high", "_processes")
RATIOS = ("pair_sequential", *(f"over_sequential{end}" for end in ENDS), "moved_over_sequential")


def fastest(rows: Mapping[str, Row], codes: Sequence[str] = tuple(SEQUENTIAL)) -> tuple[str, str]:
    """Which of these codes is the fastest of a matrix, and the names of those that have no time to compare
    although they take such a matrix. Without any time it is the first one.

    rows : by code, each with `pair` (`ok` where it can be compared), `status` and `median`.
    """
    timed = [code for code in codes if code in rows and rows[code]["pair"] == "ok"]
    untimed = [code for code in codes if code not in timed and not _refused(rows.get(code))]
    first = min(timed, key=lambda code: float(rows[code]["median"]), default=codes[0])
    return first, ", ".join(untimed)


def sequential_over(by_code: Mapping[str, Row], bottom: Row | None) -> dict[str, Any]:
    """TEXTS and RATIOS: the fastest code, and its seconds over those of another row, in one run."""
    # A bound on one code is none on the fastest.
    ratios = {code: ratio_of(by_code.get(code), bottom, (code, ""), bounds=False) for code in SEQUENTIAL}
    rows = {code: {**by_code[code], **ratios[code]} for code in SEQUENTIAL if code in by_code}
    first, untimed = fastest(rows)
    ratio = ratios[first]
    return {
        "sequential": first if ratio["pair"] == "ok" else None,
        "sequential_untimed": untimed,
        "pair_sequential": ratio["pair"],
        **{f"over_sequential{end}": ratio.get(f"ratio{end}") for end in ENDS},
        "moved_over_sequential": with_transfers(by_code.get(first), bottom),
    }


def add_sequential(frame: pd.DataFrame, rows: list[dict[str, Any]]) -> None:
    """Add TEXTS and RATIOS, of one mapping per row."""
    add_columns(frame, rows, RATIOS)
    for name in TEXTS:
        frame[name] = pd.Series([row.get(name) for row in rows], index=frame.index, dtype="object")
    frame["sequential_mark"] = marks_of(frame)


def marks_of(frame: pd.DataFrame) -> pd.Series[str]:
    """The letter of each row's fastest code, None where there is none."""
    letters = {name: code.mark for name, code in SEQUENTIAL.items()}
    return frame["sequential"].map(letters).astype("object")


def fastest_rows(frame: pd.DataFrame, codes: Sequence[str] = tuple(SEQUENTIAL)) -> pd.DataFrame:
    """One row per group and machine of these of sequential codes: that of the fastest, with TEXTS.

    frame : with `group`, `machine`, `implementation`, `pair`, `status` and `median`.
    """
    kept, texts = [], []
    for part in by_machine(dicts(frame.assign(place=range(len(frame))))):
        by_code = {str(row["implementation"]): row for row in reversed(part)}
        first, untimed = fastest(by_code, codes)
        first = first if first in by_code else str(part[0]["implementation"])
        kept.append(by_code[first]["place"])
        texts.append({"sequential": first if by_code[first]["pair"] == "ok" else None, TEXTS[1]: untimed})
    rows = frame.iloc[kept].reset_index(drop=True)
    for name in TEXTS:
        rows[name] = pd.Series([text[name] for text in texts], index=rows.index, dtype="object")
    return rows


def fastest_of(codes: Sequence[str]) -> str:
    """`the fastest of fill1_pruned, etree_cpu and superlu_dist`: of two, the faster."""
    *others, last = codes
    return f"the {'fastest' if len(codes) > 2 else 'faster'} of {', '.join(others)} and {last}"


def sequential_how(frame: pd.DataFrame, codes: Sequence[str] = tuple(SEQUENTIAL)) -> str:
    """The caption's part on which code is the fastest, and of how many matrices it was not decided.

    frame : with TEXTS, in the rows that say something of them.
    """
    rows = frame[frame["sequential"].notna()]
    if rows.empty:
        return ""
    counts = rows["sequential"].value_counts()
    of = ", ".join(f"{name} ({SEQUENTIAL[name].mark}) on {counts[name]}" for name in codes if name in counts)
    untimed = rows[rows["sequential_untimed"] != ""]
    names = listed(name for names in untimed["sequential_untimed"] for name in names.split(", "))
    lacking = f"; no time of {names} on {len(untimed)} of {len(rows)}" if len(untimed) else ""
    words = fastest_of([phases_of(name) for name in codes])
    return f"Good sequential code: on each matrix {words}, one core ({of}{lacking}). "


def _refused(row: Row | None) -> bool:
    """Whether the code takes no such matrix."""
    return row is not None and str(row["status"]).endswith("unsupported")
