"""The part of a file that has arrived, and the notes and locks of the cache."""

from __future__ import annotations

import contextlib
import errno
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar

from fillpath.errors import DiskFullError, TransferError
from fillpath.lock import exclusive
from fillpath.paths import cache, write_text

Note = TypeVar("Note")
_SPAN = re.compile(r"bytes ([0-9]+)-[0-9]+/([0-9]+|\*)")


@dataclass(frozen=True)
class Origin:
    """The announcement of a server with the first byte of a file.

    location : address of the file
    etag, modified : validators, each empty if missing or weak
    total : bytes of the whole file, None if not announced
    """

    location: str
    etag: str = ""
    modified: str = ""
    total: int | None = None


class Part:
    """The part of the file at `location` that has arrived, stored at `path`.

    origin : what the server announced, kept in a note next to the part
    inherited : bytes that an earlier process left
    doubtful : whether several answers make up the part, or no length was announced
    """

    def __init__(self, path: Path, location: str) -> None:
        self.path = path
        self.origin = read_note(_note(path), Origin) or Origin("")
        if self.origin.location != location or self.size > (self.origin.total or self.size):
            discard(path)
            self.origin = Origin(location)
        self.inherited = self.size
        self.doubtful = self.size > 0

    @property
    def size(self) -> int:
        """Return the bytes that have arrived."""
        return self.path.stat().st_size if self.path.is_file() else 0

    def begin(self, headers: Mapping[str, str]) -> None:
        """Start again with an answer of these headers."""
        self.discard()
        length, etag = headers.get("Content-Length", ""), headers.get("ETag", "")
        self.origin = Origin(
            location=self.origin.location,
            # A weak validator proves the same meaning of two answers, not the same bytes.
            etag="" if etag.startswith("W/") else etag,
            modified=headers.get("Last-Modified", ""),
            total=int(length) if re.fullmatch("[0-9]{1,18}", length) else None,
        )
        self.doubtful = self.origin.total is None
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.touch()
        write_note(_note(self.path), self.origin)

    def request(self) -> dict[str, str]:
        """Return the headers that ask for the rest of the file."""
        validator = self.origin.etag or self.origin.modified
        headers = {"Range": f"bytes={self.size}-", "If-Range": validator}
        return {name: text for name, text in headers.items() if text and self.size}

    def is_continued_by(self, headers: Mapping[str, str]) -> bool:
        """Tell whether an answer of these headers brings the rest of the same file."""
        span = _SPAN.fullmatch(headers.get("Content-Range", ""))
        etag, total = self.origin.etag, self.origin.total
        same = not etag or headers.get("ETag", etag) == etag
        follows = span is not None and self.size > 0 and int(span[1]) == self.size
        return same and follows and span is not None and total in (None, span[2] != "*" and int(span[2]))

    def discard(self) -> None:
        """Delete everything that has arrived."""
        discard(self.path)
        self.origin, self.inherited = Origin(self.origin.location), 0


def discard(path: Path) -> None:
    """Remove a part and its note. Raises TransferError."""
    with storing(path):
        path.unlink(missing_ok=True)
        _note(path).unlink(missing_ok=True)


def read_note(path: Path, kind: type[Note]) -> Note | None:
    """Read a dataclass from a JSON file; None if the file is missing or damaged."""
    try:
        return kind(**json.loads(path.read_text()))
    except (OSError, ValueError, TypeError):
        return None


def write_note(path: Path, note: Any) -> None:
    """Write a dataclass as a JSON file."""
    write_text(path, json.dumps(asdict(note), sort_keys=True) + "\n")


@contextlib.contextmanager
def storing(path: Path) -> Iterator[None]:
    """Turn errors of the file system into DiskFullError, which no retry helps, or TransferError."""
    try:
        yield
    except OSError as problem:
        if problem.errno in (errno.ENOSPC, errno.EDQUOT):
            kept = "what has arrived is kept, and the next try resumes there"
            advice = "free some space, or point FILLPATH_CACHE elsewhere"
            raise DiskFullError(f"{path}: the disk is full; {kept}; {advice}") from None
        if problem.errno is not None:
            trouble = f"{problem.filename or path}: {problem.strerror}"
            raise TransferError(f"{trouble}; are FILLPATH_CACHE and its disk right?") from None
        raise


@contextlib.contextmanager
def locked(name: str, seconds: float | None = None) -> Iterator[None]:
    """Hold a lock of the cache against other processes, as `exclusive` does.

    Raises TransferError or DiskFullError if the lock cannot be made.
    """
    path = cache() / "locks" / f"{name}.lock"
    with contextlib.ExitStack() as held:
        with storing(path):
            held.enter_context(exclusive(path, seconds))
        yield


def _note(path: Path) -> Path:
    return path.with_name(f"{path.name}.json")
