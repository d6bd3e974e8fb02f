"""The collection as a whole: its address, and its index `files/ssstats.csv`.

The index holds the number of matrices, a date, and one line per matrix. Symmetric entries are counted twice.

    group, name, rows, columns, entries, 5 properties, 2 symmetries, kind, entries with explicit zeros
"""

import contextlib
import csv
import os
from pathlib import Path
from typing import NamedTuple

from fetch.transfer import Wanted, is_remote, locked, refuse_offline, transfer
from fillpath import LOG
from fillpath.ending import line
from fillpath.errors import TransferError, suggest
from fillpath.paths import cache, write_text
from fillpath.settings import settings, without_login

SITE = "https://sparse.tamu.edu"
INDEX = "files/ssstats.csv"


class Listed(NamedTuple):
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
    base = without_login(settings().mirror or SITE).rstrip("/")
    folder = Path(os.path.expanduser(base))  # noqa: PTH111  Path's own raises for an unknown user.
    return f"{base}/{path}" if is_remote(base) else str(folder.absolute() / path)


def local_path() -> Path:
    """Return where the index is on this machine: in the mirror's folder, or else in the cache, if at all."""
    here = Path(address(INDEX))
    return here if here.is_file() else cache() / "ssstats.csv"


def local_index() -> tuple[Listed, ...]:
    """Return the matrices of the index at `local_path`; empty without one. Asks no server."""
    path = local_path()
    try:
        return parse(path.read_bytes(), path) if path.exists() else ()
    except (OSError, TransferError) as problem:
        LOG.warning("%s", line(problem))
        return ()


def refresh(*, offline: bool = False) -> tuple[Listed, ...]:
    """Replace the cached index by a new one. Raises TransferError, also if offline, and DiskFullError."""
    wanted = Wanted("the index", address(INDEX), "does FILLPATH_MIRROR hold the index?")
    refuse_offline(wanted, offline)
    path = cache() / "ssstats.csv"

    def keep(arrived: Path) -> tuple[Listed, ...]:
        listed = parse(arrived.read_bytes(), wanted.location)
        write_text(path, arrived.read_text("utf-8"))
        return listed

    with locked("index"):
        return transfer(wanted, path.with_name(f"{path.name}.part"), keep)[0]


def spelling(group: str, name: str) -> str:
    """Say what to check if Group/name cannot be obtained, as far as the local index can tell."""
    label, labels = f"{group}/{name}", [listed.label for listed in local_index()]
    if label in labels:
        return f"the collection holds {label}: does FILLPATH_MIRROR?"
    return f"is {label} spelled right, and does FILLPATH_MIRROR hold it{suggest(label, labels) or '?'}"


def parse(content: bytes, where: str | Path) -> tuple[Listed, ...]:
    """Return the matrices of an index. Raises TransferError unless it is a whole one."""
    lines = csv.reader(map(bytes.decode, content.splitlines()))
    with contextlib.suppress(ValueError, IndexError, StopIteration, csv.Error):
        count, _ = int(next(lines)[0]), next(lines)
        listed = tuple(
            Listed(group, name, int(rows), int(columns), int(entries), kind, float(pattern), float(numerical))
            for group, name, rows, columns, entries, _, _, _, _, pattern, numerical, kind, _ in lines
        )
        if len(listed) == count and all(max(m[2:5]) < 2**63 for m in listed):  # Each fits into SQLite.
            return listed
    advice = "not used; `fillpath fetch --index` gets another, from FILLPATH_MIRROR where that is set"
    raise TransferError(f"{where}: no whole index, damaged or cut near line {lines.line_num}; {advice}")
