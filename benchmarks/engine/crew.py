"""Processes that measure a case together: one alone, or the ranks of MPI.

The first process prepares, checks, reads the clock and reports; the others call the implementation when it
does. On a host each rank has `gpus` GPUs to itself, by its number there, and an equal part of the host's
cores.
"""

import os
from typing import Any

import numba

from benchmarks.engine.machine import cores
from fillpath.errors import UnavailableError
from fillpath.registry import Device
from impl.cpu.ranks import rank_of, world
from impl.cuda.peers import device_count


class Alone:
    """A process that measures alone."""

    first = True

    def share(self, value: Any) -> Any:
        """Return the first process's value, on each."""
        return value

    def barrier(self) -> None:
        """Wait until all are here."""

    def take_share(self, threads: int, device: Device, gpus: int) -> None:
        """Run this process on its part of the host. threads : of the case, 0 for all cores."""
        numba.set_num_threads(threads or cores())


class Ranks(Alone):
    """The ranks of MPI. Raises as `impl.cpu.ranks.world`."""

    def __init__(self, ranks: int) -> None:
        from mpi4py import MPI
        from mpi4py.util import pkl5

        # A duplicate keeps our messages apart from the implementation's. With pkl5 they may exceed 2 GiB.
        self._communicator = pkl5.Intracomm(world(ranks).Dup())
        self._local = self._communicator.Split_type(MPI.COMM_TYPE_SHARED)
        self.rank = rank_of(self._communicator)
        self.first = self.rank == 0
        unbind(self._local)
        # A record counts the cores of all ranks of its host: read before this rank takes its part.
        self._cores = cores()

    def share(self, value: Any) -> Any:
        return self._communicator.bcast(value if self.first else None)

    def barrier(self) -> None:
        self._communicator.Barrier()

    def abort(self) -> None:
        """End all ranks, which would wait for this one for ever."""
        self._communicator.Abort(1)

    def take_share(self, threads: int, device: Device, gpus: int) -> None:
        number, size = int(self._local.Get_rank()), int(self._local.Get_size())
        part = max(1, self._cores // size)
        # If mpirun pinned this rank, Numba can start only as many threads as there were pinned cores.
        most: int = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
        numba.set_num_threads(threads or min(part, most))
        if (threads or part) * size <= self._cores:
            cores = sorted(os.sched_getaffinity(0))
            os.sched_setaffinity(0, cores[number * part : (number + 1) * part])
        if device == "gpu":
            import cupy

            each, there = max(1, gpus), device_count()
            if (number + 1) * each > there:
                raise UnavailableError(f"rank {number} of its host, gpus={each}, and it sees {there}")
            cupy.cuda.Device(number * each).use()


def unbind(local: Any) -> None:
    """Let each rank run where any rank of its host may. local : the communicator of the host's ranks."""
    os.sched_setaffinity(0, set().union(*local.allgather(os.sched_getaffinity(0))))
