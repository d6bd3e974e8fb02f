"""What was measured of a claim and what is printed, as text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from reports.facts.claim import Claim
from reports.facts.comparison import LEAST_OF_TREND, ClaimComparison, by_matrix
from reports.facts.intervals import ClaimPart, Place, direction
from reports.facts.means import geometric_mean
from reports.facts.standings import Direction, Measured, Point, bound_of


def numbers(claim: Claim, comparison: ClaimComparison) -> str:
    """`geometric mean 2.1x (0.9x grid2d:60 to 4x bcsstk18 (BC)) of 3, arithmetic 2.4x; printed mean 13x`."""
    measured = comparison.measured
    if claim.aggregate == "count":
        return _count(claim, measured)
    if claim.aggregate == "trend":
        return _trend(claim, measured)
    if claim.aggregate in ("largest", "smallest"):
        return _extreme(claim, measured)
    text = f"{spread(measured.points, claim.form, _is_ratio(claim))}, printed {claim.printed}"
    if claim.span is not None:
        outside = sum(not claim.span[0] <= point.value <= claim.span[1] for point in measured.points)
        return f"{text}; {measured.n - outside} of {measured.n} within it"
    if by_matrix(claim, measured):
        return _each(claim, comparison, text)
    beside = _arithmetic(claim, measured)
    same = measured.printed != claim.value
    return f"{text}, {claim.form(measured.printed)} of the same{beside}" if same else f"{text}{beside}"


def spread(points: Sequence[Point], form: Callable[[float], str], ratios: bool = False) -> str:
    """`mean 2.1x (0.9x grid2d:60 to 4x bcsstk18 (BC)) of 3`. ratios : the mean is the geometric one."""
    ordered = sorted(points, key=lambda point: (point.value, point.label))
    least, (low, high) = ordered[0].value, (_number(point, form) for point in (ordered[0], ordered[-1]))
    if len(points) == 1:
        return f"{low} ({ordered[0].label})"
    values = [point.value for point in points]
    geometric = ratios and least > 0
    name, whole = (
        ("geometric mean", geometric_mean(values)) if geometric else ("mean", float(np.mean(values)))
    )
    ends = f"{low} {ordered[0].label} to {high} {ordered[-1].label}"
    return f"{name} {bound_of(points)}{form(whole)} ({ends}) of {len(points)}"


def _number(point: Point, form: Callable[[float], str]) -> str:
    """`13x`, of a bound `> 13x`."""
    return f"{point.bound}{form(point.value)}"


def spanned(rows: pd.DataFrame, value: str, form: Callable[[float], str]) -> str:
    """As `spread`, of a column."""
    pairs = zip(rows["label"], rows[value].astype(float), strict=True)
    return spread([Point(str(label), None, number, number, number) for label, number in pairs], form)


def _is_ratio(claim: Claim) -> bool:
    return claim.unit == "x" and claim.aggregate != "mean"


def _count(claim: Claim, measured: Measured) -> str:
    points = measured.points
    certain, possible = (sum(getattr(p, end) > 0 for p in points) for end in ("low", "high"))
    count = sum(point.value > 0 for point in points)
    sure = "" if certain == possible else f" ({certain} to {possible} by the intervals)"
    part = claim.is_share and (measured.of is None or measured.matrices < measured.of)
    share = f", a share of {measured.low:.0%} to {measured.high:.0%}" if part else ""
    return f"{count} of {len(points)}{sure}{share}, printed {claim.printed}"


def _trend(claim: Claim, measured: Measured) -> str:
    if measured.n < LEAST_OF_TREND:
        return f"{measured.n} of the {LEAST_OF_TREND} matrices that a trend needs, printed: {claim.printed}"
    ends = f"{measured.low:+.2f} to {measured.high:+.2f}"
    return f"rank correlation {measured.value:+.2f} ({ends}) over {measured.n}, printed: {claim.printed}"


def _extreme(claim: Claim, measured: Measured) -> str:
    pick = max if claim.aggregate == "largest" else min
    end = pick(measured.points, key=lambda point: point.value)
    among = f", the {claim.aggregate} of {measured.n}" if measured.n > 1 else ""
    return f"{measured.bound}{claim.form(end.value)} ({end.label}{among}), printed {claim.printed}"


def _arithmetic(claim: Claim, measured: Measured) -> str:
    """The arithmetic mean of ratios, which stands beside the print and decides nothing."""
    if claim.aggregate != "geometric" or measured.n < 2:
        return ""
    ours = (
        f", arithmetic mean {measured.bound}{claim.form(float(np.mean([p.value for p in measured.points])))}"
    )
    known = [p.printed for p in measured.points if p.printed is not None]
    theirs = f", printed {claim.form(float(np.mean(known)))} of the same" if len(known) == measured.n else ""
    return ours + theirs


def _each(claim: Claim, comparison: ClaimComparison, text: str) -> str:
    measured, parts = comparison.measured, comparison.parts
    near = "equal" if not claim.tolerance else f"within {claim.tolerance:.0%} of"
    whole = sum(part.place is Place.WITHIN for part in parts)
    within = f"{whole} of {len(parts)} {near} the print"
    across = sum(part.place is Place.ACROSS for part in parts)
    if across:
        within += f", {across} across its edge"
    if claim.aggregate == "equal":
        off = [p for p, part in zip(measured.points, parts, strict=True) if part.place is not Place.WITHIN]
        wrong = [f"{p.label} {claim.form(p.value)}, printed {claim.form(p.printed or 0.0)}" for p in off]
        return "; ".join([within, *wrong])
    sides = [side for side in _sides(claim, parts) if side is not Direction.NONE]
    if len(sides) > 1:
        within += f", {sides.count(Direction.AS_PRINTED)} of {len(sides)} in the printed direction"
    return f"{within}: {text}, {claim.form(measured.printed)} of the same"


def _sides(claim: Claim, parts: Sequence[ClaimPart]) -> list[Direction]:
    return [direction(part.low, part.high, part.side, claim.neutral) for part in parts]
