"""Files on their way into the cache: the part that has arrived, its note and its lock.

A function `keep` of the caller checks the whole file and keeps its content.

    transfer(Wanted("HB/west0067", "https://.../west0067.tar.gz", "is the name right?"), path, keep)
"""

import contextlib
import errno
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from fillpath import LOG
from fillpath.errors import DiskFullError, TransferError
from fillpath.lock import exclusive
from fillpath.paths import cache, write_json
from fillpath.settings import settings, without_login

Kept = TypeVar("Kept")


class Wanted(NamedTuple):
    """A file to get.

    label : its name for people
    location : a path or an http(s) URL
    hint : what to check if the file is missing
    """

    label: str
    location: str
    hint: str


class Part:
    """The part of a file that has arrived, stored at `path` with a note of its origin.

    A part of another address, or of a file whose rest cannot be asked for, is deleted.

    location : address of the file
    validator : its strong ETag, or the time of its last change; empty if it has neither
    total : bytes of the whole file, None if not known
    inherited : bytes that an earlier process left
    """

    def __init__(self, path: Path, location: str) -> None:
        self.path, self._note, self.location = path, path.with_name(f"{path.name}.json"), location
        origin, self.validator, self.total = read_note(self._note, location="", validator="", total=None)
        self.inherited = self.size
        if origin != location or (self.size != self.total and not self.request()):
            self.discard()

    @property
    def size(self) -> int:
        """Return the bytes that have arrived."""
        return self.path.stat().st_size if self.path.is_file() else 0

    def note(self, validator: str, total: int | None) -> None:
        """Store the origin of what arrives."""
        self.validator, self.total = validator, total
        write_json(self._note, {"location": self.location, "validator": validator, "total": total})

    def request(self) -> dict[str, str]:
        """Return the headers that ask for the rest; none if the file has to start again."""
        if not self.validator or not 0 < self.size < (self.total or 0):
            return {}
        return {"Range": f"bytes={self.size}-", "If-Range": self.validator}

    def is_continued_by(self, headers: Mapping[str, str]) -> bool:
        """Tell whether an answer of these headers brings the rest of the same file."""
        span, given = headers.get("Content-Range", ""), validator_of(headers)
        # With If-Range a server may leave out Last-Modified, but not its ETag (RFC 9110, section 15.3.7).
        same = given == self.validator or not (given or self.validator.startswith('"'))
        right = span.startswith(f"bytes {self.size}-") and span.endswith(f"/{self.total}")
        return right and same and self.validator != ""

    def discard(self) -> None:
        """Delete everything that has arrived."""
        self.path.unlink(missing_ok=True)
        self._note.unlink(missing_ok=True)
        self.validator, self.total, self.inherited = "", None, 0


def validator_of(headers: Mapping[str, str]) -> str:
    """Return what proves that another answer is of the same bytes; empty if nothing does."""
    etag = headers.get("ETag", "")
    # A weak ETag proves the same meaning of two answers, not the same bytes.
    return etag if etag and not etag.startswith("W/") else headers.get("Last-Modified", "")


def is_remote(location: str) -> bool:
    """Tell whether the location is a URL."""
    return "://" in location


def refuse_offline(wanted: Wanted, offline: bool) -> None:
    """Raise TransferError if a server would have to be asked, and the call or the settings forbid it."""
    if is_remote(wanted.location) and (offline or settings().offline):
        remedy = "drop --offline" if offline else "unset FILLPATH_OFFLINE"
        remedy += ", or set FILLPATH_MIRROR to a folder that holds it"
        raise TransferError(f"offline: {wanted.label} is not in the cache; {remedy}")


def transfer(wanted: Wanted, path: Path, keep: Callable[[Path], Kept]) -> tuple[Kept, str, int]:
    """Keep a file of a folder, or a downloaded one.

    path : where the part of a download arrives
    keep : keeps the whole file, or raises TransferError; a joined file is then downloaded once more

    Returns what was kept, how the file came (copied, downloaded or resumed), and the bytes that came now.
    Call it within `locked`. Raises TransferError and DiskFullError; a later call resumes what has arrived.
    """
    if not is_remote(wanted.location):
        file = Path(wanted.location)
        if not file.is_file():
            raise TransferError(f"{file}: no such file; {wanted.hint}")
        kept, size = keep(file), file.stat().st_size
        Part(path, wanted.location).discard()
        return kept, "copied", size
    # Its libraries take 0.2 s to import, and most processes download nothing.
    from fetch.download import download

    part, attempts = Part(path, wanted.location), 2
    while True:
        attempts = attempts - 1 if download(wanted, part) else 0
        how, arrived = "resumed" if part.inherited else "downloaded", part.size - part.inherited
        try:
            kept = keep(path)
        except TransferError as problem:
            part.discard()
            if not attempts:
                raise
            LOG.warning("%s; downloading it once more from the start", problem)
        else:
            part.discard()
            return kept, how, arrived


def read_note(path: Path, **otherwise: str | int | None) -> list[Any]:
    """Read the values of these names from a JSON file; the given values if the file is missing or damaged."""
    try:
        note = json.loads(without_login(path.read_text()))
        return [note[name] for name in otherwise]
    except (OSError, ValueError, TypeError, KeyError):
        return list(otherwise.values())


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
