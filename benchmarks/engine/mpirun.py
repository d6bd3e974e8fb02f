"""A worker that is several processes: the ranks of MPI on this host, started by its mpirun."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil

from benchmarks.engine.follow import FOLLOW, parent_mark
from benchmarks.engine.workers import AnyWorker
from fillpath.errors import UnavailableError
from fillpath.peers import peers
from fillpath.settings import PARENT

# Open MPI asks root whether it means it. Ranks are bound by `Ranks.take_share`, by any MPI alike.
_ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "HYDRA_BINDING": "none",
}
# The launcher of an MPI in the environment itself.
_OWN = Path(sys.executable).with_name("mpiexec")


def launcher(libraries: Sequence[str]) -> str:
    """Return the program that starts ranks that call these peers.

    The environment's own MPI comes first, unless a peer is linked with the system's MPI. Raises
    UnavailableError without a launcher or mpi4py.
    """
    if importlib.util.find_spec("mpi4py") is None:
        raise UnavailableError("ranks call each other through mpi4py: .venv/bin/pip install -e '.[mpi]'")
    if _OWN.is_file() and not mpi_environment(libraries):
        return str(_OWN)
    program = shutil.which("mpirun")
    if program is None:
        raise UnavailableError("no mpirun: sudo apt-get install openmpi-bin")
    return program


def mpi_environment(libraries: Sequence[str]) -> Mapping[str, str]:
    """Return variables that make mpi4py take the system's MPI, on one rank too.

    They are empty unless the environment has its own MPI and one of these peers is linked with the system's.
    """
    linked = [peers()[name] for name in libraries if name in peers() and peers()[name].mpi]
    if not _OWN.is_file() or all(peer.is_packaged for peer in linked):
        return {}
    return {"MPI4PY_LIBMPI": "libmpi.so.40"}


class RankWorker(AnyWorker):
    """Ranks that measure a case together. The first rank writes the reports."""

    def __init__(
        self, launcher: str, ranks: int, job: Mapping[str, Any], environment: Mapping[str, str]
    ) -> None:
        self._folder = tempfile.TemporaryDirectory()
        pipe, described = Path(self._folder.name, "reports"), Path(self._folder.name, "job.json")
        described.write_text(json.dumps(job))
        os.mkfifo(pipe)
        # Open for writing too, it has no end before the first rank opens it, nor after.
        super().__init__(os.open(pipe, os.O_RDWR | os.O_NONBLOCK))
        child = [sys.executable, "-m", "benchmarks.engine.crew", str(ranks), str(described), str(pipe)]
        # Launchers ask Slurm for the nodes of a job, but ranks run on this host.
        alone = {name: value for name, value in environment.items() if not name.startswith("SLURM_")}
        self._process = subprocess.Popen(
            [*FOLLOW, launcher, "-n", str(ranks), *child],
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log, start_new_session=True,
            env={**alone, **_ENVIRONMENT, PARENT: parent_mark()},
        )  # fmt: skip
        self.pid = self._process.pid

    def _close(self) -> None:
        super()._close()
        self._folder.cleanup()

    def _members(self) -> Iterator[int]:
        """Yield the processes of the session: some launchers give each rank its own group, none a session."""
        for pid in psutil.pids():
            with contextlib.suppress(OSError):
                if os.getsid(pid) == self.pid:
                    yield pid
