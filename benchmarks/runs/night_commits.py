"""Choose the commits that a night measures, and check each out in a worktree of its own."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from benchmarks.engine.machine import git
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


def base_of(repository: Path, last: str, new: Sequence[str]) -> list[str]:
    """Return the commit that new ones are compared with, if any: the last one measured, or the parent."""
    if last or not new:
        return [last] if new else []
    return git(repository, "rev-list", "--first-parent", "--max-count=1", "--skip=1", new[0]).split()


def default_branch(repository: Path) -> str:
    """Return the remote's default branch as last fetched; without a remote HEAD."""
    return git(repository, "for-each-ref", "--format=%(symref:short)", "refs/remotes/origin/HEAD") or "HEAD"


def worktrees(repository: Path, place: Path, commits: Sequence[str]) -> dict[str, Path]:
    """Check commits out below a folder, reuse what a killed night left of these, and remove others."""
    folders = {commit: place / commit[:12] for commit in commits}
    for other in {found.parent for found in place.glob("*/.git")} - {*folders.values()}:
        clear(repository, other)
    git(repository, "worktree", "prune")
    for commit, folder in folders.items():
        if not (folder / ".git").exists():
            shutil.rmtree(folder, ignore_errors=True)
            git(repository, "worktree", "add", "--quiet", "--detach", str(folder), commit)
    return folders


def clear(repository: Path, folder: Path) -> None:
    """Remove a worktree."""
    git(repository, "worktree", "remove", "--force", str(folder))
