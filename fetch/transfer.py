"""Get one file from a folder or an http(s) address: transfers are resumed, retried, and bounded.

A part left by a kill, a full disk or a bad connection is resumed if its server allows that safely. Whether
the bytes are the right ones is for the caller to check: `Arrived.doubtful` says whether another try from the
start may give different ones.

Longer than two screens: each rule here answers a way in which servers fail, and they are checked against each
other.
"""

from __future__ import annotations

import email.utils
import hashlib
import http.client
import logging
import re
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import Message
from http.client import HTTPResponse
from pathlib import Path
from typing import cast

from fetch.part import Origin, Part
from fetch.progress import Progress
from fillpath import __version__
from fillpath.errors import TransferError
from fillpath.paths import bytes_text, require_space
from fillpath.settings import settings

USER_AGENT = f"fillpath/{__version__} (sparse matrix benchmarks; Python-urllib)"
TIMEOUT = 60.0  # seconds without a byte, and seconds over which SLOWEST is averaged
SLOWEST = 1000  # bytes per second
ATTEMPTS = 4  # without a gain
GAIN = 2**20  # bytes that an attempt has to add to the most that was ever here
BACKOFF = 1.0  # seconds before the second attempt, doubled before each further one
PATIENCE = 120.0  # seconds: the longest wait that a server may ask for
LARGEST = 64 * 2**30  # bytes
_BLOCK = 1 << 20
_RANGE = re.compile(r"bytes ([0-9]+)-[0-9]+/([0-9]+|\*)")

_log = logging.getLogger("fillpath")


@dataclass(frozen=True)
class Wanted:
    """A file to get.

    label : its name for people
    location : a path or an http(s) URL
    hint : what to check if it is not there
    magic : its first bytes, empty for any
    expansion : bytes that one byte of it takes when unpacked
    offline : never ask a server
    """

    label: str
    location: str
    hint: str
    magic: bytes = b""
    expansion: int = 0
    offline: bool = False


@dataclass(frozen=True)
class Arrived:
    """A whole file.

    path : of the file
    sha256 : of its content
    bytes : its length
    resumed : bytes that an earlier process had left
    doubtful : whether it was put together from several answers, or its length was never announced
    """

    path: Path
    sha256: str
    bytes: int
    resumed: int
    doubtful: bool


