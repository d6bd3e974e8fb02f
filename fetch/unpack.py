"""Extract one member of a .tar.gz from elsewhere; nothing else is ever written.

The archive is inflated forwards, header by header, and `tarfile` parses one header at a time. It would read
extended headers of any size whole, some of them in quadratic time.
"""

import gzip
import re
import tarfile
import zlib
from pathlib import Path, PurePosixPath
from tarfile import ReadError, TarInfo

from fillpath.errors import TransferError
from fillpath.paths import atomic_write, bytes_text, require_space

MAX_MATRIX = 256 * 2**30  # Bytes.
# An archive may inflate to RATIO x its bytes + ALLOWANCE. In the collection, archives of a few hundred bytes
# reach 21 (tar pads to 10 240 bytes). Archives above 100 kB reach 8.5. Deflate itself ends at 1032.
RATIO = 100
ALLOWANCE = 64 * 2**20
MEMBERS = 1000
LARGEST_READ = 1 << 20
LARGEST_HEADER = 8192
_BLOCK = 512  # Headers and contents take whole blocks.
_LONG_NAMES = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
_EXTENDED = (tarfile.XHDTYPE, tarfile.XGLTYPE, *_LONG_NAMES)
# Records of an extended header that change how the next member is read.
_CHANGES = re.compile(rb"^[0-9]+ (path|linkpath|size|GNU\.sparse\.\w+)=", re.MULTILINE)


def extract(archive: Path, member: str, target: Path, where: str) -> int:
    """Write one member of the archive to `target`, whole or not at all. Returns its size in bytes.

    member : its name in the archive
    where : the origin of the archive, for messages

    Raises TransferError for an archive that is damaged, unsafe, too large, or without the member;
    DiskFullError.
    """
    try:
        with gzip.open(archive) as raw:
            limit = RATIO * archive.stat().st_size + ALLOWANCE
            size = _find(raw, member, limit)
            require_space(target.parent, size)
            with atomic_write(target, "wb") as handle:
                while left := size - handle.tell():
                    if not (block := raw.read(min(left, LARGEST_READ))):
                        raise EOFError(f"member {member} ends after {size - left} of {size} bytes")
                    handle.write(block)
                # gzip's checksum is at the end, and compared when it is reached.
                while raw.read(LARGEST_READ):
                    _refuse_beyond(limit, raw.tell())
            return size
    except (tarfile.TarError, EOFError, gzip.BadGzipFile, zlib.error, ValueError) as problem:
        trouble = f"no archive, or a damaged or unsafe one: {problem}; not kept"
        advice = "is FILLPATH_MIRROR right, and no login page in between?"
        raise TransferError(f"{where}: {trouble}; {advice}") from None


def _find(raw: gzip.GzipFile, wanted: str, limit: int) -> int:
    """Inflate up to the content of that member. Returns its size. Raises ReadError for an unsafe archive."""
    for _ in range(MEMBERS):
        header = raw.read(_BLOCK)
        if not header.strip(b"\0"):
            raise ReadError(f"there is no member {wanted}")
        member = TarInfo.frombuf(header, "utf-8", "surrogateescape")
        path, is_extended = PurePosixPath(member.name), member.type in _EXTENDED
        if not is_extended and (path.is_absolute() or ".." in path.parts):
            raise ReadError(f"member {member.name!r} leaves its folder")
        if not 0 <= member.size <= MAX_MATRIX:
            raise ReadError(f"member {member.name!r} is no file below {MAX_MATRIX} bytes")
        end = raw.tell() + -(-member.size // _BLOCK) * _BLOCK
        _refuse_beyond(limit, end)
        if is_extended:
            if member.size > LARGEST_HEADER:
                raise ReadError(f"a header of more than {bytes_text(LARGEST_HEADER)}")
            if member.type in _LONG_NAMES or _CHANGES.search(raw.read(member.size)):
                raise ReadError("an extended header gives a member another name, kind or size")
        elif member.type not in (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.DIRTYPE):
            raise ReadError(f"member {member.name!r} is a link, a device or sparse")
        elif member.name == wanted and not member.isdir():
            return member.size
        if not member.isdir():  # A folder has no content, whatever its size.
            raw.seek(end)
    raise ReadError(f"more than {MEMBERS} members")


def _refuse_beyond(limit: int, position: int) -> None:
    if position > limit:
        raise ReadError(f"it inflates to more than {bytes_text(limit)}, as no matrix does")
