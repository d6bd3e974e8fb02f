"""Measured against printed numbers: the place of each interval, and the outcome of a claim.

A claim is compared with its print in parts. An aggregate is one part. A claim that is printed per matrix has
one part per matrix; a range also has one for each of its ends.

    parts = parts_of(claim, rows, whole := whole_of(claim, rows))
    outcome_of(claim, parts, few_of(claim, rows))   # Outcome.REPRODUCED
"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reports.claims.points import EXTREMES, Numbers
from reports.claims.verdict import Outcome
from reports.facts.claims import Claim
from reports.facts.means import LEAST_OF_TREND, geometric_mean, share_interval, trend

# Within half a per cent of no effect there is none; a print within two has no side, and no band is narrower.
NEAR, NARROWEST = 0.005, 0.02
# The least number of matrices for a mean, and for a statement about all or most.
LEAST, LEAST_OF_COUNT = 3, 4
# Where an interval lies to a band.
WITHIN, BELOW, ABOVE, ACROSS = "within", "below", "above", "across its edge"
MATRIX_BY_MATRIX = ("each", "equal")


class Whole(NamedTuple):
    """The aggregate of a claim's points, with its interval, and the print of the same matrices."""

    value: float
    low: float
    high: float
    printed: float


class Parts(NamedTuple):
    """Places of the parts of a claim.

    place : where each interval lies to the band around its print; within where no size is printed.
    sides : per part whose print has a side, 1 where the interval is on that side of no effect, -1 where on
        the other, 0 where on both.
    """

    place: NDArray[Any]
    sides: NDArray[np.int_]


def whole_of(claim: Claim, rows: pd.DataFrame) -> Whole:
    """Return the points of a claim as one number, and the print, of the same matrices if by matrix."""
    if claim.aggregate == "trend":
        value, low, high = trend(rows["at"].tolist(), rows["value"].tolist(), rows["input"].nunique())
    else:
        value, low, high = (_reduced(claim, rows[end].to_numpy()) for end in ("value", "low", "high"))
    if claim.is_share and not complete(claim, rows):
        distinct = len(set(rows["input"]))
        low, high = share_interval(low, distinct)[0], share_interval(high, distinct)[1]
    every = set(claim.matrices or ()) <= set(rows["abbr"]) and claim.aggregate not in MATRIX_BY_MATRIX
    own = every or len(claim.by_matrix) < 2 or rows["printed"].isna().any()
    return Whole(value, low, high, claim.value if own else _reduced(claim, rows["printed"].to_numpy()))


def _reduced(claim: Claim, numbers: Numbers) -> float:
    """Return the share of a count, an extreme, or a mean: of ratios the geometric one."""
    if claim.aggregate in EXTREMES:
        return float(numbers.max() if claim.aggregate == "largest" else numbers.min())
    # The lower end of a ratio's interval may be 0.
    return geometric_mean(np.maximum(numbers, 0.0)) if claim.is_ratio else float(np.mean(numbers))


def complete(claim: Claim, rows: pd.DataFrame) -> bool:
    """Whether every matrix of the claim has a point."""
    return bool(claim.matrices) and set(claim.matrices or ()) <= set(rows["of_claim"])


def by_matrix(claim: Claim, rows: pd.DataFrame) -> bool:
    """Whether each matrix is held against a number of its own."""
    return claim.aggregate in MATRIX_BY_MATRIX and bool(rows["printed"].notna().all())


def parts_of(claim: Claim, rows: pd.DataFrame, whole: Whole) -> Parts:
    """Return where each measured number lies that is held against a printed one."""
    value, low, high, side = rows[["value", "low", "high", "printed"]].to_numpy(dtype=float).T
    if claim.span is not None:
        # With all of the paper's matrices, the least and the most have to be near the ends of the range.
        ends = [value.argmin(), value.argmax()] if complete(claim, rows) else []
        low, high = np.append(low, low[ends]), np.append(high, high[ends])
        least, most = _band(claim, np.array(claim.span), claim.tolerance or 0.0)
        least = np.append(np.full(len(rows), least[0]), least[: len(ends)])
        most = np.append(np.full(len(rows), most[1]), most[: len(ends)])
        first, last = (claim.neutral is None or end > claim.neutral for end in claim.span)
        side = np.full(len(low), claim.span[0] if first == last else np.nan)
    else:
        if not by_matrix(claim, rows):
            low, high, side = np.array([whole[1:]]).T
        least, most = _band(claim, side, claim.tolerance)
    # A product of floats is no exact bound.
    slack, unsized = 1e-9 * np.maximum(np.abs(least), np.abs(most)), np.isnan(least)
    within = unsized | ((low >= least - slack) & (high <= most + slack))
    place = np.select([within, high < least - slack, low > most + slack], [WITHIN, BELOW, ABOVE], ACROSS)
    return Parts(place, _sides(low, high, side, claim.neutral))


