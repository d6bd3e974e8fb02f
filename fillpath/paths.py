"""Where things lie: the checkout, the user's cache, the results."""

import contextlib
import glob
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from fillpath.errors import ConfigError, DiskFullError, FillpathError
from fillpath.settings import settings

ROOT = Path(__file__).resolve().parent.parent
CONFIG = ROOT / "config"
# The folder of a checkout's logs, locks and page. Constants cannot wait for `settings()`, which refuses a
# value that makes no sense.
BASE = Path(os.environ.get("FILLPATH_WORK") or ROOT).resolve()
# The page, and what it shows: figures, their data, asv's pages. Ignored by git and removed by `make clean`.
PAGE = BASE / "reports" / "index.html"
SITE = BASE / "reports" / "site"
# Markers, locks and logs of one checkout; ignored by git and removed by `make clean`.
WORK = BASE / ".fillpath"
# Bytes of a file system that are left free: records and logs have to find room when a matrix does not.
RESERVE = 100 * 2**20


def require_checkout() -> None:
    """Raise ConfigError where this code was installed away from its checkout, which it reads and writes."""
    # Other installed packages may have a folder config/ too.
    if not (CONFIG / "matrices.csv").is_file():
        raise ConfigError(
            f"{ROOT} has no config/matrices.csv: fillpath works from its checkout alone; clone the "
            "repository, and run `make figures` there, or install it there by `pip install -e .`"
        )


def results() -> Path:
    """Return `results/` of this checkout, or `$FILLPATH_RESULTS`."""
    return settings().results or ROOT / "results"


def cache() -> Path:
    """Return the per-user cache of downloads and prepared artefacts: `$FILLPATH_CACHE` or the XDG place.

    Raises ConfigError where there is neither, nor a home.
    """
    try:
        return settings().cache or users_cache()
    except RuntimeError:
        raise ConfigError("no home folder: set HOME, or FILLPATH_CACHE to a folder of its own") from None


def users_cache() -> Path:
    """Return the folder in the user's cache. Raises RuntimeError where there is no home."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fillpath"


def remedy(path: str | Path) -> str:
    """Name the variable that would have what lies there written elsewhere, as an advice; empty for none."""
    for name, folder in (("RESULTS", results), ("CACHE", cache), ("WORK", BASE.absolute)):
        with contextlib.suppress(FillpathError, OSError):
            if Path(path).absolute().is_relative_to(folder().absolute()):
                return f"; set FILLPATH_{name} to a folder that you can write"
    return ""


@contextlib.contextmanager
def atomic_write(path: Path, mode: str = "w") -> Iterator[IO[Any]]:
    """Open a temporary file that becomes `path` once it is complete on disk: fsync, then rename.

    mode : "w" or "wb". A reader sees the old file or the new one, never a part; a crash leaves the old.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    prefix = f".{path.name[:80]}."
    _sweep(path.parent, prefix)
    descriptor, name = tempfile.mkstemp(prefix=prefix, suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(descriptor, mode, encoding=None if "b" in mode else "utf-8") as handle:
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
        Path(name).chmod(0o644)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _sweep(folder: Path, prefix: str) -> None:
    """Remove temporary files of the same target older than a day: killed processes left them."""
    for orphan in folder.glob(f"{glob.escape(prefix)}*.tmp"):
        with contextlib.suppress(OSError):
            if time.time() - orphan.stat().st_mtime > 86400:
                orphan.unlink()


def require_space(folder: Path, needed: int) -> None:
    """Raise DiskFullError unless `needed` bytes fit into the file system of `folder`, the reserve left free.

    folder : need not exist yet.
    """
    free = free_space(folder)
    if needed + RESERVE > free:
        raise DiskFullError(
            f"{folder}: {bytes_text(free)} are free, {bytes_text(needed + RESERVE)} have to be (of these "
            f"{bytes_text(RESERVE)} stay free); free some space, or point FILLPATH_CACHE or FILLPATH_RESULTS "
            "elsewhere"
        )


def free_space(folder: Path) -> int:
    """Return the free bytes of the file system of `folder`, which need not exist yet."""
    place = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    return shutil.disk_usage(place).free


def bytes_text(count: int) -> str:
    """Return a size for people: `0.6 MB` is 600 000 bytes."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count} bytes"


def write_text(path: Path, text: str) -> None:
    """Write a text file as `atomic_write` does."""
    with atomic_write(path) as handle:
        handle.write(text)


def write_bytes(path: Path, data: bytes) -> None:
    """Write a binary file as `atomic_write` does."""
    with atomic_write(path, "wb") as handle:
        handle.write(data)


def write_json(path: Path, value: Any) -> None:
    """Write a value as a JSON file, its keys sorted. Raises ValueError for a nan or an infinity."""
    write_text(path, json.dumps(value, indent=2, sort_keys=True, allow_nan=False) + "\n")
