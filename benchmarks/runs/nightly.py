"""`make nightly`: measure the default branch's new commits, one after the other, and say what became slower.

Each commit is measured afresh in a worktree of its own, in an environment that belongs to its lock files; its
records and its point in asv's series go into this checkout's results/. What a night knows is kept in
results/<machine>/nightly.json after each commit, so that one that was killed goes on where it stopped. Exit
status: 0, 1 for a regression that the last night did not know, 2 where a commit has no result at all. A
commit whose environment cannot be installed is left out if a later one's can, else the next night begins
with it.
"""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.engine import machine
from benchmarks.runs import airspeed
from benchmarks.runs.environment import environment
from benchmarks.runs.launch import adopt
from benchmarks.runs.regressions import Change, State, learn
from fillpath.errors import ConfigError, FillpathError
from fillpath.host import machine_name
from fillpath.lock import exclusive
from fillpath.paths import ROOT, WORK, results
from fillpath.record import Record, stored_records

PLACE = WORK / "nightly"
# Measures what is checked out in that folder; returns the exit status.
Measure = Callable[[Path], int]


@dataclass(frozen=True)
class Night:
    """What became of a night.

    changes : of each commit that was measured
    failed : (commit, reason) of those without a result
    """

    changes: tuple[Change, ...]
    failed: tuple[tuple[str, str], ...]

    @property
    def status(self) -> int:
        """The exit status."""
        return 2 if self.failed else int(any(change.new for change in self.changes))

    @property
    def text(self) -> str:
        """The summary."""
        new = [regression for change in self.changes for regression in change.new]
        mended = [case for each in self.changes for case in each.mended]
        still = self.changes[-1].state.worse.values() if self.changes else ()
        old = [regression for regression in still if regression.case not in {each.case for each in new}]
        lines = [
            f"{len(self.changes)} new commits, {sum(change.measured for change in self.changes)} results",
            *(f"NOT MEASURED {commit[:12]}: {reason}" for commit, reason in self.failed),
            *(f"NEW REGRESSION {regression.text}" for regression in new),
            *(f"known regression {regression.text}" for regression in old),
            *(f"mended {case}" for case in mended),
        ]
        return "\n".join(lines)


def tonight() -> Night:
    """Measure this checkout's new commits under a lock, and write asv's pages."""
    machine.introduce()
    # The folder is this host's before a commit's own processes get its name by FILLPATH_MACHINE.
    machine.write_facts()
    with exclusive(WORK / "nightly.lock", 0.0):
        finished = night(ROOT, PLACE, measure_here)
        airspeed.publish()
    return finished


def night(repository: Path, place: Path, measure: Measure) -> Night:
    """Measure the new commits of a repository's default branch, in worktrees below `place`."""
    path = results() / machine_name() / "nightly.json"
    state = State.load(path)
    changes: list[Change] = []
    failed: list[tuple[str, str]] = []
    for commit in new_commits(repository, state.last):
        print(f"fillpath: commit {commit[:12]}", file=sys.stderr, flush=True)
        folder = _checked_out(repository, place / commit[:12], commit)
        try:
            status, change = _measured(state, commit, folder, measure)
        except FillpathError as error:
            failed.append((commit, str(error)))
            _cleared(repository, folder)
            continue
        if change.measured == 0:
            failed.append((commit, f"no case has a result (exit status {status})"))
        state = change.state
        state.save(path)
        changes.append(change)
        _cleared(repository, folder)
    return Night(tuple(changes), tuple(failed))


def _measured(state: State, commit: str, folder: Path, measure: Measure) -> tuple[int, Change]:
    """The exit status, and what changed; what looks worse is measured a second time."""
    status = measure(folder)
    change = learn(state, commit, _records_of(commit))
    if change.new:
        print(f"fillpath: {len(change.new)} cases look worse, measuring again", file=sys.stderr, flush=True)
        status = measure(folder)
        change = learn(state, commit, _records_of(commit))
    return status, change


def new_commits(repository: Path, last: str) -> list[str]:
    """The default branch's commits after the last one, oldest first, without those that merges brought; only
    its tip where none was measured yet. Raises ConfigError for a last one that is not among them."""
    branch = default_branch(repository)
    if not last:
        return [_git(repository, "rev-parse", branch)]
    if _status(repository, "merge-base", "--is-ancestor", last, branch):
        raise ConfigError(
            f"nightly.json: the last commit measured, {last[:12]}, is not in {branch}: fetch it, or remove "
            f"{results() / machine_name() / 'nightly.json'} to begin anew"
        )
    return _git(repository, "rev-list", "--first-parent", "--reverse", f"{last}..{branch}").split()


def default_branch(repository: Path) -> str:
    """The remote's default branch as it was last fetched; without a remote what is checked out."""
    remote = "refs/remotes/origin/HEAD"
    exists = _status(repository, "rev-parse", "--verify", "--quiet", remote) == 0
    return _git(repository, "symbolic-ref", "--short", remote) if exists else "HEAD"


def _checked_out(repository: Path, folder: Path, commit: str) -> Path:
    """The commit's worktree. One that is there was left by a night that was killed: its run goes on."""
    if not (folder / ".git").exists():
        shutil.rmtree(folder, ignore_errors=True)
        _git(repository, "worktree", "prune")
        _git(repository, "worktree", "add", "--quiet", "--detach", str(folder), commit)
    return folder


def _cleared(repository: Path, folder: Path) -> None:
    _git(repository, "worktree", "remove", "--force", str(folder))


def _records_of(commit: str) -> list[Record]:
    """The fastest record that this machine has of each case at that commit: what looked worse was measured
    twice, and a machine may be slow by accident but never fast."""
    best = []
    for stored in stored_records(machine_name()):
        records = [record for record in stored if record.commit == commit and record.dirty is False]
        best += sorted(records, key=lambda record: math.inf if record.median is None else record.median)[:1]
    return best


def measure_here(folder: Path) -> int:
    """Fetch, prepare and measure the suite of what is checked out there, afresh, but draw nothing."""
    python = environment(folder, PLACE)
    adopt()
    variables = {
        "FILLPATH_FRESH": "1",
        "FILLPATH_RESULTS": str(results()),
        "FILLPATH_MACHINE": machine_name(),
    }
    launch = [str(python), "-m", "benchmarks.runs.launch", "figures", "--until", "measure"]
    return subprocess.run(launch, cwd=folder, env={**os.environ, **variables}, check=False).returncode


def _git(repository: Path, *arguments: str) -> str:
    command = ["git", "-C", str(repository), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ConfigError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout.strip()


def _status(repository: Path, *arguments: str) -> int:
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, capture_output=True, check=False).returncode
