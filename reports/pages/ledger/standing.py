"""The standing of each claim on a machine: the verdict that decides the claim, or what is missing."""

import re
from collections.abc import Sequence
from dataclasses import replace

from fillpath import registry
from fillpath.dicts import Row, dicts
from fillpath.paths import results
from fillpath.peers import peer
from fillpath.record import record_path
from reports.claims.verdict import CONCLUSIVE, Missing, Outcome, Reason, Standing, Verdict
from reports.facts.claims import Claim, claims
from reports.facts.naming import printed_label
from reports.figures import View, deciding
from reports.pages.ledger.text import left_out_text

# The kind of thing that an unavailable case lacks, by a word of its reason; else a library.
_LACKS = {"GPU": "GPU", "cores": "measurement"}


def standings_of(view: View) -> list[Standing]:
    """Return the standings of the claims that a view's figure decides; without a figure, of all others."""
    figures = deciding(view.paper)
    of_paper = [claim for claim in claims().values() if claim.paper == view.paper]
    own = [claim for claim in of_paper if figures.get(claim.subject, "") == view.figure]
    cases = dicts(view.rows)
    return [_standing(claim, view, cases) for claim in own]


def _standing(claim: Claim, view: View, cases: Sequence[Row]) -> Standing:
    verdicts = [verdict for verdict in view.verdicts if verdict.claim == claim.id]
    own, order = [v for v in verdicts if v.reason is not Reason.BESIDE], [*CONCLUSIVE, Outcome.OPEN, *Reason]
    # The first conclusive verdict decides, else the first that is open, else the first with a reason.
    verdict = min(own, key=lambda v: max(2, order.index(v.reason or v.outcome)), default=None)
    others = (v for v in verdicts if v is not verdict and v.reason is not Reason.NOT_RUN)
    without = Standing(
        claim=claim, machine=str(view.machine), outcome=Outcome.NOT_JUDGED, reason=Reason.NOT_RUN, why="",
        verdict=None, beside=tuple(others), missing=(), figure=view.figure, records=(), older=0, command="",
    )  # fmt: skip
    if claim.needs:
        return replace(without, reason=Reason.NEEDS, why=f"needs {claim.needs}")
    if view.failure:
        return replace(without, why=f"the figure could not be judged: {view.failure}")
    command = f"make figures FIGURE={view.paper}.{view.figure} SUITE=papers" if view.figure else ""
    tried = replace(without, verdict=verdict, missing=_missing(claim, view, cases, verdict), command=command)
    if verdict is None or not verdict.n:
        left_out = verdict.left_out if verdict else ()
        return replace(tried, why=left_out_text(left_out) or "no number is recorded")
    judged = replace(tried, outcome=verdict.outcome, reason=verdict.reason, why=verdict.grounds)
    behind, again = _behind(verdict, cases), f"fillpath remeasure {claim.id}"
    records = tuple(str(record_path(row["machine"], row["case"]).relative_to(results())) for row in behind)
    older = sum(row["current"] is False for row in behind)
    return replace(judged, command=again, records=records, older=older)


def _behind(verdict: Verdict, cases: Sequence[Row]) -> list[Row]:
    """Return the figure's cases with a result on the matrices of the verdict."""
    names = [re.split(r"[ ,]", label.lower(), maxsplit=1)[0] for label in verdict.points["label"]]
    ok = (row for row in cases if row["status"] == "ok")
    return [row for row in ok if row["label"].partition(" (")[0].lower() in names]


def _missing(claim: Claim, view: View, cases: Sequence[Row], verdict: Verdict | None) -> tuple[Missing, ...]:
    """Return what the claim lacks, each kind once; nothing where all of its matrices have a number."""
    if not view.figure:
        return (Missing("experiment", ("no experiment in config/experiments.yaml measures it",)),)
    measured = set(verdict.points["of_claim"]) if verdict and verdict.n else set()
    lacking = [abbr for abbr in claim.matrices or () if abbr not in measured]
    ok = [row for row in cases if row["status"] == "ok"]
    rows = [row for row in cases if row["abbr"] in lacking or not claim.matrices]
    lacks: list[tuple[str, str]] = []
    codes = {(row["stage"], row["implementation"]) for row in ok}
    if claim.library and not any(claim.library in registry.lookup(*code).peer for code in codes):
        library = peer(claim.library)
        lacks.append(("library", f"{library.title}, no drawn result on {view.machine}: {library.command}"))
    if lacking or not measured:
        here = {row["matrix"] for row in ok}
        lacks += [_lack(row, view, row["matrix"] in here) for row in rows if row["status"] != "ok"]
    if absent := [abbr for abbr in lacking if abbr not in {row["abbr"] for row in rows}]:
        lacks.append(("experiment", f"none of the figure's experiments has {', '.join(absent)}"))
    if not lacks and (verdict is None or not verdict.n):
        lacks = [("measurement", name) for name in sorted({row["case"] for row in rows}) or [view.figure]]
    kinds = dict.fromkeys(kind for kind, _ in lacks)
    return tuple(Missing(kind, tuple(dict.fromkeys(w for k, w in lacks if k == kind))) for kind in kinds)


def _lack(row: Row, view: View, is_here: bool) -> tuple[str, str]:
    """Why a case has no number. is_here : whether any case has one of its matrix."""
    reason = str(row["reason"])
    if row["status"] == "unavailable":
        kind = next((kind for word, kind in _LACKS.items() if word in reason), "library")
        return kind, f"{row['implementation']}: {reason}"
    if row["status"] != "not_run":
        return "measurement", f"{row['case']}: {str(row['status']).replace('_', ' ')}, {reason}"
    if registry.lookup(row["stage"], row["implementation"]).device == "gpu" and not view.has_gpu:
        return "GPU", f"{row['implementation']}: no record of a GPU on this machine"
    # A matrix of the paper has one label in all orders.
    label = printed_label(row["abbr"], view.paper) if isinstance(row["abbr"], str) else str(row["label"])
    return ("measurement", str(row["case"])) if is_here else ("matrix", label)
