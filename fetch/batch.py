"""Matrices one after another: one that fails stops no other, a full disk stops the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from fetch import catalogue
from fillpath.errors import DiskFullError, InputError, TransferError

How = Literal[
    "reused", "resumed", "downloaded", "copied", "generated", "own", "unobtainable", "failed", "not tried"
]


@dataclass(frozen=True)
class Outcome:
    """What became of a matrix. told : for people. arrived : bytes that were moved now."""

    matrix: str
    how: How
    told: str
    arrived: int = 0


def fetch_each(matrices: Iterable[str], *, offline: bool, trust_change: bool) -> Iterator[Outcome]:
    """Get the matrices of these ids, each outcome as soon as it is known."""
    full = False
    for matrix in matrices:
        outcome = Outcome(matrix, "not tried", "not tried: the disk is full")
        if not full:
            try:
                outcome = _fetch(matrix, offline, trust_change)
            except DiskFullError as problem:
                full = True
                outcome = Outcome(matrix, "failed", f"failed: {problem}")
        yield outcome


def _fetch(matrix: str, offline: bool, trust_change: bool) -> Outcome:
    entry = catalogue.entry_of(matrix)
    if entry is not None and not entry.obtainable:
        return Outcome(matrix, "unobtainable", f"cannot be had: {entry.kind}")
    try:
        got = catalogue.download(matrix, offline=offline, trust_change=trust_change)
    except (TransferError, InputError) as problem:
        return Outcome(matrix, "failed", f"failed: {problem}")
    if got is not None:
        return Outcome(matrix, got.how, got.told, got.archive - got.resumed)
    if matrix.startswith("local+"):
        return Outcome(matrix, "own", "a file of your own: nothing to fetch")
    return Outcome(matrix, "generated", "generated: nothing to fetch")
