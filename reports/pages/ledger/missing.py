"""What keeps a claim from a number of each of its matrices on a machine."""

from __future__ import annotations

from fillpath import registry
from fillpath.dicts import Row, dicts
from fillpath.peers import peer
from reports.claims.standing import Missing
from reports.claims.verdict import Scope, Verdict
from reports.facts.claim import Claim
from reports.figures import View

_OF_CASE = ["case", "stage", "implementation", "matrix", "label", "abbr", "status", "reason"]
# What is lacking of a case that is unavailable, by a word of its reason; else a library.
_LACKS = {"GPU": "GPU", "cores": "measurement"}


def missing(claim: Claim, view: View, verdict: Verdict | None) -> tuple[Missing, ...]:
    """Return what the claim lacks, each kind once; nothing where all of its matrices have a number.

    view : of the figure that decides the claim, of no figure for none
    verdict : that decides it, None for none
    """
    if not view.figure:
        return (Missing("experiment", ("no experiment in config/experiments.yaml measures it",)),)
    of_paper = verdict is not None and verdict.n > 0 and verdict.scope is Scope.PAPER
    measured = set(verdict.points["abbr"]) if verdict and of_paper else set()
    lacking = [abbr for abbr in claim.matrices or () if abbr not in measured]
    rows = dicts(view.rows[_OF_CASE])
    ok = [row for row in rows if row["status"] == "ok"]
    rows = [row for row in rows if row["abbr"] in lacking or not claim.matrices]
    lacks: list[tuple[str, str]] = []
    codes = {(row["stage"], row["implementation"]) for row in ok}
    if claim.library and not any(claim.library in registry.lookup(*code).peer for code in codes):
        library = peer(claim.library)
        lacks.append(("library", f"{library.title}, of which no result is here: {library.command}"))
    if lacking or not of_paper:
        here = {row["matrix"] for row in ok}
        lacks += [_lack(row, view.has_gpu, row["matrix"] in here) for row in rows if row["status"] != "ok"]
    if absent := [abbr for abbr in lacking if abbr not in {row["abbr"] for row in rows}]:
        lacks.append(("experiment", f"none of the figure's experiments has {', '.join(absent)}"))
    if not lacks and (verdict is None or not verdict.n):
        lacks = [("measurement", name) for name in sorted({row["case"] for row in rows}) or [view.figure]]
    kinds: dict[str, dict[str, None]] = {}
    for kind, what in lacks:
        kinds.setdefault(kind, {})[what] = None
    return tuple(Missing(kind, tuple(names)) for kind, names in kinds.items())


def _lack(row: Row, has_gpu: bool, is_here: bool) -> tuple[str, str]:
    """Why a case has no number. is_here : whether any case has one of its matrix."""
    reason = str(row["reason"])
    if row["status"] == "unavailable":
        kind = next((kind for word, kind in _LACKS.items() if word in reason), "library")
        return kind, f"{row['implementation']}: {reason}"
    if row["status"] != "not_run":
        return "measurement", f"{row['case']}: {str(row['status']).replace('_', ' ')}, {reason}"
    if registry.lookup(row["stage"], row["implementation"]).device == "gpu" and not has_gpu:
        return "GPU", f"{row['implementation']}: no record of a GPU on this machine"
    return ("measurement", str(row["case"])) if is_here else ("matrix", str(row["label"]))
