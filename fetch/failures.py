"""What failed a moment ago is not tried at length again by each step that needs it."""

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
        noted = json.loads(_path(folder).read_text())
        ago = time.time() - float(noted["time"])
        here, reason = noted["location"] == location, noted["reason"]
    except (OSError, ValueError, TypeError, KeyError):
        return
    if here and 0 <= ago < RETRY_AFTER:
        advice = f"`fillpath fetch {label}` tries again at once"
        raise TransferError(f"not tried again: failed {ago:.0f} s ago: {reason}; {advice}")


def note(folder: Path, location: str, problem: TransferError) -> None:
    """Remember a failure where that can be written. A folder costs nothing to look into again."""
    if is_remote(location):
        noted = {"location": location, "reason": str(problem), "time": time.time()}
        with contextlib.suppress(OSError):
            write_text(_path(folder), json.dumps(noted) + "\n")


def forget(folder: Path) -> None:
    """Let the next try be made at once."""
    with contextlib.suppress(OSError):  # A cache that cannot be written to holds no note that matters.
        _path(folder).unlink(missing_ok=True)


def _path(folder: Path) -> Path:
    return folder / "failed.json"
