"""The Python environment of a commit: one per content of its lock files, so that a commit that changes no
lock costs no installation.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from fillpath.errors import FillpathError
from fillpath.settings import settings


def environment(folder: Path, place: Path) -> Path:
    """The Python of the environment for that checkout's lock files, made on first use, with the checkout
    itself installed into it. Raises FillpathError where pip fails."""
    locks = _locks(folder)
    home = place / f"env-{environment_key(locks)}"
    python = home / "bin" / "python"
    complete = home / ".complete"
    if not complete.is_file():
        _install([sys.executable, "-m", "venv", "--clear", str(home)])
        for lock in locks:
            _install([str(python), "-m", "pip", "install", "--quiet", "--require-hashes", "-r", str(lock)])
        complete.touch()
    _install([str(python), "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps",
              "-e", str(folder)])  # fmt: skip
    return python


def environment_key(locks: Sequence[Path]) -> str:
    """What tells environments apart: the locks' content, and the Python that they are installed for."""
    digest = hashlib.sha256(sys.version.encode())
    for lock in locks:
        digest.update(lock.read_bytes())
    return digest.hexdigest()[:16]


def _locks(folder: Path) -> list[Path]:
    """The checkout's locks: that of all machines, and that of this machine's CUDA."""
    cuda = settings().cuda or subprocess.run(
        ["sh", str(folder / "profiles" / "cuda-choice")], capture_output=True, text=True, check=False
    ).stdout.strip()  # fmt: skip
    names = ["requirements.lock", *([f"requirements-cuda{cuda}.lock"] if cuda in ("12", "13") else [])]
    return [folder / name for name in names]


def _install(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise FillpathError(f"{' '.join(command)} failed: {done.stderr.strip()[-500:]}")
