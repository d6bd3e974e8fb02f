"""The rows of a frame that a claim may be judged by: of which matrices they are, and their numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fillpath.dicts import Row, dicts
from reports.facts.claim import Claim
from reports.facts.distance import twins_in
from reports.facts.standings import Excluded, Point, Scope

EXTREMES = ("largest", "smallest")
# What a status begins with in place of `ok` where a limit of time ended a call: its ratio is a bound.
MORE, LESS = "> ", "< "


@dataclass(frozen=True)
class ClaimColumn:
    """Numbers of a frame that a claim is held against.

    value : the column; where there is an interval it has `<value>_low` and `<value>_high` beside it.
    status : the column that says `ok` or why there is no number.
    basis : what is compared, where it is not the claim's own metric.
    above : what a number has to exceed to be counted.
    against : the column that a trend's value goes with.
    untestable : why the numbers cannot test the claim.
    beside : the numbers stand beside the print and are not judged.
    """

    value: str
    status: str = "status"
    basis: str = ""
    above: float = 1.0
    against: str = ""
    untestable: str = ""
    beside: bool = False

    @property
    def ends(self) -> tuple[str, str, str]:
        """The columns of the number and of its interval."""
        return self.value, f"{self.value}_low", f"{self.value}_high"


def rows_of(frame: pd.DataFrame, column: ClaimColumn, claim: Claim) -> list[Row]:
    """What judging reads of the frame's rows, where a bound stands for a number that a row does not have."""
    names = (
        *column.ends, column.status, column.against, f"{column.value}_processes", "processes", "machine",
        "label", "abbr", "near", "distance", "matrix",
    )  # fmt: skip
    known = frame[[name for name in dict.fromkeys(names) if name in frame]]
    return [_with_bound(row, column, claim) for row in dicts(known)]


def _with_bound(row: Row, column: ClaimColumn, claim: Claim) -> Row:
    """The row, whose interval has no other end where it has a bound. A trend, which is of ranks, has no use
    for that."""
    value, low, high = column.ends
    word = str(row[column.status])
    if claim.aggregate == "trend" or low not in row or high not in row:
        return row
    if word.startswith(MORE) and not math.isnan(_number(row[low])):
        return {**row, column.status: "ok", value: row[low], high: np.inf, "bound": MORE}
    if word.startswith(LESS) and not math.isnan(_number(row[high])):
        least = 0.0 if claim.unit == "x" else -np.inf
        return {**row, column.status: "ok", value: row[high], low: least, "bound": LESS}
    return row


def has_number(row: Row, column: ClaimColumn, claim: Claim) -> bool:
    """Whether the row has a number that the claim may be judged by: a finite one, and a ratio above 0."""
    values = [_number(row[name]) for name in (column.value, column.against) if name]
    whole = row[column.status] == "ok" and all(map(math.isfinite, values))
    return whole and (values[0] > 0 or not claim.is_ratio)


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan


def scopes(there: Sequence[Row], claim: Claim) -> Iterator[tuple[Scope, Sequence[Row]]]:
    """The rows of one machine by what they are of, as far as the claim may be judged by them."""
    if claim.matrices is None:
        yield Scope.PANEL if claim.aggregate in EXTREMES else Scope.ANY, there
        return
    of_paper = [row for row in there if is_of_paper(row, claim)]
    if of_paper:
        yield Scope.PAPER, of_paper
    if claim.aggregate == "equal":
        return
    if claim.aggregate in EXTREMES:
        if len(of_paper) < len(there):
            yield Scope.PANEL, there
        return
    instead = [row for row in there if not _is_own(row) and is_near(row, claim)]
    for scope, twin in ((Scope.TWINS, True), (Scope.STAND_INS, False)):
        if rows := [row for row in instead if _is_twin(row, claim) is twin]:
            yield scope, rows


def is_of_paper(row: Row, claim: Claim) -> bool:
    """Whether the row is of one of the claim's own matrices."""
    return row["abbr"] in (claim.matrices or ())


