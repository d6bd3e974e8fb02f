"""A batch of matrices: one that fails does not stop the others, a full disk does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from fetch.matrix_id import Generated, LocalFile, MatrixId, Unobtainable
from fetch.source import download
from fillpath.errors import DiskFullError, InputError, TransferError

How = Literal[
    "reused", "resumed", "downloaded", "copied", "generated", "own", "unobtainable", "failed", "not tried"
]


@dataclass(frozen=True)
class Outcome:
    """What became of a matrix.

    matrix : its id
    how : it was obtained, or why not
    message : for people
    arrived : bytes that were transferred now
    """

    matrix: str
    how: How
    message: str
    arrived: int = 0


def fetch_batch(matrices: Iterable[MatrixId], *, offline: bool, trust_change: bool) -> Iterator[Outcome]:
    """Get these matrices. Yields each outcome as soon as it is known."""
    full = False
    for matrix in matrices:
        outcome = Outcome(matrix.text, "not tried", "not tried: the disk is full")
        if not full:
            try:
                outcome = _fetch(matrix, offline, trust_change)
            except DiskFullError as problem:
                full = True
                outcome = Outcome(matrix.text, "failed", f"failed: {problem}")
        yield outcome


def _fetch(matrix: MatrixId, offline: bool, trust_change: bool) -> Outcome:
    match matrix:
        case Generated():
            return Outcome(matrix.text, "generated", "generated: nothing to fetch")
        case LocalFile():
            return Outcome(matrix.text, "own", "a file of your own: nothing to fetch")
        case Unobtainable(text, reason):
            return Outcome(text, "unobtainable", f"cannot be obtained: {reason}")
    try:
        archive = download(matrix, offline=offline, trust_change=trust_change)
    except (TransferError, InputError) as problem:
        return Outcome(matrix.text, "failed", f"failed: {problem}")
    return Outcome(matrix.text, archive.how, archive.message, archive.archive - archive.resumed)
