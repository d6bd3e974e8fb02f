"""Ranks of MPI, started by `measure`: a record as of one process.

Where mpirun or mpi4py is not at hand, these tests skip; with FILLPATH_MPI=1, which .ci/run sets, they fail.
"""

import contextlib
import importlib.util
import os
import runpy
import shutil
import subprocess
import sys
import time
import types
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks.engine import crew as engine_crew
from benchmarks.engine import machine
from benchmarks.engine.crew import Ranks, unbind
from benchmarks.engine.limits import Limits
from benchmarks.engine.measure import measure
from fillpath.case import Case
from fillpath.errors import UnavailableError
from fillpath.paths import ROOT
from fillpath.record import Status, read_records, record_path
from tests import rank_fakes

LIMITS = Limits(seconds=100, samples=3)

CASE = "symbolic.shares.ranks=2@grid2d,6.natural"
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def require_mpi() -> str:
    """The path of mpirun. Skips the test without it or mpi4py."""
    mpirun = shutil.which("mpirun")
    if mpirun is not None and importlib.util.find_spec("mpi4py") is not None:
        return mpirun
    missing = f"{'mpi4py' if mpirun else 'mpirun'} is not installed"
    if os.environ.get("FILLPATH_MPI") == "1":
        pytest.fail(f"{missing}, which FILLPATH_MPI=1 asks for")
    pytest.skip(missing)


