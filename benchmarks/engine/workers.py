"""A worker as its supervisor sees it, of whichever kind: a process, a fork of a template, ranks of MPI."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

import psutil

# For an interpreter to start.
START_SECONDS = 30.0


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
        return sum(map(_resident_bytes, self._members()))

    def tell(self, line: str) -> None:
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
        """Wait for its exit status."""
        return self._process.wait()

    def _close(self) -> None:
        self.reports.close()
        self._log.close()
        # A line that it never read cannot be written any more.
        with contextlib.suppress(BrokenPipeError):
            if self._stdin:
                self._stdin.close()


def _resident_bytes(pid: int) -> int:
    """Return the resident memory of a process, 0 where it has ended."""
    try:
        resident: int = psutil.Process(pid).memory_info().rss
        return resident
    except psutil.Error:
        return 0
