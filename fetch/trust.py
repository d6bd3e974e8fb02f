"""Trust on first use: an address has to give the same file every time.

The checksums are stored in the cache, and outlive the matrices there.
"""

import json
from datetime import UTC, datetime
from typing import Any

from fetch.transfer import locked
from fillpath.errors import TransferError
from fillpath.paths import cache, write_json
from fillpath.settings import without_login

_NAME, _KEYS = "trust.json", ("sha256", "bytes", "first_seen")


def checksums() -> dict[str, dict[str, Any]]:
    """Read SHA-256, bytes and ISO 8601 time of the file that each address gave. Raises TransferError."""
    path = cache() / _NAME
    try:
        known = json.loads(without_login(path.read_text()))
        return {place: {key: entry[key] for key in _KEYS} for place, entry in known.items()}
    except FileNotFoundError:
        return {}
    except (ValueError, AttributeError, TypeError, KeyError):
        advice = "correct it, or remove it to trust every address again"
        raise TransferError(f"{path}: not the record of checksums that it should be; {advice}") from None


def record(location: str, sha256: str, size: int) -> None:
    """Store the checksum and length of the file that an address gave now, in place of an earlier one."""
    with locked("trust"):
        known, now = checksums(), datetime.now(UTC).isoformat(timespec="seconds")
        if location not in known or known[location]["sha256"] != sha256:
            known[location] = {"sha256": sha256, "bytes": size, "first_seen": now}
            write_json(cache() / _NAME, known)
