"""Where Numba keeps what it compiled: a folder named by the hash of all sources that it compiles.

Numba's own cache looks at the one file of a function, not at what the function inlines from another: an
edited helper would leave stale machine code in use, in what is measured and in what verifies it. The
sources are hashed where Numba is imported, so that a process without it reads none of them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Whatever holds compiled code, or a constant that compiled code reads: tests/test_numba_cache.py says so.
ROOMS = ("benchmarks/checks", "fetch", "impl")


class Watch:
    """Sees Numba being imported: the first finder on the path, which finds nothing itself."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Called by Python's import with the name of a module."""
        if name == "numba":
            sys.meta_path.remove(self)
            os.environ["NUMBA_CACHE_DIR"] = str(folder())


def watch() -> None:
    """Have Numba keep its code in `folder()`, whether it is imported already or will be."""
    if "numba" in sys.modules:
        os.environ["NUMBA_CACHE_DIR"] = sys.modules["numba"].config.CACHE_DIR = str(folder())
    else:
        sys.meta_path.insert(0, Watch())


def folder() -> Path:
    """The cache of today's sources."""
    # hashlib loads OpenSSL, which whoever asks for help need not wait for.
    import hashlib

    digest = hashlib.sha256()
    for path in sources():
        digest.update(path.read_bytes())
    return ROOT / ".fillpath" / "numba" / digest.hexdigest()[:16]


def sources() -> list[Path]:
    """Every Python file of the rooms."""
    return [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
