"""How each claim stands on a machine: the verdict that decides it, or what it lacks."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from fillpath.case import Case
from fillpath.errors import UnknownNameError, suggest
from fillpath.papers import paper_names
from fillpath.paths import results
from fillpath.record import record_path
from reports.claims.standing import Standing
from reports.claims.verdict import JUDGED, Outcome, Scope, Verdict
from reports.facts.claim import Claim
from reports.facts.claims import claims
from reports.facts.entries import Entries
from reports.facts.records import Records
from reports.figures import exhibits
from reports.pages.ledger.missing import missing
from reports.pages.ledger.text import left_out_text
from reports.pages.ledger.view import View, view

# Outcomes that are not judged, those that say more first.
_UNJUDGED = (Outcome.NOT_COMPARABLE, Outcome.UNTESTABLE, Outcome.NOT_RUN)

# The cases behind a (paper, figure).
CasesOf = Callable[[str, str], Sequence[Case]]


@dataclass(frozen=True)
class Judgement:
    """How the claims stand on one machine.

    standings : in the order of config/claims/
    failures : why a figure could not be judged, by (paper, figure)
    """

    standings: tuple[Standing, ...]
    failures: Mapping[tuple[str, str], str]


def ledger(
    machine: str,
    records: Records,
    entries: Entries,
    cases_of: CasesOf,
    papers: Collection[str] | None = None,
) -> list[Standing]:
    """As `judge`, of all papers by default, with a warning per figure that could not be judged."""
    judgement = judge(machine, records, entries, cases_of, papers or paper_names())
    for pair, failure in judgement.failures.items():
        logging.getLogger("fillpath").warning("%s not judged: %s", ".".join(pair), failure)
    return list(judgement.standings)


def judge(
    machine: str, records: Records, entries: Entries, cases_of: CasesOf, papers: Collection[str]
) -> Judgement:
    """Judge every claim of these papers on that machine.

    records : of all machines; only that machine's are looked at

    Raises UnknownNameError where that machine has no record.
    """
    machines = records.machines()
    if machine not in machines:
        hint = suggest(machine, machines) or f"; results/ holds {', '.join(machines) or 'none'}"
        raise UnknownNameError(f"no records of machine {machine!r}{hint}")
    here = records.of_machine(machine)
    standings: list[Standing] = []
    failures: dict[tuple[str, str], str] = {}
    for paper in (name for name in paper_names() if name in papers):
        # The first of several figures that speak to a subject decides, as for `figure_of`.
        figure_of = {
            id: name for name, exhibit in reversed(exhibits(paper).items()) for id in exhibit.subjects
        }
        views = {
            figure: view(paper, figure, here, entries, cases_of(paper, figure))
            for figure in dict.fromkeys(figure_of.values())
        }
        failures |= {(paper, figure): v.failure for figure, v in views.items() if v.failure}
        for claim in (claim for claim in claims().values() if claim.paper == paper):
            figure = figure_of.get(claim.subject, "")
            standings.append(_standing(claim, machine, figure, views.get(figure, View())))
    return Judgement(tuple(standings), failures)


def _standing(claim: Claim, machine: str, figure: str, view: View) -> Standing:
    """figure : that decides, empty for none.
    view : what it says on that machine.
    """
    verdicts = [verdict for verdict in view.verdicts if verdict.claim == claim.id]
    verdict = _deciding(verdicts)
    others = (v for v in verdicts if v is not verdict and v.outcome is not Outcome.NOT_RUN)
    without = Standing(
        claim=claim, machine=machine, outcome=Outcome.NOT_RUN, doubt="", why="", verdict=None,
        beside=tuple(others),
        missing=(), figure=figure, records=(), command="",
    )  # fmt: skip
    if claim.needs:
        return replace(without, outcome=Outcome.UNTESTABLE, why=f"it needs {claim.needs}")
    if view.failure:
        return replace(without, why=f"its figure could not be judged: {view.failure}")
    unmeasured = replace(
        without,
        verdict=verdict,
        missing=missing(claim, figure, view, verdict),
        command=f"fillpath remeasure {claim.id}" if figure else "",
    )
    if verdict is None or not verdict.n:
        left_out = verdict.left_out if verdict else ()
        return replace(unmeasured, why=left_out_text(left_out) or "no number is recorded")
    return replace(
        unmeasured,
        outcome=verdict.outcome,
        doubt=verdict.doubt,
        why=verdict.text,
        records=_records(verdict, view, machine),
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


def _records(verdict: Verdict, view: View, machine: str) -> tuple[str, ...]:
    """The records of the figure's cases on the matrices of the verdict."""
    labels = verdict.points["label"]
    names = [re.split(r"[ ,]", label.lower(), maxsplit=1)[0] for label in labels]
    return tuple(
        str(record_path(machine, row["case"]).relative_to(results()))
        for row in view.rows
        if row["status"] == "ok" and row["label"].partition(" (")[0].lower() in names
    )
