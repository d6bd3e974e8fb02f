"""Trust on first use: an address has to give the same file every time.

The checksums are stored in the cache, and outlive the matrices there.
"""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from fetch.transfer import locked
from fillpath.errors import TransferError
from fillpath.paths import cache, write_text


class Checksum(NamedTuple):
    """The file that an address gave: SHA-256, length in bytes, and the time in ISO 8601."""

    sha256: str
    bytes: int
    first_seen: str


def checksums() -> dict[str, Checksum]:
    """Read the file that each address gave first. Raises TransferError."""
    try:
        return {place: Checksum(**entry) for place, entry in json.loads(_path().read_text()).items()}
    except FileNotFoundError:
        return {}
    except (ValueError, AttributeError, TypeError):
        advice = "correct it, or remove it to trust every address again"
        raise TransferError(f"{_path()}: not the record of checksums that it should be; {advice}") from None


def record(location: str, sha256: str, size: int) -> None:
    """Store the checksum and length of the file that an address gave now, in place of an earlier one."""
    with locked("trust"):
        entries = checksums()
        if location not in entries or entries[location].sha256 != sha256:
            entries[location] = Checksum(sha256, size, datetime.now(UTC).isoformat(timespec="seconds"))
            plain = {place: entry._asdict() for place, entry in entries.items()}
            write_text(_path(), json.dumps(plain, indent=1, sort_keys=True) + "\n")


def _path() -> Path:
    return cache() / "trust.json"
