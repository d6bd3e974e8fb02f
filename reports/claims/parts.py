"""Measured numbers against the printed ones: where each interval lies, and what follows for a claim.

A claim is held against what is printed in parts: an aggregate is one part, a claim that is printed matrix by
matrix has one per matrix, a range one per matrix and both of its ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reports.claims.points import EXTREMES, Numbers
from reports.claims.verdict import Direction, Outcome, Size
from reports.facts.claim import Claim
from reports.facts.means import LEAST_OF_TREND, geometric_mean, share_interval, trend

# Within half a per cent of no effect there is none; a print within two has no side, and no band is narrower.
NEAR, NARROWEST = 0.005, 0.02
# Matrices below which an aggregate says nothing, and a statement of all.
LEAST, LEAST_OF_ALL = 3, 4
# Where an interval lies to a band.
WITHIN, BELOW, ABOVE, ACROSS = "within", "below", "above", "across its edge"
MATRIX_BY_MATRIX = ("each", "equal")


class Whole(NamedTuple):
    """The aggregate of a claim's points, with its interval, and what is printed of the same matrices."""

    value: float
    low: float
    high: float
    printed: float


class Parts(NamedTuple):
    """How the parts of a claim stand.

    place : where each interval lies to the band around its print; within where no size is printed.
    direction : whether each lies on the same side of no effect as its print.
    narrow : whether every interval is narrower than its band.
    """

    place: NDArray[Any]
    direction: list[Direction]
    narrow: bool


def whole_of(claim: Claim, rows: pd.DataFrame) -> Whole:
    """Return the points of a claim as one number."""
    if claim.aggregate == "trend":
        value, low, high = trend(rows["at"].tolist(), rows["value"].tolist())
    else:
        value, low, high = (reduce(claim, rows[end]) for end in ("value", "low", "high"))
    if claim.is_share and not complete(claim, rows):
        distinct = len(set(rows["input"]))
        low, high = share_interval(low, distinct)[0], share_interval(high, distinct)[1]
    return Whole(value, low, high, _printed(claim, rows))


def reduce(claim: Claim, values: pd.Series[float]) -> float:
    """Return what the numbers of the matrices become: a count their share, an extreme it, a mean of ratios
    the geometric one, for one large ratio carries any other."""
    numbers = values.to_numpy()
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
    if claim.span is not None:
        return _parts_of_range(claim, rows, *claim.span)
    each = by_matrix(claim, rows)
    low, high, printed = (
        rows[name].to_numpy() if each else np.array([getattr(whole, name)])
        for name in ("low", "high", "printed")
    )
    return _parts(claim, low, high, band(printed, claim.neutral, claim.tolerance), printed)


def _parts(claim: Claim, low: Numbers, high: Numbers, limits: Sequence[Numbers], side: Numbers) -> Parts:
    """side : the number on whose side of no effect each interval has to lie, nan where there are no sides."""
    least, most = limits
    narrow = np.isnan(least) | (high - low <= most - least)
    return Parts(
        places(low, high, least, most), directions(low, high, side, claim.neutral), bool(narrow.all())
    )


def _parts_of_range(claim: Claim, rows: pd.DataFrame, first: float, last: float) -> Parts:
    """Each matrix within the range; of all the matrices that the paper has, the least and the most near its
    ends too."""
    value, low, high = (rows[name].to_numpy() for name in ("value", "low", "high"))
    least, most = band(np.array([first, last]), claim.neutral, claim.tolerance or 0.0)
    ends = np.full(len(rows), least[0]), np.full(len(rows), most[1])
    if complete(claim, rows):
        extremes = [value.argmin(), value.argmax()]
        low, high = np.append(low, low[extremes]), np.append(high, high[extremes])
        ends = np.append(ends[0], least), np.append(ends[1], most)
    neutral = -np.inf if claim.neutral is None else claim.neutral
    side = first if (first > neutral) == (last > neutral) else np.nan
    return _parts(claim, low, high, ends, np.full(len(low), side))


def band(printed: Numbers, neutral: float | None, tolerance: float | None) -> tuple[Numbers, Numbers]:
    """Return the ends of the band around printed numbers, nan where no size is printed.

    tolerance : share of the printed effect, None where no size is printed.
    """
    allowed = (np.nan if tolerance is None else tolerance) * np.abs(printed - (neutral or 0.0))
    if tolerance and neutral is not None:
        allowed = np.maximum(allowed, NARROWEST * abs(neutral))
    return printed - allowed, printed + allowed


def places(low: Numbers, high: Numbers, least: Numbers, most: Numbers) -> NDArray[Any]:
    """Return where intervals lie to their bands, each in one place; within where there is no band."""
    # A product of floats is no exact bound.
    slack = 1e-9 * np.maximum(np.abs(least), np.abs(most))
    within = np.isnan(least) | ((low >= least - slack) & (high <= most + slack))
    return np.select([within, high < least - slack, low > most + slack], [WITHIN, BELOW, ABOVE], ACROSS)


