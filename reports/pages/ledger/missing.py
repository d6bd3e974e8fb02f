"""What keeps a claim from a number of each of its matrices on a machine."""

from __future__ import annotations

from collections.abc import Sequence

from fillpath import registry
from fillpath.dicts import Row, dicts
from fillpath.peers import peer
from reports.claims.standing import Missing
from reports.claims.verdict import Scope, Verdict
from reports.facts.claim import Claim
from reports.figures import View

# What is lacking of a case that is unavailable, by a word of its reason; else a library.
_LACKS = {"GPU": "GPU", "cores": "measurement"}


def missing(claim: Claim, view: View, verdict: Verdict | None) -> tuple[Missing, ...]:
    """What the claim lacks, each kind once; nothing where all of its matrices have a number.

    view : of the figure that decides the claim
    verdict : that decides it, None for none
    """
    if not view.figure:
        return (Missing("experiment", ("no experiment in config/experiments.yaml measures it",)),)
    of_paper = verdict is not None and verdict.n > 0 and verdict.scope is Scope.PAPER
    measured = set(verdict.points["abbr"]) if verdict and of_paper else set()
    lacking = [abbr for abbr in claim.matrices or () if abbr not in measured]
    every = dicts(
        view.rows[["case", "stage", "implementation", "matrix", "label", "abbr", "status", "reason"]]
    )
    rows = [row for row in every if row["abbr"] in lacking or not claim.matrices]
    complete = of_paper and not lacking
    failed = [row for row in rows if row["status"] != "ok" and not complete]
    ok = [row for row in every if row["status"] == "ok"]
    lacks, measured_here = _library(claim, ok), frozenset(row["matrix"] for row in ok)
    lacks += [_lack(row, view, measured_here) for row in failed]
    absent = [abbr for abbr in lacking if abbr not in {row["abbr"] for row in rows}]
    if absent:
        lacks.append(Missing("experiment", (f"none of the figure's experiments has {', '.join(absent)}",)))
    if not lacks and (verdict is None or not verdict.n):
        lacks.append(Missing("measurement", tuple(sorted({row["case"] for row in rows})) or (view.figure,)))
    return _by_kind(lacks)


def _library(claim: Claim, ok: Sequence[Row]) -> list[Missing]:
    """The library that the claim is of, where the machine has no result of it. ok : rows with a result."""
    if not claim.library:
        return []
    codes = {(row["stage"], row["implementation"]) for row in ok}
    if any(claim.library in registry.lookup(*code).peer for code in codes):
        return []
    library = peer(claim.library)
    return [Missing("library", (f"{library.title}, of which no result is here: {library.command}",))]


def _lack(row: Row, view: View, matrices: frozenset[str]) -> Missing:
    """Why a case of one of the claim's matrices has no number. matrices : that have one of any case."""
    reason = str(row["reason"])
    if row["status"] == "unavailable":
        kind = next((kind for word, kind in _LACKS.items() if word in reason), "library")
        return Missing(kind, (f"{row['implementation']}: {reason}",))
    if row["status"] != "not_run":
        return Missing("measurement", (f"{row['case']}: {str(row['status']).replace('_', ' ')}, {reason}",))
    on_gpu = registry.lookup(row["stage"], row["implementation"]).device == "gpu"
    if on_gpu and not view.has_gpu:
        return Missing("GPU", (f"{row['implementation']}: no record of a GPU on this machine",))
    if row["matrix"] not in matrices:
        return Missing("matrix", (str(row["label"]),))
    return Missing("measurement", (str(row["case"]),))


def _by_kind(lacks: Sequence[Missing]) -> tuple[Missing, ...]:
    """Each kind once, with everything that it lacks."""
    kinds: dict[str, dict[str, None]] = {}
    for lack in lacks:
        kinds.setdefault(lack.kind, {}).update(dict.fromkeys(lack.what))
    return tuple(Missing(kind, tuple(names)) for kind, names in kinds.items())
