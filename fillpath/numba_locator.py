"""Keep what Numba compiled in the user's cache, by module and by the code that the module can reach.

Numba's own cache looks at the file of a function alone, not at the helpers that the function inlines. An
edited helper would leave stale machine code in use. Here a module's stamp names its folder. The stamp hashes
the module's file and all files that it imports within `ROOMS`. The checkout's place does not count.

    ~/.cache/fillpath/numba/impl.levels.glu2-5f0c52f1b3a94d27/glu2._levels-31.py311.nbi

All checkouts share it; `$NUMBA_CACHE_DIR/fillpath` takes its place where a user sets that. Anything in it can
be removed at any time, and a folder that no process used for 30 days is.
"""

import atexit
import contextlib
import functools
import os
import re
import shutil
import tempfile
import time
import uuid
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from types import FunctionType
from typing import Any, Self

from fillpath.nouns import content_hash
from fillpath.paths import ROOT, users_cache

# Rooms with compiled code, or with constants that compiled code reads (tests/test_numba_cache.py).
ROOMS = ("benchmarks/checks", "fetch", "impl")
_PLACES = tuple(f"{ROOT / room}{os.sep}" for room in ROOMS)
# Variables of Numba's that change no machine code.
NEUTRAL = (
    "NUMBA_CACHE_DIR", "NUMBA_CACHE_LOCATOR_CLASSES", "NUMBA_DEBUG_CACHE", "NUMBA_NUM_THREADS",
    "NUMBA_THREADING_LAYER",
)  # fmt: skip
# Seconds after which a folder that no process used is removed.
KEPT = 30 * 86400
# An import's module, empty for `import a`, and its names, in a line or in brackets.
_IMPORT = re.compile(r"(?:\bfrom\s+([\w.]+)\s+)?\bimport\s+(\([^)]*\)|.*)")
_WORD = re.compile(r"\w[\w.]*")


class Locator:
    """Tells Numba where the code of one function lies, by the protocol of Numba's own locators."""

    def __init__(self, function: FunctionType, path: Path) -> None:
        self._function = function
        self._stamp = stamp(path)
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        self._folder = base() / f"{module}-{self._stamp[:16]}"
        # Numba's warnings name it.
        self._py_file = str(path)
        # The folder may not exist yet, or be another user's.
        with contextlib.suppress(OSError):
            os.utime(self._folder)

    @classmethod
    def from_function(cls, function: FunctionType, file: str) -> Self | None:
        """Return the place of a function's code, None for a function that is not of this checkout."""
        _name_each_file_anew()
        path = Path(file).resolve()
        return cls(function, path) if str(path).startswith(_PLACES) else None

    def ensure_cache_path(self) -> None:
        """Make the folder, before something is written to it."""
        if not self._folder.is_dir():
            self._folder.mkdir(parents=True, exist_ok=True)
            _remove_unused()

    def get_cache_path(self) -> str:
        """Return the folder of the function's module."""
        return str(self._folder)

    def get_source_stamp(self) -> str:
        """Return the hash of all code that the function can reach."""
        return self._stamp

    def get_disambiguator(self) -> str:
        """Return what tells functions of one name in a module apart: their first lines."""
        return str(self._function.__code__.co_firstlineno)


@functools.cache
def _name_each_file_anew() -> None:
    """Have Numba give each file of machine code a name of its own.

    Numba numbers the files of a function. Two processes that compile two signatures at the same time would
    both write number 1. The index would then give the code of one signature for the other.
    """
    from numba.core import caching

    def unique_name(index: Any, number: int) -> str:
        return f"{index._index_name.removesuffix('.nbi')}.{uuid.uuid4().hex[:16]}.nbc"

    caching.IndexDataCacheFile._data_name = unique_name  # type: ignore[method-assign]


@functools.cache
def base() -> Path:
    """Return the folder of all modules: the first that can be written, or one of this process."""
    for folder in _places():
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
            return folder
    own = tempfile.mkdtemp(prefix="fillpath-numba-")
    atexit.register(shutil.rmtree, own, ignore_errors=True)
    return Path(own)


def _places() -> Iterator[Path]:
    """Yield the user's folder, where there is a home, then those of the checkout and of FILLPATH_CACHE."""
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(chosen) / "fillpath"
    else:
        with contextlib.suppress(RuntimeError):
            yield users_cache() / "numba"
    yield Path(os.environ.get("FILLPATH_WORK") or ROOT) / ".fillpath" / "numba"
    if cache := os.environ.get("FILLPATH_CACHE"):
        yield Path(cache) / "numba"


@functools.cache
def stamp(path: Path) -> str:
    """Return the hash of a module, of all that it imports within `ROOMS`, and of what compiles it."""
    files = sorted(reached(path))
    names = (str(file.relative_to(ROOT)) for file in files)
    return content_hash(*compilers(), *names, *(file.read_bytes() for file in files))


def reached(path: Path) -> set[Path]:
    """Return a file with all that it imports within `ROOMS`, directly or not."""
    found, todo = {path}, [path]
    while todo:
        new = {file for name in _imported(todo.pop()) for file in _files(name)} - found
        found |= new
        todo += new
    return found


@functools.cache
def compilers() -> list[str]:
    """Return what decides machine code: versions of packages, and variables of Numba."""
    versions = [f"{name} {version(name)}" for name in ("llvmlite", "numba", "numpy")]
    chosen = sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_"))
    return [*versions, *(f"{name}={value}" for name, value in chosen if name not in NEUTRAL)]


@functools.cache
def _files(name: str) -> list[Path]:
    """List the files within `ROOMS` that an imported name may mean.

    `a.b` may be the module a with its b, or the module b. A package means all of its modules.
    """
    place = ROOT.joinpath(*name.split("."))
    package = place.parent
    named = (package.with_suffix(".py"), package / "__init__.py", place.with_suffix(".py"))
    files = (file for file in (*named, *place.rglob("*.py")) if str(file).startswith(_PLACES))
    return [file for file in files if file.is_file()]


@functools.cache
def _imported(path: Path) -> list[str]:
    """Return the names that a file imports, among other words: docstrings may look like imports too."""
    found = []
    for module, words in _IMPORT.findall(re.sub(r"#.*|\\\n", " ", path.read_text("utf-8"))):
        # `import a.b` binds a, where any module of it may be looked up.
        found += [f"{module}.{word}" if module else word.partition(".")[0] for word in _WORD.findall(words)]
    return found


@functools.cache
def _remove_unused() -> None:
    """Remove what no process used for `KEPT` seconds, once a process."""
    for entry in base().iterdir():
        with contextlib.suppress(OSError):
            if time.time() - entry.stat().st_mtime > KEPT:
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
