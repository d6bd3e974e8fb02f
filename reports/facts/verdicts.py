"""What became of a printed claim: the numbers of a figure's frame held against config/claims.yaml.

A verdict is firm only on the paper's own matrices with at least 10^9 edges, in stages that examine edges; on
anything else it is indicative. The two are never averaged together, nor are two machines. Direction (on which
side of no effect) and magnitude are judged apart, and the outcome follows from the two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from reports.facts.claims import Claim, abbreviations
from reports.facts.standings import (
    FIRM,
    INDICATIVE,
    Direction,
    Excluded,
    Magnitude,
    Measured,
    Outcome,
    Point,
    Verdict,
)

# Edges below which a run is too short to judge a claim by.
LEAST_EDGES = 10**9
# Within half a per cent of no effect there is none.
NEAR = 0.005
# What the numbers of the matrices become, by a claim's aggregate.
_REDUCE: dict[str, Callable[[Sequence[float]], float]] = {
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


def judge(
    frame: pd.DataFrame,
    claim: Claim,
    value: str,
    *,
    status: str = "status",
    basis: str = "",
    by_edges: bool = True,
    above: float = 1.0,
    untestable: str = "",
    beside: bool = False,
) -> list[Verdict]:
    """A verdict for each machine and scope with a number; a single one, not run, without any, unless it would
    be beside the print.

    frame : with machine, label, abbr, the columns `value` and `status` and, where there is an interval,
    `<value>_low` and `<value>_high`; with stand_in_for where the claim is of some of the paper's matrices,
    with edges where they count. basis : what is compared, where it is not the claim's own metric. by_edges :
    False where no edges are examined, so that the paper's own matrices are enough. above : what a number has
    to exceed to be counted. untestable : why these rows cannot test the claim. beside : they are not judged.
    """
    rows = _concerned(frame, claim)
    ok = rows[(rows[status] == "ok") & rows[value].notna()]
    excluded = _excluded(rows.drop(ok.index), status)
    basis = basis or claim.metric
    if ok.empty:
        return [] if beside else [not_run(claim, basis, excluded)]
    firm = _is_firm(ok, claim, by_edges)
    found = []
    for (machine, is_firm), own in ok.groupby([ok["machine"], firm]):
        points = [_point(row, value, claim, above) for row in own.to_dict("records")]
        elsewhere = excluded if is_firm else [row for row in excluded if row.label not in set(own["label"])]
        found.append(
            _verdict(claim, points, basis, str(machine), bool(is_firm), elsewhere, untestable, beside)
        )
    return found


def judge_all(frame: pd.DataFrame, claims: Sequence[Claim], value: str, **how: Any) -> list[Verdict]:
    """As `judge`, of several claims on one column."""
    return [verdict for claim in claims for verdict in judge(frame, claim, value, **how)]


def not_run(claim: Claim, basis: str = "", excluded: Sequence[Excluded] = ()) -> Verdict:
    """The verdict on a claim without a number."""
    return Verdict(
        claim.id, basis or claim.metric, "", False, Outcome.NOT_RUN, Direction.NONE, Magnitude.NONE, None,
        f"printed {claim.printed}", None, tuple(excluded),
    )  # fmt: skip


def remarks(
    frame: pd.DataFrame,
    subject: str,
    value: str,
    told: Callable[[pd.DataFrame], str],
    *,
    basis: str,
    status: str = "status",
    by_edges: bool = True,
) -> list[Verdict]:
    """What a figure says of a column that the paper does not print: a line for each machine and scope, judged
    by nothing. subject : `paper.subject`. told : the numbers of these rows, as text."""
    ok = frame[(frame[status] == "ok") & frame[value].notna()]
    firm = ok["abbr"].notna() & (_enough(ok) if by_edges else True)
    return [
        remark(subject, f"{basis}, {FIRM if is_firm else INDICATIVE}", told(rows), str(machine))
        for (machine, is_firm), rows in ok.groupby([ok["machine"], firm])
    ]


def remark(subject: str, basis: str, numbers: str, machine: str = "") -> Verdict:
    """A line that stands beside the print and judges nothing."""
    return Verdict(
        subject, basis, machine, False, Outcome.BESIDE, Direction.NONE, Magnitude.NONE, None, numbers, None,
        (),
    )  # fmt: skip


def held(claim: Claim, points: Sequence[Point], *, firm: bool, machine: str = "") -> Verdict:
    """The verdict on a claim by points that no frame of cases holds."""
    return _verdict(claim, points, claim.metric, machine, firm, (), "", False)


def direction(low: float, high: float, printed: float, neutral: float | None) -> Direction:
    """On which side of no effect a number with that interval lies, the printed one's being its own."""
    if neutral is None or printed == neutral:
        return Direction.NONE
    sign = 1 if printed > neutral else -1
    near, far = (low, high) if sign > 0 else (high, low)
    if sign * (near - neutral) > NEAR * abs(neutral):
        return Direction.AS_PRINTED
    if sign * (far - neutral) <= NEAR * abs(neutral):
        return Direction.OPPOSITE
    return Direction.UNRESOLVED


def magnitude(value: float, printed: float, neutral: float | None, tolerance: float) -> Magnitude:
    """How a number stands to the printed one. tolerance : share of the printed effect."""
    allowed = tolerance * abs(printed - (neutral or 0.0))
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
    reduce = _REDUCE["geometric" if mean == "geometric mean" else "mean"]
    whole = reduce([point.value for point in points])
    return f"{mean} {form(whole)} ({form(least)} {first} to {form(most)} {last}) of {len(points)}"


