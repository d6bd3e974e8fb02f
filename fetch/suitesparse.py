"""One matrix from the SuiteSparse Matrix Collection, or a mirror of it, into the cache.

Source: T. A. Davis, Y. Hu, "The University of Florida Sparse Matrix Collection", ACM TOMS 38(1), 2011. Only
the member `<name>/<name>.mtx` of an archive is ever written, and only as a plain file of bounded size.

Longer than two screens: the order of the steps keeps the cache whole if a process is killed between two.
"""

from __future__ import annotations

import json
import logging
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from fetch import failures, trust
from fetch.collection import address, spelling
from fetch.part import discard, locked, storing
from fetch.transfer import Arrived, Wanted, is_remote, refuse_offline, transfer
from fetch.unpack import extract
from fillpath.errors import InputError, TransferError
from fillpath.paths import bytes_text, cache, write_text

GZIP = b"\x1f\x8b"
EXPANSION = 5  # bytes of .mtx per byte of archive; 4.6 over 251 archives of the collection
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")

_log = logging.getLogger("fillpath")


@dataclass(frozen=True)
class Download:
    """A matrix in the cache.

    path : the .mtx file
    sha256 : of the archive it came from
    source : where that archive was
    bytes : of the .mtx file
    how : how it got here now
    archive : bytes of the archive, 0 if reused
    resumed : how many of these an earlier try had left
    """

    path: Path
    sha256: str
    source: str
    bytes: int
    how: Literal["reused", "resumed", "downloaded", "copied"]
    archive: int = 0
    resumed: int = 0

    @property
    def message(self) -> str:
        """What happened, for people."""
        if self.how == "reused":
            return f"reused {self.path} (from {self.source})"
        if self.how == "resumed":
            return f"resumed at {bytes_text(self.resumed)} of {bytes_text(self.archive)} from {self.source}"
        return f"{self.how} {bytes_text(self.archive)} from {self.source}"


@dataclass(frozen=True)
class _Receipt:
    """The note beside a cached matrix. It is written last: without it the matrix counts as absent."""

    sha256: str
    source: str
    bytes: int


@dataclass(frozen=True)
class _Order:
    """A matrix that is not in the cache.

    folder : of the matrix in the cache
    name : of the matrix
    wanted : its archive
    sha256 : of the archive according to the catalogue, or empty
    trusted : the file that its address gave before, None if that does not matter
    """

    folder: Path
    name: str
    wanted: Wanted
    sha256: str
    trusted: trust.Checksum | None

    @property
    def part(self) -> Path:
        return _part(self.folder, self.name)


def fetch(
    group: str, name: str, sha256: str = "", *, offline: bool = False, trust_change: bool = False
) -> Download:
    """The matrix Group/name, from the cache, or else from `$FILLPATH_MIRROR` (a folder or URL) or the site.

    sha256 : of the archive; if empty, it must be the one that the address gave before
    offline : ask no server, as with FILLPATH_OFFLINE=1
    trust_change : download it again, and accept a change

    Several processes may call this at the same time. Raises InputError for names that no collection has;
    DiskFullError; TransferError for everything else that goes wrong, and at once if it went wrong a moment
    ago.
    """
    folder = _folder(group, name)
    download = None if trust_change else cached(group, name, sha256)
    if download is not None and not _part(folder, name).exists():
        return download
    label = f"{group}/{name}"
    location = address(f"MM/{label}.tar.gz")
    wanted = Wanted(label, location, spelling(group, name), GZIP, EXPANSION, offline)
    refuse_offline(wanted)
    with locked(f"{group}+{name}"):
        download = None if trust_change else cached(group, name, sha256)
        if download is not None:
            # An earlier process was killed after it wrote its receipt.
            discard(_part(folder, name))
            return download
        failures.refuse(folder, location, label)
        _sweep(folder)
        trusted = None if sha256 or trust_change else trust.checksum(location)
        try:
            return _obtain(_Order(folder, name, wanted, sha256, trusted))
        except TransferError as problem:
            failures.note(folder, location, problem)
            raise


def cached(group: str, name: str, sha256: str = "") -> Download | None:
    """The matrix if the cache holds it completely, and with this sha256 if one is given."""
    folder = _folder(group, name)
    path = folder / f"{name}.mtx"
    try:
        receipt = _Receipt(**json.loads(_receipt_path(folder).read_text()))
        whole = path.stat().st_size == receipt.bytes
    except (OSError, ValueError, TypeError):
        return None
    if not whole or (sha256 and receipt.sha256 != sha256):
        return None
    return Download(path, receipt.sha256, receipt.source, receipt.bytes, "reused")


def forget_failure(group: str, name: str) -> None:
    """Let the next `fetch` of that matrix try at once, even if one failed a moment ago."""
    failures.forget(_folder(group, name))


def _folder(group: str, name: str) -> Path:
    for word in (group, name):
        if not _NAME.fullmatch(word):
            raise InputError(f"matrix {group}/{name}: {word!r} is no name of the collection")
    return cache() / "matrices" / group / name


def _part(folder: Path, name: str) -> Path:
    return folder / f"{name}.tar.gz.part"


def _receipt_path(folder: Path) -> Path:
    return folder / "receipt.json"


def _sweep(folder: Path) -> None:
    """Remove temporary files of a killed process; only the holder of the lock writes here."""
    for orphan in folder.glob(".*.tmp"):
        orphan.unlink(missing_ok=True)


def _obtain(order: _Order, again: bool = True) -> Download:
    arrived = transfer(order.wanted, order.part)
    try:
        return _keep(order, arrived)
    except TransferError as problem:
        discard(order.part)
        if not (again and arrived.doubtful):
            raise
        _log.warning("%s; downloading it once more from the start", problem)
    return _obtain(order, again=False)


def _keep(order: _Order, arrived: Arrived) -> Download:
    """Put the matrix of an archive into the cache, and remove the archive."""
    location, path = order.wanted.location, order.folder / f"{order.name}.mtx"
    _verify(order, arrived.sha256)
    with storing(path):
        # An old receipt must not vouch for the new content.
        _receipt_path(order.folder).unlink(missing_ok=True)
    size = extract(arrived.path, f"{order.name}/{order.name}.mtx", path, location)
    receipt = _Receipt(arrived.sha256, location, size)
    with storing(path):
        if not order.sha256:
            trust.record(location, arrived.sha256, arrived.bytes)
        write_text(_receipt_path(order.folder), json.dumps(asdict(receipt), sort_keys=True) + "\n")
    discard(order.part)
    failures.forget(order.folder)
    how: Literal["resumed", "downloaded", "copied"] = "resumed" if arrived.resumed else "downloaded"
    if not is_remote(location):
        how = "copied"
    return Download(path, arrived.sha256, location, size, how, arrived.bytes, arrived.resumed)


def _verify(order: _Order, sha256: str) -> None:
    location = order.wanted.location
    if order.sha256 and sha256 != order.sha256:
        expected = f"the expected {order.sha256} (config/matrices.csv)"
        advice = "is FILLPATH_MIRROR right?"
        raise TransferError(f"{location}: sha256 {sha256} is not {expected}; not kept; {advice}")
    if order.trusted is not None and sha256 != order.trusted.sha256:
        before = f"the {order.trusted.sha256} that this address gave on {order.trusted.first_seen[:10]}"
        advice = f"if the change is meant, `fillpath fetch --trust {order.wanted.label}` accepts it"
        raise TransferError(f"{location}: sha256 {sha256} is not {before}; not kept; {advice}")
