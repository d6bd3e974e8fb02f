"""The matrices of the collection that answer a query, found by ssgetpy in the index on this machine.

Two modules of ssgetpy ask a server when they are imported, without a time limit, and write to the user's
home. So they are left out, and ssgetpy's database is filled in memory from the index.
"""

import contextlib
import sys
from typing import NamedTuple
from unittest import mock

from fetch import collection
from fillpath import LOG


class Range(NamedTuple):
    """The numbers from low to high, both included; None where there is no end."""

    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        return "..".join("" if end is None else str(end) for end in self)

    def holds(self, number: float) -> bool:
        """Tell whether the number is in the range."""
        return (self.low is None or self.low <= number) and (self.high is None or number <= self.high)


def search(
    search: str = "",
    name: str = "",
    group: str = "",
    kind: str = "",
    rows: Range | None = None,
    entries: Range | None = None,
    symmetry: Range | None = None,
) -> tuple[collection.Listed, ...]:
    """Find the matrices that meet all conditions, in the order of the index.

    search : part of Group/Name or of the kind, in any case, as name and kind
    name : part of the name
    group : the whole name of the group, in the collection's spelling
    kind : part of the kind
    rows, entries : as in `collection.Listed`
    symmetry : of the pattern

    The index comes from a server if there is none here. Raises TransferError and DiskFullError.
    """
    for module in ("config", "dbinstance"):
        sys.modules.setdefault(f"ssgetpy.{module}", mock.Mock())
    from ssgetpy.db import MatrixDB

    index = collection.local_index() or collection.refresh()
    database = MatrixDB(":memory:", "matrices")
    texts = {"group": group, "name": name, "kind": kind}
    # ssgetpy writes texts into SQL as they are.
    quoted = {key: text.replace("'", "''") for key, text in texts.items() if text}
    with contextlib.closing(database.conn) as sqlite:
        # SQLite's own LIKE takes _ and % of a text for any character.
        sqlite.create_function("like", 2, lambda pattern, text: pattern[1:-1].lower() in text.lower())
        # Its columns are ours with a number first, and three that no condition names in the middle.
        database.insert([(number, *m[:5], "", 0, 0, *m[6:], m.kind) for number, m in enumerate(index)])
        found = database.search(**quoted, rowbounds=rows, nzbounds=entries, limit=len(index))
    LOG.info("answered by ssgetpy, from %s", collection.local_path())
    matrices = (index[number] for number in sorted(matrix.id for matrix in found))
    # ssgetpy knows no part of a group and no symmetry.
    matrices = (m for m in matrices if search.lower() in f"{m.label}\n{m.kind}".lower())
    return tuple(m for m in matrices if symmetry is None or symmetry.holds(m.pattern_symmetry))
