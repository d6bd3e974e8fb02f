"""Workers' processes, some started ahead: what a measurement needs is imported before its turn comes.

A start with its imports takes longer than most cases do. Workers for the next processes import while the
present one loads and verifies. They are stopped while it takes samples, and while this supervisor measures
nothing, for then another one may: nothing of them runs beside a sample.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, cast

import psutil

# So many wait at most; each holds some 200 MB. One on a small machine.
MOST = 4
CORES_EACH = 2
# For an interpreter to start.
START_SECONDS = 30.0


@dataclass(frozen=True)
class Setup:
    """What a worker starts with, whether it is started ahead or not.

    environment : its variables
    modules : that it imports before it reads its job
    """

    environment: Mapping[str, str]
    modules: Sequence[str]


class Worker:
    """A worker's process: it imports modules, and waits for its job.

    reports : the pipe that it writes its reports to
    """

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self._log: IO[str] = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115
        reading, writing = os.pipe()
        self.reports: IO[bytes] = os.fdopen(reading, "rb", buffering=0)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.engine.worker"],
                stdin=subprocess.PIPE, stdout=self._log, stderr=self._log, text=True,
                env=dict(setup.environment), pass_fds=(writing,),
            )  # fmt: skip
        except OSError:
            self.reports.close()
            self._log.close()
            raise
        finally:
            os.close(writing)
        start = {"reports": writing, "supervisor": os.getpid(), "modules": list(setup.modules)}
        self.tell(json.dumps(start))

    @property
    def pid(self) -> int:
        return self._process.pid

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def resident_bytes(self) -> int:
        return resident_bytes(self.pid)

    def tell(self, line: str) -> None:
        """Write a line to its standard input."""
        # Where it died, its supervisor finds out, and says how.
        with contextlib.suppress(BrokenPipeError):
            print(line, file=self._process.stdin, flush=True)

    def stop(self) -> None:
        """Stop it until `go_on`, once it has said by its first byte that it dies with its supervisor: stopped
        before, it would outlive it for ever."""
        select.select([self.reports], [], [], START_SECONDS)
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def end(self) -> tuple[int, str]:
        """Kill it if it has not ended. Returns its exit status and the last line of its log."""
        self._process.kill()
        code = self._process.wait()
        self.reports.close()
        # A line that it never read cannot be written any more.
        with contextlib.suppress(BrokenPipeError):
            cast(IO[str], self._process.stdin).close()
        last = last_line(self._log)
        self._log.close()
        return code, last


def resident_bytes(pid: int) -> int:
    """Return the resident memory of a process, 0 where it has ended."""
    try:
        resident: int = psutil.Process(pid).memory_info().rss
        return resident
    except psutil.Error:
        return 0


_waiting: list[Worker] = []


def take(setup: Setup) -> Worker:
    """A worker that waits with this setup, let go on; else a new one."""
    for worker in [each for each in _waiting if each.setup == setup]:
        _waiting.remove(worker)
        if not worker.has_ended():
            worker.go_on()
            return worker
        worker.end()
    return Worker(setup)


def prepare(setup: Setup, cores: int) -> None:
    """Let those that wait go on, and start more of this setup, as many as may wait.

    cores : of this machine
    """
    resume()
    most = max(1, min(MOST, cores // CORES_EACH))
    if len(_waiting) >= most and all(worker.setup != setup for worker in _waiting):
        _waiting.pop(0).end()
    # Without them a measurement only takes longer.
    with contextlib.suppress(OSError):
        while len(_waiting) < most:
            _waiting.append(Worker(setup))


def pause() -> None:
    """Stop those that wait, until `resume`."""
    for worker in _waiting:
        worker.stop()


def resume() -> None:
    for worker in _waiting:
        worker.go_on()


@atexit.register
def dismiss() -> None:
    """End those that wait."""
    while _waiting:
        _waiting.pop().end()


def last_line(log: IO[str]) -> str:
    """The last line of a log that says something, shortened: some launchers frame theirs."""
    log.seek(0)
    lines = [line.strip() for line in log.read().splitlines() if any(map(str.isalnum, line))]
    return lines[-1][:300] if lines else ""
