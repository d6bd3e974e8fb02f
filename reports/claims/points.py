"""The rows of a frame that a claim may be judged by: their numbers, and of which matrices they are."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reports.claims.verdict import Scope
from reports.facts.claim import Claim, Held
from reports.facts.distance import twins_in

Numbers = NDArray[np.float64]
EXTREMES = ("largest", "smallest")
# What a status begins with in place of `ok` where a limit of time ended a call: its ratio is a bound.
MORE, LESS = "> ", "< "
# Kinds of matrices beside a Scope: too far from the claim's own, and others of the paper's own.
FAR, OTHER = "far", "other"


def points(frame: pd.DataFrame, claim: Claim, held: Held) -> pd.DataFrame:
    """Return the frame's rows as numbers that the claim may be judged by.

    kind : the scope that the row is judged in, or `far` or `other`.
    near : of the claim's matrices the nearest that it is near enough to.
    input, of_claim : what is counted as one matrix; of the claim's matrices, which it is or stands in for.
    has, left_out : whether there is a number to judge by; (label, reason) where it is in none.
    value, low, high : the number and its interval; of a count 1 where it exceeds `above`.
    bounded, bound : whether the interval is known; `> ` or `< ` where the value is a bound.
    printed, at, processes : of that matrix; what a trend's value goes with; in which it was measured.
    """
    state = [word or "" for word in _texts(frame, held.status)]
    value, low, high = (_numbers(frame, held.column + end) for end in ("", "_low", "_high"))
    # A trend, which is of ranks, has no use for a bound.
    mark = np.array([word[:2] if claim.aggregate != "trend" else "" for word in state], dtype=object)
    more, less = (mark == MORE) & ~np.isnan(low), (mark == LESS) & ~np.isnan(high)
    value = np.select([more, less], [low, high], value)
    low = np.where(less, 0.0 if claim.unit == "x" else -np.inf, low)
    high = np.where(more, np.inf, high)
    bounded = ~np.isnan(low) & ~np.isnan(high)
    low, high = np.where(bounded, low, value), np.where(bounded, high, value)
    at = _numbers(frame, held.against)
    ok = np.array([word == "ok" for word in state], dtype=bool) | more | less
    has = ok & np.isfinite(value) & ((value > 0) | (not claim.is_ratio))
    if held.against:
        has &= np.isfinite(at)
    if claim.aggregate == "count":
        value, low, high = ((end > held.above).astype(float) for end in (value, low, high))
    rows = _names(frame, claim)
    whys = zip(rows["label"], rows["near"], _texts(frame, "distance"), state, has, strict=True)
    numbers = {
        "has": has, "value": value, "low": low, "high": high, "bounded": bounded, "at": at,
        "bound": np.where(more | less, mark, ""),
        "printed": [claim.by_matrix.get(name or "", np.nan) for name in rows.pop("own")],
        "processes": np.nan_to_num(_numbers(frame, f"{held.column}_processes"), nan=1.0).astype(int),
        "left_out": [_left_out(claim, *why) for why in whys],
    }  # fmt: skip
    return rows.assign(**numbers)


def _names(frame: pd.DataFrame, claim: Claim) -> pd.DataFrame:
    """Return the matrix of each row; `own` is the paper's own that it is or stands in for."""
    wanted = claim.matrices or ()
    label = [str(text) for text in frame["label"]]
    abbr, matrix = _texts(frame, "abbr"), [name or "" for name in _texts(frame, "matrix")]
    # One matrix stands in for one.
    instead = [(names or "").split(", ") for names in _texts(frame, "near")]
    near = [next((name for name in names if name in wanted), None) for names in instead]
    name = [of or text for of, text in zip(matrix, label, strict=True)]
    own = [short or other for short, other in zip(abbr, near, strict=True)]
    columns = {
        "machine": list(frame["machine"]), "label": label, "abbr": abbr, "near": near, "matrix": matrix,
        "own": own, "kind": [_kind(claim, *row) for row in zip(abbr, near, name, strict=True)],
        "input": [short or other for short, other in zip(own, name, strict=True)],
        "of_claim": [short if short in wanted else None for short in own],
    }  # fmt: skip
    return pd.DataFrame(columns, dtype=object)


def _kind(claim: Claim, abbr: str | None, near: str | None, matrix: str) -> str:
    if claim.matrices is None:
        return Scope.PANEL if claim.aggregate in EXTREMES else Scope.ANY
    if abbr is not None:
        return Scope.PAPER if abbr in claim.matrices else OTHER
    if near is None:
        return FAR
    return Scope.TWINS if near in twins_in(matrix, claim.paper) else Scope.STAND_INS


def _left_out(
    claim: Claim, label: str, near: str | None, distance: str | None, state: str, has: bool
) -> tuple[str, str]:
    """(label, reason) of a row that has no number, or whose number weighs nothing: then with its distance
    from the claim's nearest matrix."""
    if not has:
        return label, "no number" if state in ("ok", "") else state.replace("_", " ")
    if near:
        return label, "not the paper's own, which alone decide this"
    far = [part for part in (distance or "").split("; ") if part.partition(":")[0] in (claim.matrices or ())]
    if far:
        return f"{label} ({far[0]})", "too far to stand in"
    return label, "of no matrix of the claim, nor standing in for one"


def _numbers(frame: pd.DataFrame, name: str) -> Numbers:
    """The column as floats, nan where it has no number, or where there is no such column."""
    if name not in frame:
        return np.full(len(frame), np.nan)
    column = frame[name]
    numbers = column if column.dtype == float else pd.to_numeric(column, errors="coerce")
    return np.asarray(numbers.to_numpy(dtype=float, na_value=np.nan))


def _texts(frame: pd.DataFrame, name: str) -> list[str | None]:
    """The column, None where it has no text, or where there is no such column."""
    texts = frame[name] if name in frame else [None] * len(frame)
    return [text if isinstance(text, str) else None for text in texts]
