"""Which commits a night measures, against which base, and their worktrees."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path

from fillpath.errors import ConfigError
from fillpath.host import machine_name
from fillpath.paths import results, write_text

# Without this command a commit cannot be asked for one process of one case.
COMMAND = "commands/workflow/processes.py"


@dataclass(frozen=True)
class Revisions:
    """What a night compares, kept until it is done, so that one that was killed goes on.

    id : of the night, with which the run ids of its commits begin
    host : on which its pairs are measured
    base : empty where there is nothing to compare with
    commits : oldest first
    """

    id: str
    host: str
    base: str
    commits: tuple[str, ...]

    @classmethod
    def load(cls, path: Path) -> Revisions | None:
        try:
            data = json.loads(path.read_text())
            return cls(**{**data, "commits": tuple(data["commits"])})
        except (OSError, ValueError, TypeError, KeyError):
            return None

    def save(self, path: Path) -> None:
        write_text(path, json.dumps(asdict(self)))

    def run_of(self, commit: str) -> str:
        """The run id of a commit's records: base and commit may have the same key."""
        return f"{self.id}-{commit[:12]}"


def new_commits(repository: Path, last: str) -> list[str]:
    """The default branch's commits after the last one, oldest first, without those that merges brought; only
    its tip where none was measured yet. Raises ConfigError for a last one that is not among them."""
    branch = default_branch(repository)
    if not last:
        return [git(repository, "rev-parse", branch)]
    if _status(repository, "merge-base", "--is-ancestor", last, branch):
        raise ConfigError(
            f"nightly.json: the last commit measured, {last[:12]}, is not in {branch}: fetch it, or remove "
            f"{results() / machine_name() / 'nightly.json'} to begin anew"
        )
    return git(repository, "rev-list", "--first-parent", "--reverse", f"{last}..{branch}").split()


def base_of(repository: Path, last: str, first: str) -> str:
    """What a night's first commit is compared with: the last commit that a night measured, its parent where
    there was no night yet, nothing where it has none."""
    if last:
        return last
    has_parent = _status(repository, "rev-parse", "--verify", "--quiet", f"{first}^") == 0
    return git(repository, "rev-parse", f"{first}^") if has_parent else ""


def can_be_asked(repository: Path, commit: str) -> bool:
    """Whether a night can measure it: whether it has the command for single processes."""
    return _status(repository, "cat-file", "-e", f"{commit}:{COMMAND}") == 0


def default_branch(repository: Path) -> str:
    """The remote's default branch as it was last fetched; without a remote what is checked out."""
    remote = "refs/remotes/origin/HEAD"
    exists = _status(repository, "rev-parse", "--verify", "--quiet", remote) == 0
    return git(repository, "symbolic-ref", "--short", remote) if exists else "HEAD"


def checked_out(repository: Path, folder: Path, commit: str) -> Path:
    """The commit's worktree; one that is there was left by a night that was killed."""
    if not (folder / ".git").exists():
        shutil.rmtree(folder, ignore_errors=True)
        git(repository, "worktree", "prune")
        git(repository, "worktree", "add", "--quiet", "--detach", str(folder), commit)
    return folder


def clear(repository: Path, folder: Path) -> None:
    """Remove a worktree."""
    git(repository, "worktree", "remove", "--force", str(folder))


def git(repository: Path, *arguments: str) -> str:
    """What a command of git's prints. Raises ConfigError where it fails."""
    command = ["git", "-C", str(repository), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ConfigError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout.strip()


def _status(repository: Path, *arguments: str) -> int:
    command = ["git", "-C", str(repository), *arguments]
    return subprocess.run(command, capture_output=True, check=False).returncode
