"""The worker's process: its start, the limits that end it, and why it died."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO, Any

from benchmarks.engine import machine
from benchmarks.engine.outcome import Outcome
from fillpath.record import Status

_POLL_SECONDS = 0.05


def run_worker(job: dict[str, Any], seconds: float, memory: int | None) -> Outcome:
    """Run the worker on a job until it is done; returns what became of it, always.

    job : `task`, `threads`, and what the task reads.
    seconds : of the worker's life.
    memory : bytes resident; None without a limit.
    """
    outcome = Outcome()
    oom_kills = machine.oom_kills()
    with tempfile.TemporaryFile("w+") as log:
        reading, writing = os.pipe()
        with os.fdopen(reading, "rb", buffering=0) as reports:
            worker = _start(job, writing, log)
            os.close(writing)
            try:
                _follow(worker, reports, outcome, seconds, memory)
            finally:
                worker.kill()
                worker.wait()
        if not outcome.done and not outcome.reason:
            _explain_death(outcome, worker.returncode, oom_kills, _last_line(log))
    return outcome


def _start(job: dict[str, Any], writing: int, log: IO[str]) -> subprocess.Popen[str]:
    environment = {
        **os.environ,
        "NUMBA_NUM_THREADS": str(job["threads"]),
        "OMP_NUM_THREADS": str(job["threads"]),
        "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry),
    }
    worker = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.engine.worker"],
        stdin=subprocess.PIPE, stdout=log, stderr=log, text=True, env=environment, pass_fds=(writing,),
    )  # fmt: skip
    assert worker.stdin is not None
    try:
        worker.stdin.write(json.dumps({**job, "reports": writing, "supervisor": os.getpid()}) + "\n")
        worker.stdin.close()
    except BrokenPipeError:
        pass  # It died before it read its job: `_explain_death` says how.
    return worker


def _follow(
    worker: subprocess.Popen[str], reports: IO[bytes], outcome: Outcome, seconds: float, memory: int | None
) -> None:
    """Take in reports until the worker closes its pipe or passes a limit."""
    deadline = time.monotonic() + seconds
    pending = b""
    with selectors.DefaultSelector() as selector:
        selector.register(reports, selectors.EVENT_READ)
        while True:
            if selector.select(_POLL_SECONDS):
                chunk = reports.read(65536)
                if not chunk:
                    return
                *lines, pending = (pending + chunk).split(b"\n")
                for line in lines:
                    outcome.take(json.loads(line))
                if outcome.done:
                    return
            resident = _resident_bytes(worker.pid)
            if memory is not None and resident > memory:
                outcome.status = Status.OUT_OF_MEMORY
                outcome.reason = f"used {resident / 2**30:.2f} GiB, the limit is {memory / 2**30:.2f} GiB"
                return
            if time.monotonic() > deadline:
                outcome.status, outcome.reason = Status.TIMEOUT, f"not done within {seconds:.4g} s"
                return


def _explain_death(outcome: Outcome, code: int, oom_kills: int | None, last_line: str) -> None:
    """Why a worker ended without a last report. What came from outside does not settle the case."""
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


def _resident_bytes(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def _last_line(log: IO[str]) -> str:
    log.seek(0)
    lines = [line.strip() for line in log.read().splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""
