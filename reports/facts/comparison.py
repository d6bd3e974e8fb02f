"""A measured number against the printed one: its direction, its magnitude, and both as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from reports.facts.claim import Claim
from reports.facts.standings import Direction, Magnitude, Measured, Outcome, Point

# Within half a per cent of no effect there is none.
NEAR = 0.005
# What the numbers of the matrices become, by a claim's aggregate.
REDUCE: dict[str, Callable[[Sequence[float]], float]] = {
    "mean": lambda values: float(np.mean(values)),
    "geometric": lambda values: float(np.exp(np.mean(np.log(values)))),
    "largest": lambda values: float(max(values)),
    "smallest": lambda values: float(min(values)),
    "range": lambda values: float(np.mean(values)),
    "each": lambda values: float(np.mean(values)),
    "equal": lambda values: float(np.mean(values)),
    "count": lambda values: float(np.mean(values)),
}
_MATRIX_BY_MATRIX = ("each", "equal")


@dataclass(frozen=True)
class Comparison:
    """What the points of a claim say.

    factor : measured over printed, None where the two have not one sign.
    numbers : measured and printed, as text.
    """

    measured: Measured
    direction: Direction
    magnitude: Magnitude
    factor: float | None
    numbers: str


def compare(claim: Claim, points: Sequence[Point]) -> Comparison:
    """The points against what the claim prints."""
    measured = _measured(claim, points)
    return Comparison(
        measured,
        _direction(claim, measured),
        _magnitude(claim, measured),
        _factor(claim, measured),
        _numbers(claim, measured),
    )


def direction(low: float, high: float, printed: float, neutral: float | None) -> Direction:
    """Whether the interval lies on the same side of `neutral` as the printed value."""
    if neutral is None or printed == neutral:
        return Direction.NONE
    sign = 1 if printed > neutral else -1
    near, far = (low, high) if sign > 0 else (high, low)
    if sign * (near - neutral) > NEAR * abs(neutral):
        return Direction.AS_PRINTED
    if sign * (far - neutral) <= NEAR * abs(neutral):
        return Direction.OPPOSITE
    return Direction.UNRESOLVED


def magnitude(value: float, printed: float, neutral: float | None, tolerance: float | None) -> Magnitude:
    """How a number stands to the printed one. tolerance : share of the printed effect."""
    allowed = (tolerance or 0.0) * abs(printed - (neutral or 0.0))
    # A product of floats is no exact bound.
    if abs(value - printed) <= allowed + 1e-12 * abs(printed):
        return Magnitude.AS_PRINTED
    return Magnitude.LARGER if value > printed else Magnitude.SMALLER


def outcome(towards: Direction, size: Magnitude) -> Outcome:
    """What follows from the two."""
    if towards is Direction.OPPOSITE:
        return Outcome.CONTRADICTED
    if size is Magnitude.AS_PRINTED and towards is not Direction.UNRESOLVED:
        return Outcome.REPRODUCED
    return Outcome.DEVIATES


def spread(points: Sequence[Point], form: Callable[[float], str], mean: str = "mean") -> str:
    """`mean 2.1x (0.9x grid2d:60 to 4x bcsstk18 (BC)) of 3`."""
    ordered = sorted((point.value, point.label) for point in points)
    (least, first), (most, last) = ordered[0], ordered[-1]
    if len(points) == 1:
        return f"{form(least)} ({first})"
    reduce = REDUCE["geometric" if mean == "geometric mean" else "mean"]
    whole = reduce([point.value for point in points])
    return f"{mean} {form(whole)} ({form(least)} {first} to {form(most)} {last}) of {len(points)}"


def _measured(claim: Claim, points: Sequence[Point]) -> Measured:
    reduce = REDUCE[claim.aggregate]
    value, low, high = (reduce([getattr(p, end) for p in points]) for end in ("value", "low", "high"))
    return Measured(
        value, low, high, _printed_of(claim, points), len(points),
        len(claim.matrices) if claim.matrices else None, tuple(points),
    )  # fmt: skip


def _printed_of(claim: Claim, points: Sequence[Point]) -> float:
    """What is printed of the same matrices, where the paper prints by matrix; else its own aggregate."""
    printed = {point.abbr: point.printed for point in points if point.printed is not None}
    whole = set(claim.matrices or ()) <= set(printed) and claim.aggregate not in _MATRIX_BY_MATRIX
    if len(claim.by_matrix) < 2 or whole or any(point.printed is None for point in points):
        return claim.value
    return REDUCE[claim.aggregate](list(printed.values()))


def _direction(claim: Claim, measured: Measured) -> Direction:
    if claim.span is None and not _by_matrix(claim, measured):
        return direction(measured.low, measured.high, measured.printed, claim.neutral)
    sides = set(_sides(claim, measured)) - {Direction.NONE}
    if not sides:
        return Direction.NONE
    return sides.pop() if len(sides) == 1 else Direction.UNRESOLVED


def _sides(claim: Claim, measured: Measured) -> list[Direction]:
    """The direction of each matrix, by the number that is printed of it; of a range by either end."""
    ends = [
        (point, end)
        for point in measured.points
        for end in claim.span or ((float(point.printed or 0.0),) if point.printed is not None else ())
    ]
    return [direction(point.low, point.high, end, claim.neutral) for point, end in ends]


def _magnitude(claim: Claim, measured: Measured) -> Magnitude:
    if claim.span is not None:
        pairs = _ends(claim, measured)
    elif _by_matrix(claim, measured):
        pairs = [(point.value, float(point.printed or 0.0)) for point in measured.points]
    else:
        pairs = [(measured.value, measured.printed)]
    sizes = [magnitude(value, printed, claim.neutral, claim.tolerance) for value, printed in pairs]
    off = [size for size in sizes if size is not Magnitude.AS_PRINTED]
    if not off:
        return Magnitude.AS_PRINTED
    factor = _factor(claim, measured)
    larger = measured.value > measured.printed if factor is None else factor >= 1
    return Magnitude.LARGER if larger else Magnitude.SMALLER


def _ends(claim: Claim, measured: Measured) -> list[tuple[float, float]]:
    """The numbers of a range that lie outside the printed one, each with the end beyond which it lies; of all
    the matrices that the paper has, the least and the most with their ends too."""
    assert claim.span is not None
    least, most = claim.span
    values = [point.value for point in measured.points]
    outside = [(v, least if v < least else most) for v in values if not least <= v <= most]
    present = {point.abbr for point in measured.points}
    whole = claim.matrices is not None and present >= set(claim.matrices)
    return outside + ([(min(values), least), (max(values), most)] if whole else [])


def _by_matrix(claim: Claim, measured: Measured) -> bool:
    known = all(point.printed is not None for point in measured.points)
    return claim.aggregate in _MATRIX_BY_MATRIX and known


def _factor(claim: Claim, measured: Measured) -> float | None:
    """Measured over printed, matrix by matrix their geometric mean; of a range the number farthest outside
    over its end, 1 where none is; None where the two have not one sign."""
    if claim.span is not None:
        ratios = [value / end for value, end in _ends(claim, measured) if value * end > 0]
        return max(ratios, key=lambda ratio: abs(np.log(ratio)), default=1.0)
    if _by_matrix(claim, measured):
        each = [point.value / float(point.printed or np.nan) for point in measured.points]
        return float(np.exp(np.mean(np.log(each)))) if min(each) > 0 else None
    if measured.value * measured.printed <= 0:
        return None
    return measured.value / measured.printed


def _numbers(claim: Claim, measured: Measured) -> str:
    points = measured.points
    if claim.aggregate == "count":
        certain, possible = (sum(getattr(p, end) > 0 for p in points) for end in ("low", "high"))
        count = sum(point.value > 0 for point in points)
        sure = "" if certain == possible else f" ({certain} to {possible} by the intervals)"
        return f"{count} of {len(points)}{sure}, printed {claim.printed}"
    if claim.aggregate in ("largest", "smallest"):
        end = (max if claim.aggregate == "largest" else min)(points, key=lambda point: point.value)
        among = f", the {claim.aggregate} of {len(points)}" if len(points) > 1 else ""
        return f"{claim.form(end.value)} ({end.label}{among}), printed {claim.printed}"
    mean = "geometric mean" if claim.aggregate == "geometric" else "mean"
    numbers = f"{spread(points, claim.form, mean)}, printed {claim.printed}"
    if claim.span is not None:
        outside = sum(not claim.span[0] <= point.value <= claim.span[1] for point in points)
        return f"{numbers}; {len(points) - outside} of {len(points)} within it"
    if _by_matrix(claim, measured):
        pairs = [(p.value, p.printed or 0.0) for p in points]
        sizes = [magnitude(v, printed, claim.neutral, claim.tolerance) for v, printed in pairs]
        near = "equal" if not claim.tolerance else f"within {claim.tolerance:.0%} of"
        within = f"{sizes.count(Magnitude.AS_PRINTED)} of {len(points)} {near} the print"
        if claim.aggregate == "equal":
            off = [p for p, size in zip(points, sizes, strict=True) if size is not Magnitude.AS_PRINTED]
            wrong = [f"{p.label} {claim.form(p.value)}, printed {claim.form(p.printed or 0.0)}" for p in off]
            return "; ".join([within, *wrong])
        sides = [side for side in _sides(claim, measured) if side is not Direction.NONE]
        if len(sides) > 1:
            within += f", {sides.count(Direction.AS_PRINTED)} of {len(sides)} in the printed direction"
        printed = f", {claim.form(measured.printed)} of the same" if claim.aggregate == "each" else ""
        return f"{within}: {numbers}{printed}"
    if measured.printed != claim.value:
        return f"{numbers}, {claim.form(measured.printed)} of the same"
    return numbers
