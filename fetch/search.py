"""The collection's matrices that answer a query: by ssgetpy, or by the index that is here.

ssgetpy asks a server when it is imported, without a time limit, and keeps a database in the user's home. So
it runs in a process of its own (`fetch/search_child.py`), for at most LIMIT seconds, with a folder of the
cache as its home. Where it cannot be asked or does not answer, the index in the mirror's folder or in the
cache gives the same matrices.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fetch import collection
from fetch.collection import Listed
from fetch.part import storing
from fetch.query import Query
from fetch.transfer import is_remote
from fillpath.errors import FillpathError, TransferError
from fillpath.lock import exclusive
from fillpath.paths import ROOT, cache
from fillpath.settings import PREFIX, settings

LIMIT = 20.0  # seconds, and as many for another process that is asking
# ssgetpy gives ten matrices unless told.
_EVERY = 10**9


@dataclass(frozen=True)
class Answer:
    """The matrices that a query matches, in the index's order. by : who answered, and why, for people."""

    matrices: tuple[Listed, ...]
    by: str


def search(query: Query) -> Answer:
    """The matrices sought. Raises TransferError if nobody can tell."""
    try:
        matrices, by = _ask(query), f"ssgetpy, from {collection.address(collection.INDEX)}"
    except FillpathError as problem:
        matrices, by = collection.local_index(), f"{collection.local_path()}: {problem}"
        if not matrices:
            advice = "with a server in reach, `fillpath fetch --index` gets one"
            raise TransferError(f"{problem}, and {collection.local_path()} is no index; {advice}") from None
    return Answer(tuple(filter(query.matches, matrices)), by)


def forget() -> None:
    """Let ssgetpy ask for the index anew. Raises TransferError, BusyError."""
    with storing(_folder()), exclusive(_lock(), LIMIT):
        shutil.rmtree(_folder(), ignore_errors=True)


def narrowed(query: Query) -> dict[str, Any]:
    """What ssgetpy.search is called with. Its answer holds all matrices sought, and maybe more: in a name or
    kind `_` and `%` stand for anything, and it knows no part of a group and no symmetry."""
    texts = {"group": query.group, "name": query.name, "kind": query.kind}
    # It writes them into SQL as they are.
    quoted = {key: text.replace("'", "''") for key, text in texts.items() if text}
    rows, entries = query.rows, query.entries
    bounds = {"rowbounds": (rows.low, rows.high), "nzbounds": (entries.low, entries.high)}
    return {**quoted, **bounds, "limit": _EVERY}


def command(home: Path) -> list[str]:
    """The process that asks ssgetpy, to be started in ROOT. home : where ssgetpy keeps its database."""
    return [sys.executable, "-m", "fetch.search_child", str(home)]


def environment() -> dict[str, str]:
    """Of that process: of the settings those that it reads, since its folder is another."""
    others = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    return {**others, "FILLPATH_CACHE": str(cache().absolute()), "FILLPATH_MIRROR": settings().mirror}


def _ask(query: Query) -> tuple[Listed, ...]:
    """What ssgetpy answers. Raises TransferError, DiskFullError, BusyError."""
    address = collection.address(collection.INDEX)
    if settings().offline:
        raise TransferError("FILLPATH_OFFLINE asks no server")
    if not is_remote(address):
        raise TransferError("FILLPATH_MIRROR is a folder, and ssgetpy asks servers only")
    # One for each address: ssgetpy does not know where its database came from.
    home = _folder() / hashlib.sha256(address.encode()).hexdigest()[:16]
    with storing(home), exclusive(_lock(), LIMIT):
        home.mkdir(parents=True, exist_ok=True)
        return _answer(home.absolute(), json.dumps(narrowed(query)))


def _answer(home: Path, question: str) -> tuple[Listed, ...]:
    try:
        done = subprocess.run(
            command(home), cwd=ROOT, env=environment(), input=question, capture_output=True,
            encoding="utf-8", errors="replace", timeout=LIMIT, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise TransferError(f"ssgetpy gave no answer within {LIMIT:g} s") from None
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
        raise TransferError(f"ssgetpy failed ({lines[-1]})")
    return tuple(Listed(*row) for row in json.loads(done.stdout))


def _folder() -> Path:
    return cache() / "ssgetpy"


def _lock() -> Path:
    # Two processes would write one database.
    return cache() / "locks" / "ssgetpy.lock"
