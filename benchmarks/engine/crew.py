"""Processes that measure a case together: one alone, or the ranks of MPI.

The first process prepares, checks, reads the clock and reports; the others call the implementation when it
does. On a host each rank has `gpus` GPUs to itself, by its number there, and an equal part of the host's
cores.

`benchmarks.engine.mpirun` starts each rank as `python -m benchmarks.engine.crew 4 JOB REPORTS`, with the
number of ranks, the file of the job, and the pipe of the first rank's reports.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.engine import worker
from benchmarks.engine.machine import machine
from fillpath.errors import UnavailableError
from fillpath.registry import Device
from impl.cpu.ranks import rank_of, world
from impl.cuda.peers import device_count

# A failure of one rank is mostly one of the first too, whose report is better and comes sooner.
FIRST_SECONDS = 3.0


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
        import numba

        numba.set_num_threads(threads or machine().cores)


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
        self._cores = machine().cores

    def share(self, value: Any) -> Any:
        return self._communicator.bcast(value if self.first else None)

    def barrier(self) -> None:
        self._communicator.Barrier()

    def abort(self) -> None:
        """End all ranks, which would wait for this one for ever."""
        self._communicator.Abort(1)

    def take_share(self, threads: int, device: Device, gpus: int) -> None:
        import numba

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


def main() -> None:
    """Measure as one rank of the arguments."""
    ranks, job, reports = int(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text()), Path(sys.argv[3])
    # A rank dies with what started it, and ends now if that is dead already.
    worker.die_first(os.getppid())
    if not Path(f"/proc/{os.getsid(0)}/exe").exists():
        sys.exit("the launcher died before the rank began")
    with reports.open("w") as pipe:

        def report(event: str, **values: Any) -> None:
            pipe.write(json.dumps({"event": event, **values}) + "\n")
            pipe.flush()

        crews: list[Ranks] = []
        if not worker.reported(report, lambda: crews.append(Ranks(ranks))):
            sys.exit(1)
        (crew,) = crews

        def report_failure(event: str, **values: Any) -> None:
            """Report a failure of a rank that is not the first; the first reports everything else."""
            if event == "failed":
                time.sleep(FIRST_SECONDS)
                report("failed", **{**values, "reason": f"rank {crew.rank}: {values['reason']}"})

        chosen = report if crew.first else report_failure
        done = False
        try:
            done = worker.reported(chosen, lambda: worker.measure(job, chosen, crew))
        finally:
            # The others wait for this one, which may end by `exit` too.
            if not done:
                crew.abort()


if __name__ == "__main__":
    main()
