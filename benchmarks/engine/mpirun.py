"""A worker that is several processes: the ranks of MPI on this host, started by its mpirun."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from benchmarks.engine.ahead import last_line, resident_bytes
from fillpath.errors import UnavailableError
from fillpath.peers import peers

# Open MPI asks root whether it means it. Ranks are bound by `Ranks.take_share`, by any MPI alike.
_ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "HYDRA_BINDING": "none",
}
# What starts ranks, of an MPI in the environment itself.
_OWN = Path(sys.executable).with_name("mpiexec")


@dataclass(frozen=True)
class Launcher:
    """program : starts ranks. environment : that makes mpi4py take the MPI that the program belongs to."""

    program: str
    environment: Mapping[str, str] = field(default_factory=dict)


def launcher(libraries: Sequence[str]) -> Launcher:
    """What starts ranks that call these peers: of the environment's own MPI, if it has one, unless a peer is
    linked with the system's. Raises UnavailableError where there is none, or no mpi4py."""
    if importlib.util.find_spec("mpi4py") is None:
        raise UnavailableError("ranks call each other through mpi4py: .venv/bin/pip install -e '.[mpi]'")
    environment = mpi_environment(libraries)
    if _OWN.is_file() and not environment:
        return Launcher(str(_OWN))
    program = shutil.which("mpirun")
    if program is None:
        raise UnavailableError("no mpirun: sudo apt-get install openmpi-bin")
    return Launcher(program, environment)


def mpi_environment(libraries: Sequence[str]) -> Mapping[str, str]:
    """What makes mpi4py take the system's MPI, on one rank too: where the environment has an MPI of its own,
    and one of these peers is linked with the system's."""
    linked = [peers()[name] for name in libraries if name in peers() and peers()[name].mpi]
    if not _OWN.is_file() or all(peer.is_packaged for peer in linked):
        return {}
    return {"MPI4PY_LIBMPI": "libmpi.so.40"}


class RankWorker:
    """Ranks that measure a case together, with what `ahead.Worker` has.

    reports : the pipe that the first rank writes its reports to
    """

    def __init__(
        self, launcher: Launcher, ranks: int, job: Mapping[str, Any], environment: Mapping[str, str]
    ) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._log: IO[str] = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115
        pipe, described = Path(self._folder.name, "reports"), Path(self._folder.name, "job.json")
        described.write_text(json.dumps(job))
        os.mkfifo(pipe)
        # Open for writing too, it has no end before the first rank opens it, nor after.
        self.reports: IO[bytes] = os.fdopen(os.open(pipe, os.O_RDWR | os.O_NONBLOCK), "rb", buffering=0)
        child = [sys.executable, "-m", "benchmarks.engine.rank_worker", str(ranks), str(described), str(pipe)]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.engine.follow", launcher.program, "-n", str(ranks), *child],
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log, start_new_session=True,
            env={**_alone(environment), **_ENVIRONMENT, **launcher.environment},
        )  # fmt: skip

    def tell(self, line: str) -> None:
        """Nothing: ranks begin with their job, and sample when they like."""

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def resident_bytes(self) -> int:
        """Of all ranks."""
        return sum(map(resident_bytes, self._members()))

    def end(self) -> tuple[int, str]:
        """Kill those that have not ended. Returns the exit status and the last line of their log."""
        # Some launchers give each rank a group of its own, none a session.
        for member in self._members():
            with contextlib.suppress(ProcessLookupError):
                os.kill(member, signal.SIGKILL)
        code = self._process.wait()
        self.reports.close()
        last = last_line(self._log)
        self._log.close()
        self._folder.cleanup()
        return code, last

    def _members(self) -> Iterator[int]:
        for entry in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError, ValueError):
                fields = entry.read_text().rpartition(")")[2].split()
                if int(fields[3]) == self._process.pid:
                    yield int(entry.parent.name)


def _alone(environment: Mapping[str, str]) -> dict[str, str]:
    """Without what makes a launcher ask Slurm for the job's nodes: ranks run on this host, and inside one."""
    return {name: value for name, value in environment.items() if not name.startswith("SLURM_")}
