"""The rows of a frame that a claim may be judged by: their numbers, and of which matrices they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reports.claims.verdict import Scope
from reports.facts.claim import Claim, Held
from reports.facts.distance import twins_in

Numbers = NDArray[np.float64]
# (label, reason) of a row that is in no number.
LeftOut = tuple[str, str]
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
    has, state : whether there is a number to judge by; `ok` or why not.
    value, low, high : the number and its interval; of a count 1 where it exceeds `above`.
    bounded, bound : whether the interval is known; `> ` or `< ` where the value is a bound.
    printed, at, processes : of that matrix; what a trend's value goes with; in which it was measured.
    """
    words = frame[held.status].tolist()
    state = np.array([word if isinstance(word, str) else "" for word in words], dtype=object)
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
    # A case's own seconds are of the processes of the case.
    processes = _numbers(frame, "processes" if held.column == "median" else f"{held.column}_processes")
    has = ((state == "ok") | more | less) & np.isfinite(value) & ((value > 0) | (not claim.is_ratio))
    if held.against:
        has &= np.isfinite(at)
    if claim.aggregate == "count":
        value, low, high = ((end > held.above).astype(float) for end in (value, low, high))
    texts = _names(frame, claim) | {"state": state, "bound": np.where(more | less, mark, "")}
    numbers = {
        "has": has.astype(bool), "value": value, "low": low, "high": high, "bounded": bounded, "at": at,
        "printed": [claim.by_matrix.get(name or "", np.nan) for name in texts.pop("own")],
        "processes": np.nan_to_num(processes, nan=1.0).astype(int),
    }  # fmt: skip
    return pd.concat([pd.DataFrame(texts, dtype=object), pd.DataFrame(numbers)], axis=1)


def scopes(there: pd.DataFrame, claim: Claim) -> list[tuple[Scope, pd.DataFrame]]:
    """Return the points of one machine by what they are of, as far as the claim may be judged by them."""
    kinds = there["kind"]
    alone = claim.aggregate in ("equal", *EXTREMES)
    judged = [Scope.PAPER] if alone else [Scope.PAPER, Scope.TWINS, Scope.STAND_INS]
    found = [(scope, there[kinds == scope]) for scope in (*judged, Scope.ANY) if scope in set(kinds)]
    beside = claim.aggregate in EXTREMES and (kinds != Scope.PAPER).any()
    return [*found, (Scope.PANEL, there)] if beside else found


def without_number(rows: pd.DataFrame) -> list[LeftOut]:
    """Return the points of the claim's matrices and stand-ins that have no number, each once per reason."""
    columns = (rows[name] for name in ("label", "kind", "near", "state", "has"))
    found = [
        (label, "no number" if word in ("ok", "") else str(word).replace("_", " "))
        for label, kind, near, word, has in zip(*columns, strict=True)
        if not has and (near or kind not in (FAR, OTHER))
    ]
    return list(dict.fromkeys(found))


def too_far(rows: pd.DataFrame, claim: Claim) -> list[LeftOut]:
    """Return the points whose number weighs nothing, with their distance from the claim's nearest matrix,
    unless the claim is of what no stand-in decides."""
    found = []
    for label, near, distance in zip(rows["label"], rows["near"], rows["distance"], strict=True):
        parts = distance.split("; ") if isinstance(distance, str) else []
        wanted = [part for part in parts if part.partition(":")[0] in (claim.matrices or ())]
        if near:
            found.append((label, "not the paper's own, which alone decide this"))
        elif wanted:
            found.append((f"{label} ({wanted[0]})", "too far to stand in"))
        else:
            found.append((label, "of no matrix of the claim, nor standing in for one"))
    return found


def _numbers(frame: pd.DataFrame, name: str) -> Numbers:
    """The column as floats, nan where it has no number, or where there is no such column."""
    if name not in frame:
        return np.full(len(frame), np.nan)
    column = frame[name]
    numbers = column if column.dtype == float else pd.to_numeric(column, errors="coerce")
    return np.asarray(numbers.to_numpy(dtype=float, na_value=np.nan))


def _names(frame: pd.DataFrame, claim: Claim) -> dict[str, Any]:
    """The columns of `points` that say of which matrix each row is, and `own`, the paper's own that it is or
    stands in for."""
    wanted, nothing = claim.matrices or (), [None] * len(frame)
    label = [str(text) for text in frame["label"]]
    matrix = [str(name or "") for name in frame.get("matrix", nothing)]
    abbr = [short if isinstance(short, str) else None for short in frame["abbr"]]
    near = [_nearest(names, wanted) if isinstance(names, str) else None for names in frame["near"]]
    name = [own or text for own, text in zip(matrix, label, strict=True)]
    own = [short or other for short, other in zip(abbr, near, strict=True)]
    return {
        "label": label,
        "abbr": abbr,
        "near": near,
        "matrix": matrix,
        "machine": list(frame["machine"]),
        "distance": list(frame.get("distance", nothing)),
        "kind": [_kind(*row, claim) for row in zip(abbr, near, name, strict=True)],
        "input": [short or other for short, other in zip(own, name, strict=True)],
        "of_claim": [short if short in wanted else None for short in own],
        "own": own,
    }


def _nearest(names: str, wanted: Sequence[str]) -> str | None:
    """The nearest of the claim's matrices that a row is near enough to: one matrix stands in for one."""
    return next((name for name in names.split(", ") if name in wanted), None)


def _kind(abbr: str | None, near: str | None, matrix: str, claim: Claim) -> str:
    if claim.matrices is None:
        return Scope.PANEL if claim.aggregate in EXTREMES else Scope.ANY
    if abbr is not None:
        return Scope.PAPER if abbr in claim.matrices else OTHER
    if near is None:
        return FAR
    return Scope.TWINS if near in twins_in(matrix, claim.paper) else Scope.STAND_INS
