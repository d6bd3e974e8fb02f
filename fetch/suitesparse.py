"""One matrix from the SuiteSparse Matrix Collection, or a mirror of it, into the cache.

Source: T. A. Davis, Y. Hu, "The University of Florida Sparse Matrix Collection", ACM TOMS 38(1), 2011. Only
the member `<name>/<name>.mtx` of an archive is ever written, and only as a plain file of bounded size.

    fetch("HB", "west0067").path        the .mtx file, from the cache or downloaded now

The order of the steps keeps the cache whole if a process is killed between two.
"""

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from fetch import catalogue, published, trust
from fetch.collection import address, spelling
from fetch.transfer import Wanted, is_remote, locked, read_note, refuse_offline, transfer
from fetch.unpack import extract
from fillpath.errors import TransferError
from fillpath.holdings import digest_of
from fillpath.paths import bytes_text, cache, write_json

RETRY_AFTER = 600.0  # seconds after a failure, before which not every step that needs a file tries again
_FAILED, _RECEIPT = "failed.json", "receipt.json"


class Download(NamedTuple):
    """A matrix in the cache.

    path : the .mtx file
    sha256 : of the archive
    how : reused, resumed, downloaded or copied
    message : what happened, for people
    arrived : bytes of the archive that came now
    """

    path: Path
    sha256: str
    how: str
    message: str
    arrived: int = 0


def fetch(
    group: str, name: str, sha256: str = "", *, offline: bool = False, trust_change: bool = False
) -> Download:
    """Return the matrix Group/name, from the cache, `$FILLPATH_MIRROR` (a folder or URL) or the site.

    sha256 : of the archive; if empty, it must be the one that the address gave before
    offline : ask no server, as with FILLPATH_OFFLINE=1
    trust_change : download again, and accept a change

    Several processes may call this at the same time. Raises DiskFullError, and TransferError for anything
    else, at once if it went wrong a moment ago.
    """
    path = _path(group, name)
    if not trust_change and (found := cached(group, name, sha256)):
        return found
    wanted = wanted_archive(group, name)
    refuse_offline(wanted, offline)
    with locked(f"{group}+{name}"):
        if not trust_change and (found := cached(group, name, sha256)):
            return found
        for orphan in path.parent.glob(".*.tmp"):  # of a killed process: only the lock's holder writes here
            orphan.unlink(missing_ok=True)
        with _failing_once(path.with_name(_FAILED), wanted):
            given, how, arrived = _obtain(path, wanted, sha256, trust_change)
        # The receipt comes last: without it the matrix counts as absent.
        receipt = {"sha256": given, "source": wanted.location, "bytes": path.stat().st_size}
        write_json(path.with_name(_RECEIPT), receipt)
        forget_failure(group, name)
    return Download(path, given, how, f"{how} {bytes_text(arrived)} from {wanted.location}", arrived)


def wanted_archive(group: str, name: str) -> Wanted:
    """Return the archive of a matrix, or the files that its authors published."""
    entry = catalogue.find(f"{group}/{name}")
    if entry is not None and entry.address:
        return published.wanted(entry)
    return Wanted(f"{group}/{name}", address(f"MM/{group}/{name}.tar.gz"), spelling(group, name))


def cached(group: str, name: str, sha256: str = "") -> Download | None:
    """Return the matrix if the cache holds it completely, and with this sha256 if one is given."""
    path = _path(group, name)
    given, source, size = read_note(path.with_name(_RECEIPT), sha256="", source="", bytes=0)
    whole = given and sha256 in ("", given) and path.is_file() and path.stat().st_size == size
    return Download(path, given, "reused", f"reused {path} from {source}") if whole else None


def forget_failure(group: str, name: str) -> None:
    """Let the next `fetch` of that matrix try at once, even if one failed a moment ago."""
    with contextlib.suppress(OSError):  # A cache that cannot be written to holds no note that matters.
        _path(group, name).with_name(_FAILED).unlink(missing_ok=True)


def _path(group: str, name: str) -> Path:
    return cache() / "matrices" / group / name / f"{name}.mtx"


@contextlib.contextmanager
def _failing_once(note: Path, wanted: Wanted) -> Iterator[None]:
    """Note a failure of the block, and raise the failure of a moment ago from that address again."""
    location, reason, since = read_note(note, location="", reason="", time=0)
    if location == wanted.location and 0 <= time.time() - since < RETRY_AFTER:
        raise TransferError(reason)
    try:
        yield
    except TransferError as problem:
        if not is_remote(wanted.location):  # Looking into a folder again is cheap.
            raise
        reason = f"{problem}; not tried again for {RETRY_AFTER:g} s unless by `fillpath fetch {wanted.label}`"
        with contextlib.suppress(OSError):
            write_json(note, {"location": wanted.location, "reason": reason, "time": int(time.time())})
        raise TransferError(reason) from None


def _obtain(path: Path, wanted: Wanted, expected: str, trust_change: bool) -> tuple[str, str, int]:
    """Put the matrix into the cache. Returns the archive's checksum, how it came, and its bytes that came.

    expected : SHA-256 of the archive; if empty, it must be the one that the address gave before
    """
    if Path(wanted.location).name.startswith(published.NAME):
        return published.write(path, wanted, expected)
    before = None if expected or trust_change else trust.checksums().get(wanted.location)

    def keep(archive: Path) -> str:
        sha256 = digest_of(archive)
        other = f"{wanted.location}: sha256 {sha256} is not the"
        if expected not in ("", sha256):
            advice = "(config/matrices.csv); not kept; is FILLPATH_MIRROR right?"
            raise TransferError(f"{other} expected {expected} {advice}")
        if before is not None and before["sha256"] != sha256:
            advice = f"not kept; if the change is meant, `fillpath fetch --trust {wanted.label}` accepts it"
            given = f"{before['sha256']} that this address gave on {before['first_seen'][:10]}"
            raise TransferError(f"{other} {given}; {advice}")
        # An old receipt must not vouch for the new content.
        path.with_name(_RECEIPT).unlink(missing_ok=True)
        extract(archive, f"{path.stem}/{path.name}", path, wanted.location)
        if not expected:
            trust.record(wanted.location, sha256, archive.stat().st_size)
        return sha256

    return transfer(wanted, path.with_name(f"{path.stem}.tar.gz.part"), keep)
