"""One matrix from the SuiteSparse Matrix Collection, or a mirror of it, into the cache.

Source: T. A. Davis, Y. Hu, "The University of Florida Sparse Matrix Collection", ACM TOMS 38(1), 2011. Only
the member `<name>/<name>.mtx` of an archive is ever written, and only as a plain file of bounded size.

    fetch("HB", "west0067").path        the .mtx file, from the cache or downloaded now

The order of the steps keeps the cache whole if a process is killed between two.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from fetch import trust
from fetch.collection import address, spelling
from fetch.part import discard, locked, read_note, storing, write_note
from fetch.transfer import Wanted, is_remote, refuse_offline, transfer
from fetch.unpack import extract
from fillpath.errors import InputError, TransferError
from fillpath.paths import bytes_text, cache

EXPANSION = 5  # bytes of .mtx per byte of archive; 4.6 over 251 archives of the collection
RETRY_AFTER = 600.0  # seconds after a failure, before which not every step that needs a file tries again
_FAILED = "failed.json"
How = Literal["reused", "resumed", "downloaded", "copied"]
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")

_log = logging.getLogger("fillpath")


@dataclass(frozen=True)
class Download:
    """A matrix in the cache.

    path : the .mtx file
    sha256 : of the archive
    source : where the archive was
    how : the matrix was obtained now
    archive : bytes of the archive, 0 if reused
    resumed : bytes of the archive that an earlier try had left
    """

    path: Path
    sha256: str
    source: str
    how: How
    archive: int = 0
    resumed: int = 0

    @property
    def message(self) -> str:
        """Say what happened, for people."""
        size = f"{bytes_text(self.resumed)} of " * (self.how == "resumed") + bytes_text(self.archive)
        return f"{self.how} {self.path if self.how == 'reused' else size} from {self.source}"


@dataclass(frozen=True)
class _Receipt:
    """The note of a cached matrix. It is written last: without it the matrix counts as absent."""

    sha256: str
    source: str
    bytes: int


@dataclass(frozen=True)
class _Failure:
    """The note of a failed transfer. time : in seconds of the epoch."""

    location: str
    reason: str
    time: float


@dataclass(frozen=True)
class _Order:
    """A matrix that is not in the cache.

    folder, name : of the matrix, in the cache
    part : file of its archive while it arrives
    wanted : its archive
    sha256 : of the archive according to the catalogue, or empty
    before : the archive that its address gave first, None if that does not matter
    """

    folder: Path
    name: str
    part: Path
    wanted: Wanted
    sha256: str
    before: trust.Checksum | None


def fetch(
    group: str, name: str, sha256: str = "", *, offline: bool = False, trust_change: bool = False
) -> Download:
    """Return the matrix Group/name, from the cache, `$FILLPATH_MIRROR` (a folder or URL) or the site.

    sha256 : of the archive; if empty, it must be the one that the address gave before
    offline : ask no server, as with FILLPATH_OFFLINE=1
    trust_change : download again, and accept a change

    Several processes may call this at the same time. Raises InputError for names that no collection has,
    DiskFullError, and TransferError for anything else, at once if it went wrong a moment ago.
    """
    folder = _folder(group, name)
    part = folder / f"{name}.tar.gz.part"
    download = None if trust_change else cached(group, name, sha256)
    if download is not None and not part.exists():
        return download
    label = f"{group}/{name}"
    location = address(f"MM/{label}.tar.gz")
    wanted = Wanted(label, location, spelling(group, name), EXPANSION, offline)
    if download is None:
        refuse_offline(wanted)
    with locked(f"{group}+{name}"):
        download = None if trust_change else cached(group, name, sha256)
        if download is not None:
            discard(part)  # An earlier process was killed after it wrote its receipt.
            return download
        _refuse_soon(folder, wanted)
        for orphan in folder.glob(".*.tmp"):  # of a killed process: only the holder of the lock writes here
            orphan.unlink(missing_ok=True)
        before = None if sha256 or trust_change else trust.checksums().get(location)
        try:
            return _obtain(_Order(folder, name, part, wanted, sha256, before))
        except TransferError as problem:
            if is_remote(location):  # Looking into a folder again is cheap.
                with contextlib.suppress(OSError):
                    write_note(folder / _FAILED, _Failure(location, str(problem), time.time()))
            raise


def cached(group: str, name: str, sha256: str = "") -> Download | None:
    """Return the matrix if the cache holds it completely, and with this sha256 if one is given."""
    folder = _folder(group, name)
    path, receipt = folder / f"{name}.mtx", read_note(folder / "receipt.json", _Receipt)
    if receipt is None or not path.is_file() or path.stat().st_size != receipt.bytes:
        return None
    if sha256 and receipt.sha256 != sha256:
        return None
    return Download(path, receipt.sha256, receipt.source, "reused")


def forget_failure(group: str, name: str) -> None:
    """Let the next `fetch` of that matrix try at once, even if one failed a moment ago."""
    with contextlib.suppress(OSError):  # A cache that cannot be written to holds no note that matters.
        (_folder(group, name) / _FAILED).unlink(missing_ok=True)


def _folder(group: str, name: str) -> Path:
    for word in (group, name):
        if not _NAME.fullmatch(word):
            raise InputError(f"matrix {group}/{name}: {word!r} is no name of the collection")
    return cache() / "matrices" / group / name


def _refuse_soon(folder: Path, wanted: Wanted) -> None:
    """Raise TransferError if the transfer from that address failed a moment ago."""
    failure = read_note(folder / _FAILED, _Failure)
    ago = time.time() - failure.time if failure is not None else 0.0
    if failure is not None and failure.location == wanted.location and 0 <= ago < RETRY_AFTER:
        advice = f"`fillpath fetch {wanted.label}` tries again at once"
        raise TransferError(f"not tried again: failed {ago:.0f} s ago: {failure.reason}; {advice}")


def _obtain(order: _Order, again: bool = True) -> Download:
    """Transfer the archive and keep its matrix, in a second try if the first archive was doubtful."""
    arrived = transfer(order.wanted, order.part)
    try:
        return _keep(order, arrived.path, arrived.resumed)
    except TransferError as problem:
        discard(order.part)
        if not (again and arrived.doubtful):
            raise
        _log.warning("%s; downloading it once more from the start", problem)
    return _obtain(order, again=False)


def _keep(order: _Order, archive: Path, resumed: int) -> Download:
    """Put the matrix of an archive into the cache, and remove the archive."""
    location, path = order.wanted.location, order.folder / f"{order.name}.mtx"
    with storing(archive), archive.open("rb") as handle:
        sha256, size = hashlib.file_digest(handle, "sha256").hexdigest(), archive.stat().st_size
    _verify(order, sha256)
    receipt = order.folder / "receipt.json"
    with storing(path):
        # An old receipt must not vouch for the new content.
        receipt.unlink(missing_ok=True)
    length = extract(archive, f"{order.name}/{order.name}.mtx", path, location)
    with storing(path):
        if not order.sha256:
            trust.record(location, sha256, size)
        write_note(receipt, _Receipt(sha256, location, length))
    discard(order.part)
    with contextlib.suppress(OSError):
        (order.folder / _FAILED).unlink(missing_ok=True)
    how: How = "copied" if not is_remote(location) else "resumed" if resumed else "downloaded"
    return Download(path, sha256, location, how, size, resumed)


def _verify(order: _Order, sha256: str) -> None:
    """Raise TransferError unless the archive is the one of the catalogue, or the one of its address."""
    before, wrong = order.before, f"{order.wanted.location}: sha256 {sha256} is not"
    if order.sha256 and sha256 != order.sha256:
        expected = f"the expected {order.sha256} (config/matrices.csv)"
        raise TransferError(f"{wrong} {expected}; not kept; is FILLPATH_MIRROR right?")
    if before is not None and sha256 != before.sha256:
        expected = f"the {before.sha256} that this address gave on {before.first_seen[:10]}"
        advice = f"if the change is meant, `fillpath fetch --trust {order.wanted.label}` accepts it"
        raise TransferError(f"{wrong} {expected}; not kept; {advice}")
