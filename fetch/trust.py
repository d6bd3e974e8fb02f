"""Trust on first use: what an address gave the first time, it has to give again.

The record lies in the cache beside the matrices and outlives them.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from fetch.part import locked, storing
from fillpath.errors import TransferError
from fillpath.paths import cache, write_text


@dataclass(frozen=True)
class Known:
    """What an address gave: sha256 and length in bytes of the file, and when, in ISO 8601."""

    sha256: str
    bytes: int
    first_seen: str


def known(location: str) -> Known | None:
    """What that address gave the first time, None if it was never used. Raises TransferError."""
    return _read().get(location)


def record(location: str, sha256: str, size: int) -> None:
    """Remember what that address gave, `size` bytes long, in place of what it gave before."""
    with locked("trust"), storing(_path()):
        entries = _read()
        if location in entries and entries[location].sha256 == sha256:
            return
        entries[location] = Known(sha256, size, datetime.now(UTC).isoformat(timespec="seconds"))
        plain = {place: asdict(entry) for place, entry in entries.items()}
        write_text(_path(), json.dumps(plain, indent=1, sort_keys=True) + "\n")


def _path() -> Path:
    return cache() / "trust.json"


def _read() -> dict[str, Known]:
    try:
        return {place: Known(**entry) for place, entry in json.loads(_path().read_text()).items()}
    except FileNotFoundError:
        return {}
    except (ValueError, AttributeError, TypeError):
        advice = "mend it, or remove it to trust every address anew"
        raise TransferError(f"{_path()}: not the record of checksums that it should be; {advice}") from None