@pytest.fixture
def two_cores(own_registry: None, shared_cache: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two ranks of tests.rank_fakes can be started."""
    require_mpi()
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one core")
    # As .ci/run is, mostly.
    for name in AS_ROOT:
        monkeypatch.delenv(name, raising=False)
    rank_fakes.register()


def on_ranks(
    count: int, *arguments: str, module: str, launch: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    """The module on so many ranks. Skips the test without MPI."""
    mpirun = require_mpi()
    # Open MPI asks for more slots than there are cores to be said.
    more = ["--oversubscribe"] if shutil.which("ompi_info") else []
    command = [mpirun, *more, *launch, "-n", str(count), sys.executable, "-m", module, *arguments]
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, **AS_ROOT, "PYTHONPATH": path}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=150, check=False
    )


@pytest.mark.parametrize("bound", ["none", "core"])
def test_the_door_of_mpirun_measures_once_on_all_cores(shared_cache: None, bound: str) -> None:
    if not shutil.which("ompi_info") or len(os.sched_getaffinity(0)) < 2:
        pytest.skip("bound apart by Open MPI on two cores")
    case = "symbolic.fill2_multi.order=inter_node.output=counts.ranks=2.virtual_gpus=2@grid2d,12.natural"
    done = on_ranks(2, case, module="benchmarks.ranks", launch=["--bind-to", bound])
    assert done.returncode == 0, done.stderr
    (record,) = read_records(record_path("test-machine", case))
    assert record.status is Status.OK and record.verified and record.verified.value == 0
    assert record.work and record.work["facts"]["workers"] == 4
    assert record.threads_used == len(os.sched_getaffinity(0))


def test_the_door_refuses_ranks_of_several_hosts(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, count in (("RANK", "1"), ("LOCAL_SIZE", "1"), ("SIZE", "2")):
        monkeypatch.setenv(f"OMPI_COMM_WORLD_{name}", count)
    with pytest.raises(SystemExit, match="on one host"):
        runpy.run_module("benchmarks.ranks", run_name="__main__")


@pytest.mark.parametrize("count", [2, 3])
def test_ranks_find_what_one_process_does(count: int) -> None:
    """gsofa_multi with several devices each, and fill2_multi."""
    done = on_ranks(count, str(count), module="tests.ranks_on_devices")
    assert done.returncode == 0, done.stderr


class OfAHost:
    """Its two ranks, the first of which asks."""

    def __init__(self, *cores: set[int]) -> None:
        self.cores = cores

    def allgather(self, own: set[int]) -> list[set[int]]:
        return [own, *self.cores]

    def Get_rank(self) -> int:
        return 0

    def Get_size(self) -> int:
        return 2


def test_a_bound_rank_runs_where_any_of_its_host_may(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[set[int]] = []
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0})
    monkeypatch.setattr(os, "sched_setaffinity", lambda pid, cores: asked.append(cores))
    unbind(OfAHost({1}))
    assert asked == [{0, 1}]


def test_a_rank_that_lacks_gpus_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    crew = Ranks.__new__(Ranks)
    crew._local, crew._cores = OfAHost(), 10**6
    monkeypatch.setitem(sys.modules, "cupy", types.ModuleType("cupy"))
    monkeypatch.setattr(engine_crew, "device_count", lambda: 3)
    monkeypatch.setattr(os, "sched_setaffinity", lambda pid, cores: None)
    with pytest.raises(UnavailableError, match="rank 0 of its host, gpus=4, and it sees 3"):
        crew.take_share(1, "gpu", 4)


def test_other_than_the_cases_ranks_are_refused() -> None:
    done = on_ranks(2, "3", module="tests.ranks_on_devices")
    assert done.returncode != 0 and "ranks=3, and MPI has 2" in done.stderr


@pytest.mark.usefixtures("two_cores")
def test_a_case_on_ranks_is_measured_as_any_other() -> None:
    record = measure(CASE, LIMITS)
    assert record.status is Status.OK, record.reason
    assert len(record.seconds) == 3 and record.verified is not None and record.peak_memory is not None
    cores = len(os.sched_getaffinity(0))
    facts = record.work["facts"]
    assert facts["ranks"] == 2 and record.threads_used == cores
    # Each has its part of the cores, and no two have the same.
    assert facts["cores"] == facts["threads"] == 2 * (cores // 2) and facts["shared"] == 0
    assert measure(CASE, LIMITS).started_at == record.started_at, "it was measured again"


@pytest.mark.usefixtures("two_cores")
def test_ranks_of_a_job_of_slurms_run_on_its_host(monkeypatch: pytest.MonkeyPatch) -> None:
    of_job = {"JOBID": "16", "JOB_ID": "16", "NODELIST": "node1", "TASKS_PER_NODE": "2", "NNODES": "1"}
    for name, value in of_job.items():
        monkeypatch.setenv(f"SLURM_{name}", value)
    record = measure(CASE, LIMITS)
    assert record.status is Status.OK, record.reason


@pytest.mark.usefixtures("two_cores")
@pytest.mark.parametrize(
    ("way", "status", "reason"),
    [
        ("crash", Status.ERROR, "signal 11"),
        ("leave", Status.ERROR, "ended early with exit status"),
        ("raise", Status.ERROR, "rank 1: RuntimeError: no such thing"),
        ("refuse", Status.UNSUPPORTED, "symmetric input only"),
        ("hang", Status.TIMEOUT, "not done within 8 s"),
        ("hoard", Status.OUT_OF_MEMORY, "the limit is"),
        ("talk", Status.OK, ""),
    ],
)
def test_ranks_that_go_wrong_end_in_a_status_and_leave_nothing_behind(
    way: str, status: Status, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure(Case("symbolic", "shares", "grid2d,6"), LIMITS)
    if way == "hoard":
        monkeypatch.setattr(machine, "group_limit", lambda: 2**30)
    limits = Limits(seconds=8 if way == "hang" else 100, samples=3)
    record = measure(f"symbolic.goes_wrong.ranks=2.way={way}@grid2d,6.natural", limits)
    assert record.status is status and reason in record.reason, record.reason
    deadline = time.monotonic() + 10
    while ranks_of_this_test() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not ranks_of_this_test()


def ranks_of_this_test() -> list[str]:
    """The command lines of ranks that measure in this test's folder of results."""
    lines = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (entry / "cmdline").read_text().split("\0")
            if "benchmarks.engine.mpirun" in words and os.environ["FILLPATH_RESULTS"] in (
                entry / "environ"
            ).read_text().replace("=", "\0").split("\0"):
                lines.append(" ".join(words))
    return lines


@pytest.mark.usefixtures("two_cores")
def test_ranks_die_with_their_supervisor() -> None:
    case = "symbolic.goes_wrong.ranks=2.way=hang@grid2d,6.natural"
    text = f"import tests.rank_fakes\nfrom benchmarks.engine.measure import measure\nmeasure({case!r})"
    supervisor = subprocess.Popen([sys.executable, "-c", text], cwd=ROOT, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while len(ranks_of_this_test()) < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(ranks_of_this_test()) == 3, "mpirun and two ranks"
    supervisor.kill()
    supervisor.wait()
    deadline = time.monotonic() + 10
    while ranks_of_this_test() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not ranks_of_this_test()


@pytest.mark.usefixtures("two_cores")
def test_what_ranks_need_is_said_before_they_are_started(monkeypatch: pytest.MonkeyPatch) -> None:
    many = len(os.sched_getaffinity(0)) + 1
    record = measure(f"symbolic.shares.ranks={many}@grid2d,6.natural", LIMITS)
    assert record.status is Status.UNAVAILABLE and f"{many} ranks, and this machine has" in record.reason
    monkeypatch.setenv("PATH", "/nowhere")
    record = measure(CASE, LIMITS)
    assert record.status is Status.UNAVAILABLE and "openmpi-bin" in record.reason
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    record = measure(CASE, LIMITS)
    assert record.status is Status.UNAVAILABLE and "'.[mpi]'" in record.reason
