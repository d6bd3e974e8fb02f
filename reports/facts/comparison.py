"""Measured numbers against the printed ones: where each interval lies, and what follows for a claim.

A claim is held against what is printed in parts: an aggregate is one part, a claim that is printed matrix by
matrix has one per matrix, a range one per matrix and both of its ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from reports.facts.claim import Claim
from reports.facts.intervals import ClaimPart, Place, band, direction, share_interval
from reports.facts.means import geometric_mean
from reports.facts.standings import Direction, Magnitude, Measured, Outcome, Point
from reports.facts.trend import trend

# Matrices below which an aggregate says nothing, a statement of all, and a trend.
LEAST, LEAST_OF_ALL, LEAST_OF_TREND = 3, 4, 5
MATRIX_BY_MATRIX = ("each", "equal")
# Aggregates of several matrices, which a few of them do not make.
_OF_MANY = ("mean", "geometric", "largest", "smallest", "range", "count", "trend")


@dataclass(frozen=True)
class ClaimComparison:
    """What the points of a claim say.

    factor : measured over printed, None where the two have not one sign, or bounds are among the measured.
    few : why there are too few points, empty where there are enough.
    narrow : whether every interval is narrower than its band.
    """

    measured: Measured
    parts: tuple[ClaimPart, ...]
    outcome: Outcome
    direction: Direction
    magnitude: Magnitude
    factor: float | None
    few: str
    narrow: bool


def compare(claim: Claim, points: Sequence[Point]) -> ClaimComparison:
    """The points against what the claim prints."""
    measured = measure(claim, points)
    parts = _parts(claim, measured)
    few = _few(claim, measured)
    directions = [direction(p.low, p.high, p.side, claim.neutral) for p in parts]
    return ClaimComparison(
        measured,
        tuple(parts),
        _of_few(claim, outcome(parts, directions)) if few else outcome(parts, directions),
        _common(directions),
        _magnitude(claim, measured, parts),
        _factor(claim, measured),
        few,
        all(part.narrow for part in parts),
    )


def measure(claim: Claim, points: Sequence[Point]) -> Measured:
    """The points of a claim as one number."""
    if claim.aggregate == "trend":
        value, low, high = trend([p.at or 0.0 for p in points], [p.value for p in points])
    else:
        ends = ("value", "low", "high")
        value, low, high = (reduce(claim, [getattr(point, end) for point in points]) for end in ends)
    wanted = set(claim.matrices or ())
    matrices = {abbr for p in points if (abbr := p.abbr or p.stands_for) in wanted}
    distinct = len({point.abbr or point.stands_for or point.matrix or point.label for point in points})
    if claim.is_share and (not wanted or len(matrices) < len(wanted)):
        low, high = share_interval(low, distinct)[0], share_interval(high, distinct)[1]
    return Measured(
        value, low, high, _printed(claim, points), len(points), distinct, len(matrices), len(wanted) or None,
        min(point.processes for point in points), tuple(points),
    )  # fmt: skip


def reduce(claim: Claim, values: Sequence[float]) -> float:
    """What the numbers of the matrices become: a count their share, an extreme it, a mean of ratios the
    geometric one, for one large ratio carries any other."""
    if claim.aggregate in ("largest", "smallest"):
        return float(max(values) if claim.aggregate == "largest" else min(values))
    # The lower end of a ratio's interval may be 0.
    return geometric_mean([max(value, 0.0) for value in values]) if claim.is_ratio else float(np.mean(values))


def outcome(parts: Sequence[ClaimPart], directions: Sequence[Direction]) -> Outcome:
    """What follows for the claim: every part has to hold, and only where every part that has a direction goes
    the other way is it contradicted."""
    sides = [side for side in directions if side is not Direction.NONE]
    if sides and all(side is Direction.OPPOSITE for side in sides):
        return Outcome.CONTRADICTED
    places = [part.place for part in parts]
    if Direction.OPPOSITE in sides or Place.BELOW in places or Place.ABOVE in places:
        return Outcome.DEVIATES
    if Direction.UNRESOLVED in sides or Place.ACROSS in places:
        return Outcome.INCONCLUSIVE
    return Outcome.REPRODUCED


def _parts(claim: Claim, measured: Measured) -> list[ClaimPart]:
    if claim.span is not None:
        return _parts_of_range(claim, measured)
    if by_matrix(claim, measured):
        return [part_of(claim, p, float(p.printed or 0.0)) for p in measured.points]
    return [part_of(claim, measured, measured.printed)]


def part_of(claim: Claim, number: Point | Measured, printed: float) -> ClaimPart:
    """A number against a printed one."""
    allowed = band(printed, claim.neutral, claim.tolerance)
    return ClaimPart(number.value, number.low, number.high, allowed, printed)


def _parts_of_range(claim: Claim, measured: Measured) -> list[ClaimPart]:
    """Each matrix within the range; of all the matrices that the paper has, the least and the most near its
    ends too."""
    assert claim.span is not None
    bands = [band(end, claim.neutral, claim.tolerance) or (end, end) for end in claim.span]
    whole = bands[0][0], bands[1][1]
    neutral = claim.neutral if claim.neutral is not None else -np.inf
    one_sided = (claim.span[0] > neutral) == (claim.span[1] > neutral)
    side = claim.span[0] if one_sided else None
    parts = [ClaimPart(p.value, p.low, p.high, whole, side) for p in measured.points]
    if measured.of is None or measured.matrices < measured.of:
        return parts
    ends = (min(measured.points, key=_value), bands[0]), (max(measured.points, key=_value), bands[1])
    return parts + [ClaimPart(p.value, p.low, p.high, limits, side) for p, limits in ends]


def _value(point: Point) -> float:
    return point.value


def _few(claim: Claim, measured: Measured) -> str:
    """Why the points are too few for the aggregate: not where they are all that the claim is about."""
    least = _least(claim)
    if claim.matrices:
        least = min(least, len(claim.matrices))
    whole = measured.of is not None and measured.matrices >= measured.of
    if claim.aggregate not in _OF_MANY or whole or measured.distinct >= least:
        return ""
    return f"{measured.distinct} of the {least} matrices that such a claim needs at least"


def _of_few(claim: Claim, judged: Outcome) -> Outcome:
    """What too few points say: nothing, but that one is enough against what is said of all or of none."""
    universal = claim.aggregate == "count" and not claim.is_share
    against = judged in (Outcome.DEVIATES, Outcome.CONTRADICTED)
    return Outcome.DEVIATES if universal and against else Outcome.INCONCLUSIVE


def _least(claim: Claim) -> int:
    """How many matrices the aggregate of a part of them needs: of a mean half of those whose mean is printed;
    of `all` and `none` so many that most is certain."""
    if claim.aggregate == "trend":
        return LEAST_OF_TREND
    if claim.aggregate == "count" and not claim.is_share:
        return LEAST_OF_ALL
    printed_as_one = claim.aggregate in ("mean", "geometric") and len(claim.by_matrix) < 2
    return max(LEAST, -(-len(claim.matrices or ()) // 2)) if printed_as_one else LEAST


def _printed(claim: Claim, points: Sequence[Point]) -> float:
    """What is printed of the same matrices, where the paper prints by matrix; else its own aggregate."""
    printed = [point.printed for point in points if point.printed is not None]
    if len(claim.by_matrix) < 2 or len(printed) < len(points):
        return claim.value
    whole = set(claim.matrices or ()) <= {point.abbr for point in points}
    return claim.value if whole and claim.aggregate not in MATRIX_BY_MATRIX else reduce(claim, printed)


def by_matrix(claim: Claim, measured: Measured) -> bool:
    """Whether each matrix is held against a number of its own."""
    known = all(point.printed is not None for point in measured.points)
    return claim.aggregate in MATRIX_BY_MATRIX and known


def _common(directions: Sequence[Direction]) -> Direction:
    """The direction of all parts that have one."""
    sides = set(directions) - {Direction.NONE}
    if not sides:
        return Direction.NONE
    return sides.pop() if len(sides) == 1 else Direction.UNRESOLVED


def _magnitude(claim: Claim, measured: Measured, parts: Sequence[ClaimPart]) -> Magnitude:
    if claim.tolerance is None:
        return Magnitude.NONE
    places = {part.place for part in parts}
    if places == {Place.WITHIN}:
        return Magnitude.AS_PRINTED
    if not places & {Place.BELOW, Place.ABOVE}:
        return Magnitude.OPEN
    factor = _factor(claim, measured)
    larger = measured.value > measured.printed if factor is None else factor >= 1
    return Magnitude.LARGER if larger else Magnitude.SMALLER


def _factor(claim: Claim, measured: Measured) -> float | None:
    """Measured over printed, matrix by matrix their geometric mean; of a range the number farthest outside
    over its end, 1 where none is; None where the two have not one sign, and of what has no size."""
    if claim.tolerance is None or measured.bound:
        return None
    if claim.span is not None:
        return _factor_of_range(claim.span, measured)
    if by_matrix(claim, measured):
        each = [point.value / float(point.printed or np.nan) for point in measured.points]
        return geometric_mean(each) if min(each) > 0 else None
    if measured.value * measured.printed <= 0:
        return None
    return measured.value / measured.printed


def _factor_of_range(span: tuple[float, float], measured: Measured) -> float:
    least, most = span
    values = [point.value for point in measured.points]
    ratios = [v / (least if v < least else most) for v in values if not least <= v <= most and v > 0 < least]
    if not ratios and measured.of is not None and measured.matrices >= measured.of:
        ratios = [min(values) / least, max(values) / most]
    return max(ratios, key=lambda ratio: abs(np.log(ratio)), default=1.0)
