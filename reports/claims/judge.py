"""What became of a printed claim: the numbers of a figure's frame held against config/claims/.

Numbers of different matrices are judged apart: the paper's own; their twins; other stand-ins that are near
enough (reports/facts/distance.py). Neither these nor two machines are ever averaged together. The extreme of
all of a figure's matrices stands beside the print, and decides nothing. A verdict is firm on the paper's own
matrices, and on a time if five processes give an interval narrower than the band; else it is indicative.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from fillpath.settings import PROCESSES
from reports.claims import words
from reports.claims.parts import direction_of, factor_of, few_of, outcome_of, parts_of, size_of, whole_of
from reports.claims.points import EXTREMES, FAR, LeftOut, points, scopes, too_far, without_number
from reports.claims.verdict import CONCLUSIVE, JUDGED, Direction, Outcome, Scope, Size, Verdict
from reports.facts.claim import Claim, Held
from reports.facts.claims import find_claim
from reports.facts.distance import twins_in


def judge(frame: pd.DataFrame, claim: Claim, held: Held) -> list[Verdict]:
    """Return one verdict per machine and scope that has a number.

    `not run` where no number may be judged, with what was measured of other matrices beside the print.

    frame : with machine, label, abbr, near, distance, the columns that `held` names and, where it was
        measured in several processes, `<column>_processes`.
    """
    rows = points(frame, claim, held)
    ok, without = rows[rows["has"]], without_number(rows)
    far = ok[ok["kind"] == FAR]
    names = sorted({name for name in ok["machine"] if isinstance(name, str)})
    verdicts = [
        _verdict(claim, part, scope, held, _left_out(claim, far, part, scope, without))
        for name in names
        for scope, part in scopes(ok[ok["machine"] == name], claim)
    ]
    others = [] if held.beside else _others(far, claim, held)
    if held.beside or any(verdict.outcome is not Outcome.BESIDE for verdict in verdicts):
        return verdicts + others
    left_out = (*without, *too_far(ok, claim))
    none = Verdict(
        claim.id, held.basis or claim.metric, Outcome.NOT_RUN, f"printed {claim.printed}", left_out=left_out
    )
    return [none, *verdicts, *others]


def judge_numbers(claim: Claim, numbers: Mapping[str, float]) -> Verdict:
    """Return the verdict on a claim by exact numbers.

    numbers : by the paper's abbreviation, or by any label.
    """
    values, names = list(numbers.values()), list(numbers)
    frame = pd.DataFrame(
        {
            "value": values, "value_low": values, "value_high": values, "label": names, "status": "ok",
            "machine": "", "abbr": [name if name in (claim.matrices or ()) else None for name in names],
            "near": None,
        }
    )  # fmt: skip
    held = Held("value", above=0.0)
    return _verdict(claim, points(frame, claim, held), Scope.PAPER, held, ())


def judge_pairs(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Return the verdicts, where claims that are judged together are reproduced together or not at all."""
    return [_paired(verdict, verdicts) for verdict in verdicts]


def _paired(verdict: Verdict, verdicts: Sequence[Verdict]) -> Verdict:
    """A reproduced verdict as its pair allows it."""
    claim = find_claim(verdict.claim) if verdict.outcome is Outcome.REPRODUCED else None
    if claim is None or not claim.pair:
        return verdict
    other = (f"{claim.paper}.{claim.subject}.{claim.pair}", verdict.machine, verdict.scope)
    pairs = [each.outcome for each in verdicts if (each.claim, each.machine, each.scope) == other]
    if Outcome.REPRODUCED in pairs:
        return verdict
    became = pairs[0] if pairs else Outcome.NOT_RUN
    judged = Outcome.DEVIATES if became in (Outcome.DEVIATES, Outcome.CONTRADICTED) else Outcome.INCONCLUSIVE
    doubt = verdict.doubt if judged in CONCLUSIVE else ""
    why = f"judged together with {claim.pair}, which is: {became}"
    return replace(verdict, outcome=judged, doubt=doubt, why=why)


