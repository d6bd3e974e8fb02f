"""The matrices of the collection that answer a query, found by ssgetpy in the index on this machine.

ssgetpy asks a server when it is imported, without a time limit, and keeps a database in the user's home. So
its import meets an empty index and an empty home, and its database is filled in memory. Where ssgetpy fails,
the same index is searched without it.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import logging
import os
import tempfile
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from fetch import collection
from fetch.collection import Listed

LIMIT = 20.0  # Seconds: a person waits, who can ask again.


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
    """Conditions that a matrix has to meet, all of them; an empty field asks nothing.

    search : part of Group/Name or of the kind
    name : part of the name
    group : the whole name of the group, in the collection's spelling
    kind : part of the kind
    rows, entries : as in `Listed`
    symmetry : of the pattern

    Parts ignore the case of the letters A to Z, as SQLite's LIKE does.
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
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return " ".join(f"--{name} {value}" for name, value in values.items() if value not in ("", Range()))

    def matches(self, matrix: Listed) -> bool:
        """Tell whether the matrix meets the query."""
        return (
            _folded(self.search) in _folded(f"{matrix.label}\n{matrix.kind}")
            and _folded(self.name) in _folded(matrix.name)
            and self.group in ("", matrix.group)
            and _folded(self.kind) in _folded(matrix.kind)
            and matrix.rows in self.rows
            and matrix.entries in self.entries
            and matrix.pattern_symmetry in self.symmetry
        )


@dataclass(frozen=True)
class Answer:
    """The matrices that a query matches, in the index's order. by : what answered, and why, for people."""

    matrices: tuple[Listed, ...]
    by: str


def search(query: Query) -> Answer:
    """Find matrices, in an index from a server if there is none here.

    Raises TransferError, DiskFullError, and BusyError if another process downloads it beyond LIMIT.
    """
    here = collection.local_index() or collection.refresh(limit=LIMIT)
    path = collection.local_path()
    try:
        labels, by = ask(query, path), f"ssgetpy, from {path}"
    except Exception as problem:  # ssgetpy's own, of any kind: the index answers as well.
        labels = {matrix.label for matrix in here}
        by = f"{path}: ssgetpy failed ({type(problem).__name__}: {problem})"
    return Answer(tuple(m for m in here if m.label in labels and query.matches(m)), by)


def ask(query: Query, index: Path) -> set[str]:
    """Ask ssgetpy for the Group/Name of all matrices of the query, and maybe of more.

    In a name or kind `_` and `%` match anything, and ssgetpy knows no part of a group and no symmetry.
    """
    db, csvindex = _ssgetpy()
    database = db.MatrixDB(":memory:")
    texts = {"group": query.group, "name": query.name, "kind": query.kind}
    # ssgetpy writes texts into SQL as they are.
    quoted = {key: text.replace("'", "''") for key, text in texts.items() if text}
    rows, entries = ((bound.low, bound.high) for bound in (query.rows, query.entries))
    with contextlib.closing(database.conn):
        database.refresh(csvindex.gen_rows(index.read_text("utf-8").splitlines()[2:]))
        found = database.search(**quoted, rowbounds=rows, nzbounds=entries, limit=10**9)
    return {f"{matrix.group}/{matrix.name}" for matrix in found}


def _ssgetpy() -> tuple[Any, Any]:
    """Import ssgetpy's database and its reader of an index, which reaches no server and no home."""
    from unittest import mock

    import requests

    # Its empty index is nothing to tell a user about.
    logging.getLogger("ssgetpy").setLevel(logging.WARNING)
    answer = requests.Response()
    answer.raw = io.BytesIO(b"0\nan empty index\n")
    with (
        tempfile.TemporaryDirectory() as home,
        mock.patch.dict(os.environ, HOME=home),
        mock.patch.object(requests, "get", lambda _: answer),
    ):
        return importlib.import_module("ssgetpy.db"), importlib.import_module("ssgetpy.csvindex")


def _folded(text: str) -> bytes:
    # `lower` changes A to Z alone in bytes.
    return text.encode(errors="surrogatepass").lower()
