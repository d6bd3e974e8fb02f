"""A worker that is several processes: the ranks of MPI on this host, started by its mpirun.

mpirun starts each rank as `python -m benchmarks.engine.mpirun JOB REPORTS`, with the file of the job, and the
pipe of the first rank's reports.
"""

import contextlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil

from benchmarks.engine import worker
from benchmarks.engine.crew import Ranks
from benchmarks.engine.follow import FOLLOW
from benchmarks.engine.workers import AnyWorker
from fillpath.errors import UnavailableError
from fillpath.peers import peers
from fillpath.settings import PARENT

# Open MPI refuses root unless told, and refuses to start without ssh or another agent, which containers lack.
# Ranks are bound by `Ranks.take_share`, by any MPI alike.
_ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_plm_rsh_agent": "false",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "HYDRA_BINDING": "none",
}
# The launcher of an MPI in the environment itself.
_OWN = Path(sys.executable).with_name("mpiexec")
# A failure of one rank is mostly one of the first too, whose report is better and comes sooner.
_FIRST_SECONDS = 3.0


def launcher(libraries: Sequence[str]) -> str:
    """Return the program that starts ranks that call these peers.

    The environment's own MPI comes first, unless a peer is linked with the system's MPI. Raises
    UnavailableError without a launcher or mpi4py.
    """
    if importlib.util.find_spec("mpi4py") is None:
        raise UnavailableError("ranks call each other through mpi4py: .venv/bin/pip install -e '.[mpi]'")
    if _OWN.is_file() and not mpi_environment(libraries):
        return str(_OWN)
    if program := shutil.which("mpirun"):
        return program
    raise UnavailableError("no mpirun: sudo apt-get install openmpi-bin")


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

    def __init__(self, job: Mapping[str, Any], environment: Mapping[str, str]) -> None:
        starting = [launcher(job["peer"]), "-n", str(job["ranks"])]
        self._folder = tempfile.TemporaryDirectory()
        pipe, described = Path(self._folder.name, "reports"), Path(self._folder.name, "job.json")
        described.write_text(json.dumps(job))
        os.mkfifo(pipe)
        # Open for writing too, it has no end before the first rank opens it, nor after.
        super().__init__(os.open(pipe, os.O_RDWR | os.O_NONBLOCK))
        child = [sys.executable, "-m", "benchmarks.engine.mpirun", str(described), str(pipe)]
        # Launchers ask Slurm for the nodes of a job, but ranks run on this host: PARENT names no job either.
        alone = {name: value for name, value in environment.items() if not name.startswith("SLURM_")}
        self._process = subprocess.Popen(
            [*FOLLOW, *starting, *child],
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log, start_new_session=True,
            env={**alone, **_ENVIRONMENT, PARENT: str(os.getpid())},
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


def main() -> None:
    """Measure as one rank of the arguments."""
    job, reports = json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2])
    # A rank dies with its launcher, and ends now if the launcher is dead already.
    worker.die_first(os.getppid())
    if not Path(f"/proc/{os.getsid(0)}/exe").exists():
        sys.exit("the launcher died before the rank began")
    with reports.open("w") as pipe:
        report = worker.reports_to(pipe)
        crews: list[Ranks] = []
        if not worker.reported(report, lambda: crews.append(Ranks(job["ranks"]))):
            sys.exit(1)
        (crew,) = crews

        def report_failure(event: str, **values: Any) -> None:
            """Report a failure of a rank that is not the first; the first reports everything else."""
            if event == "failed":
                time.sleep(_FIRST_SECONDS)
                report("failed", **{**values, "reason": f"rank {crew.rank}: {values['reason']}"})

        chosen = report if crew.first else report_failure
        done = False
        try:
            done = worker.reported(chosen, lambda: worker.perform(job, chosen, crew))
        finally:
            # The others wait for this one, which may end by `exit` too.
            if not done:
                crew.abort()


if __name__ == "__main__":
    main()
