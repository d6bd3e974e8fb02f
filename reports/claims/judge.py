"""Verdicts on printed claims, by the numbers of a figure's frame and the prints in config/claims/.

A claim is judged on the paper's own matrices alone. Numbers of stand-ins are shown and decide nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd

from fillpath.papers import papers
from fillpath.settings import PROCESSES
from reports.claims import words
from reports.claims.parts import factor_of, few_of, outcome_of, parts_of, whole_of
from reports.claims.points import points
from reports.claims.verdict import CONCLUSIVE, LeftOut, Outcome, Reason, Verdict
from reports.facts.claims import Claim, Held, find_claim


def judge(frame: pd.DataFrame, claim: Claim, held: Held) -> list[Verdict]:
    """Return the verdict on the paper's own matrices, and the unjudged numbers of stand-ins.

    frame : of one machine, with label, abbr, stand_in_for, the columns that `held` names and, where it was
        measured in several processes, `<column>_processes`.
    """
    rows, basis = points(frame, claim, held), held.basis or claim.metric
    has, own = rows["has"], rows["own"]
    found, instead = _as_run(rows[own & has], claim.paper), rows[rows["stands_in"] & has]
    without = rows[own & ~has & ~rows["input"].isin(found["input"])]
    # A matrix that lacks a number in two orders is named once.
    named = {(matrix, row[1]): row for matrix, row in zip(without["input"], without["left_out"], strict=True)}
    left_out = tuple(named.values())
    verdicts = [_verdict(claim, found, held, left_out)] if len(found) else []
    nothing = Verdict(claim.id, basis, Outcome.NOT_JUDGED, f"printed {claim.printed}", Reason.NOT_RUN)
    if not verdicts and not held.beside:
        verdicts = [replace(nothing, left_out=left_out)]
    if len(instead) and not (held.beside or held.untestable or claim.aggregate == "equal"):
        whole, on = whole_of(claim, instead), f"{basis}, on stand-ins"
        beside = replace(nothing, basis=on, reason=Reason.BESIDE, points=instead, **whole._asdict())
        verdicts.append(replace(beside, numbers=words.spread(claim, instead, whole)))
    return verdicts


def _as_run(found: pd.DataFrame, paper: str) -> pd.DataFrame:
    """Return the rows; of a matrix that was measured in two orders, those in its authors' order alone."""
    ours = found["label"].str.replace(r" [(].*", "", regex=True).isin(papers()[paper].renamed.values())
    return found[ours | ~found["input"].isin(found.loc[ours, "input"])]


def judge_numbers(claim: Claim, numbers: Mapping[str, float]) -> Verdict:
    """Return the verdict on a claim by exact numbers.

    numbers : by the paper's abbreviation, or by any label.
    """
    frame = pd.DataFrame({"value": numbers.values(), "label": numbers.keys(), "status": "ok"})
    frame["abbr"] = frame["label"].where(frame["label"].isin(claim.matrices or ()))
    held = Held("value", above=0.0)
    return _verdict(claim, points(frame, claim, held).assign(processes=PROCESSES), held)


def judge_pairs(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Return the verdicts, where claims that are judged together are reproduced together or not at all."""
    found = list(verdicts)
    for i, verdict in enumerate(verdicts):
        claim = find_claim(verdict.claim)
        other = f"{claim.paper}.{claim.subject}.{claim.pair}"
        pairs = [each.outcome for each in verdicts if each.claim == other and each.reason != Reason.BESIDE]
        if claim.pair and verdict.outcome == Outcome.REPRODUCED and Outcome.REPRODUCED not in pairs:
            became = pairs[0] if pairs else Outcome.NOT_JUDGED
            why = f"judged together with {claim.pair}, which is: {became}"
            found[i] = replace(verdict, outcome=became if became in CONCLUSIVE else Outcome.OPEN, why=why)
    return found


def _verdict(claim: Claim, rows: pd.DataFrame, held: Held, left_out: LeftOut = ()) -> Verdict:
    """Return the verdict by these points."""
    whole = whole_of(claim, rows)
    parts = parts_of(claim, rows, whole)
    few = few_of(claim, rows)
    agrees = outcome_of(claim, parts, few)
    is_clear = agrees in CONCLUSIVE
    count = int(rows["processes"].min())
    too_few = f"{count} process{'es' if count > 1 else ''} of {PROCESSES}"
    hasty = too_few if claim.time and is_clear and count < PROCESSES else ""
    grounds = hasty or ("" if is_clear else few) or _bounds(rows, is_clear)
    reason, why = _reason(claim, held, few, agrees)
    return Verdict(
        claim.id,
        held.basis or claim.metric,
        Outcome.NOT_JUDGED if reason else Outcome.OPEN if hasty else agrees,
        words.numbers(claim, rows, whole, parts),
        reason,
        why if reason else grounds,
        factor_of(claim, rows, whole),
        **whole._asdict(),
        points=rows,
        of=len(set(claim.matrices)) if claim.matrices else None,
        processes=count if claim.time else None,
        left_out=left_out,
    )


def _reason(claim: Claim, held: Held, few: str, agrees: Outcome) -> tuple[Reason | None, str]:
    """Return why the numbers of the claim's own matrices are not judged, and that in words."""
    if held.beside:
        return Reason.BESIDE, ""
    if claim.not_comparable:
        return Reason.CONSTANT, claim.not_comparable
    if held.untestable:
        return Reason.NEEDS, held.untestable
    if claim.derived:
        agreement = "the two agree" if agrees is Outcome.REPRODUCED else "the two do not agree"
        return Reason.DERIVED, f"{claim.derived}: {few or agreement}"
    return None, ""


def _bounds(rows: pd.DataFrame, is_clear: bool) -> str:
    """Return how many numbers are bounds and whether they decide, empty where none is one."""
    bounds = int((rows["bound"] != "").sum())
    means = "the bound decides" if is_clear else "too near the print to decide"
    ended = f"{bounds} of {len(rows)} a bound, of a call that a time limit ended: {means}"
    return ended if bounds else ""
