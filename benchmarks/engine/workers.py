"""Workers as their supervisor sees them: processes, forks of a template, ranks of MPI.

A start with its imports takes longer than most cases do. So workers for the next processes are started ahead,
and import while the present worker loads and verifies. They are stopped while it takes samples, so that
nothing runs next to a sample. They are stopped too while this supervisor measures nothing, because another
supervisor may measure. They die with their supervisor.

    worker = take(setup)
    worker.write(json.dumps(job))    # its reports come through worker.reports
    prepare(setup, cores=8)
    code, last_line = worker.end()
"""

import contextlib
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

import psutil

# For an interpreter to start.
START_SECONDS = 30.0
# Workers that wait at most, some 200 MB each, and cores for each: one waits on a small machine.
MOST = 4
CORES_EACH = 2


@dataclass(frozen=True)
class Setup:
    """The start of a worker.

    environment : its variables
    modules : that it imports before it reads its job
    """

    environment: Mapping[str, str]
    modules: Sequence[str]


class AnyWorker:
    """A worker, which waits for its job.

    pid : int, the process that is waited for
    reports : IO[bytes], the end to read of the pipe that the worker writes its reports to
    """

    pid: int
    _process: subprocess.Popen[Any]

    def __init__(self, reports: int) -> None:
        self._log: IO[str] = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115
        self._stdin: IO[str] | None = None
        self.reports: IO[bytes] = os.fdopen(reports, "rb", buffering=0)

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def resident_bytes(self) -> int:
        """Return the resident memory of its processes that have not ended."""
        total = 0
        for member in self._members():
            with contextlib.suppress(psutil.Error):
                total += int(psutil.Process(member).memory_info().rss)
        return total

    def write(self, line: str) -> None:
        """Write a line to its standard input; ranks have none, and begin with their job."""
        # The supervisor finds out that a worker died, and why.
        with contextlib.suppress(BrokenPipeError):
            if self._stdin:
                print(line, file=self._stdin, flush=True)

    def end(self) -> tuple[int, str]:
        """Kill it if it has not ended. Returns its exit status and the last line of its log."""
        for member in self._members():
            with contextlib.suppress(ProcessLookupError):
                os.kill(member, signal.SIGKILL)
        code = self._status()
        self._log.seek(0)
        # Some launchers frame their messages.
        lines = [line.strip() for line in self._log.read().splitlines() if any(map(str.isalnum, line))]
        self._close()
        return code, lines[-1][:300] if lines else ""

    def _members(self) -> Iterable[int]:
        """Return its processes that have not ended."""
        return [] if self.has_ended() else [self.pid]

    def _status(self) -> int:
        return self._process.wait()

    def _close(self) -> None:
        self.reports.close()
        self._log.close()
        # A line that it never read cannot be written any more.
        with contextlib.suppress(BrokenPipeError):
            if self._stdin:
                self._stdin.close()


class Worker(AnyWorker):
    """A worker's own process: it imports modules, and waits for its job. Raises OSError where none starts."""

    def __init__(self, setup: Setup) -> None:
        reading, writing = os.pipe()
        super().__init__(reading)
        self.setup = setup
        start = [str(writing), str(os.getpid()), *setup.modules]
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.engine.worker", *start],
                stdin=subprocess.PIPE, stdout=self._log, stderr=self._log, text=True,
                env=dict(setup.environment), pass_fds=(writing,),
            )  # fmt: skip
        except OSError:
            self._close()
            raise
        finally:
            os.close(writing)
        self.pid, self._stdin = self._process.pid, self._process.stdin

    def stop(self) -> None:
        """Stop it until `resume`.

        A first byte shows that it dies with its supervisor. Stopped before, it would outlive the supervisor.
        """
        select.select([self.reports], [], [], START_SECONDS)
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._process.send_signal(signal.SIGCONT)


_waiting: list[Worker] = []


def take(setup: Setup) -> Worker:
    """Return a waiting worker with this setup, resumed; else a new one."""
    for worker in [each for each in _waiting if each.setup == setup]:
        _waiting.remove(worker)
        if not worker.has_ended():
            worker.resume()
            return worker
        worker.end()
    return Worker(setup)


def prepare(setup: Setup, cores: int) -> None:
    """Resume waiting workers, and start as many more of this setup as the cores allow."""
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
    """Resume waiting workers."""
    for worker in _waiting:
        worker.resume()