def is_near(row: Row, claim: Claim) -> bool:
    """Whether the row is of a stand-in near enough to one of the claim's matrices."""
    return _stands_for(row["near"], claim) is not None


def is_far(row: Row, claim: Claim) -> bool:
    """Whether the row is of another matrix, and of none that is near enough."""
    return not _is_own(row) and not is_near(row, claim)


def _is_own(row: Row) -> bool:
    """Whether the row is of one of the paper's matrices."""
    return isinstance(row["abbr"], str)


def _is_twin(row: Row, claim: Claim) -> bool:
    """Whether the row is of a twin of the claim's matrix that it is nearest to."""
    matrix = str(row.get("matrix", row["label"]))
    return _stands_for(row["near"], claim) in twins_in(matrix, claim.paper)


def _stands_for(near: Any, claim: Claim) -> str | None:
    """The nearest of the claim's matrices that a row is near enough to: one matrix stands in for one."""
    names = near.split(", ") if isinstance(near, str) else []
    return next((name for name in names if name in (claim.matrices or ())), None)


def concerns(row: Row, claim: Claim) -> bool:
    """Whether the row is of one of the claim's matrices or of a stand-in for it."""
    return claim.matrices is None or is_of_paper(row, claim) or is_near(row, claim)


def left_out(
    ok: Sequence[Row], rows: Sequence[Row], excluded: Sequence[Excluded], scope: Scope, claim: Claim
) -> list[Excluded]:
    """What is in no number: rows without one and, beside stand-ins, those too far away."""
    labels = {row["label"] for row in rows}
    without = [row for row in excluded if row.label not in labels]
    if scope not in (Scope.TWINS, Scope.STAND_INS):
        return without
    return without + [left_out_far(row, claim) for row in ok if is_far(row, claim)]


def left_out_far(row: Row, claim: Claim) -> Excluded:
    """A row with a number that weighs nothing: with its distance from the claim's matrices, the nearest
    first, unless the claim is of what no stand-in decides."""
    if _stands_for(row.get("near"), claim):
        return Excluded(str(row["label"]), "not the paper's own, which alone decide this")
    distance = row.get("distance")
    parts = distance.split("; ") if isinstance(distance, str) else []
    wanted = [part for part in parts if part.partition(":")[0] in (claim.matrices or ())]
    if not wanted:
        return Excluded(str(row["label"]), "of no matrix of the claim, nor standing in for one")
    return Excluded(f"{row['label']} ({wanted[0]})", "too far to stand in")


def without_number(rows: Sequence[Row], status: str) -> list[Excluded]:
    """Rows without a number, and why, each matrix once per reason."""
    pairs = [(str(row["label"]), row[status]) for row in rows]
    reasons = [
        (label, "no number" if word == "ok" or pd.isna(word) else str(word).replace("_", " "))
        for label, word in pairs
    ]
    return [Excluded(label, reason) for label, reason in dict.fromkeys(reasons)]


def point(row: Row, column: ClaimColumn, claim: Claim) -> Point:
    """The row's number as one of the claim's."""
    number = float(row[column.value])
    bounded = all(pd.notna(row.get(name)) for name in column.ends[1:])
    low, high = (float(row[name]) if bounded else number for name in column.ends[1:])
    if claim.aggregate == "count":
        number, low, high = (float(end > column.above) for end in (number, low, high))
    abbr = row["abbr"] if _is_own(row) else None
    stands_for = None if abbr else _stands_for(row.get("near"), claim)
    return Point(
        str(row["label"]), abbr, number, low, high, claim.by_matrix.get(abbr or stands_for or ""), stands_for,
        _processes(row, column),
        float(row[column.against]) if column.against else None, str(row.get("matrix", "")), bounded,
        str(row.get("bound", "")),
    )  # fmt: skip


def _processes(row: Row, column: ClaimColumn) -> int:
    """In which the number was measured: those of its case where it is the case's own seconds; one where the
    frame does not say."""
    name = "processes" if column.value == "median" else f"{column.value}_processes"
    processes = row.get(name)
    return 1 if processes is None or pd.isna(processes) else int(processes)
