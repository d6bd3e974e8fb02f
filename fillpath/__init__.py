"""The core of fillpath: the nouns, names and rules that every room stands on."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

__version__ = "0.1.0"

_ROOT = Path(__file__).resolve().parent.parent


def _keep_compiled_code_by_its_sources() -> None:
    """Give Numba a cache folder named by the hash of all sources that it compiles.

    Its own cache looks at the one file of a function, not at what the function inlines from another: an
    edited helper would leave stale machine code in use, in what is measured and in what verifies it.
    """
    digest = hashlib.sha256()
    for room in ("benchmarks", "fetch", "impl"):
        for path in sorted((_ROOT / room).rglob("*.py")):
            digest.update(path.read_bytes())
    folder = str(_ROOT / ".fillpath" / "numba" / digest.hexdigest()[:16])
    os.environ["NUMBA_CACHE_DIR"] = folder
    if "numba" in sys.modules:
        sys.modules["numba"].config.CACHE_DIR = folder


_keep_compiled_code_by_its_sources()
