"""What became of a printed claim: the numbers of a figure's frame held against config/claims/.

Numbers of different matrices are judged apart: the paper's own; their twins; other stand-ins that are near
enough (reports/facts/distance.py). Neither these nor two machines are ever averaged together. The extreme of
all of a figure's matrices stands beside the print, and decides nothing. A verdict is firm on the paper's own
matrices, and on a time if five processes give an interval narrower than the band; else it is indicative.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from fillpath.dicts import Row
from fillpath.settings import PROCESSES
from reports.facts.claim import Claim
from reports.facts.claims import find_claim
from reports.facts.comparison import ClaimComparison, compare
from reports.facts.distance import twins_in
from reports.facts.numbers import numbers, spread
from reports.facts.rows import (
    EXTREMES,
    ClaimColumn,
    concerns,
    has_number,
    is_far,
    left_out,
    left_out_far,
    point,
    rows_of,
    scopes,
    without_number,
)
from reports.facts.standings import (
    CONCLUSIVE,
    JUDGED,
    Direction,
    Excluded,
    Magnitude,
    Measured,
    Outcome,
    Point,
    Scope,
    Verdict,
)


@dataclass(frozen=True)
class Subset:
    """Rows of a frame that are judged apart from its others.

    basis : what is compared, made of what a figure says of all its rows.
    untestable : why these rows cannot test the claim.
    beside : their numbers stand beside the print and are not judged.
    """

    rows: pd.DataFrame
    basis: Callable[[str], str] = str
    untestable: str = ""
    beside: bool = False


def judge(frame: pd.DataFrame, claim: Claim, column: ClaimColumn) -> list[Verdict]:
    """One verdict per machine and scope that has a number; `not run` where no number may be judged, with what
    was measured of other matrices beside the print.

    frame : with machine, label, abbr, near, distance, the columns that `column` names and, where it was
        measured in several processes, `<value>_processes`.
    """
    rows = rows_of(frame, column, claim)
    ok = [row for row in rows if has_number(row, column, claim)]
    rest = [row for row in rows if concerns(row, claim) and not has_number(row, column, claim)]
    excluded = without_number(rest, column.status)
    verdicts = [
        _verdict(claim, column, scope, machine, of_scope, left_out(ok, of_scope, excluded, scope, claim))
        for machine, there in _by_machine(ok)
        for scope, of_scope in scopes(there, claim)
    ]
    others = [] if column.beside else _others(ok, claim, column)
    if column.beside or any(verdict.outcome is not Outcome.BESIDE for verdict in verdicts):
        return verdicts + others
    far = [left_out_far(row, claim) for row in ok]
    return [not_run(claim, column.basis, [*excluded, *far]), *verdicts, *others]


def judge_points(
    claim: Claim,
    points: Sequence[Point],
    *,
    scope: Scope = Scope.PAPER,
    machine: str = "",
    column: ClaimColumn | None = None,
    excluded: Sequence[Excluded] = (),
) -> Verdict:
    """The verdict on a claim by these points of one machine and scope. column : what they are of."""
    column = column or ClaimColumn("")
    comparison = compare(claim, points)
    towards, size = comparison.direction, comparison.magnitude
    judged, why = _outcome(claim, scope, column, comparison)
    if judged not in JUDGED:
        towards, size = Direction.NONE, Magnitude.NONE
    return Verdict(
        claim.id, column.basis or claim.metric, machine, scope, _doubt(claim, scope, comparison, judged),
        judged, towards, size, comparison.factor, numbers(claim, comparison), comparison.measured,
        tuple(excluded), why,
    )  # fmt: skip


def not_run(claim: Claim, basis: str = "", excluded: Sequence[Excluded] = ()) -> Verdict:
    """The verdict on a claim without a number."""
    return Verdict(
        claim.id, basis or claim.metric, "", None, "", Outcome.NOT_RUN, Direction.NONE, Magnitude.NONE, None,
        f"printed {claim.printed}", None, tuple(excluded),
    )  # fmt: skip


def judge_pairs(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts, where claims that are judged together are reproduced together or not at all."""
    return [_paired(verdict, verdicts) for verdict in verdicts]


def remarks(
    frame: pd.DataFrame, subject: str, column: ClaimColumn, text: Callable[[pd.DataFrame], str]
) -> list[Verdict]:
    """What a figure says of a column that the paper does not print: a line for each machine and for the
    paper's own matrices and others, judged by nothing.

    subject : `paper.subject`.
    text : the numbers of these rows, as text.
    """
    ok = frame[(frame[column.status] == "ok") & frame[column.value].notna()]
    return [
        remark(
            subject,
            f"{column.basis}, {Scope.PAPER if of_paper else 'on other matrices'}",
            text(rows),
            str(machine),
        )
        for (machine, of_paper), rows in ok.groupby([ok["machine"], ok["abbr"].notna()])
    ]


def remark(subject: str, basis: str, text: str, machine: str = "") -> Verdict:
    """A line that stands beside the print and judges nothing."""
    return Verdict(
        subject, basis, machine, None, "", Outcome.BESIDE, Direction.NONE, Magnitude.NONE, None, text, None,
        (),
    )  # fmt: skip