def _band(claim: Claim, printed: Numbers, tolerance: float | None) -> tuple[Numbers, Numbers]:
    """Return the ends of the band around printed numbers, nan where no size is printed."""
    neutral = claim.neutral or 0.0
    allowed = (np.nan if tolerance is None else tolerance) * np.abs(printed - neutral)
    if tolerance:
        allowed = np.maximum(allowed, NARROWEST * abs(neutral))
    return printed - allowed, printed + allowed


def _sides(low: Numbers, high: Numbers, printed: Numbers, neutral: float | None) -> NDArray[np.int_]:
    """Return on which side of `neutral` intervals lie, of those whose print has a side."""
    if neutral is None:
        return np.zeros(0, dtype=int)
    above = printed > neutral
    sign, near, far = np.where(above, 1, -1), np.where(above, low, high), np.where(above, high, low)
    none = NEAR * abs(neutral)
    ahead, behind = sign * (near - neutral) > none, sign * (far - neutral) <= none
    return np.select([ahead, behind], [1, -1], 0)[np.abs(printed - neutral) > NARROWEST * abs(neutral)]


def outcome_of(claim: Claim, parts: Parts, few: str) -> Outcome:
    """Return what follows for the claim, by the rules of docs/claims.md.

    few : why there are too few points; one is enough against what is said of all or of none.
    """
    off = bool(np.isin(parts.place, (BELOW, ABOVE)).any() or (parts.sides < 0).any())
    if few:
        universal = claim.aggregate == "count" and not claim.is_share
        return Outcome.NOT_REPRODUCED if universal and off else Outcome.OPEN
    if not off:
        unclear = (parts.place == ACROSS).any() or (parts.sides == 0).any()
        return Outcome.OPEN if unclear else Outcome.REPRODUCED
    ahead, behind, count = (parts.sides > 0).sum(), (parts.sides < 0).sum(), len(parts.sides)
    exact = claim.aggregate in ("count", "equal") or claim.tolerance == 0
    if exact or 2 * behind >= count:
        return Outcome.NOT_REPRODUCED
    return Outcome.OTHER_SIZE if 2 * ahead > count else Outcome.OPEN


def few_of(claim: Claim, rows: pd.DataFrame) -> str:
    """Return why the points are too few for the aggregate: not where they are all that the claim is about."""
    wanted, distinct = len(claim.matrices or ()), rows["input"].nunique()
    if claim.aggregate in MATRIX_BY_MATRIX or complete(claim, rows):
        return ""
    least = {"trend": LEAST_OF_TREND, "count": LEAST_OF_COUNT}.get(claim.aggregate, LEAST)
    if claim.aggregate in ("mean", "geometric") and len(claim.by_matrix) < 2:
        least = max(LEAST, -(-wanted // 2))
    least = min(least, wanted or least)
    return "" if distinct >= least else f"{distinct} of the {least} matrices that such a claim needs"


def factor_of(claim: Claim, rows: pd.DataFrame, whole: Whole) -> float | None:
    """Return measured over printed: of a range the number farthest outside, by matrix the geometric mean.

    None where the two have not one sign, where a number is a bound, and of a claim without a size.
    """
    if claim.tolerance is None or rows["bound"].any():
        return None
    if claim.span is not None:
        (least, most), values = claim.span, rows["value"].tolist()
        ratios = [value / min(max(value, least), most) for value in values if value > 0 < least]
        if set(ratios) <= {1.0} and complete(claim, rows):
            ratios = [min(values) / least, max(values) / most]
        return max(ratios, key=lambda ratio: abs(np.log(ratio)), default=1.0)
    if by_matrix(claim, rows):
        each = (rows["value"] / rows["printed"].replace(0.0, np.nan)).to_numpy()
        return geometric_mean(each) if each.min() > 0 else None
    return whole.value / whole.printed if whole.value * whole.printed > 0 else None
