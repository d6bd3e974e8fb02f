"""Workers' processes, some started ahead: what a measurement needs is imported before its turn comes.

A start with its imports takes longer than most cases do. Workers for the next processes import while the
present worker loads and verifies. They are stopped while it takes samples, so that nothing runs next to a
sample. They are stopped too while this supervisor measures nothing, because another supervisor may measure.
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

from benchmarks.engine.workers import START_SECONDS, AnyWorker, Setup

# Workers that wait at most, some 200 MB each, and cores for each: one waits on a small machine.
MOST = 4
CORES_EACH = 2


class Worker(AnyWorker):
    """A worker's own process: it imports modules, and waits for its job. Raises OSError where none starts."""

    def __init__(self, setup: Setup) -> None:
        reading, writing = os.pipe()
        super().__init__(reading)
        self.setup = setup
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.engine.worker"],
                stdin=subprocess.PIPE, stdout=self._log, stderr=self._log, text=True,
                env=dict(setup.environment), pass_fds=(writing,),
            )  # fmt: skip
        except OSError:
            self._close()
            raise
        finally:
            os.close(writing)
        self.pid, self._stdin = self._process.pid, self._process.stdin
        start = {"reports": writing, "supervisor": os.getpid(), "modules": list(setup.modules)}
        self.tell(json.dumps(start))

    def stop(self) -> None:
        """Stop it until `go_on`.

        A first byte tells that it dies with its supervisor. Stopped before, it would outlive the supervisor.
        """
        select.select([self.reports], [], [], START_SECONDS)
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._process.send_signal(signal.SIGCONT)


_waiting: list[Worker] = []


def take(setup: Setup) -> Worker:
    """Return a waiting worker with this setup, let go on; else a new one."""
    for worker in [each for each in _waiting if each.setup == setup]:
        _waiting.remove(worker)
        if not worker.has_ended():
            worker.go_on()
            return worker
        worker.end()
    return Worker(setup)


def prepare(setup: Setup, cores: int) -> None:
    """Let waiting workers go on, and start more of this setup, as many as may wait.

    cores : int, of this machine
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
    """Stop waiting workers until `resume`."""
    for worker in _waiting:
        worker.stop()


def resume() -> None:
    """Let waiting workers go on."""
    for worker in _waiting:
        worker.go_on()


@atexit.register
def dismiss() -> None:
    """End waiting workers."""
    while _waiting:
        _waiting.pop().end()
