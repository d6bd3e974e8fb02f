"""The matrices of the collection that answer a query, found by ssgetpy in the index on this machine.

Two modules of ssgetpy ask a server when they are imported, without a time limit, and write to the user's
home. So they are left out, and ssgetpy's database is filled in memory from the index.
"""

import contextlib
import logging
import sys
from typing import NamedTuple
from unittest import mock

from fetch import collection
from fetch.collection import Listed

_log = logging.getLogger("fillpath")


class Range(NamedTuple):
    """The numbers from low to high, both included; None where there is no end."""

    low: float | None = None
    high: float | None = None

    def __str__(self) -> str:
        return "..".join("" if end is None else str(end) for end in self)

    def holds(self, number: float) -> bool:
        """Tell whether the number is in the range."""
        return (self.low is None or self.low <= number) and (self.high is None or number <= self.high)


class Query(NamedTuple):
    """Conditions that a matrix has to meet, all of them: an empty field asks nothing, parts ignore case.

    search : part of Group/Name or of the kind
    name : part of the name
    group : the whole name of the group, in the collection's spelling
    kind : part of the kind
    rows, entries : as in `Listed`
    symmetry : of the pattern
    """

    search: str = ""
    name: str = ""
    group: str = ""
    kind: str = ""
    rows: Range = Range()
    entries: Range = Range()
    symmetry: Range = Range()

    def __str__(self) -> str:
        """Write the query as a user does: `--search circuit --rows 1000..`."""
        return " ".join(
            f"--{name} {text}" for name, text in self._asdict().items() if text not in ("", Range())
        )


def search(query: Query) -> tuple[Listed, ...]:
    """Find matrices in the order of the index, which comes from a server if there is none here.

    Raises TransferError and DiskFullError.
    """
    index = collection.local_index() or collection.refresh()
    numbers, word = _ask(query, index), query.search.lower()
    _log.info("answered by ssgetpy, from %s", collection.local_path())
    found = (matrix for number, matrix in enumerate(index) if number in numbers)
    # ssgetpy knows no part of a group and no symmetry.
    found = (matrix for matrix in found if word in f"{matrix.label}\n{matrix.kind}".lower())
    return tuple(matrix for matrix in found if query.symmetry.holds(matrix.pattern_symmetry))


def _ask(query: Query, index: tuple[Listed, ...]) -> set[int]:
    """Return the places in the index of the matrices that ssgetpy finds by group, name, kind and sizes."""
    for name in ("config", "dbinstance"):
        sys.modules.setdefault(f"ssgetpy.{name}", mock.Mock())
    from ssgetpy.db import MatrixDB

    texts = {"group": query.group, "name": query.name, "kind": query.kind}
    # ssgetpy writes texts into SQL as they are.
    quoted = {key: text.replace("'", "''") for key, text in texts.items() if text}
    database = MatrixDB(":memory:", "matrices")
    with contextlib.closing(database.conn) as sqlite:
        # SQLite's own LIKE takes _ and % of a text for any character.
        sqlite.create_function("like", 2, lambda pattern, text: pattern[1:-1].lower() in text.lower())
        # Its columns are ours with a number first, and three that no query names in the middle.
        database.insert([(number, *m[:5], "", 0, 0, *m[6:], m.kind) for number, m in enumerate(index)])
        found = database.search(**quoted, rowbounds=query.rows, nzbounds=query.entries, limit=len(index))
    return {matrix.id for matrix in found}
