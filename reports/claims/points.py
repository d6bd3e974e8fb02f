"""The rows of a frame as numbers of a claim: on the paper's own matrices, and on their stand-ins."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reports.facts.claim import Claim, Held

Numbers = NDArray[np.float64]
EXTREMES = ("largest", "smallest")
# The start of a status where a time limit ended a call: the ratio is a bound.
MORE, LESS = "> ", "< "


def points(frame: pd.DataFrame, claim: Claim, held: Held) -> pd.DataFrame:
    """Return the frame's rows as numbers of the claim.

    own, stands_in : whether the matrix is one of the claim (of the paper if the claim names none), or a
        stand-in for one.
    input, of_claim : what is counted as one matrix; which of the claim's it is.
    has, left_out : whether there is a number; (label, reason) where there is none.
    value, low, high : the number and its interval; of a count 1 where it exceeds `above`.
    bound : `> ` or `< ` where the value is a bound.
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
    names = _names(frame, claim)
    whys = ["no number" if word in ("ok", "") else word.replace("_", " ") for word in state]
    numbers = {
        "has": has, "value": value, "low": low, "high": high, "at": at,
        "bound": np.where(more | less, mark, ""),
        "printed": np.array([claim.by_matrix.get(name or "", np.nan) for name in names["abbr"]], dtype=float),
        "processes": np.nan_to_num(_numbers(frame, f"{held.column}_processes"), nan=1.0).astype(int),
        "left_out": pd.Series(zip(names["label"], whys, strict=True), dtype=object),
    }  # fmt: skip
    return pd.DataFrame(names | numbers)


def _names(frame: pd.DataFrame, claim: Claim) -> dict[str, Any]:
    """Return each row's matrix, whether the claim names the matrix, and whether a stand-in replaces one."""
    label, abbr = [str(text) for text in frame["label"]], _texts(frame, "abbr")
    wanted = {*claim.matrices} if claim.matrices else {*abbr} - {None}
    matrix = [of or text for of, text in zip(_texts(frame, "matrix"), label, strict=True)]
    instead = [{*(names or "").split(", ")} - {""} for names in _texts(frame, "stand_in_for")]
    stands_in = [
        short is None and bool(names & wanted if claim.matrices else names)
        for short, names in zip(abbr, instead, strict=True)
    ]
    texts = {
        "label": label, "abbr": abbr,
        "input": [short or name for short, name in zip(abbr, matrix, strict=True)],
        "of_claim": [short if short in wanted else None for short in abbr],
    }  # fmt: skip
    own = np.array([short in wanted for short in abbr], dtype=bool)
    columns = {name: pd.Series(values, dtype=object) for name, values in texts.items()}
    return {**columns, "own": own, "stands_in": np.array(stands_in, dtype=bool)}


def _numbers(frame: pd.DataFrame, name: str) -> Numbers:
    """Return the column as floats, nan where it has no number, or where there is no such column."""
    numbers = pd.to_numeric(frame.get(name, pd.Series(np.nan, frame.index)), errors="coerce")
    return np.asarray(numbers.to_numpy(dtype=float, na_value=np.nan))


def _texts(frame: pd.DataFrame, name: str) -> list[str | None]:
    """Return the column, None where it has no text, or where there is no such column."""
    return [text if isinstance(text, str) else None for text in frame.get(name, [None] * len(frame))]
