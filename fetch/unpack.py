"""Extract one member of a .tar.gz from elsewhere; nothing else is ever written."""

from __future__ import annotations

import gzip
import shutil
import tarfile
import zlib
from pathlib import Path, PurePosixPath
from typing import IO, cast

from fetch.part import storing
from fillpath.errors import TransferError
from fillpath.paths import atomic_write, bytes_text, require_space

MAX_MATRIX = 256 * 2**30  # Bytes.
# An archive may inflate to RATIO x its bytes + ALLOWANCE. In the collection, archives of a few hundred bytes
# reach 21 (tar pads to 10 240 bytes). Archives above 100 kB reach 8.5. Deflate itself ends at 1032.
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

    def __init__(self, raw: gzip.GzipFile, limit: int) -> None:
        self._raw, self._limit = raw, limit
        self.header: int | None = LARGEST_HEADER
        self.tell = raw.tell

    def read(self, size: int) -> bytes:
        if self.header is not None:
            self.header -= size
            if size < 0 or self.header < 0:
                raise tarfile.ReadError(f"a header of more than {bytes_text(LARGEST_HEADER)}")
        block = self._raw.read(min(size, LARGEST_READ))
        self.refuse_beyond(self.tell())
        return block

    def seek(self, position: int) -> int:
        if position < self.tell():
            raise tarfile.ReadError("it leads backwards")
        self.refuse_beyond(position)
        return self._raw.seek(position)

    def refuse_beyond(self, position: int) -> None:
        """Refuse a position beyond what the archive may inflate to."""
        if position > self._limit:
            raise tarfile.ReadError(f"it inflates to more than {bytes_text(self._limit)}, as no matrix does")


def extract(archive: Path, member: str, target: Path, where: str) -> int:
    """Write one member of the archive to `target`, whole or not at all. Returns its size in bytes.

    member : its name in the archive
    where : the origin of the archive, for messages

    Raises TransferError for an archive that is damaged, unsafe, too large, or without the member;
    DiskFullError.
    """
    try:
        with gzip.open(archive) as raw:
            inflated = _Inflated(raw, RATIO * archive.stat().st_size + ALLOWANCE)
            with tarfile.open(fileobj=cast(IO[bytes], inflated), mode="r:") as tar:
                return _write(tar, _find(tar, member, inflated), inflated, target)
    except (tarfile.TarError, EOFError, gzip.BadGzipFile, zlib.error, ValueError) as problem:
        trouble = f"no archive, or a damaged or unsafe one: {problem}; not kept"
        advice = "is FILLPATH_MIRROR right, and no login page in between?"
        raise TransferError(f"{where}: {trouble}; {advice}") from None
    except OSError as problem:
        raise TransferError(f"{where}: {archive} cannot be read: {problem.strerror}") from None


def _find(tar: tarfile.TarFile, wanted: str, inflated: _Inflated) -> tarfile.TarInfo:
    """Return the member of that name. Raises ReadError for a member before it that is not safe."""
    for count, member in enumerate(tar):
        path = PurePosixPath(member.name)
        if path.is_absolute() or ".." in path.parts:
            raise tarfile.ReadError(f"member {member.name!r} leaves its folder")
        if not (member.isreg() or member.isdir()) or member.issparse():
            raise tarfile.ReadError(f"member {member.name!r} is a link, a device or sparse")
        if count == MEMBERS:
            raise tarfile.ReadError(f"more than {MEMBERS} members")
        inflated.refuse_beyond(inflated.tell() + member.size)
        if member.name == wanted:
            return member
        inflated.header = LARGEST_HEADER
    raise tarfile.ReadError(f"there is no member {wanted}")


def _write(tar: tarfile.TarFile, member: tarfile.TarInfo, inflated: _Inflated, target: Path) -> int:
    """Write a member's content. Returns its size in bytes."""
    source = tar.extractfile(member)
    if source is None or member.size > MAX_MATRIX:
        raise tarfile.ReadError(f"member {member.name!r} is no file below {MAX_MATRIX} bytes")
    require_space(target.parent, member.size)
    inflated.header = None
    with source, storing(target), atomic_write(target, "wb") as handle:
        shutil.copyfileobj(source, cast(IO[bytes], handle), LARGEST_READ)
        if (size := handle.tell()) != member.size:
            raise EOFError(f"member {member.name} ends after {size} of {member.size} bytes")
        while inflated.read(LARGEST_READ):  # gzip's checksum is at the end, and compared when it is reached
            pass
    return member.size