def directions(low: Numbers, high: Numbers, side: Numbers, neutral: float | None) -> list[Direction]:
    """Return whether intervals lie on the same side of `neutral` as `side`."""
    if neutral is None:
        return [Direction.NONE] * len(low)
    sign = np.where(side > neutral, 1, -1)
    near, far = np.where(sign > 0, low, high), np.where(sign > 0, high, low)
    none = ~(np.abs(side - neutral) > NARROWEST * abs(neutral))
    ahead = sign * (near - neutral) > NEAR * abs(neutral)
    behind = sign * (far - neutral) <= NEAR * abs(neutral)
    found = np.select(
        [none, ahead, behind], [Direction.NONE, Direction.AS_PRINTED, Direction.OPPOSITE],
        Direction.UNRESOLVED,
    )  # fmt: skip
    return [Direction(each) for each in found]


def outcome_of(claim: Claim, parts: Parts, few: str) -> Outcome:
    """Return what follows for the claim: every part has to hold, and only where every part that has a
    direction goes the other way is it contradicted.

    few : why there are too few points, which then say nothing, but that one is enough against what is said
        of all or of none.
    """
    sides, found = set(parts.direction) - {Direction.NONE}, set(parts.place)
    outcome = Outcome.REPRODUCED
    if sides == {Direction.OPPOSITE}:
        outcome = Outcome.CONTRADICTED
    elif Direction.OPPOSITE in sides or found & {BELOW, ABOVE}:
        outcome = Outcome.DEVIATES
    elif Direction.UNRESOLVED in sides or ACROSS in found:
        outcome = Outcome.INCONCLUSIVE
    if not few:
        return outcome
    universal = claim.aggregate == "count" and not claim.is_share
    against = outcome in (Outcome.DEVIATES, Outcome.CONTRADICTED)
    return Outcome.DEVIATES if universal and against else Outcome.INCONCLUSIVE


def few_of(claim: Claim, rows: pd.DataFrame) -> str:
    """Return why the points are too few for the aggregate: not where they are all that the claim is about.

    A mean needs half of the matrices where one mean of all is printed. A statement of all or of none needs so
    many that most is certain.
    """
    wanted = len(claim.matrices or ())
    half = max(LEAST, -(-wanted // 2)) if len(claim.by_matrix) < 2 else LEAST
    least = {
        "mean": half, "geometric": half, "largest": LEAST, "smallest": LEAST, "range": LEAST,
        "count": LEAST if claim.is_share else LEAST_OF_ALL, "trend": LEAST_OF_TREND,
    }.get(claim.aggregate, 0)  # fmt: skip
    least, distinct = min(least, wanted or least), len(set(rows["input"]))
    if distinct >= least or complete(claim, rows):
        return ""
    return f"{distinct} of the {least} matrices that such a claim needs at least"


def _printed(claim: Claim, rows: pd.DataFrame) -> float:
    """What is printed of the same matrices, where the paper prints by matrix; else its own aggregate."""
    if len(claim.by_matrix) < 2 or rows["printed"].isna().any():
        return claim.value
    every = set(claim.matrices or ()) <= set(rows["abbr"])
    alone = every and claim.aggregate not in MATRIX_BY_MATRIX
    return claim.value if alone else reduce(claim, rows["printed"])


def direction_of(parts: Parts) -> Direction:
    """Return the direction of all parts that have one."""
    sides = set(parts.direction) - {Direction.NONE}
    if len(sides) > 1:
        return Direction.UNRESOLVED
    return sides.pop() if sides else Direction.NONE


def size_of(claim: Claim, parts: Parts, whole: Whole, factor: float | None) -> Size:
    """Return how large the measured numbers are beside the printed ones."""
    found = set(parts.place)
    if claim.tolerance is None:
        return Size.NONE
    if found == {WITHIN}:
        return Size.AS_PRINTED
    if not found & {BELOW, ABOVE}:
        return Size.OPEN
    larger = whole.value > whole.printed if factor is None else factor >= 1
    return Size.LARGER if larger else Size.SMALLER


def factor_of(claim: Claim, rows: pd.DataFrame, whole: Whole) -> float | None:
    """Return measured over printed, matrix by matrix their geometric mean.

    Of a range the number farthest outside over its end, 1 where none is. None where the two have not one
    sign, where bounds are among the measured, and of what has no size.
    """
    if claim.tolerance is None or rows["bound"].any():
        return None
    if claim.span is not None:
        return _factor_of_range(claim.span, rows["value"].tolist(), complete(claim, rows))
    if by_matrix(claim, rows):
        each = (rows["value"] / rows["printed"].replace(0.0, np.nan)).to_numpy()
        return geometric_mean(each) if each.min() > 0 else None
    return whole.value / whole.printed if whole.value * whole.printed > 0 else None


def _factor_of_range(span: tuple[float, float], values: Sequence[float], whole: bool) -> float:
    least, most = span
    ratios = [v / (least if v < least else most) for v in values if not least <= v <= most and v > 0 < least]
    if not ratios and whole:
        ratios = [min(values) / least, max(values) / most]
    return max(ratios, key=lambda ratio: abs(np.log(ratio)), default=1.0)
