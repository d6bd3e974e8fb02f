"""The Python environment of a commit: one per content of its lock files, which most commits share."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from fillpath.errors import FillpathError
from fillpath.nouns import content_hash
from fillpath.settings import settings


def environment(folder: Path, place: Path) -> Path:
    """Return the Python of a checkout's environment, made on first use, with the checkout installed into it.

    Raises FillpathError if pip fails.
    """
    locks = _locks(folder)
    home = place / f"env-{environment_key(locks)}"
    python, complete = str(home / "bin" / "python"), home / ".complete"
    pip = (python, "-m", "pip", "install", "--quiet")
    if not complete.is_file():
        _run(sys.executable, "-m", "venv", "--clear", str(home))
        for lock in locks:
            _run(*pip, "--require-hashes", "-r", str(lock))
        complete.touch()
    _run(*pip, "--no-build-isolation", "--no-deps", "-e", str(folder))
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


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise FillpathError(f"{' '.join(command)} failed: {done.stderr.strip()[-500:]}")
