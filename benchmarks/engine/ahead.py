"""Workers' processes, some started ahead: what a measurement needs is imported before its turn comes.

A start with its imports takes longer than most cases do. The next workers import while the present one loads
and verifies. They are stopped while it takes samples, and while this supervisor measures nothing, for then
another one may: nothing of them runs beside what is timed.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Mapping, Sequence
from typing import IO, cast

# So many wait at most; each holds some 200 MB. One on a small machine.
MOST = 4
CORES_EACH = 2


class Worker:
    """A worker's process: it imports modules, and waits for its job.

    reports : the pipe that it writes its reports to
    environment : its variables, which no later worker may have others of
    """

    def __init__(self, environment: Mapping[str, str], modules: Sequence[str] = ()) -> None:
        self.environment = dict(environment)
        self._log: IO[str] = tempfile.TemporaryFile("w+")  # noqa: SIM115
        reading, writing = os.pipe()
        self.reports: IO[bytes] = os.fdopen(reading, "rb", buffering=0)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.engine.worker"],
            stdin=subprocess.PIPE, stdout=self._log, stderr=self._log, text=True, env=self.environment,
            pass_fds=(writing,),
        )  # fmt: skip
        os.close(writing)
        self.tell(json.dumps({"reports": writing, "supervisor": os.getpid(), "modules": list(modules)}))

    @property
    def pid(self) -> int:
        return self._process.pid

    def tell(self, line: str) -> None:
        """Write a line to its standard input."""
        # Where it died, its supervisor finds out, and says how.
        with contextlib.suppress(BrokenPipeError):
            print(line, file=self._process.stdin, flush=True)

    def is_alive(self) -> bool:
        return self._process.poll() is None

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def end(self) -> tuple[int, str]:
        """Kill it if it has not ended. Returns its exit status and the last line of its log."""
        self._process.kill()
        code = self._process.wait()
        self.reports.close()
        # A line that it never read cannot be written any more.
        with contextlib.suppress(BrokenPipeError):
            cast(IO[str], self._process.stdin).close()
        last = _last_line(self._log)
        self._log.close()
        return code, last


_waiting: deque[Worker] = deque()


def take(environment: Mapping[str, str]) -> Worker:
    """A worker that waits, if its environment is this one; else a new one."""
    while _waiting:
        worker = _waiting.popleft()
        if worker.is_alive() and worker.environment == environment:
            worker.signal(signal.SIGCONT)
            return worker
        worker.end()
    return Worker(environment)


def start(environment: Mapping[str, str], modules: Sequence[str], cores: int) -> None:
    """Start as many workers as may wait, and let those go on that do.

    modules : that new ones import
    cores : of this machine
    """
    resume()
    while len(_waiting) < max(1, min(MOST, cores // CORES_EACH)):
        _waiting.append(Worker(environment, modules))


def pause() -> None:
    """Stop those that wait, until `resume`."""
    _signal(signal.SIGSTOP)


def resume() -> None:
    _signal(signal.SIGCONT)


@atexit.register
def dismiss() -> None:
    """End those that wait."""
    while _waiting:
        _waiting.popleft().end()


def _signal(number: signal.Signals) -> None:
    for worker in _waiting:
        worker.signal(number)


def _last_line(log: IO[str]) -> str:
    log.seek(0)
    lines = [line.strip() for line in log.read().splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""
