"""The rows of a frame that a claim may be judged by: of which matrices they are, and their numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

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


def has_number(frame: pd.DataFrame, column: ClaimColumn, claim: Claim) -> pd.Series[bool]:
    """Which rows have a number that the claim may be judged by: a finite one, and a ratio above 0."""
    values = pd.to_numeric(frame[column.value], errors="coerce").astype(float)
    whole = (frame[column.status] == "ok") & np.isfinite(values)
    if column.against:
        whole &= np.isfinite(pd.to_numeric(frame[column.against], errors="coerce").astype(float))
    return whole & (values > 0) if claim.is_ratio else whole


def with_bounds(frame: pd.DataFrame, column: ClaimColumn, claim: Claim) -> pd.DataFrame:
    """The frame, where a bound stands for the number that a row does not have: its interval has no other end.
    A trend, which is of ranks, has no use for it."""
    low, high = f"{column.value}_low", f"{column.value}_high"
    if claim.aggregate == "trend" or low not in frame or high not in frame:
        return frame
    words = frame[column.status].astype("object").astype(str)
    more = words.str.startswith(MORE) & frame[low].notna()
    less = words.str.startswith(LESS) & frame[high].notna()
    if not (more | less).any():
        return frame
    frame = frame.assign(**{column.status: frame[column.status].astype("object").mask(more | less, "ok")})
    frame["is_bound"] = pd.Series("", frame.index, dtype="object").mask(more, MORE).mask(less, LESS)
    frame.loc[more, column.value], frame.loc[more, high] = frame.loc[more, low], np.inf
    frame.loc[less, column.value] = frame.loc[less, high]
    frame.loc[less, low] = 0.0 if claim.unit == "x" else -np.inf
    return frame


def scopes(there: pd.DataFrame, claim: Claim) -> Iterator[tuple[Scope, pd.DataFrame]]:
    """The rows of one machine by what they are of, as far as the claim may be judged by them."""
    if claim.matrices is None:
        yield Scope.PANEL if claim.aggregate in EXTREMES else Scope.ANY, there
        return
    of_paper = is_of_paper(there, claim)
    if of_paper.any():
        yield Scope.PAPER, there[of_paper]
    if claim.aggregate == "equal":
        return
    if claim.aggregate in EXTREMES:
        if not of_paper.all():
            yield Scope.PANEL, there
        return
    instead = there["abbr"].isna() & is_near(there, claim)
    twin = instead & is_twin(there, claim)
    if twin.any():
        yield Scope.TWINS, there[twin]
    if (instead & ~twin).any():
        yield Scope.STAND_INS, there[instead & ~twin]


def is_of_paper(rows: pd.DataFrame, claim: Claim) -> pd.Series[bool]:
    """Which rows are of the claim's own matrices."""
    return rows["abbr"].isin(claim.matrices or ())


def is_near(rows: pd.DataFrame, claim: Claim) -> pd.Series[bool]:
    """Which rows are of stand-ins near enough to one of the claim's matrices."""
    wanted = set(claim.matrices or ())
    return pd.Series([bool(wanted & set(_names(name))) for name in rows["near"]], rows.index, dtype=bool)


def is_twin(rows: pd.DataFrame, claim: Claim) -> pd.Series[bool]:
    """Which rows are of twins of the claim's matrix that they are nearest to."""
    pairs = zip(rows.get("matrix", rows["label"]), rows["near"], strict=True)
    found = [_stands_for(near, claim) in twins_in(str(matrix), claim.paper) for matrix, near in pairs]
    return pd.Series(found, rows.index, dtype=bool)


def _stands_for(near: Any, claim: Claim) -> str | None:
    """The nearest of the claim's matrices that a row is near enough to: one matrix stands in for one."""
    return next((name for name in _names(near) if name in (claim.matrices or ())), None)


def _names(text: Any) -> list[str]:
    return text.split(", ") if isinstance(text, str) else []


def concerned(frame: pd.DataFrame, claim: Claim) -> pd.DataFrame:
    """The rows of the claim's matrices and of stand-ins for them."""
    if claim.matrices is None:
        return frame
    return frame[frame["abbr"].isin(claim.matrices) | is_near(frame, claim)]


def left_out(
    ok: pd.DataFrame, rows: pd.DataFrame, excluded: Sequence[Excluded], scope: Scope, claim: Claim
) -> list[Excluded]:
    """What is in no number: rows without one and, beside stand-ins, those too far away."""
    labels = set(rows["label"])
    without = [row for row in excluded if row.label not in labels]
    if scope not in (Scope.TWINS, Scope.STAND_INS):
        return without
    far = ok[ok["abbr"].isna() & ~is_near(ok, claim)]
    return without + [left_out_far(row, claim) for row in far.to_dict("records")]


def left_out_far(row: dict[Any, Any], claim: Claim) -> Excluded:
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


def without_number(rows: pd.DataFrame, status: str) -> list[Excluded]:
    """Rows without a number, and why, each matrix once per reason."""
    reasons = [
        (str(label), "no number" if word == "ok" or pd.isna(word) else str(word).replace("_", " "))
        for label, word in zip(rows["label"], rows[status], strict=True)
    ]
    return [Excluded(label, reason) for label, reason in dict.fromkeys(reasons)]


def point(row: dict[Any, Any], column: ClaimColumn, claim: Claim) -> Point:
    number = float(row[column.value])
    ends = (f"{column.value}_low", f"{column.value}_high")
    bounded = all(pd.notna(row.get(name)) for name in ends)
    low, high = (float(row[name]) if bounded else number for name in ends)
    if claim.aggregate == "count":
        number, low, high = (float(end > column.above) for end in (number, low, high))
    abbr = row["abbr"] if isinstance(row["abbr"], str) else None
    stands_for = None if abbr else _stands_for(row.get("near"), claim)
    return Point(
        str(row["label"]), abbr, number, low, high, claim.by_matrix.get(abbr or stands_for or ""), stands_for,
        _processes(row, column),
        float(row[column.against]) if column.against else None, str(row.get("matrix", "")), bounded,
        str(row.get("is_bound", "")),
    )  # fmt: skip


def _processes(row: dict[Any, Any], column: ClaimColumn) -> int:
    """In which the number was measured: those of its case where it is the case's own seconds; one where the
    frame does not say."""
    name = "processes" if column.value == "median" else f"{column.value}_processes"
    processes = row.get(name)
    return 1 if processes is None or pd.isna(processes) else int(processes)
