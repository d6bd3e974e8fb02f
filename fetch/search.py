"""The matrices of the collection that answer a query, found by ssgetpy in the index on this machine.

The package ssgetpy asks a server when it is imported, without a time limit, and keeps a database in the
user's home. So only its database is imported, in an empty home, and filled in memory from the index. Where
ssgetpy fails, the same index is searched without it.
"""

import contextlib
import importlib.util
import logging
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from unittest import mock

from fetch import collection
from fetch.collection import Listed

_log = logging.getLogger("fillpath")


@dataclass(frozen=True)
class Range:
    """The numbers from low to high, both included; None where there is no end."""

    low: float | None = None
    high: float | None = None

    def __contains__(self, number: float) -> bool:
        return (self.low is None or self.low <= number) and (self.high is None or number <= self.high)

    def __str__(self) -> str:
        return "..".join("" if end is None else str(end) for end in (self.low, self.high))


@dataclass(frozen=True)
class Query:
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
        return " ".join(f"--{name} {text}" for name, text in vars(self).items() if text not in ("", Range()))

    def matches(self, matrix: Listed) -> bool:
        """Tell whether the matrix meets the query."""
        return (
            self.search.lower() in f"{matrix.label}\n{matrix.kind}".lower()
            and self.name.lower() in matrix.name.lower()
            and self.group in ("", matrix.group)
            and self.kind.lower() in matrix.kind.lower()
            and matrix.rows in self.rows
            and matrix.entries in self.entries
            and matrix.pattern_symmetry in self.symmetry
        )


def search(query: Query) -> tuple[Listed, ...]:
    """Find matrices in the order of the index, which comes from a server if there is none here.

    Raises TransferError and DiskFullError.
    """
    here = collection.local_index() or collection.refresh()
    path = collection.local_path()
    try:
        labels, by = ask(query, here), f"ssgetpy, from {path}"
    except Exception as problem:  # ssgetpy's own, of any kind: the index answers as well.
        labels = {matrix.label for matrix in here}
        by = f"{path}: ssgetpy failed ({type(problem).__name__}: {problem})"
    _log.info("answered by %s", by)
    return tuple(matrix for matrix in here if matrix.label in labels and query.matches(matrix))


def ask(query: Query, index: Sequence[Listed]) -> set[str]:
    """Ask ssgetpy for the Group/Name of all matrices of an index that answer the query, and maybe of more.

    In a name or kind `_` and `%` match anything, and ssgetpy knows no part of a group and no symmetry.
    """
    database = _ssgetpy().MatrixDB(":memory:")
    texts = {"group": query.group, "name": query.name, "kind": query.kind}
    # ssgetpy writes texts into SQL as they are.
    quoted = {key: text.replace("'", "''") for key, text in texts.items() if text}
    rows, entries = ((bound.low, bound.high) for bound in (query.rows, query.entries))
    with contextlib.closing(database.conn):
        # Its columns are ours with a number first, and three that no query names in the middle.
        database.insert([(None, *m[:5], "", 0, 0, *m[6:], m.kind) for m in index])
        found = database.search(**quoted, rowbounds=rows, nzbounds=entries, limit=10**9)
    return {f"{matrix.group}/{matrix.name}" for matrix in found}


def _ssgetpy() -> Any:
    """Import ssgetpy's database, but not its package, in an empty home."""
    spec = importlib.util.find_spec("ssgetpy")
    if spec is None:
        raise ImportError("ssgetpy is not installed")
    # Empty: the package's own code would open a file in the home.
    sys.modules["ssgetpy"] = importlib.util.module_from_spec(spec)
    with tempfile.TemporaryDirectory() as home, mock.patch.dict(os.environ, HOME=home):
        return importlib.import_module("ssgetpy.db")
