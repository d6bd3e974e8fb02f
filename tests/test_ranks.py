"""Ranks of MPI: a record as `measure` writes it, where mpirun and mpi4py are at hand.

Where they are not, these tests skip; with FILLPATH_MPI=1, which .ci/run sets, they fail.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence

import pytest

from benchmarks.engine.crew import unbind
from commands import main
from fillpath.paths import ROOT
from fillpath.record import Status, read_records, record_path

AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def on_ranks(
    count: int, *arguments: str, module: str = "benchmarks.ranks", launch: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    """The module on so many ranks. Skips the test without MPI."""
    mpirun = shutil.which("mpirun")
    if mpirun is None or importlib.util.find_spec("mpi4py") is None:
        missing = f"{'mpi4py' if mpirun else 'mpirun'} is not installed"
        if os.environ.get("FILLPATH_MPI") == "1":
            pytest.fail(f"{missing}, which FILLPATH_MPI=1 asks for")
        pytest.skip(missing)
    # Open MPI asks for more slots than there are cores to be said.
    more = ["--oversubscribe"] if shutil.which("ompi_info") else []
    command = [mpirun, *more, *launch, "-n", str(count), sys.executable, "-m", module, *arguments]
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, **AS_ROOT, "PYTHONPATH": path}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=150, check=False
    )


def test_three_ranks_write_one_verified_record(shared_cache: None) -> None:
    cases = [
        "symbolic.fill2_multi.ranks=3@grid2d,12.natural",
        "symbolic.fill2_multi.order=inter_node.output=counts.ranks=3.virtual_gpus=2@grid2d,12.natural",
    ]
    done = on_ranks(3, *cases)
    assert done.returncode == 0, done.stderr
    for case in cases:
        (record,) = read_records(record_path("test-machine", case))
        assert record.status is Status.OK and len(record.seconds) >= 3
        assert record.verified and record.verified.value == 0
        assert record.work and record.work["facts"]["workers"] in (3, 6)


@pytest.mark.parametrize("count", [2, 3])
def test_ranks_with_several_devices_each_find_what_one_does(count: int) -> None:
    done = on_ranks(count, str(count), module="tests.ranks_on_devices")
    assert done.returncode == 0, done.stderr


def test_ranks_that_are_bound_apart_say_so_and_count_the_cores_of_all(shared_cache: None) -> None:
    if not shutil.which("ompi_info") or len(os.sched_getaffinity(0)) < 2:
        pytest.skip("bound apart by Open MPI on two cores")
    case = "symbolic.fill2_multi.ranks=2@grid2d,12.natural"
    done = on_ranks(2, case, case, launch=["--bind-to", "core"])
    assert done.returncode == 0, done.stderr
    record = read_records(record_path("test-machine", case))[-1]
    assert record.threads_used == 2
    facts = json.loads((record_path("test-machine", case).parents[1] / "machine.json").read_text())
    assert facts["cores"] == 2
    is_mentioned = "its 2 ranks are bound to 2 of this host's" in done.stderr
    assert is_mentioned == ((os.cpu_count() or 0) > 2)


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


@pytest.mark.parametrize("there", [2, 8])
def test_a_bound_rank_runs_where_any_of_its_host_may_and_says_what_is_idle(
    there: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[set[int]] = []
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0})
    monkeypatch.setattr(os, "sched_setaffinity", lambda pid, cores: asked.append(cores))
    monkeypatch.setattr(os, "cpu_count", lambda: there)
    unbind(OfAHost({1}))
    assert asked == [{0, 1}]
    message = capsys.readouterr().err
    assert ("its 2 ranks are bound to 2 of this host's 8 cores" in message) if there == 8 else message == ""


def test_more_threads_than_a_rank_can_start_are_refused() -> None:
    threads = 1 + max(os.cpu_count() or 1, len(os.sched_getaffinity(0)))
    done = on_ranks(2, f"symbolic.fill2_multi.ranks=2.threads={threads}@grid2d,12.natural")
    assert done.returncode != 0 and f"{threads} threads, and a rank here can start" in done.stderr


def test_a_rank_without_its_gpus_ends_them_all() -> None:
    done = on_ranks(2, "symbolic.gsofa_multi.gpus=64.ranks=2@grid2d,12.natural")
    assert done.returncode != 0


def test_other_than_the_cases_ranks_are_refused() -> None:
    done = on_ranks(2, "symbolic.fill2_multi.ranks=3@grid2d,12.natural")
    assert done.returncode != 0 and "ranks=3, and MPI has 2" in done.stderr


def test_a_case_without_ranks_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ranks", "symbolic.fill2_multi@grid2d,12.natural"]) == 2
    assert "set option ranks" in capsys.readouterr().err
