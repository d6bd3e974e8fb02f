"""Recent failures of transfers, so that not every step that needs a file tries again at length."""

from __future__ import annotations

import contextlib
import json
import time
from pathlib import Path

from fetch.transfer import is_remote
from fillpath.errors import TransferError
from fillpath.paths import write_text

RETRY_AFTER = 600.0  # seconds


def refuse(folder: Path, location: str, label: str) -> None:
    """Raise TransferError if the transfer into that folder from that address failed a moment ago."""
    try:
        failure = json.loads(_path(folder).read_text())
        ago = time.time() - float(failure["time"])
        same, reason = failure["location"] == location, failure["reason"]
    except (OSError, ValueError, TypeError, KeyError):
        return
    if same and 0 <= ago < RETRY_AFTER:
        advice = f"`fillpath fetch {label}` tries again at once"
        raise TransferError(f"not tried again: failed {ago:.0f} s ago: {reason}; {advice}")


def note(folder: Path, location: str, problem: TransferError) -> None:
    """Store a failure, if possible. A folder needs no such note: looking there again is cheap."""
    if is_remote(location):
        failure = {"location": location, "reason": str(problem), "time": time.time()}
        with contextlib.suppress(OSError):
            write_text(_path(folder), json.dumps(failure) + "\n")


def forget(folder: Path) -> None:
    """Delete the note, so that the next try is made at once."""
    with contextlib.suppress(OSError):  # A cache that cannot be written to holds no note that matters.
        _path(folder).unlink(missing_ok=True)


def _path(folder: Path) -> Path:
    return folder / "failed.json"
