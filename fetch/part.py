"""The part of a file that has arrived so far, and beside it what its server said about the whole file."""

from __future__ import annotations

import contextlib
import errno
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from fillpath.errors import DiskFullError, TransferError
from fillpath.lock import exclusive
from fillpath.paths import cache, write_text


@dataclass(frozen=True)
class Origin:
    """What a server said with the first byte.

    location : the address
    etag, modified : validators, empty if the server named none that proves two answers equal
    total : bytes of the whole file, None if the server did not say
    """

    location: str
    etag: str
    modified: str
    total: int | None


class Part:
    """The part of the file at `location` that has arrived, stored at `path`.

    size : its bytes
    inherited : how many of these an earlier process left
    answers : how many answers it was put together from, as far as that is known
    whole : whether nothing is missing
    """

    def __init__(self, path: Path, location: str) -> None:
        self.path = path
        self.origin = _read_origin(path)
        self.size = path.stat().st_size if path.is_file() else 0
        same = self.origin is not None and self.origin.location == location
        if not same or self.size > (self.total or self.size):
            self.discard()
        self.inherited = self.size
        self.answers = int(self.size > 0)
        self.whole = 0 < self.size == self.total

    @property
    def total(self) -> int | None:
        """Bytes of the whole file, None if its server did not say."""
        return self.origin.total if self.origin is not None else None

    def learn(self, total: int | None) -> None:
        """Take the total length from a later answer, if the first one did not announce it."""
        if self.origin is not None:
            self.origin = replace(self.origin, total=total)

    def begin(self, origin: Origin) -> None:
        """Start again with another answer. Raises DiskFullError, TransferError."""
        self.discard()
        with storing(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.touch()
            write_text(_origin_path(self.path), json.dumps(asdict(origin), sort_keys=True) + "\n")
        self.origin = origin
        self.answers = 1

    def discard(self) -> None:
        """Delete everything that has arrived."""
        discard(self.path)
        self.origin = None
        self.size = self.inherited = self.answers = 0
        self.whole = False

    def append(self, block: bytes) -> None:
        """Write the next bytes. Raises DiskFullError, which keeps what was written, and TransferError."""
        with storing(self.path), self.path.open("ab", buffering=0) as out:
            rest = memoryview(block)
            while rest:
                written = out.write(rest)
                self.size += written
                rest = rest[written:]


def discard(path: Path) -> None:
    """Remove a part and the note beside it. Raises TransferError."""
    with storing(path):
        path.unlink(missing_ok=True)
        _origin_path(path).unlink(missing_ok=True)


@contextlib.contextmanager
def storing(path: Path) -> Iterator[None]:
    """Distinguish a full disk, which no retry helps, and other file errors from a bad connection.

    Raises DiskFullError, TransferError.
    """
    try:
        yield
    except OSError as problem:
        if problem.errno in (errno.ENOSPC, errno.EDQUOT):
            kept = "what has arrived is kept, and the next try goes on from there"
            advice = "free some space, or point FILLPATH_CACHE elsewhere"
            raise DiskFullError(f"{path}: the disk is full; {kept}; {advice}") from None
        if problem.errno is not None:
            trouble = f"{problem.filename or path}: {problem.strerror}"
            raise TransferError(f"{trouble}; are FILLPATH_CACHE and its disk right?") from None
        raise


@contextlib.contextmanager
def locked(name: str) -> Iterator[None]:
    """Hold a lock of the cache against other processes. Raises TransferError if it cannot be created."""
    path = cache() / "locks" / f"{name}.lock"
    with contextlib.ExitStack() as stack:
        with storing(path):
            stack.enter_context(exclusive(path))
        yield


def _origin_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")


def _read_origin(path: Path) -> Origin | None:
    try:
        return Origin(**json.loads(_origin_path(path).read_text()))
    except (OSError, ValueError, TypeError):
        return None
