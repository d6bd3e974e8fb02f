"""Get one file from a folder or an http(s) address.

archive = transfer(Wanted("HB/west0067", "https://.../west0067.tar.gz", "is the name right?"), Part(path))
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from fetch.part import Part
from fillpath.errors import TransferError
from fillpath.settings import settings


class Wanted(NamedTuple):
    """A file to get.

    label : its name for people
    location : a path or an http(s) URL
    hint : what to check if the file is missing
    expansion : bytes that one byte of the file takes when unpacked
    limit : seconds for the only attempt, 0 for several of any length
    sha256 : of the file, empty if not known
    """

    label: str
    location: str
    hint: str
    expansion: int = 0
    limit: float = 0.0
    sha256: str = ""


def is_remote(location: str) -> bool:
    """Tell whether the location is a URL."""
    return re.match(r"[A-Za-z]+://", location) is not None


def refuse_offline(wanted: Wanted, offline: bool) -> None:
    """Raise TransferError if a server would have to be asked, and the call or the settings forbid it."""
    if is_remote(wanted.location) and (offline or settings().offline):
        remedy = "drop --offline" if offline else "unset FILLPATH_OFFLINE"
        remedy += ", or set FILLPATH_MIRROR to a folder that holds it"
        raise TransferError(f"offline: {wanted.label} is not in the cache; {remedy}")


def transfer(wanted: Wanted, part: Part) -> Path:
    """Return the original in a folder, or the part once it is whole, which the caller has to discard.

    Raises TransferError and DiskFullError; a later call resumes what has arrived.
    """
    if is_remote(wanted.location):
        # Its libraries take 0.2 s to import, and most processes download nothing.
        from fetch.download import download

        download(wanted, part)
        return part.path
    original = Path(wanted.location)
    if not original.is_file():
        raise TransferError(f"{original}: no such file; {wanted.hint}")
    if not os.access(original, os.R_OK):
        raise TransferError(f"{original}: cannot be read; {wanted.hint}")
    return original
