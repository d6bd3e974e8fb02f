"""The worker's process: its start, the limits that end it, and why it died."""

import json
import os
import signal
import sys
import time
from collections.abc import Mapping
from multiprocessing.connection import wait
from typing import Any, Literal

from benchmarks.engine import machine, template, workers
from benchmarks.engine.mpirun import RankWorker, mpi_environment
from benchmarks.engine.outcome import Outcome
from benchmarks.engine.run import Run
from fillpath import surroundings
from fillpath.record import Status

LATE = "the time limit of this run was reached before"
_POLL_SECONDS = 0.05

# followed: other jobs come next, and workers for jobs like this one import meanwhile.
# forked: from a template, unless it has several ranks.
Start = Literal["alone", "followed", "forked"]

# The modules that a worker imports, by the device of its job.
_IMPORTS = {"cpu": ["benchmarks.engine.tasks"], "gpu": ["benchmarks.engine.tasks", "cupy"]}


def run_worker(job: dict[str, Any], limit: float, within: Run, start: Start) -> Outcome:
    """Run a worker on a job until it is done. Always returns an outcome.

    job : `task`, `threads`, and what the task reads
    limit : float, seconds, counted from when the worker gets its job
    within : the run, which may cut the worker off sooner
    """
    remaining = within.remaining()
    if remaining <= 0:
        return Outcome(Status.NOT_RUN, LATE)
    seconds, memory = min(limit, remaining), machine.memory_limit()
    outcome = Outcome(reported={"limit_seconds": seconds, "memory_limit": memory})
    oom_kills = machine.oom_kills()
    setup = workers.Setup(_environment(job), _IMPORTS[job.get("device", "cpu")])
    worker = _started(job, setup, start)
    try:
        worker.write(json.dumps(job))
        if start == "followed" and isinstance(worker, workers.Worker):
            workers.prepare(setup, machine.cores())
        _follow(worker, outcome, seconds, memory)
    finally:
        # Another supervisor of this machine may measure next.
        workers.pause()
        code, last_line = worker.end()
    if not (outcome.done or outcome.complete or outcome.reason):
        _explain_death(outcome, code, oom_kills, last_line)
    if outcome.status is Status.TIMEOUT and seconds < limit:
        outcome.status, outcome.reason = Status.NOT_RUN, "the time limit of this run cut it off"
    return outcome


def _started(job: Mapping[str, Any], setup: workers.Setup, start: Start) -> workers.AnyWorker:
    if job.get("ranks", 1) > 1:
        # Ranks sample when they like, so nothing else may run.
        workers.pause()
        return RankWorker(job, setup.environment)
    return template.fork(setup) if start == "forked" else workers.take(setup)


def _environment(job: Mapping[str, Any]) -> dict[str, str]:
    return {
        **surroundings.of_worker(os.environ, job["threads"]),
        **mpi_environment(job.get("peer", ())),
        "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry),
    }


def _follow(worker: workers.AnyWorker, outcome: Outcome, seconds: float, memory: int) -> None:
    """Take in reports until the worker closes its pipe or passes a limit."""
    deadline = time.monotonic() + seconds
    pending = b""
    while True:
        # Its last reports are still to be read.
        ended = worker.has_ended()
        if wait([worker.reports.fileno()], _POLL_SECONDS):
            chunk = worker.reports.read(65536)
            if not chunk:
                return
            *lines, pending = (pending + chunk).split(b"\n")
            # The first line is empty: the worker has begun.
            for line in filter(None, lines):
                _take(json.loads(line), outcome, worker)
            if outcome.done:
                return
        elif ended:
            return
        resident = worker.resident_bytes()
        if resident > memory:
            reason = f"used {resident / 2**30:.2f} GiB, the limit is {memory / 2**30:.2f} GiB"
            outcome.stop(Status.OUT_OF_MEMORY, reason)
            return
        if time.monotonic() > deadline:
            outcome.stop(Status.TIMEOUT, f"not done within {seconds:.4g} s")
            return


def _take(message: dict[str, Any], outcome: Outcome, worker: workers.AnyWorker) -> None:
    """Take in a report, and stop the workers that wait while this one takes samples."""
    outcome.take(message)
    if message["event"] == "sampling":
        workers.pause()
        worker.write("go")
    elif message["event"] == "sampled":
        workers.resume()


def _explain_death(outcome: Outcome, code: int, oom_kills: int | None, last_line: str) -> None:
    """Note why a worker ended without a last report. A kill from outside is not conclusive."""
    if code >= 0:
        outcome.conclusive = outcome.began
        outcome.reason = f"the worker ended early with exit status {code}: {last_line}"
        return
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    if code == -signal.SIGKILL and oom_kills is not None and (machine.oom_kills() or 0) > oom_kills:
        outcome.status, outcome.reason = Status.OUT_OF_MEMORY, "the kernel killed the worker for memory"
    elif -code in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        outcome.reason, outcome.conclusive = f"killed from outside by {name}", False
    else:
        outcome.reason = f"crashed with {name}{': ' if last_line else ''}{last_line}"
