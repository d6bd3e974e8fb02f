"""The collection as a whole: its address, and its index `files/ssstats.csv`.

The index holds the number of matrices, a date, and one line per matrix. Symmetric entries are counted twice.

    group, name, rows, columns, entries, 5 properties, 2 symmetries, kind, entries with explicit zeros
"""

from __future__ import annotations

import csv
import functools
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fetch.part import discard, locked, storing
from fetch.transfer import Wanted, is_remote, transfer
from fillpath.errors import TransferError, suggest
from fillpath.paths import cache, expanded, write_text
from fillpath.settings import settings

SITE = "https://sparse.tamu.edu"
INDEX = "files/ssstats.csv"
_COLUMNS = 13

_log = logging.getLogger("fillpath")


@dataclass(frozen=True)
class Listed:
    """A matrix of the collection.

    entries : without explicit zeros, as ssgetpy counts them; symmetric ones count twice
    kind : what the matrix describes
    pattern_symmetry : of the entries off the diagonal, the share whose mirror image is an entry, 0 to 1
    numerical_symmetry : the share whose mirror image has the same value
    """

    group: str
    name: str
    rows: int
    columns: int
    entries: int
    kind: str
    pattern_symmetry: float
    numerical_symmetry: float

    @property
    def label(self) -> str:
        """Return Group/Name."""
        return f"{self.group}/{self.name}"


def address(path: str) -> str:
    """Return where a file of the collection is: in `$FILLPATH_MIRROR` (a folder or URL), or on the site."""
    base = (settings().mirror or SITE).rstrip("/")
    return f"{base}/{path}" if is_remote(base) else str(expanded(base).absolute() / path)


def local_path() -> Path:
    """Return where the index is on this machine: in the mirror's folder, or else in the cache, if at all."""
    here = Path(address(INDEX))
    return here if here.is_file() else _cached()


def local_index() -> tuple[Listed, ...]:
    """Return the matrices of the index at `local_path`; empty without one. Asks no server."""
    path = local_path()
    try:
        return _read(path, path.stat().st_mtime_ns)
    except FileNotFoundError:
        return ()
    except (OSError, TransferError) as problem:
        _log.warning("%s: not used: %s; `fillpath fetch --index` gets another", path, problem)
        return ()


def refresh(*, offline: bool = False, limit: float = 0.0) -> tuple[Listed, ...]:
    """Replace the cached index by that of the mirror or the site. offline, limit : as in `Wanted`.

    Raises TransferError, DiskFullError, and BusyError if another process downloads it beyond the limit.
    """
    hint = "does FILLPATH_MIRROR hold the index?"
    wanted = Wanted("the index", address(INDEX), hint, offline=offline, limit=limit)
    part = cache() / "ssstats.csv.part"
    with locked("index", limit or None):
        arrived = transfer(wanted, part)
        try:
            content = arrived.path.read_bytes()
            listed = _parse(content)
            with storing(_cached()):
                write_text(_cached(), content.decode())
        except TransferError as problem:
            raise TransferError(f"{wanted.location}: {problem}; the index in use is kept") from None
        finally:
            discard(part)
    return listed


def spelling(group: str, name: str) -> str:
    """Say what to check if Group/name cannot be obtained, as far as the local index can tell."""
    label, labels = f"{group}/{name}", [listed.label for listed in local_index()]
    if label in labels:
        return f"the collection holds {label}: does FILLPATH_MIRROR?"
    return f"is {label} spelled right, and does FILLPATH_MIRROR hold it{nearest(label, labels) or '?'}"


def nearest(text: str, labels: Sequence[str]) -> str:
    """Return `; did you mean ...?` for the label of that spelling or a similar one; empty for none."""
    same = [word for word in labels if text.lower() in (word.lower(), word.lower().partition("/")[2])]
    return f"; did you mean {same[0]}?" if same else suggest(text, labels)


def _cached() -> Path:
    return cache() / "ssstats.csv"


@functools.lru_cache(maxsize=2)
def _read(path: Path, changed: int) -> tuple[Listed, ...]:
    """Read an index. changed : its time of change, so that a newer file is read again."""
    return _parse(path.read_bytes())


def _parse(content: bytes) -> tuple[Listed, ...]:
    """Return the matrices of an index. Raises TransferError unless it is a whole one."""
    try:
        lines = list(csv.reader(content.decode().splitlines()))
        count, rows = int(lines[0][0]), lines[2:]
        listed = tuple(_listed(row) for row in rows if len(row) == _COLUMNS)
    except (ValueError, IndexError, csv.Error):
        raise TransferError("not an index of the collection") from None
    if not len(listed) == len(rows) == count:
        raise TransferError(f"{len(listed)} whole lines of the {count} that the index announces")
    return listed


def _listed(row: list[str]) -> Listed:
    rows, columns, entries = map(int, row[2:5])
    return Listed(row[0], row[1], rows, columns, entries, row[11], float(row[9]), float(row[10]))
