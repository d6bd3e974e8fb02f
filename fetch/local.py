"""Files of the user's own: each is copied into the cache, under its name and the hash of its content."""

import gzip
import hashlib
import re
import zlib
from collections.abc import Iterator
from pathlib import Path

from fillpath.errors import InputError
from fillpath.paths import atomic_write, cache, write_text

_BLOCK = 1 << 20
_ENDING = re.compile(r"\.mtx(\.gz)?\Z", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z0-9_-]+-[0-9a-f]{12}")


def adopt(path: Path) -> str:
    """Copy a file into the cache. Returns the copy's name, stem and hash.

    Raises InputError for a path that is no .mtx or .mtx.gz file.
    """
    if not path.is_file():
        raise InputError(f"{_shown(path)}: {'a folder, no file' if path.is_dir() else 'no such file'}")
    if not _ENDING.search(path.name):
        raise InputError(f"{_shown(path)}: not an .mtx or .mtx.gz file, which alone are read")
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", _ENDING.sub("", path.name)).strip("-")
    name = f"{stem or 'matrix'}-{file_hash(path)[:12]}"
    target = _path(name)
    if not target.is_file():
        with atomic_write(target, "wb") as handle:
            handle.writelines(_blocks(path))
    if given_name(name) != _shown(path):
        write_text(target.with_suffix(".given"), _shown(path))
    return name


def given_name(name: str) -> str:
    """Read the path of the file that was copied, as last given; the copy's own if it is not known."""
    try:
        return _path(name).with_suffix(".given").read_text("utf-8")
    except (OSError, ValueError):
        return str(_path(name))


def local_path(name: str) -> Path:
    """Find the copy of that name. Raises InputError if it is not in this cache."""
    if not _NAME.fullmatch(name) or not _path(name).is_file():
        matrix = f"local+{name}"
        raise InputError(f"matrix {matrix!r} is not in this cache; give the path of its .mtx file instead")
    return _path(name)


def file_hash(path: Path) -> str:
    """Compute the SHA-256 of the file's content, decompressed."""
    digest = hashlib.sha256()
    for block in _blocks(path):
        digest.update(block)
    return digest.hexdigest()


def _path(name: str) -> Path:
    return cache() / "local" / f"{name}.mtx"


def _shown(path: Path) -> str:
    """Write the path as one line of text."""
    return str(path) if str(path).isprintable() else ascii(str(path))


def _blocks(path: Path) -> Iterator[bytes]:
    try:
        with gzip.open(path) if path.name.lower().endswith(".gz") else path.open("rb") as handle:
            while block := handle.read(_BLOCK):
                yield block
    except (OSError, EOFError, zlib.error) as problem:
        raise InputError(f"{_shown(path)}: cannot be read: {problem}") from None
