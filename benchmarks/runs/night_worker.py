"""A commit's own code, waiting in its own worktree and environment to measure single processes."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.engine.follow import adopt
from benchmarks.runs.environment import environment
from fillpath.errors import FillpathError
from fillpath.host import machine_name
from fillpath.paths import results
from fillpath.record import Record


class Checkouts:
    """The worktrees of a night.

    place : folder of the environments
    deadline : Unix time, nothing is measured after it
    """

    def __init__(self, place: Path, deadline: float = float("inf")) -> None:
        self.place, self.deadline = place, deadline
        self._pythons: dict[Path, Path] = {}

    def open(self, folder: Path, night: str) -> Process:
        """Return the worker of a worktree. Raises FillpathError for a commit that does not start.

        night : str, the first part of the run id, so that base and commit never pool
        """
        python = self._pythons[folder] = environment(folder, self.place)
        command = [str(python), "-m", "fillpath", "workflow", "processes", f"{night}-{folder.name}"]
        return Process(command, folder, self._variables(folder))

    def keep_series(self, folder: Path, night: str) -> None:
        """Add the medians of the run of an opened worktree to asv's series of its commit."""
        adopt()
        # This run alone counts, and every case has at least one process. Standard output is the night's.
        variables = {**self._variables(folder), "FILLPATH_PROCESSES": "1", "FILLPATH_FRESH": "1"}
        command = [
            str(self._pythons[folder]),
            "-m",
            "fillpath",
            "workflow",
            "series",
            f"{night}-{folder.name}",
        ]
        subprocess.run(command, cwd=folder, env=variables, stdout=sys.stderr, check=False)

    def _variables(self, folder: Path) -> dict[str, str]:
        left = "" if self.deadline == float("inf") else f"{max(0.001, self.deadline - time.time()):.3f}s"
        return {
            **os.environ,
            "FILLPATH_RESULTS": str(results()),
            "FILLPATH_MACHINE": machine_name(),
            "FILLPATH_LIMIT": left,
            # Commits with equal locks share an environment, in which only one of them is installed.
            "PYTHONPATH": str(folder),
            # asv keeps PYTHONPATH from its children.
            "ASV_PYTHONPATH": str(folder),
        }


class Process:
    """A process that measures single processes of one commit's cases, as its standard input asks.

    cases : those that its settings choose and this machine can run
    """

    def __init__(self, command: list[str], folder: Path, variables: Mapping[str, str]) -> None:
        adopt()
        own, pipe = {**variables, "FILLPATH_PARENT": os.environ["FILLPATH_PARENT"]}, subprocess.PIPE
        self._process = subprocess.Popen(command, cwd=folder, env=own, text=True, stdin=pipe, stdout=pipe)
        assert self._process.stdin and self._process.stdout
        self._questions, self._answers = self._process.stdin, self._process.stdout
        self.cases = tuple[str, ...](self._answer())

    def measure(self, case: str, process: int) -> Record | None:
        """Return the record of the process; None for a case that the commit lacks."""
        # If the process has died, reading its answer raises.
        with contextlib.suppress(BrokenPipeError):
            self._questions.write(f"{process} {case}\n")
            self._questions.flush()
        answer = self._answer()
        return None if "error" in answer else Record.from_json(answer)

    def close(self) -> None:
        """End the process."""
        with contextlib.suppress(BrokenPipeError):
            self._questions.close()
        self._process.wait()

    def _answer(self) -> Any:
        line = self._answers.readline()
        if not line:
            raise FillpathError(f"the process that measures ended with status {self._process.wait()}")
        return json.loads(line)
