"""The input of a case: its prepared matrix and, unless its stage works on a graph, the matrix's reference."""

from __future__ import annotations

import functools
from pathlib import Path

from benchmarks.engine import standing
from benchmarks.engine.limits import Limits
from benchmarks.engine.process import run_worker
from benchmarks.engine.reference import load_reference, reference_path
from benchmarks.engine.run import Run
from fetch.prepare import load_prepared, prepared_path
from fillpath.case import Case
from fillpath.errors import FillpathError, InputError
from fillpath.nouns import Prepared
from fillpath.record import Status
from fillpath.stages import stage_of


class NotReadyError(FillpathError):
    """A matrix could not be prepared within the limits. outcome : the status that this means for a case."""

    def __init__(self, outcome: Status, reason: str) -> None:
        super().__init__(reason)
        self.outcome = outcome


def make_ready(case: Case, limits: Limits, within: Run) -> Prepared:
    """The prepared matrix; it and its reference are in the cache then. What is missing is made under limits,
    in a process of its own.

    Raises NotReadyError, and what finding the matrix raises.
    """
    path = prepared_path(case.matrix, case.preparation, case.seed)
    has_reference = not stage_of(case.stage).on_graph
    cached = _cached(path, has_reference)
    if cached is not None:
        return cached
    job = {
        "task": "prepare",
        "matrix": case.matrix,
        "preparation": case.preparation.name,
        "seed": case.seed,
        "reference": has_reference,
        "threads": standing.threads_of(case),
    }
    outcome = run_worker(job, min(limits.seconds, within.remaining()), limits.memory_limit())
    if outcome.status is not Status.OK:
        raise NotReadyError(outcome.status, f"preparing {case.matrix}: {outcome.reason}")
    return load_prepared(path)


def _cached(path: Path, has_reference: bool) -> Prepared | None:
    if not path.is_file():
        return None
    try:
        prepared = _loaded(path, path.stat().st_mtime_ns)
    except InputError:
        return None
    ready = not has_reference or load_reference(reference_path(prepared.hash)) is not None
    return prepared if ready else None


@functools.lru_cache(maxsize=1)
def _loaded(path: Path, changed: int) -> Prepared:
    """The prepared matrix in a file as it was at `changed`: rounds ask for the same one again and again."""
    return load_prepared(path)
