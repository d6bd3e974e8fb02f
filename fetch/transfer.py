"""Files on their way into the cache: the part that has arrived, its note and its lock.

The caller checks what a transfer brings, and discards the part.

    archive = transfer(Wanted("HB/west0067", "https://.../west0067.tar.gz", "is the name right?"), Part(path))
"""

import contextlib
import errno
import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from fillpath.errors import DiskFullError, TransferError
from fillpath.lock import exclusive
from fillpath.paths import cache, write_text
from fillpath.settings import settings

Note = TypeVar("Note")


class Wanted(NamedTuple):
    """A file to get.

    label : its name for people
    location : a path or an http(s) URL
    hint : what to check if the file is missing
    expansion : bytes that one byte of the file takes when unpacked
    sha256 : of the file, empty if not known
    """

    label: str
    location: str
    hint: str
    expansion: int = 0
    sha256: str = ""


class Origin(NamedTuple):
    """The announcement of a server with the first byte of a file.

    location : address of the file
    validator : its strong ETag, or the time of its last change; empty if it has neither
    total : bytes of the whole file, None if not announced
    """

    location: str = ""
    validator: str = ""
    total: int | None = None


class Part:
    """The part of a file that has arrived, stored at `path` with a note of its origin.

    inherited : bytes that an earlier process left
    doubtful : whether several answers make up the part, or no length was announced
    """

    def __init__(self, path: Path) -> None:
        self.path, self._note = path, path.with_name(f"{path.name}.json")
        self.origin = read_note(self._note, Origin) or Origin()
        self.inherited = self.size
        self.doubtful = self.inherited > 0

    @property
    def size(self) -> int:
        """Return the bytes that have arrived."""
        return self.path.stat().st_size if self.path.is_file() else 0

    def begin(self, location: str, headers: Mapping[str, str]) -> None:
        """Start again with an answer of these headers."""
        self.discard()
        length = headers.get("Content-Length", "")
        total = int(length) if re.fullmatch("[0-9]{1,18}", length) else None
        self.origin, self.doubtful = Origin(location, _validator(headers), total), total is None
        write_note(self._note, self.origin)
        self.path.touch()

    def request(self) -> dict[str, str]:
        """Return the headers that ask for the rest of the file."""
        headers = {"Range": f"bytes={self.size}-", "If-Range": self.origin.validator}
        return {name: text for name, text in headers.items() if text and self.size}

    def is_continued_by(self, headers: Mapping[str, str]) -> bool:
        """Tell whether an answer of these headers brings the rest of the same file."""
        span = re.fullmatch(r"bytes ([0-9]+)-[0-9]+/([0-9]+|\*)", headers.get("Content-Range", ""))
        if span is None or not 0 < self.size == int(span[1]):
            return False
        given, known, total = _validator(headers), self.origin.validator, self.origin.total
        # With If-Range a server may leave out Last-Modified, but not its ETag (RFC 9110, section 15.3.7).
        same = known in ("", given) or not (given or known.startswith('"'))
        return same and (total is None or span[2] == str(total))

    def discard(self) -> None:
        """Delete everything that has arrived."""
        self.path.unlink(missing_ok=True)
        self._note.unlink(missing_ok=True)
        self.origin, self.inherited = Origin(), 0


def _validator(headers: Mapping[str, str]) -> str:
    etag = headers.get("ETag", "")
    # A weak ETag proves the same meaning of two answers, not the same bytes.
    return etag if etag and not etag.startswith("W/") else headers.get("Last-Modified", "")


def is_remote(location: str) -> bool:
    """Tell whether the location is a URL."""
    return re.match(r"[A-Za-z]+://", location) is not None


def refuse_offline(wanted: Wanted, offline: bool) -> None:
    """Raise TransferError if a server would have to be asked, and the call or the settings forbid it."""
    if is_remote(wanted.location) and (offline or settings().offline):
        remedy = "drop --offline" if offline else "unset FILLPATH_OFFLINE"
        remedy += ", or set FILLPATH_MIRROR to a folder that holds it"
        raise TransferError(f"offline: {wanted.label} is not in the cache; {remedy}")


def transfer(wanted: Wanted, part: Part) -> Path:
    """Return the original in a folder, or the part once it is whole, which the caller has to discard.

    Call it within `locked`. Raises TransferError and DiskFullError; a later call resumes what has arrived.
    """
    if is_remote(wanted.location):
        # Its libraries take 0.2 s to import, and most processes download nothing.
        from fetch.download import download

        download(wanted, part)
        return part.path
    original = Path(wanted.location)
    if not original.is_file():
        raise TransferError(f"{original}: no such file; {wanted.hint}")
    return original


def read_note(path: Path, kind: Callable[..., Note]) -> Note | None:
    """Read a named tuple from a JSON file; None if the file is missing or damaged."""
    try:
        return kind(**json.loads(path.read_text()))
    except (OSError, ValueError, TypeError):
        return None


def write_note(path: Path, note: Any) -> None:
    """Write a named tuple as a JSON file."""
    write_text(path, json.dumps(note._asdict(), sort_keys=True) + "\n")


@contextlib.contextmanager
def locked(name: str) -> Iterator[None]:
    """Hold a lock of the cache against other processes.

    An error of the file system, here and in the block, becomes DiskFullError, which no retry helps, or
    TransferError.
    """
    try:
        with exclusive(cache() / "locks" / f"{name}.lock"):
            yield
    except OSError as problem:
        place = problem.filename or cache()
        if problem.errno in (errno.ENOSPC, errno.EDQUOT):
            kept = "what has arrived is kept, and the next try resumes there"
            advice = "free some space, or point FILLPATH_CACHE elsewhere"
            raise DiskFullError(f"{place}: the disk is full; {kept}; {advice}") from None
        advice = "are FILLPATH_CACHE, FILLPATH_MIRROR and their disks right?"
        raise TransferError(f"{place}: {problem.strerror or problem}; {advice}") from None
