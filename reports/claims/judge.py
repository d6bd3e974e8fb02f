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
from reports.claims.parts import factor_of, few_of, outcome_of, parts_of, size_of, whole_of
from reports.claims.points import EXTREMES, FAR, OTHER, points
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
    ok, basis = rows[rows["has"]], held.basis or claim.metric
    without = rows[~rows["has"] & (rows["near"].notna() | ~rows["kind"].isin((FAR, OTHER)))]["left_out"]
    verdicts, others = [], []
    for machine, there in ok.groupby("machine"):
        far = there[there["kind"] == FAR]
        for scope, part in _scopes(there, claim):
            left_out = [row for row in dict.fromkeys(without) if row[0] not in set(part["label"])]
            left_out += list(far["left_out"]) if scope in (Scope.TWINS, Scope.STAND_INS) else []
            verdicts.append(_verdict(claim, part, scope, held, left_out))
        if len(far) and not held.beside and claim.aggregate not in ("equal", *EXTREMES):
            apart, numbers = (
                f"{basis}, on matrices too far from the paper's to weigh",
                words.spread(claim, far),
            )
            others.append(Verdict(claim.id, apart, Outcome.BESIDE, numbers, str(machine)))
    if held.beside or any(verdict.outcome is not Outcome.BESIDE for verdict in verdicts):
        return verdicts + others
    why, printed = (*dict.fromkeys(without), *ok["left_out"]), f"printed {claim.printed}"
    return [Verdict(claim.id, basis, Outcome.NOT_RUN, printed, left_out=why), *verdicts, *others]


def judge_numbers(claim: Claim, numbers: Mapping[str, float]) -> Verdict:
    """Return the verdict on a claim by exact numbers.

    numbers : by the paper's abbreviation, or by any label.
    """
    frame = pd.DataFrame({"value": numbers.values(), "label": numbers.keys(), "status": "ok", "machine": ""})
    frame["abbr"] = frame["label"].where(frame["label"].isin(claim.matrices or ()))
    held = Held("value", above=0.0)
    rows = points(frame, claim, held).assign(bounded=True)
    return _verdict(claim, rows, Scope.PAPER, held, ())


def judge_pairs(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Return the verdicts, where claims that are judged together are reproduced together or not at all."""
    return [_paired(verdict, verdicts) for verdict in verdicts]


def _paired(verdict: Verdict, verdicts: Sequence[Verdict]) -> Verdict:
    """A reproduced verdict as its pair allows it."""
    claim = find_claim(verdict.claim)
    other = (f"{claim.paper}.{claim.subject}.{claim.pair}", verdict.machine, verdict.scope)
    pairs = [each.outcome for each in verdicts if (each.claim, each.machine, each.scope) == other]
    if not claim.pair or verdict.outcome is not Outcome.REPRODUCED or Outcome.REPRODUCED in pairs:
        return verdict
    became = pairs[0] if pairs else Outcome.NOT_RUN
    judged = Outcome.DEVIATES if became in (Outcome.DEVIATES, Outcome.CONTRADICTED) else Outcome.INCONCLUSIVE
    why = f"judged together with {claim.pair}, which is: {became}"
    return replace(verdict, outcome=judged, doubt=verdict.doubt if judged in CONCLUSIVE else "", why=why)


def _scopes(there: pd.DataFrame, claim: Claim) -> list[tuple[Scope, pd.DataFrame]]:
    """The points of one machine by what they are of, as far as the claim may be judged by them."""
    alone = claim.aggregate in ("equal", *EXTREMES)
    judged = (Scope.PAPER, *(() if alone else (Scope.TWINS, Scope.STAND_INS)), Scope.ANY)
    found = [(scope, there[there["kind"] == scope]) for scope in judged if scope in set(there["kind"])]
    beside = claim.aggregate in EXTREMES and (there["kind"] != Scope.PAPER).any()
    return [*found, (Scope.PANEL, there)] if beside else found


def _verdict(
    claim: Claim, rows: pd.DataFrame, scope: Scope, held: Held, left_out: Iterable[tuple[str, str]]
) -> Verdict:
    """The verdict by these points of one machine and scope."""
    whole = whole_of(claim, rows)
    parts, factor, few = parts_of(claim, rows, whole), factor_of(claim, rows, whole), few_of(claim, rows)
    outcome, why = _outcome(claim, rows, scope, held, outcome_of(claim, parts, few), few)
    is_judged, sides = outcome in JUDGED, set(parts.sides)
    direction = Direction.UNRESOLVED if len(sides) > 1 else next(iter(sides), Direction.NONE)
    return Verdict(
        claim.id,
        held.basis or claim.metric,
        outcome,
        words.numbers(claim, rows, whole, parts),
        machine=rows["machine"].iloc[0],
        scope=scope,
        doubt=_doubt(claim, scope, rows, parts.narrow) if outcome in CONCLUSIVE else "",
        direction=direction if is_judged else Direction.NONE,
        size=size_of(claim, parts, whole, factor) if is_judged else Size.NONE,
        factor=factor,
        **whole._asdict(),
        points=rows,
        of=len(set(claim.matrices)) if claim.matrices else None,
        left_out=tuple(left_out),
        why=why,
    )


def _outcome(
    claim: Claim, rows: pd.DataFrame, scope: Scope, held: Held, agrees: Outcome, few: str
) -> tuple[Outcome, str]:
    """Return the outcome of the claim, and why where the numbers alone do not say it.

    The extreme of other matrices than the claim's is none of its extremes.
    """
    if held.beside or scope is Scope.PANEL:
        return Outcome.BESIDE, ""
    if claim.not_comparable:
        return Outcome.NOT_COMPARABLE, claim.not_comparable
    if held.untestable:
        return Outcome.UNTESTABLE, held.untestable
    if claim.derived:
        agreement = "the two agree" if agrees is Outcome.REPRODUCED else "the two do not agree"
        return Outcome.DERIVED, f"{claim.derived}: {few or agreement}"
    bounds = (rows["bound"] != "").sum()
    means = "the bound decides" if agrees in CONCLUSIVE else "too near the print to decide"
    ended = (
        f"{bounds} of {len(rows)} a bound, of a call that a limit of time ended: {means}" if bounds else ""
    )
    return agrees, few or ended


def _doubt(claim: Claim, scope: Scope, rows: pd.DataFrame, narrow: bool) -> str:
    """Why a conclusive verdict is indicative only, empty for a firm one."""
    if scope is Scope.TWINS:
        pairs = set(zip(rows["matrix"], rows["near"], strict=True))
        twins = {name: twins_in(name, claim.paper)[near] for name, near in pairs}
        farthest = max(twins.values(), key=lambda twin: twin.distance).text
        return (
            f"{scope}, the farthest of {len(twins)} the {farthest}"
            if len(twins) > 1
            else f"{scope}, {farthest}"
        )
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
