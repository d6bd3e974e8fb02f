"""The commits that a night measures: each has a worktree, an environment, and a process that measures.

An environment belongs to the content of lock files, which most commits share.

    base, new = new_commits(ROOT, last)
    folders = worktrees(ROOT, place, [*base, *new])
    process = start(place, deadline, folders[commit], "night-1", results())
    process.measure("symbolic.fill1@grid2d,8.metis", 0)    # the record of the commit's own code
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.engine.follow import adopt
from benchmarks.engine.machine import git, output
from fillpath.errors import ConfigError, FillpathError
from fillpath.host import machine_name
from fillpath.nouns import content_hash
from fillpath.paths import results
from fillpath.record import Record
from fillpath.settings import settings


def new_commits(repository: Path, last: str) -> tuple[list[str], list[str]]:
    """Return the base, and the default branch's commits after it, oldest first; merges count as one.

    The base is the last commit measured. Without a last one it is the tip's parent, if the tip has any.
    Raises ConfigError if the branch lacks the last one.
    """
    branch = default_branch(repository)
    if not last:
        tip, *parents = git(repository, "rev-list", "--first-parent", "--max-count=2", branch).split()
        return parents, [tip]
    known = ["git", "-C", str(repository), "merge-base", "--is-ancestor", last, branch]
    if subprocess.run(known, capture_output=True, check=False).returncode:
        raise ConfigError(
            f"nightly.json: the last commit measured, {last[:12]}, is not in {branch}: fetch it, or remove "
            f"{results() / machine_name() / 'nightly.json'} to begin anew"
        )
    new = git(repository, "rev-list", "--first-parent", "--reverse", f"{last}..{branch}").split()
    return [last] if new else [], new


def default_branch(repository: Path) -> str:
    """Return the remote's default branch as last fetched; without a remote HEAD."""
    return git(repository, "for-each-ref", "--format=%(symref:short)", "refs/remotes/origin/HEAD") or "HEAD"


def branch_point(repository: Path, branch: str) -> tuple[list[str], list[str]]:
    """Return the commit at which a branch left the default branch, and the branch's commits, the tip last.

    Raises ConfigError for a branch that is not here, or that has no commit of its own.
    """
    lines = git(repository, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
    refs = dict(line.split() for line in lines)
    tip = refs.get(f"refs/heads/{branch}") or refs.get(f"refs/remotes/origin/{branch}")
    if not tip:
        raise ConfigError(f"there is no branch {branch!r} in {repository}: git fetch origin {branch}")
    base = git(repository, "merge-base", default_branch(repository), tip)
    if base == tip:
        raise ConfigError(f"branch {branch!r} has no commit that {default_branch(repository)} lacks")
    return [base], git(repository, "rev-list", "--first-parent", "--reverse", f"{base}..{tip}").split()


def worktrees(repository: Path, place: Path, commits: Sequence[str]) -> dict[str, Path]:
    """Check commits out below a folder, reuse what a killed night left of these, and remove others."""
    folders = {commit: place / commit[:12] for commit in commits}
    for other in {found.parent for found in place.glob("*/.git")} - {*folders.values()}:
        git(repository, "worktree", "remove", "--force", str(other))
    git(repository, "worktree", "prune")
    for commit, folder in folders.items():
        if not (folder / ".git").exists():
            shutil.rmtree(folder, ignore_errors=True)
            git(repository, "worktree", "add", "--quiet", "--detach", str(folder), commit)
    return folders


def start(place: Path, deadline: float, folder: Path, run: str, stored: Path) -> "Process":
    """Return the process that measures a worktree. Raises FillpathError for a commit that does not start.

    place : folder of the environments
    deadline : Unix time, nothing is measured after it
    run : id, of a night and a commit, so that base and commit never pool
    stored : folder that takes the place of results/
    """
    python = environment(folder, place)
    left = "" if deadline == float("inf") else f"{max(0.001, deadline - time.time()):.3f}s"
    variables = {
        **os.environ,
        "FILLPATH_RESULTS": str(stored),
        "FILLPATH_MACHINE": machine_name(),
        "FILLPATH_LIMIT": left,
        # Commits with equal locks share an environment, in which only one of them is installed.
        "PYTHONPATH": str(folder),
    }
    return Process([str(python), "-m", "fillpath", "workflow", "processes", run], folder, variables)


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


def environment(folder: Path, place: Path) -> Path:
    """Return the Python of a checkout's environment, made on first use, with the checkout installed into it.

    Raises FillpathError if pip fails.
    """
    locks = _locks(folder)
    home = place / f"env-{environment_key(locks)}"
    python, complete = str(home / "bin" / "python"), home / ".complete"
    pip = (python, "-m", "pip", "install", "--quiet")
    if not complete.is_file():
        output(FillpathError, sys.executable, "-m", "venv", "--clear", str(home))
        for lock in locks:
            output(FillpathError, *pip, "--require-hashes", "-r", str(lock))
        complete.touch()
    output(FillpathError, *pip, "--no-build-isolation", "--no-deps", "-e", str(folder))
    return Path(python)


def environment_key(locks: Sequence[Path]) -> str:
    """Return a hash of the locks' content and of the Python that they are installed for."""
    return content_hash(sys.version, *(lock.read_text() for lock in locks))[:16]


def _locks(folder: Path) -> list[Path]:
    """Return the checkout's locks: that of all machines, and that of this machine's CUDA."""
    choice = ["sh", str(folder / "profiles" / "cuda-choice")]
    chosen = subprocess.run(choice, capture_output=True, text=True, check=False)
    cuda = settings().cuda or chosen.stdout.strip()
    names = ["requirements.lock", *([f"requirements-cuda{cuda}.lock"] if cuda in ("12", "13") else [])]
    return [folder / name for name in names]
