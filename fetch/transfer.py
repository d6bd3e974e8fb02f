"""Get one file from a folder or an http(s) address.

The caller checks the content: `Arrived.doubtful` tells whether a download from the start may differ.

    arrived = transfer(Wanted("HB/west0067", "https://.../west0067.tar.gz", "is the name right?"), part)
"""

from __future__ import annotations

import logging
import os
import re
from dataclasses import dataclass
from pathlib import Path

from fetch.part import Part
from fillpath.errors import TransferError
from fillpath.paths import bytes_text
from fillpath.settings import settings

_log = logging.getLogger("fillpath")


@dataclass(frozen=True)
class Wanted:
    """A file to get.

    label : its name for people
    location : a path or an http(s) URL
    hint : what to check if the file is missing
    expansion : bytes that one byte of the file takes when unpacked
    offline : never ask a server
    limit : seconds for the only attempt, 0 for several of any length
    """

    label: str
    location: str
    hint: str
    expansion: int = 0
    offline: bool = False
    limit: float = 0.0


@dataclass(frozen=True)
class Arrived:
    """A whole file.

    path : of the file
    resumed : bytes that an earlier process had left
    doubtful : whether several answers make up the file, or no length was announced
    """

    path: Path
    resumed: int = 0
    doubtful: bool = False


def is_remote(location: str) -> bool:
    """Tell whether the location is a URL."""
    return re.match(r"[A-Za-z]+://", location) is not None


def refuse_offline(wanted: Wanted) -> None:
    """Raise TransferError if a server would have to be asked in offline mode."""
    if is_remote(wanted.location) and (wanted.offline or settings().offline):
        remedy = "drop --offline" if wanted.offline else "unset FILLPATH_OFFLINE"
        remedy += ", or set FILLPATH_MIRROR to a folder that holds it"
        raise TransferError(f"offline: {wanted.label} is not in the cache; {remedy}")


def transfer(wanted: Wanted, path: Path) -> Arrived:
    """Return the original in a folder, or a download at `path`, which the caller has to remove.

    Raises TransferError and DiskFullError; a later call resumes what has arrived at `path`.
    """
    refuse_offline(wanted)
    if is_remote(wanted.location):
        # Its libraries take 0.2 s to import, and most processes download nothing.
        from fetch.download import download

        part = Part(path, wanted.location)
        if part.inherited:
            _log.info("%s: resuming at %s", wanted.label, bytes_text(part.inherited))
        download(wanted, part)
        return Arrived(path, part.inherited, part.doubtful)
    original = Path(wanted.location)
    if not original.is_file():
        raise TransferError(f"{original}: no such file; {wanted.hint}")
    if not os.access(original, os.R_OK):
        raise TransferError(f"{original}: cannot be read; {wanted.hint}")
    return Arrived(original)