def spanned(rows: pd.DataFrame, value: str, form: Callable[[float], str]) -> str:
    """As `spread`, of a column."""
    numbers = zip(rows["label"], rows[value].astype(float), strict=True)
    return spread([Point(str(label), None, number, number, number, None) for label, number in numbers], form)


def _concerned(frame: pd.DataFrame, claim: Claim) -> pd.DataFrame:
    """The rows of the claim's matrices and of their stand-ins; all rows where it is of all matrices. Another
    matrix never has the very number that is printed of one."""
    if claim.aggregate == "equal":
        return frame[frame["abbr"].isin(claim.by_matrix)]
    if claim.matrices is None or set(claim.matrices) == set(abbreviations(claim.paper).values()):
        return frame
    wanted = set(claim.matrices)
    own = frame["abbr"].isin(wanted)
    stood_for = [set(str(name).split(", ")) if pd.notna(name) else set() for name in frame["stand_in_for"]]
    instead = pd.Series([bool(names & wanted) for names in stood_for], index=frame.index)
    return frame[own | (frame["abbr"].isna() & instead)]


def _is_firm(ok: pd.DataFrame, claim: Claim, by_edges: bool) -> pd.Series[bool]:
    """Which rows a verdict may stand on: the paper's own matrices, with enough work."""
    own = ok["abbr"].notna() if claim.matrices is None else ok["abbr"].isin(claim.matrices)
    return own & _enough(ok) if by_edges else own


def _enough(frame: pd.DataFrame) -> pd.Series[bool]:
    return frame["edges"].ge(LEAST_EDGES).fillna(False).astype(bool)


def _excluded(rows: pd.DataFrame, status: str) -> list[Excluded]:
    """Rows without a number, and why, each matrix once a reason."""
    said = [
        (str(label), "no number" if word == "ok" or pd.isna(word) else str(word).replace("_", " "))
        for label, word in zip(rows["label"], rows[status], strict=True)
    ]
    return [Excluded(label, reason) for label, reason in dict.fromkeys(said)]


def _point(row: dict[Any, Any], value: str, claim: Claim, above: float) -> Point:
    number = float(row[value])
    low, high = (
        float(row[name]) if pd.notna(row.get(name)) else number for name in (f"{value}_low", f"{value}_high")
    )
    if claim.aggregate == "count":
        number, low, high = float(number > above), float(low > above), float(high > above)
    abbr = row["abbr"] if isinstance(row["abbr"], str) else None
    return Point(str(row["label"]), abbr, number, low, high, claim.by_matrix.get(abbr or ""))


def _verdict(
    claim: Claim,
    points: Sequence[Point],
    basis: str,
    machine: str,
    firm: bool,
    excluded: Sequence[Excluded],
    untestable: str,
    beside: bool,
) -> Verdict:
    measured = _measured(claim, points)
    towards, size = _direction(claim, measured), _magnitude(claim, measured)
    judged = outcome(towards, size)
    if untestable or beside:
        judged = Outcome.BESIDE if beside else Outcome.UNTESTABLE
        towards, size = Direction.NONE, Magnitude.NONE
    return Verdict(
        claim.id, basis, machine, firm, judged, towards, size, _factor(claim, measured),
        _numbers(claim, measured), measured, tuple(excluded), untestable,
    )  # fmt: skip


def _measured(claim: Claim, points: Sequence[Point]) -> Measured:
    reduce = _REDUCE[claim.aggregate]
    value, low, high = (reduce([getattr(p, end) for p in points]) for end in ("value", "low", "high"))
    return Measured(
        value, low, high, _held_against(claim, points), len(points),
        len(claim.matrices) if claim.matrices else None, tuple(points),
    )  # fmt: skip


def _held_against(claim: Claim, points: Sequence[Point]) -> float:
    """What is printed of the same matrices, where the paper prints by matrix; else its own aggregate."""
    printed = {point.abbr: point.printed for point in points if point.printed is not None}
    whole = set(claim.matrices or ()) <= set(printed) and claim.aggregate not in _MATRIX_BY_MATRIX
    if len(claim.by_matrix) < 2 or whole or any(point.printed is None for point in points):
        return claim.value
    return _REDUCE[claim.aggregate](list(printed.values()))


def _direction(claim: Claim, measured: Measured) -> Direction:
    if claim.span is None and not _by_matrix(claim, measured):
        return direction(measured.low, measured.high, measured.printed, claim.neutral)
    sides = set(_sides(claim, measured)) - {Direction.NONE}
    if not sides:
        return Direction.NONE
    return sides.pop() if len(sides) == 1 else Direction.UNRESOLVED


def _sides(claim: Claim, measured: Measured) -> list[Direction]:
    """The direction of each matrix, by the number that is printed of it; of a range by either end."""
    held = [
        (point, end)
        for point in measured.points
        for end in claim.span or ((float(point.printed or 0.0),) if point.printed is not None else ())
    ]
    return [direction(point.low, point.high, end, claim.neutral) for point, end in held]


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
    own = {point.abbr for point in measured.points}
    whole = claim.matrices is not None and own >= set(claim.matrices)
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
            told = [f"{p.label} {claim.form(p.value)}, printed {claim.form(p.printed or 0.0)}" for p in off]
            return "; ".join([within, *told])
        sides = [side for side in _sides(claim, measured) if side is not Direction.NONE]
        if len(sides) > 1:
            within += f", {sides.count(Direction.AS_PRINTED)} of {len(sides)} in the printed direction"
        held = f", {claim.form(measured.printed)} of the same" if claim.aggregate == "each" else ""
        return f"{within}: {numbers}{held}"
    if measured.printed != claim.value:
        return f"{numbers}, {claim.form(measured.printed)} of the same"
    return numbers