def _verdict(
    claim: Claim,
    column: ClaimColumn,
    scope: Scope,
    machine: str,
    rows: Sequence[Row],
    excluded: Sequence[Excluded],
) -> Verdict:
    points = [point(row, column, claim) for row in rows]
    return judge_points(claim, points, scope=scope, machine=machine, column=column, excluded=excluded)


def _outcome(
    claim: Claim, scope: Scope, column: ClaimColumn, comparison: ClaimComparison
) -> tuple[Outcome, str]:
    """What became of the claim, and why where the numbers alone do not say it. The extreme of other matrices
    than the claim's is none of its extremes."""
    if column.beside or scope is Scope.PANEL:
        return Outcome.BESIDE, ""
    if claim.not_comparable:
        return Outcome.NOT_COMPARABLE, claim.not_comparable
    if column.untestable:
        return Outcome.UNTESTABLE, column.untestable
    if claim.derived:
        holds = comparison.outcome is Outcome.REPRODUCED
        agreement = comparison.few or ("the two agree" if holds else "the two do not agree")
        return Outcome.DERIVED, f"{claim.derived}: {agreement}"
    return comparison.outcome, comparison.few or _by_bounds(comparison)


def _by_bounds(comparison: ClaimComparison) -> str:
    """That calls which a limit of time ended are among what decides, and what that means."""
    count = sum(bool(point.bound) for point in comparison.measured.points)
    if not count:
        return ""
    decides = comparison.outcome in CONCLUSIVE
    whole = f"{count} of {comparison.measured.n} a bound, of a call that a limit of time ended"
    return f"{whole}: {'the bound decides' if decides else 'too near the print to decide'}"


def _doubt(claim: Claim, scope: Scope, comparison: ClaimComparison, judged: Outcome) -> str:
    """Why a verdict is indicative only, empty for a firm one and for what says nothing of the claim."""
    if judged not in CONCLUSIVE:
        return ""
    if scope is Scope.TWINS:
        return f"{scope}, {_farthest(claim, comparison.measured)}"
    if scope is not Scope.PAPER:
        return str(scope)
    return _doubt_of_time(comparison) if claim.time else ""


def _farthest(claim: Claim, measured: Measured) -> str:
    """`the farthest of 5 the twin of lhr71c: order 1.00x, ...`: how far the worst of the twins is."""
    found = {
        point.matrix: twins_in(point.matrix, claim.paper)[point.stands_for or ""] for point in measured.points
    }
    farthest = max(found.values(), key=lambda twin: twin.distance)
    return f"the farthest of {len(found)} the {farthest.text}" if len(found) > 1 else farthest.text


def _doubt_of_time(comparison: ClaimComparison) -> str:
    measured = comparison.measured
    if measured.processes < PROCESSES:
        return f"{measured.processes} process{'es' if measured.processes > 1 else ''} of {PROCESSES}"
    if not all(point.bounded for point in measured.points):
        return "no interval is known"
    return "" if comparison.narrow else "the interval is wider than the band"


def _paired(verdict: Verdict, verdicts: Sequence[Verdict]) -> Verdict:
    """A reproduced verdict as its pair allows it."""
    if verdict.outcome is not Outcome.REPRODUCED or not find_claim(verdict.claim).pair:
        return verdict
    claim = find_claim(verdict.claim)
    other = f"{claim.paper}.{claim.subject}.{claim.pair}"
    here = (verdict.machine, verdict.scope)
    pairs = [v.outcome for v in verdicts if v.claim == other and (v.machine, v.scope) == here]
    if Outcome.REPRODUCED in pairs:
        return verdict
    became = pairs[0] if pairs else Outcome.NOT_RUN
    judged = Outcome.DEVIATES if became in (Outcome.DEVIATES, Outcome.CONTRADICTED) else Outcome.INCONCLUSIVE
    doubt = verdict.doubt if judged in CONCLUSIVE else ""
    return replace(
        verdict, outcome=judged, doubt=doubt, why=f"judged together with {claim.pair}, which is: {became}"
    )


def _others(ok: Sequence[Row], claim: Claim, column: ClaimColumn) -> list[Verdict]:
    """What was measured of matrices too far from the paper's to weigh: beside the print."""
    if claim.matrices is None or claim.aggregate in ("equal", *EXTREMES):
        return []
    basis = f"{column.basis or claim.metric}, on matrices too far from the paper's to weigh"
    return [
        remark(claim.id, basis, _spread(rows, claim, column), machine)
        for machine, rows in _by_machine([row for row in ok if is_far(row, claim)])
    ]


def _by_machine(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    names = sorted({row["machine"] for row in rows if isinstance(row["machine"], str)})
    return [(name, [row for row in rows if row["machine"] == name]) for name in names]


def _spread(rows: Sequence[Row], claim: Claim, column: ClaimColumn) -> str:
    points = [point(row, column, claim) for row in rows]
    if claim.aggregate == "count":
        return f"{sum(point.value > 0 for point in points)} of {len(points)}"
    return spread(points, claim.form, claim.unit == "x")
