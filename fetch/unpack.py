"""Extract one member of a .tar.gz from elsewhere; nothing else is ever written."""

from __future__ import annotations

import gzip
import tarfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO, cast

from fetch.part import storing
from fillpath.errors import TransferError
from fillpath.paths import atomic_write, bytes_text, require_space

MAX_MATRIX = 256 * 2**30  # bytes
# An archive may inflate to RATIO x its bytes + ALLOWANCE. Of 251 archives of the collection, those of a few
# hundred bytes reach 21 (tar pads to 10 240 bytes), those above 100 kB 8.5; deflate itself ends at 1032.
RATIO = 100
ALLOWANCE = 64 * 2**20
MEMBERS = 1000
LARGEST_READ = 1 << 20
# tarfile reads whatever precedes a member into memory, and some of it takes quadratic time to read.
LARGEST_HEADER = 8192


class _Inflated:
    """The inflated archive for tarfile, forwards only, and at most `limit` bytes of it.

    header : bytes that may be read before the next member's data; None while these are read.
    """

    def __init__(self, raw: gzip.GzipFile, limit: int, where: str) -> None:
        self._raw = raw
        self._limit = limit
        self._where = where
        self._at = 0
        self.header: int | None = LARGEST_HEADER

    def tell(self) -> int:
        return self._at

    def read(self, size: int) -> bytes:
        if self.header is not None:
            self.header -= size
            if size < 0 or self.header < 0:
                text = f"a header of more than {bytes_text(LARGEST_HEADER)}"
                raise TransferError(f"{self._where}: unsafe archive: {text}; not kept")
        return self._inflate(min(size, LARGEST_READ))

    def _inflate(self, size: int) -> bytes:
        block = self._raw.read(size)
        self._at += len(block)
        self.refuse_beyond(self._at)
        return block

    def seek(self, position: int) -> int:
        if position < self._at:
            raise tarfile.ReadError("it leads backwards")
        self.refuse_beyond(position)
        while self._at < position and self._inflate(min(position - self._at, LARGEST_READ)):
            pass
        return self._at

    def refuse_beyond(self, position: int) -> None:
        """Raise TransferError if the position is beyond what the archive may inflate to."""
        if position > self._limit:
            raise _bomb(self._where, self._limit)


def extract(archive: Path, member: str, target: Path, where: str) -> int:
    """Write one member of the archive to `target`, whole or not at all. Returns its size in bytes.

    member : its name in the archive
    where : the origin of the archive, for messages

    Raises TransferError for an archive that is damaged, unsafe, too large, or without the member;
    DiskFullError.
    """
    limit = RATIO * archive.stat().st_size + ALLOWANCE
    try:
        with gzip.open(archive) as raw:
            inflated = _Inflated(raw, limit, where)
            with tarfile.open(fileobj=cast(IO[bytes], inflated), mode="r:") as tar:
                return _find(tar, member, inflated, target, where)
    except (tarfile.TarError, EOFError, gzip.BadGzipFile, zlib.error, ValueError) as problem:
        raise TransferError(f"{where}: truncated or damaged archive: {problem}; not kept") from None
    except OSError as problem:
        raise TransferError(f"{where}: {archive} cannot be read: {problem.strerror}") from None


def _find(tar: tarfile.TarFile, wanted: str, inflated: _Inflated, target: Path, where: str) -> int:
    for count, member in enumerate(tar):
        _refuse_unsafe(member, where)
        inflated.refuse_beyond(inflated.tell() + member.size)
        if member.name == wanted:
            return _write(tar, member, inflated, target, where)
        if count == MEMBERS:
            raise TransferError(f"{where}: unsafe archive: more than {MEMBERS} members; not kept")
        inflated.header = LARGEST_HEADER
    raise TransferError(f"{where}: the archive has no member {wanted}; not kept")


def _refuse_unsafe(member: tarfile.TarInfo, where: str) -> None:
    path = PurePosixPath(member.name)
    if path.is_absolute() or ".." in path.parts:
        raise TransferError(f"{where}: unsafe archive: member {member.name!r} leaves its folder; not kept")
    if not (member.isreg() or member.isdir()) or member.issparse():
        kind = "is a link, a device or sparse"
        raise TransferError(f"{where}: unsafe archive: member {member.name!r} {kind}; not kept")


def _write(
    tar: tarfile.TarFile, member: tarfile.TarInfo, inflated: _Inflated, target: Path, where: str
) -> int:
    source = tar.extractfile(member)
    if source is None or member.size > MAX_MATRIX:
        raise TransferError(f"{where}: member {member.name!r} is no file below {MAX_MATRIX} bytes; not kept")
    require_space(target.parent, member.size)
    inflated.header = None
    with source, storing(target), atomic_write(target, "wb") as handle:
        out = cast(IO[bytes], handle)
        size = 0
        while block := source.read(LARGEST_READ):
            size += out.write(block)
        if size != member.size:
            raise EOFError(f"member {member.name} ends after {size} of {member.size} bytes")
        while inflated.read(LARGEST_READ):  # gzip's checksum is at the end, and compared when it is reached
            pass
    return size


def _bomb(where: str, limit: int) -> TransferError:
    text = f"it inflates to more than {bytes_text(limit)}, as no matrix does"
    return TransferError(f"{where}: unsafe archive: {text}; not kept")
