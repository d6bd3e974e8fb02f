"""Extract one member of a .tar.gz from elsewhere; nothing else is ever written.

The archive is inflated forwards, header by header, and `tarfile` parses one header at a time. It would read
extended headers of any size whole, some of them in quadratic time.
"""

import gzip
import re
import tarfile
import zlib
from pathlib import Path, PurePosixPath
from tarfile import BLOCKSIZE, ReadError, TarInfo

from fillpath.errors import TransferError
from fillpath.paths import atomic_write, bytes_text, require_space

# An archive may inflate to RATIO x its bytes + ALLOWANCE. In the collection, archives of a few hundred bytes
# reach 21 (tar pads to 10 240 bytes). Archives above 100 kB reach 8.5. Deflate itself ends at 1032.
RATIO = 100
ALLOWANCE = 64 * 2**20
MEMBERS = 1000
LARGEST_READ = 1 << 20
LARGEST_HEADER = 8192
# Records of an extended header that change how the next member is read.
_CHANGES = re.compile(rb"^[0-9]+ (path|linkpath|size|GNU\.sparse\.\w+)=", re.MULTILINE)


def extract(archive: Path, member: str, target: Path, where: str) -> None:
    """Write one member of the archive to `target`, whole or not at all.

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
                if raw.seek(limit + 1) > limit:
                    raise ReadError(f"it inflates to more than {bytes_text(limit)}, as no matrix does")
    except (tarfile.TarError, EOFError, gzip.BadGzipFile, zlib.error, ValueError) as problem:
        trouble = f"no archive, or a damaged or unsafe one: {problem}; not kept"
        advice = "is FILLPATH_MIRROR right, and no login page in between?"
        raise TransferError(f"{where}: {trouble}; {advice}") from None


def _find(raw: gzip.GzipFile, wanted: str, limit: int) -> int:
    """Inflate up to the content of that member. Returns its size. Raises ReadError for an unsafe archive."""
    for _ in range(MEMBERS):
        header = raw.read(BLOCKSIZE)
        if not header.strip(b"\0"):
            raise ReadError(f"there is no member {wanted}")
        member = TarInfo.frombuf(header, "utf-8", "surrogateescape")
        # Headers and contents take whole blocks.
        end = raw.tell() + -(-member.size // BLOCKSIZE) * BLOCKSIZE
        if member.size < 0 or end > limit:
            raise ReadError(f"member {member.name!r} inflates to more than {bytes_text(limit)}")
        path = PurePosixPath(member.name)
        if member.type in (tarfile.XHDTYPE, tarfile.XGLTYPE):
            if member.size > LARGEST_HEADER:
                raise ReadError(f"a header of more than {bytes_text(LARGEST_HEADER)}")
            if _CHANGES.search(raw.read(member.size)):
                raise ReadError("an extended header gives a member another name, kind or size")
        elif path.is_absolute() or ".." in path.parts:
            raise ReadError(f"member {member.name!r} leaves its folder")
        elif member.type not in (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.DIRTYPE):
            raise ReadError(f"member {member.name!r} is a link, a device, sparse or a long name")
        elif member.name == wanted and not member.isdir():
            return member.size
        if not member.isdir():  # A folder has no content, whatever its size.
            raw.seek(end)
    raise ReadError(f"more than {MEMBERS} members")
