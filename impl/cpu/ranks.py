"""Parts of a filled pattern by rows, one per MPI rank, and how they are gathered.

mpi4py is imported only where it is needed.
"""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit, prange

from fillpath.errors import InputError, UnavailableError
from fillpath.nouns import Array, Counts, Filled, Pattern

# Entries per message: older versions of MPI count them in 31 bits.
MESSAGE = 2**28


@dataclass(frozen=True, eq=False)
class Part:
    """Some rows of F.

    rows : (k,) int32, ascending
    lower, upper, edges : (n,) int64, 0 for other rows
    indices : (entries,) int32, the columns, row after row; None if only counts are wanted
    """

    rows: Array
    lower: Array
    upper: Array
    edges: Array
    indices: Array | None

    def result(self) -> Filled | Counts:
        """Return the filled pattern or the row counts, with other rows empty."""
        if self.indices is None:
            return Counts(self.lower, self.upper)
        indptr = offsets(self.lower + self.upper)
        return Filled(Pattern(indptr, self.indices), indptr[:-1] + self.lower)


def world(ranks: int) -> Any:
    """Return MPI's communicator of this many ranks; None for one rank, which needs no MPI.

    Raises InputError for fewer than one rank; UnavailableError if mpi4py is missing, or MPI was started with
    a different number of ranks.
    """
    if ranks < 1:
        raise InputError(f"option ranks={ranks}: expected 1 or more")
    if ranks == 1:
        return None
    how = f"mpirun -n {ranks} python -m benchmarks.ranks CASE"
    if importlib.util.find_spec("mpi4py") is None:
        raise UnavailableError(f"mpi4py is not installed (pip install '.[mpi]', then {how})")
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        raise UnavailableError(f"no MPI library: {' '.join(str(error).split())}") from error
    found = MPI.COMM_WORLD.Get_size()
    if found != ranks:
        raise UnavailableError(f"ranks={ranks}, and MPI has {found}: {how}")
    return MPI.COMM_WORLD


def everyone(ranks: int) -> Any:
    """Return `world`, or a communicator of this process alone if one rank needs MPI too."""
    communicator = world(ranks)
    if communicator is not None:
        return communicator
    # Otherwise Open MPI starts a daemon for a process of its own, and ends the process where it cannot.
    os.environ.setdefault("OMPI_MCA_ess_singleton_isolated", "1")
    from mpi4py import MPI

    return MPI.COMM_SELF


def rank_of(communicator: Any) -> int:
    """Return this process's number, 0 without MPI."""
    return 0 if communicator is None else int(communicator.Get_rank())


def gathered(communicator: Any, part: Part) -> Part:
    """Return all rows, on rank 0; other ranks get their own part back. Collective: every rank calls it."""
    if communicator is None:
        return part
    rows = _arrays(communicator, part.rows)
    columns = None if part.indices is None else _arrays(communicator, part.indices)
    lower, upper, edges = (_sum(communicator, array) for array in (part.lower, part.upper, part.edges))
    if rank_of(communicator) > 0:
        return part
    n = len(lower)
    all_rows = np.arange(n, dtype=np.int32)
    if columns is None:
        return Part(all_rows, lower, upper, edges, None)
    indptr = offsets(lower + upper)
    indices = np.empty(indptr[-1], np.int32)
    for own, found in zip(rows, columns, strict=True):
        place(indptr, indices, own, found)
    return Part(all_rows, lower, upper, edges, indices)


def offsets(lengths: Array) -> Array:
    """Return (k + 1,) int64: where each of k rows begins, and the end of the last."""
    indptr = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=indptr[1:])
    return indptr


def place(indptr: Array, indices: Array, rows: Array, columns: Array) -> None:
    """Copy rows, one after the other in `columns`, to their places in `indices`, given by `indptr`."""
    starts = offsets(indptr[rows + 1] - indptr[rows])
    _place(indptr, indices, rows, starts, columns)


@njit(cache=True, parallel=True, nogil=True)
def _place(indptr, indices, rows, starts, columns):
    for k in prange(len(rows)):
        row = rows[k]
        indices[indptr[row] : indptr[row + 1]] = columns[starts[k] : starts[k + 1]]


def _sum(communicator: Any, array: Array) -> Array:
    """Return the sum over all ranks on rank 0; elsewhere the array itself."""
    total = np.zeros_like(array) if rank_of(communicator) == 0 else None
    communicator.Reduce(array, total)
    return array if total is None else total


def _arrays(communicator: Any, array: Array) -> list[Array]:
    sizes = communicator.gather(len(array))
    if rank_of(communicator) > 0:
        for start in range(0, len(array), MESSAGE):
            communicator.Send(array[start : start + MESSAGE], dest=0)
        return []
    found = [array]
    for rank, size in list(enumerate(sizes))[1:]:
        received = np.empty(size, array.dtype)
        for start in range(0, size, MESSAGE):
            communicator.Recv(received[start : start + MESSAGE], source=rank)
        found.append(received)
    return found
