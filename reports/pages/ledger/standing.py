"""How each claim stands on a machine: the verdict that decides it, or what it lacks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from fillpath.dicts import dicts
from fillpath.paths import results
from fillpath.record import record_path
from reports.claims.standing import Standing
from reports.claims.verdict import JUDGED, Outcome, Scope, Verdict
from reports.facts.claim import Claim
from reports.facts.claims import claims
from reports.figures import View, deciding
from reports.pages.ledger.missing import missing
from reports.pages.ledger.text import left_out_text

# Outcomes that are not judged, those that say more first.
_UNJUDGED = (Outcome.NOT_COMPARABLE, Outcome.UNTESTABLE, Outcome.NOT_RUN)


def standings_of(view: View) -> list[Standing]:
    """Return how the claims that the figure of this view decides stand on its machine; of a view of no
    figure, those that none decides."""
    figures = deciding(view.paper)
    of_paper = [claim for claim in claims().values() if claim.paper == view.paper]
    return [_standing(claim, view) for claim in of_paper if figures.get(claim.subject, "") == view.figure]


def _standing(claim: Claim, view: View) -> Standing:
    verdicts = [verdict for verdict in view.verdicts if verdict.claim == claim.id]
    verdict = _deciding(verdicts)
    others = (v for v in verdicts if v is not verdict and v.outcome is not Outcome.NOT_RUN)
    without = Standing(
        claim=claim, machine=str(view.machine), outcome=Outcome.NOT_RUN, doubt="", why="", verdict=None,
        beside=tuple(others),
        missing=(), figure=view.figure, records=(), command="",
    )  # fmt: skip
    if claim.needs:
        return replace(without, outcome=Outcome.UNTESTABLE, why=f"it needs {claim.needs}")
    if view.failure:
        return replace(without, why=f"its figure could not be judged: {view.failure}")
    unmeasured = replace(
        without,
        verdict=verdict,
        missing=missing(claim, view, verdict),
        command=f"fillpath remeasure {claim.id}" if view.figure else "",
    )
    if verdict is None or not verdict.n:
        left_out = verdict.left_out if verdict else ()
        return replace(unmeasured, why=left_out_text(left_out) or "no number is recorded")
    return replace(
        unmeasured,
        outcome=verdict.outcome,
        doubt=verdict.doubt,
        why=verdict.text,
        records=_records(verdict, view),
    )


def _deciding(verdicts: Sequence[Verdict]) -> Verdict | None:
    """The first that is judged, of the paper's own matrices before others; else the first that says why it is
    not."""
    scopes = list(Scope)
    judged = sorted(
        (v for v in verdicts if v.outcome in (*JUDGED, Outcome.DERIVED)),
        key=lambda v: (not v.firm, scopes.index(v.scope) if v.scope else len(scopes)),
    )
    unjudged = [v for o in _UNJUDGED for v in verdicts if v.outcome is o]
    return next(iter([*judged, *unjudged]), None)


def _records(verdict: Verdict, view: View) -> tuple[str, ...]:
    """The records of the figure's cases on the matrices of the verdict."""
    names = [re.split(r"[ ,]", label.lower(), maxsplit=1)[0] for label in verdict.points["label"]]
    ok = view.rows[view.rows["status"] == "ok"]
    return tuple(
        str(record_path(row["machine"], row["case"]).relative_to(results()))
        for row in dicts(ok[["machine", "case", "label"]])
        if row["label"].partition(" (")[0].lower() in names
    )