class _TransientError(Exception):
    """A transfer that may succeed if it is retried. wait : seconds that the server asks for."""

    def __init__(self, reason: str, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.wait = wait


def is_remote(location: str) -> bool:
    """Whether the location is a URL."""
    return re.match(r"[A-Za-z]+://", location) is not None


def refuse_offline(wanted: Wanted) -> None:
    """Raise TransferError if a server would have to be asked in offline mode."""
    if is_remote(wanted.location) and (wanted.offline or settings().offline):
        remedy = "drop --offline" if wanted.offline else "unset FILLPATH_OFFLINE"
        remedy += ", or set FILLPATH_MIRROR to a folder that holds it"
        raise TransferError(f"offline: {wanted.label} is not in the cache; {remedy}")


def transfer(wanted: Wanted, path: Path) -> Arrived:
    """The whole file: the original in a folder, or a download at `path`, which the caller has to remove.

    Raises TransferError and DiskFullError; what has arrived stays at `path` and is resumed by a later try.
    """
    refuse_offline(wanted)
    if not is_remote(wanted.location):
        return _in_folder(wanted)
    if not wanted.location.lower().startswith(("http://", "https://")):
        raise TransferError(f"{wanted.location}: FILLPATH_MIRROR must be a folder or an http(s) URL")
    part = Part(path, wanted.location)
    if part.inherited:
        _log.info("%s: %s lie here already", wanted.label, bytes_text(part.inherited))
    _persist(wanted, part)
    doubtful = part.answers > 1 or part.total is None
    return Arrived(path, _sha256(path), part.size, part.inherited, doubtful)


def _in_folder(wanted: Wanted) -> Arrived:
    path = Path(wanted.location)
    try:
        with path.open("rb") as handle:
            _check_kind(handle.read(len(wanted.magic)), wanted, "")
        return Arrived(path, _sha256(path), path.stat().st_size, 0, doubtful=False)
    except FileNotFoundError:
        raise TransferError(f"{path}: no such file; {wanted.hint}") from None
    except OSError as problem:
        raise TransferError(f"{path}: cannot be read: {problem.strerror}") from None


def _persist(wanted: Wanted, part: Part) -> None:
    """Try until the file is whole, or until ATTEMPTS tries in a row gained nothing."""
    most, failures = part.size, 0
    while not part.whole:
        try:
            _attempt(wanted, part)
        except _TransientError as problem:
            failures = 0 if part.size >= most + GAIN else failures + 1
            most = max(most, part.size)
            attempt = f"attempt {failures} of {ATTEMPTS} failed" if failures else "interrupted"
            _log.warning("%s: %s: %s", wanted.location, attempt, problem)
            if failures == ATTEMPTS:
                raise _given_up(wanted, part, str(problem)) from None
            time.sleep(max(BACKOFF * 2 ** max(failures - 1, 0), min(problem.wait, PATIENCE)))


def _given_up(wanted: Wanted, part: Part, reason: str) -> TransferError:
    kept = f"; {bytes_text(part.size)} are kept for the next try" if part.size else ""
    advice = "try again later, or set FILLPATH_MIRROR"
    return TransferError(f"{wanted.location}: failed {ATTEMPTS} times, last: {reason}{kept}; {advice}")


def _attempt(wanted: Wanted, part: Part) -> None:
    try:
        with _ask(wanted.location, part) as answer:
            _begin(answer, wanted, part)
            _receive(answer, wanted, part)
    except urllib.error.HTTPError as problem:
        with problem:
            _judge(problem, wanted, part)
    except (http.client.InvalidURL, ValueError) as problem:
        raise TransferError(f"{wanted.location}: no address: {problem}; is FILLPATH_MIRROR right?") from None
    except (OSError, http.client.HTTPException) as problem:
        cause = problem.reason if isinstance(problem, urllib.error.URLError) else problem
        if isinstance(cause, TimeoutError):
            raise _TransientError(f"no byte for {TIMEOUT:g} s") from None
        raise _TransientError(str(cause) or type(cause).__name__) from None


def _ask(location: str, part: Part) -> HTTPResponse:
    request = urllib.request.Request(location, headers={"User-Agent": USER_AGENT})
    if part.size and part.origin is not None:
        request.add_header("Range", f"bytes={part.size}-")
        validator = part.origin.etag or part.origin.modified
        if validator:
            request.add_header("If-Range", validator)
    return cast(HTTPResponse, urllib.request.urlopen(request, timeout=TIMEOUT))


def _begin(answer: HTTPResponse, wanted: Wanted, part: Part) -> None:
    """Continue where the part ends if the answer does, or else start again with it."""
    if answer.status == 206:
        return _go_on(answer, wanted, part)
    if answer.status != 200:
        trouble = f"HTTP {answer.status} brings no file"
        raise TransferError(f"{wanted.location}: {trouble}; is FILLPATH_MIRROR right?")
    if part.size:
        _log.info("%s: the server starts over", wanted.label)
    part.begin(_origin(wanted.location, answer.headers))
    if part.total is not None:
        _refuse_large(part.total, wanted, part)
        require_space(part.path.parent, part.total * (1 + wanted.expansion))
    head = answer.read(len(wanted.magic))
    if len(head) < min(len(wanted.magic), part.total or 0):
        raise _TransientError(f"{len(head)} of {part.total} bytes arrived")
    try:
        _check_kind(head, wanted, answer.headers.get_content_type())
    except TransferError:
        part.discard()
        raise
    return part.append(head)


def _go_on(answer: HTTPResponse, wanted: Wanted, part: Part) -> None:
    span = _RANGE.fullmatch(answer.headers.get("Content-Range", ""))
    follows = span is not None and part.size > 0 and int(span[1]) == part.size
    total = int(span[2]) if span is not None and span[2] != "*" else None
    etag = part.origin.etag if part.origin is not None else ""
    same = part.total in (None, total) and (not etag or answer.headers.get("ETag", etag) == etag)
    if not follows or not same:
        part.discard()
        raise _TransientError("another range or another file came than was asked for: starting over")
    part.learn(total)
    if total is not None:
        require_space(part.path.parent, total * (1 + wanted.expansion) - part.size)
    part.answers += 1


def _receive(answer: HTTPResponse, wanted: Wanted, part: Part) -> None:
    since, before = time.monotonic(), part.size
    with Progress(wanted.label, part.size, part.total) as progress:
        while block := answer.read1(_BLOCK):
            part.append(block)
            _refuse_large(part.size, wanted, part)
            progress.show(part.size)
            elapsed = time.monotonic() - since
            if elapsed < TIMEOUT:
                continue
            if part.size - before < SLOWEST * elapsed:
                raise _TransientError(f"slower than {SLOWEST} bytes/s")
            since, before = since + elapsed, part.size
    # A connection that closes early looks like the end of the file, except for the announced length.
    if part.total is not None and part.size != part.total:
        raise _TransientError(f"{part.size} of {part.total} bytes arrived")
    part.whole = True


def _judge(problem: urllib.error.HTTPError, wanted: Wanted, part: Part) -> None:
    """Raise the error for this answer. Returns only if the part turns out to be whole."""
    code = problem.code
    if code == 416 and part.size:
        if problem.headers.get("Content-Range", "") == f"bytes */{part.size}":
            part.whole = True
            part.answers += 1
            return
        part.discard()
        raise _TransientError("the file has no such range (HTTP 416): starting over")
    if code in (404, 410):
        raise TransferError(f"{wanted.location}: not there (HTTP {code}); {wanted.hint}")
    if code < 500 and code not in (408, 429):
        raise TransferError(f"{wanted.location}: refused with HTTP {code}; is FILLPATH_MIRROR right?")
    raise _TransientError(f"HTTP {code}", _retry_after(problem.headers.get("Retry-After", "")))


def _origin(location: str, headers: Message) -> Origin:
    length = headers.get("Content-Length", "")
    etag = headers.get("ETag", "")
    return Origin(
        location=location,
        # A weak validator says that two answers have the same meaning, not the same bytes.
        etag="" if etag.startswith("W/") else etag,
        modified=headers.get("Last-Modified", ""),
        total=int(length) if re.fullmatch("[0-9]{1,18}", length) else None,
    )


def _check_kind(head: bytes, wanted: Wanted, kind: str) -> None:
    if head == wanted.magic:
        return
    if not head:
        content = "an empty file"
    elif kind == "text/html" or head.startswith(b"<"):
        content = "an HTML page"
    else:
        content = f"something else{f' ({kind})' if kind else ''}"
    advice = "is FILLPATH_MIRROR right, and no login page in between?"
    raise TransferError(f"{wanted.location}: {content}, not an archive; not kept; {advice}")


def _refuse_large(size: int, wanted: Wanted, part: Part) -> None:
    if size > LARGEST:
        part.discard()
        raise TransferError(f"{wanted.location}: larger than {bytes_text(LARGEST)}; not kept; {wanted.hint}")


def _retry_after(text: str) -> float:
    """Seconds, given as a number or a date; 0 for anything else."""
    if re.fullmatch("[0-9]{1,9}", text):
        return float(text)
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return 0.0
    return (moment.replace(tzinfo=moment.tzinfo or UTC) - datetime.now(UTC)).total_seconds()


def _sha256(path: Path) -> str:
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
