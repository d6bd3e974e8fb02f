"""asv's series read back: the history of every case, and the commits where it changed."""

from __future__ import annotations

import ast
import json
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.runs.steps import Step, changes, steps
from fillpath.errors import ConfigError

SECONDS = "track_seconds"
# A machine with others of these is another machine, as it is on asv's pages.
HARDWARE = ("cpu", "num_cpu", "gpu")


@dataclass(frozen=True)
class History:
    """One series of one case on one hardware.

    benchmark : `symbolic.Symbolic.track_seconds`
    case : its name
    values : by commit, oldest first; None where the commit has no result
    """

    benchmark: str
    case: str
    values: tuple[float | None, ...]

    @property
    def quantity(self) -> str:
        """`seconds`, `edges`."""
        return self.benchmark.rpartition(".track_")[2]

    @property
    def steps(self) -> tuple[Step, ...]:
        """Where it changed: beyond its noise in seconds, at all in what needs no clock."""
        return steps(self.values) if self.benchmark.endswith(SECONDS) else changes(self.values)


@dataclass(frozen=True)
class Change:
    """A step of a history, by commit.

    last : the last commit of the level before that has a result
    first : the first of the level after: what changed the level is in it, or in one between that has none
    """

    history: History
    last: str
    first: str
    step: Step

    @property
    def place(self) -> tuple[str, ...]:
        """Series and commit."""
        return self.history.benchmark, self.history.case, self.first

    @property
    def text(self) -> str:
        """`4f0c2d9a11b7 (after 91be77a0c3d2): seconds of levels.glu2@add32.mc64 1.34 times, 0.1 to 0.134`."""
        step = self.step
        factor = f"{step.factor:.3g} times, " if step.before else ""
        return (
            f"{self.first[:12]} (after {self.last[:12]}): {self.history.quantity} of {self.history.case} "
            f"{factor}{step.before:.9g} to {step.after:.9g}"
        )


def commit_changes(folder: Path, repository: Path, new: Sequence[str]) -> list[Change]:
    """The steps of all series of one machine, by commit, that its series show only with the new commits.

    folder : of one machine below results/asv/
    repository : whose history says what came first
    new : commits that were just measured, the tip last; those that are not in its history are left out
    """
    measured = {json.loads(path.read_text())["commit_hash"] for path in _files(folder)}
    commits = [commit for commit in _commits(repository, new[-1]) if commit in measured]
    known = {change.place for change in _changes(folder, [each for each in commits if each not in new])}
    found = [change for change in _changes(folder, commits) if change.place not in known]
    return sorted(found, key=lambda change: (commits.index(change.first), change.text))


def _changes(folder: Path, commits: Sequence[str]) -> Iterator[Change]:
    for history in histories(folder, commits):
        for step in history.steps:
            yield Change(history, commits[step.last], commits[step.first], step)


def histories(folder: Path, commits: Sequence[str]) -> Iterator[History]:
    """Every series of every case over these commits."""
    values: dict[tuple[str, ...], dict[str, float | None]] = {}
    for path in _files(folder):
        data = json.loads(path.read_text())
        hardware = [str(data["params"].get(facet)) for facet in HARDWARE]
        for benchmark, (results, params, *_) in data["results"].items():
            cases = params[0] if len(params) == 1 else []
            for case, value in zip(cases, results or [None] * len(cases), strict=True):
                values.setdefault((benchmark, ast.literal_eval(case), *hardware), {})[data["commit_hash"]] = (
                    value
                )
    for (benchmark, case, *_), by_commit in sorted(values.items()):
        yield History(benchmark, case, tuple(by_commit.get(commit) for commit in commits))


def _files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.glob("*.json")) if path.name != "machine.json"]


def _commits(repository: Path, tip: str) -> list[str]:
    """The commits of the tip's history, oldest first."""
    command = ["git", "-C", str(repository), "rev-list", "--reverse", "--topo-order", tip]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ConfigError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout.split()
