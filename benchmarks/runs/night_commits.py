"""Choose the commits that a night measures, and check each out in a worktree of its own."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from fillpath.errors import ConfigError
from fillpath.host import machine_name
from fillpath.paths import results


def new_commits(repository: Path, last: str) -> list[str]:
    """Return the default branch's commits after the last one measured, oldest first; merges count as one.

    Without a last one it is the tip alone. Raises ConfigError if the branch lacks the last one.
    """
    branch = default_branch(repository)
    if not last:
        return [git(repository, "rev-parse", branch)]
    known = ["git", "-C", str(repository), "merge-base", "--is-ancestor", last, branch]
    if subprocess.run(known, capture_output=True, check=False).returncode:
        raise ConfigError(
            f"nightly.json: the last commit measured, {last[:12]}, is not in {branch}: fetch it, or remove "
            f"{results() / machine_name() / 'nightly.json'} to begin anew"
        )
    return git(repository, "rev-list", "--first-parent", "--reverse", f"{last}..{branch}").split()


def default_branch(repository: Path) -> str:
    """Return the remote's default branch as last fetched; without a remote HEAD."""
    return git(repository, "for-each-ref", "--format=%(symref:short)", "refs/remotes/origin/HEAD") or "HEAD"


def checked_out(repository: Path, folder: Path, commit: str) -> Path:
    """Return the folder with a worktree of the commit. A killed night may have left the worktree."""
    if not (folder / ".git").exists():
        shutil.rmtree(folder, ignore_errors=True)
        git(repository, "worktree", "prune")
        git(repository, "worktree", "add", "--quiet", "--detach", str(folder), commit)
    return folder


def clear(repository: Path, folder: Path) -> None:
    """Remove a worktree."""
    git(repository, "worktree", "remove", "--force", str(folder))


def git(repository: Path, *arguments: str) -> str:
    """Return the output of a git command. Raises ConfigError if it fails."""
    command = ["git", "-C", str(repository), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ConfigError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout.strip()
