"""A commit's own code, waiting in its own checkout and environment to measure what a night asks for."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Protocol

from benchmarks.runs.environment import environment
from benchmarks.runs.launch import adopt
from fillpath.errors import FillpathError
from fillpath.host import machine_name
from fillpath.paths import results
from fillpath.record import Record


class Worker(Protocol):
    """Measures processes of the cases of one commit.

    cases : those that its settings choose and this machine can run
    """

    cases: tuple[str, ...]

    def measure(self, case: str, process: int) -> Record | None:
        """The record of that process of the case; None for a case that the commit does not have."""

    def close(self) -> None:
        """End it."""


class Bench(Protocol):
    """What a night needs of a checkout."""

    def open(self, folder: Path, run: str) -> Worker:
        """Its worker for a run of that id. Raises FillpathError where it cannot be installed or started."""

    def keep_series(self, folder: Path, run: str) -> None:
        """Add the medians of that run to asv's series of its commit."""


class Checkouts:
    """The bench of real nights.

    place : folder of the environments
    deadline : Unix time after which nothing is measured, None for none
    """

    def __init__(self, place: Path, deadline: float | None) -> None:
        self.place, self.deadline = place, deadline

    def open(self, folder: Path, run: str) -> Process:
        python = environment(folder, self.place)
        return Process(
            [str(python), "-m", "fillpath", "workflow", "processes", run], folder, self._variables(folder)
        )

    def keep_series(self, folder: Path, run: str) -> None:
        python = environment(folder, self.place)
        adopt()
        # Of this run alone, and in as many processes as every case has at least.
        variables = {**self._variables(folder), "FILLPATH_PROCESSES": "1", "FILLPATH_FRESH": "1"}
        # Its lines are of one commit; standard output is the night's.
        subprocess.run(
            [str(python), "-m", "fillpath", "workflow", "series", run],
            cwd=folder, env=variables, stdout=sys.stderr, check=False,
        )  # fmt: skip

    def _variables(self, folder: Path) -> dict[str, str]:
        left = "" if self.deadline is None else f"{max(0.001, self.deadline - time.time()):.3f}s"
        return {
            **os.environ,
            "FILLPATH_RESULTS": str(results()),
            "FILLPATH_MACHINE": machine_name(),
            "FILLPATH_LIMIT": left,
            # Commits of equal locks share an environment, in which only one of them is installed.
            "PYTHONPATH": str(folder),
            # asv keeps the former from its children.
            "ASV_PYTHONPATH": str(folder),
        }


class Process:
    """A worker that is another process, asked by its standard input."""

    def __init__(self, command: list[str], folder: Path, variables: Mapping[str, str]) -> None:
        adopt()
        self._variables = {**variables, "FILLPATH_PARENT": os.environ["FILLPATH_PARENT"]}
        self._process = subprocess.Popen(
            command, cwd=folder, env=self._variables, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.cases: tuple[str, ...] = tuple(self._answer())

    def measure(self, case: str, process: int) -> Record | None:
        # Of one that has ended there is no answer, which says so.
        with contextlib.suppress(BrokenPipeError):
            _stream(self._process.stdin).write(f"{process} {case}\n")
            _stream(self._process.stdin).flush()
        answer = self._answer()
        return None if "error" in answer else Record.from_json(answer)

    def close(self) -> None:
        with contextlib.suppress(BrokenPipeError):
            _stream(self._process.stdin).close()
        self._process.wait()

    def _answer(self) -> Any:
        line = _stream(self._process.stdout).readline()
        if not line:
            status = self._process.wait()
            raise FillpathError(f"the process that measures ended with status {status}")
        return json.loads(line)


def _stream(stream: IO[str] | None) -> IO[str]:
    assert stream is not None
    return stream
