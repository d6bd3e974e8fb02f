"""The collection as a whole: its address, and its index `files/ssstats.csv`.

The index holds the number of matrices, a date, and one line per matrix: group, name, rows, columns, entries,
five properties, two symmetries, kind, entries with explicit zeros. Symmetric entries are counted twice.
"""

from __future__ import annotations

import csv
import functools
import logging
from dataclasses import dataclass
from pathlib import Path

from fetch.part import discard, locked
from fetch.transfer import Wanted, is_remote, transfer
from fillpath.errors import TransferError, suggest
from fillpath.paths import cache, write_text
from fillpath.settings import settings

SITE = "https://sparse.tamu.edu"
_INDEX = "files/ssstats.csv"
_COLUMNS = 13

_log = logging.getLogger("fillpath")


@dataclass(frozen=True)
class Listed:
    """A matrix of the collection. entries : with explicit zeros."""

    group: str
    name: str
    rows: int
    columns: int
    entries: int
    kind: str


def address(path: str) -> str:
    """Where a file of the collection is: under `$FILLPATH_MIRROR`, a folder or a URL, or on the site."""
    base = (settings().mirror or SITE).rstrip("/")
    return f"{base}/{path}" if is_remote(base) else str(Path(base).expanduser().absolute() / path)


def index(*, offline: bool = False) -> tuple[Listed, ...]:
    """All matrices of the collection; downloads the index if there is none here. Raises TransferError."""
    return local_index() or refresh(offline=offline)


def local_index() -> tuple[Listed, ...]:
    """The matrices of the index in the mirror's folder or in the cache; empty without one. Asks no server."""
    here = Path(address(_INDEX))
    path = here if here.is_file() else _cached()
    try:
        return _read(path, path.stat().st_mtime_ns)
    except FileNotFoundError:
        return ()
    except (OSError, TransferError) as problem:
        _log.warning("%s: not used: %s; `fillpath fetch --index` gets another", path, problem)
        return ()


def refresh(*, offline: bool = False) -> tuple[Listed, ...]:
    """Replace the cached index by that of the mirror or the site. Raises TransferError, DiskFullError."""
    wanted = Wanted("the index", address(_INDEX), "does FILLPATH_MIRROR hold the index?", offline=offline)
    part = cache() / "ssstats.csv.part"
    with locked("index"):
        arrived = transfer(wanted, part)
        try:
            listed = _read(arrived.path, arrived.path.stat().st_mtime_ns)
            write_text(_cached(), arrived.path.read_text())
        except TransferError as problem:
            raise TransferError(f"{wanted.location}: {problem}; the index in use is kept") from None
        finally:
            discard(part)
    return listed


def spelling(group: str, name: str) -> str:
    """What to check if Group/name cannot be obtained, as far as the local index can tell."""
    label = f"{group}/{name}"
    labels = [f"{listed.group}/{listed.name}" for listed in local_index()]
    if label in labels:
        return f"the collection holds {label}: does FILLPATH_MIRROR?"
    same = [other for other in labels if other.lower() == label.lower()]
    hint = f"; did you mean {same[0]}?" if same else suggest(label, labels)
    return f"is {label} spelled right, and does FILLPATH_MIRROR hold it{hint or '?'}"


def search(word: str, listed: tuple[Listed, ...]) -> list[Listed]:
    """The matrices with the word in their Group/Name or kind, ignoring case."""
    sought = word.lower()
    return [entry for entry in listed if sought in f"{entry.group}/{entry.name}\n{entry.kind}".lower()]


def _cached() -> Path:
    return cache() / "ssstats.csv"


@functools.lru_cache(maxsize=2)
def _read(path: Path, changed: int) -> tuple[Listed, ...]:
    """The matrices of an index. changed : its time of change, so that a newer file is read again. Raises
    TransferError, OSError."""
    try:
        lines = list(csv.reader(path.read_text().splitlines()))
        count, rows = int(lines[0][0]), lines[2:]
        listed = tuple(
            Listed(row[0], row[1], int(row[2]), int(row[3]), int(row[12]), row[11])
            for row in rows
            if len(row) == _COLUMNS
        )
    except (ValueError, IndexError, csv.Error):
        raise TransferError("not an index of the collection") from None
    if not len(listed) == len(rows) == count:
        raise TransferError(f"{len(listed)} whole lines of the {count} that the index announces")
    return listed