def _verdict(
    claim: Claim, rows: pd.DataFrame, scope: Scope, held: Held, left_out: Iterable[LeftOut]
) -> Verdict:
    """The verdict by these points of one machine and scope."""
    whole = whole_of(claim, rows)
    parts, factor, few = parts_of(claim, rows, whole), factor_of(claim, rows, whole), few_of(claim, rows)
    agrees = outcome_of(claim, parts, few)
    outcome, why = _outcome(claim, scope, held, agrees, few)
    why = why or (_by_bounds(rows, agrees) if outcome in JUDGED else "")
    return Verdict(
        claim.id,
        held.basis or claim.metric,
        outcome,
        words.numbers(claim, rows, whole, parts),
        machine=rows["machine"].iloc[0],
        scope=scope,
        doubt=_doubt(claim, scope, rows, parts.narrow) if outcome in CONCLUSIVE else "",
        direction=direction_of(parts) if outcome in JUDGED else Direction.NONE,
        size=size_of(claim, parts, whole, factor) if outcome in JUDGED else Size.NONE,
        factor=factor,
        **whole._asdict(),
        points=rows,
        of=len(set(claim.matrices)) if claim.matrices else None,
        left_out=tuple(left_out),
        why=why,
    )


def _outcome(claim: Claim, scope: Scope, held: Held, agrees: Outcome, few: str) -> tuple[Outcome, str]:
    """What became of the claim, and why where the numbers alone do not say it. The extreme of other matrices
    than the claim's is none of its extremes."""
    if held.beside or scope is Scope.PANEL:
        return Outcome.BESIDE, ""
    if claim.not_comparable:
        return Outcome.NOT_COMPARABLE, claim.not_comparable
    if held.untestable:
        return Outcome.UNTESTABLE, held.untestable
    if claim.derived:
        agreement = "the two agree" if agrees is Outcome.REPRODUCED else "the two do not agree"
        return Outcome.DERIVED, f"{claim.derived}: {few or agreement}"
    return agrees, few


def _by_bounds(rows: pd.DataFrame, agrees: Outcome) -> str:
    """That calls which a limit of time ended are among what decides, and what that means."""
    count = (rows["bound"] != "").sum()
    if not count:
        return ""
    means = "the bound decides" if agrees in CONCLUSIVE else "too near the print to decide"
    return f"{count} of {len(rows)} a bound, of a call that a limit of time ended: {means}"


def _doubt(claim: Claim, scope: Scope, rows: pd.DataFrame, narrow: bool) -> str:
    """Why a conclusive verdict is indicative only, empty for a firm one."""
    if scope is Scope.TWINS:
        return f"{scope}, {_farthest(claim, rows)}"
    if scope is not Scope.PAPER:
        return str(scope)
    if not claim.time:
        return ""
    processes = rows["processes"].min()
    if processes < PROCESSES:
        return f"{processes} process{'es' if processes > 1 else ''} of {PROCESSES}"
    if not rows["bounded"].all():
        return "no interval is known"
    return "" if narrow else "the interval is wider than the band"


def _farthest(claim: Claim, rows: pd.DataFrame) -> str:
    """`the farthest of 5 the twin of lhr71c: order 1.00x, ...`: how far the worst of the twins is."""
    found = {
        name: twins_in(name, claim.paper)[of] for name, of in zip(rows["matrix"], rows["near"], strict=True)
    }
    farthest = max(found.values(), key=lambda twin: twin.distance)
    return f"the farthest of {len(found)} the {farthest.text}" if len(found) > 1 else farthest.text


def _left_out(
    claim: Claim, far: pd.DataFrame, part: pd.DataFrame, scope: Scope, without: Sequence[LeftOut]
) -> list[LeftOut]:
    """What is in no number: rows without one and, beside stand-ins, those too far away."""
    labels = set(part["label"])
    rest = [row for row in without if row[0] not in labels]
    instead = scope in (Scope.TWINS, Scope.STAND_INS)
    return rest + (too_far(far, claim) if instead else [])


def _others(far: pd.DataFrame, claim: Claim, held: Held) -> list[Verdict]:
    """What was measured of matrices too far from the paper's to weigh: beside the print."""
    if far.empty or claim.aggregate in ("equal", *EXTREMES):
        return []
    basis = f"{held.basis or claim.metric}, on matrices too far from the paper's to weigh"
    return [
        Verdict(claim.id, basis, Outcome.BESIDE, words.spread(claim, there), str(machine))
        for machine, there in far.groupby("machine")
    ]
