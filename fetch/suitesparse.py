"""One matrix from the SuiteSparse Matrix Collection, or a mirror of it, into the cache.

Source: T. A. Davis, Y. Hu, "The University of Florida Sparse Matrix Collection", ACM TOMS 38(1), 2011. Only
the member `<name>/<name>.mtx` of an archive is ever written, and only as a plain file of bounded size.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import http.client
import json
import logging
import os
import re
import tarfile
import tempfile
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import IO, cast

from fillpath.errors import InputError, TransferError
from fillpath.paths import atomic_write, cache

COLLECTION = "https://sparse.tamu.edu"
USER_AGENT = "fillpath/0.1 (sparse matrix benchmarks)"
TIMEOUT = 60.0  # seconds without a byte
ATTEMPTS = 4
BACKOFF = 1.0  # seconds before the second attempt, doubled before each further one
MAX_ARCHIVE = 64 * 2**30  # bytes
MAX_MATRIX = 256 * 2**30  # bytes
_BLOCK = 1 << 20
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")

_log = logging.getLogger("fillpath")


@dataclass(frozen=True)
class Download:
    """A matrix in the cache. path : the .mtx file, `bytes` long. sha256 : of the archive it came from.
    source : where that archive was. reused : it was there already."""

    path: Path
    sha256: str
    source: str
    bytes: int
    reused: bool


@dataclass(frozen=True)
class _Receipt:
    """What lies beside a cached matrix, written after it: without it the matrix counts as absent."""

    sha256: str
    source: str
    bytes: int


class _Transient(Exception):
    """A transfer that may succeed if it is tried again."""


def fetch(group: str, name: str, sha256: str = "") -> Download:
    """The matrix Group/name, from the cache or else from `$FILLPATH_MIRROR` (a folder or URL) or the site.

    sha256 : what the archive must have, empty if that is not known. Safe beside other processes. Raises
    InputError for names that no collection has, TransferError for everything else that goes wrong.
    """
    for word in (group, name):
        if not _NAME.fullmatch(word):
            raise InputError(f"matrix {group}/{name}: {word!r} is no name of the collection")
    folder = cache() / "matrices" / group / name
    reused = _cached(folder, name, sha256)
    if reused is not None:
        _log.info("%s/%s: reused %s", group, name, reused.path)
        return reused
    folder.mkdir(parents=True, exist_ok=True)
    location = f"{os.environ.get('FILLPATH_MIRROR') or COLLECTION}/MM/{group}/{name}.tar.gz"
    with _temporary(folder) as archive:
        digest = _transfer(location, archive, f"{group}/{name}")
        if sha256 and digest != sha256:
            raise TransferError(f"{location}: sha256 {digest} is not the expected {sha256}; not kept")
        size = _extract(archive, name, folder / f"{name}.mtx", location)
    receipt = _Receipt(digest, location, size)
    with atomic_write(_receipt_path(folder)) as handle:
        cast(IO[str], handle).write(json.dumps(asdict(receipt), sort_keys=True) + "\n")
    _log.info("%s/%s: downloaded %d bytes from %s", group, name, size, location)
    return Download(folder / f"{name}.mtx", digest, location, size, reused=False)


def _receipt_path(folder: Path) -> Path:
    return folder / "receipt.json"


def _cached(folder: Path, name: str, sha256: str) -> Download | None:
    path = folder / f"{name}.mtx"
    try:
        receipt = _Receipt(**json.loads(_receipt_path(folder).read_text()))
        whole = path.stat().st_size == receipt.bytes
    except (OSError, ValueError, TypeError):
        return None
    if not whole or (sha256 and receipt.sha256 != sha256):
        return None
    return Download(path, receipt.sha256, receipt.source, receipt.bytes, reused=True)


@contextlib.contextmanager
def _temporary(folder: Path) -> Iterator[Path]:
    descriptor, name = tempfile.mkstemp(prefix=".download.", suffix=".tmp", dir=folder)
    os.close(descriptor)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def _transfer(location: str, target: Path, matrix: str) -> str:
    """Copy the archive to `target`; its sha256. Tries again where that may help."""
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(BACKOFF * 2 ** (attempt - 1))
        try:
            return _copy(location, target, matrix)
        except _Transient as problem:
            reason = str(problem)
            _log.warning("%s: attempt %d of %d failed: %s", location, attempt + 1, ATTEMPTS, reason)
    hint = "try again later, or set FILLPATH_MIRROR"
    raise TransferError(f"{location}: failed {ATTEMPTS} times, last: {reason}; {hint}")


def _copy(location: str, target: Path, matrix: str) -> str:
    digest = hashlib.sha256()
    size = 0
    try:
        with _open(location) as source, target.open("wb") as out:
            while block := source.read(_BLOCK):
                size += len(block)
                if size > MAX_ARCHIVE:
                    raise TransferError(f"{location}: larger than {MAX_ARCHIVE} bytes; not kept")
                digest.update(block)
                out.write(block)
            _check_length(source, size)
    except urllib.error.HTTPError as problem:
        if problem.code in (404, 410):
            reason = f"not there (HTTP {problem.code}); is {matrix} spelled right?"
            raise TransferError(f"{location}: {reason}") from None
        if problem.code < 500 and problem.code not in (408, 429):
            raise TransferError(f"{location}: refused with HTTP {problem.code}") from None
        raise _Transient(f"HTTP {problem.code}") from None
    except FileNotFoundError:
        raise TransferError(f"{location}: no such file; is {matrix} spelled right?") from None
    except (OSError, http.client.HTTPException) as problem:
        raise _Transient(str(problem) or type(problem).__name__) from None
    return digest.hexdigest()


def _check_length(source: IO[bytes], size: int) -> None:
    """A connection that closes early ends like a file: only the announced length tells."""
    headers = getattr(source, "headers", None)
    announced = headers.get("Content-Length") if headers is not None else None
    if announced is not None and int(announced) != size:
        raise _Transient(f"{size} of {announced} bytes arrived")


def _open(location: str) -> IO[bytes]:
    if not re.match(r"[a-z]+://", location):
        return Path(location).open("rb")
    if not location.startswith(("http://", "https://")):
        raise TransferError(f"{location}: FILLPATH_MIRROR must be a folder or an http(s) URL")
    request = urllib.request.Request(location, headers={"User-Agent": USER_AGENT})
    return cast(IO[bytes], urllib.request.urlopen(request, timeout=TIMEOUT))


def _extract(archive: Path, name: str, target: Path, location: str) -> int:
    """Write the one member that is wanted; its size in bytes."""
    wanted = f"{name}/{name}.mtx"
    try:
        with gzip.open(archive) as raw, tarfile.open(fileobj=raw, mode="r:") as tar:
            for member in tar:
                _refuse_unsafe(member, location)
                if member.name == wanted:
                    return _write_member(tar, member, raw, target, location)
    except (tarfile.TarError, EOFError, OSError, zlib.error) as problem:
        raise TransferError(f"{location}: truncated or damaged archive: {problem}") from None
    raise TransferError(f"{location}: the archive has no member {wanted}")


def _refuse_unsafe(member: tarfile.TarInfo, location: str) -> None:
    path = PurePosixPath(member.name)
    if path.is_absolute() or ".." in path.parts:
        raise TransferError(f"{location}: unsafe archive: member {member.name!r} leaves its folder")
    if not (member.isreg() or member.isdir()):
        raise TransferError(f"{location}: unsafe archive: member {member.name!r} is a link or a device")


def _write_member(
    tar: tarfile.TarFile, member: tarfile.TarInfo, raw: gzip.GzipFile, target: Path, location: str
) -> int:
    source = tar.extractfile(member)
    if source is None or member.size > MAX_MATRIX:
        raise TransferError(f"{location}: member {member.name!r} is no file below {MAX_MATRIX} bytes")
    with source, atomic_write(target, "wb") as handle:
        out = cast(IO[bytes], handle)
        size = 0
        while block := source.read(_BLOCK):
            size += out.write(block)
        if size != member.size:
            raise EOFError(f"member {member.name} ends after {size} of {member.size} bytes")
        while raw.read(_BLOCK):  # gzip's checksum stands at the end, and is compared on reaching it
            pass
    return size
