"""The input of a case: its prepared matrix and, where its stage refers to F, the matrix's reference."""

import contextlib
import functools
import json
from pathlib import Path

from benchmarks.engine import current
from benchmarks.engine.limits import Limits
from benchmarks.engine.process import Start, run_worker
from benchmarks.engine.reference import load_reference, reference_path
from benchmarks.engine.run import Run
from fetch.prepare import load_prepared, prepared_path
from fillpath.case import Case
from fillpath.errors import FillpathError, InputError
from fillpath.nouns import Prepared
from fillpath.paths import write_json
from fillpath.record import Status
from fillpath.stages import stage_of


class NotReadyError(FillpathError):
    """A matrix could not be prepared within the limits. outcome : the status of a case on it."""

    def __init__(self, outcome: Status, reason: str) -> None:
        super().__init__(reason)
        self.outcome = outcome


def make_ready(case: Case, limits: Limits, within: Run) -> Prepared:
    """Return the prepared matrix. It and its reference are in the cache then.

    A missing part is made in its own process, under limits. If a limit ends the process, no other case of the
    run tries again. Raises NotReadyError, and what finding the matrix raises.
    """
    path = prepared_path(case.matrix, case.preparation, case.seed)
    has_reference = stage_of(case.stage).refers
    cached = _cached(path, has_reference)
    if cached is not None:
        return cached
    stopped = path.with_suffix(".stopped")
    with contextlib.suppress(OSError, ValueError):
        run_id, status, reason = json.loads(stopped.read_text())
        if run_id == within.id:
            raise NotReadyError(Status(status), reason)
    threads = current.threads_of(case)
    job = {"task": "prepare", "case": case.name, "reference": has_reference, "threads": threads}
    start: Start = "forked" if limits.forked else "alone"
    outcome = run_worker(job, limits.preparation, within, start)
    if outcome.status is Status.OK:
        stopped.unlink(missing_ok=True)
        return load_prepared(path)
    took = f"preparation took more than {limits.preparation:g} s"
    reason = f"preparing {case.matrix}: {took if outcome.status is Status.TIMEOUT else outcome.reason}"
    if outcome.status in (Status.TIMEOUT, Status.OUT_OF_MEMORY):
        write_json(stopped, [within.id, outcome.status, reason])
    raise NotReadyError(outcome.status, reason)


def _cached(path: Path, has_reference: bool) -> Prepared | None:
    try:
        prepared = _loaded(path, path.stat().st_mtime_ns)
    except (FileNotFoundError, InputError):
        return None
    ready = not has_reference or load_reference(reference_path(prepared.hash)) is not None
    return prepared if ready else None


@functools.lru_cache(maxsize=1)
def _loaded(path: Path, changed: int) -> Prepared:
    """Return the prepared matrix in a file as it was at `changed`: rounds ask for it repeatedly."""
    return load_prepared(path)
