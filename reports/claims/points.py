"""The rows of a frame as numbers of a claim: on the paper's own matrices, and on their stand-ins."""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fillpath.dicts import Row, dicts
from reports.facts.claims import Claim, Held

Numbers = NDArray[np.float64]
EXTREMES = ("largest", "smallest")
# The start of a status where a time limit ended a call: the ratio is a bound.
MORE, LESS = "> ", "< "
_ENDS = ("", "_low", "_high", "_processes")
_TYPES: dict[str, Any] = {
    **dict.fromkeys(("label", "abbr", "input", "of_claim"), "object"),
    **dict.fromkeys(("own", "stands_in", "has"), "bool"),
    **dict.fromkeys(("value", "low", "high", "at"), "float64"),
    "bound": "object", "printed": "float64", "processes": "int", "left_out": "object",
}  # fmt: skip


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
    named = ["label", "abbr", "matrix", "stand_in_for", held.status, held.against]
    rows = dicts(frame.reindex(columns=[*named, *(f"{held.column}{end}" for end in _ENDS)]))
    wanted = set(claim.matrices or map(_text, frame["abbr"])) - {None}
    found = pd.DataFrame([_point(row, claim, held, wanted) for row in rows], columns=[*_TYPES])
    # pandas finds the types of numbers itself, eight times as fast.
    return found.astype(_TYPES) if found.empty else found


def _point(row: Row, claim: Claim, held: Held, wanted: set[str | None]) -> tuple[Any, ...]:
    """Return the columns of _TYPES of a row, with `wanted` the matrices of the claim."""
    state, label, abbr, matrix = (_text(row[name]) for name in (held.status, "label", "abbr", "matrix"))
    value, low, high, processes = (_number(row[f"{held.column}{end}"]) for end in _ENDS)
    # A trend, which is of ranks, has no use for a bound.
    mark = (state or "")[:2] if claim.aggregate != "trend" else ""
    if mark == MORE and low == low:
        value, high = low, np.inf
    elif mark == LESS and high == high:
        value, low = high, 0.0 if claim.unit == "x" else -np.inf
    else:
        mark = ""
    low, high = (low, high) if low == low and high == high else (value, value)
    at = _number(row[held.against]) if held.against else np.nan
    has = (state == "ok" or mark != "") and np.isfinite(value) and (value > 0 or not claim.is_ratio)
    has = has and (not held.against or np.isfinite(at))
    if claim.aggregate == "count":
        value, low, high = (float(end > held.above) for end in (value, low, high))
    instead = {*(_text(row["stand_in_for"]) or "").split(", ")} - {""}
    stands_in = abbr is None and bool(instead & wanted if claim.matrices else instead)
    why = "no number" if state in ("ok", None) else state.replace("_", " ")
    printed = claim.by_matrix.get(abbr or "", np.nan)
    names = label, abbr, abbr or matrix or label, abbr if abbr in wanted else None
    count = 1 if processes != processes else int(processes)
    return *names, abbr in wanted, stands_in, has, value, low, high, at, mark, printed, count, (label, why)


def _number(value: Any) -> float:
    """Return a number, nan for anything else."""
    return float(value) if isinstance(value, int | float) else np.nan


def _text(value: Any) -> str | None:
    """Return a text, None for anything else."""
    return value if isinstance(value, str) else None
