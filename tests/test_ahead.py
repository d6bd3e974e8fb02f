"""Workers that are started ahead: used by the next process, and stopped while anything is timed."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.engine import process, run, workers
from benchmarks.runs.rounds import measure_rounds
from fillpath.case import Case
from fillpath.paths import ROOT
from fillpath.record import Record, Status
from tests.ended import is_gone

pytestmark = pytest.mark.usefixtures("registered_fakes", "shared_cache")

CASE = Case("symbolic", "watches", "grid2d,6")


@pytest.fixture(autouse=True)
def none_left() -> Iterator[None]:
    dismiss()
    yield
    dismiss()


def dismiss() -> None:
    while workers._waiting:
        workers._waiting.pop().end()


def waiting() -> list[int]:
    return [worker.pid for worker in workers._waiting]


def setup(case: Case) -> workers.Setup:
    return workers.Setup(process._environment({"threads": case.threads}), ())


def states() -> set[str]:
    """The first letters of the states that ps gives of those that wait."""
    listed = subprocess.run(["ps", "-o", "stat=", *map(str, waiting())], capture_output=True, text=True)
    return {line[0] for line in listed.stdout.split()}


def fact(record: Record, name: str) -> int:
    return int((record.work or {})["facts"][name])


def test_the_next_process_is_one_that_waited_and_all_wait_stopped_during_samples() -> None:
    rounds = measure_rounds([CASE], 3, True, run.alone())
    first = next(rounds)
    seen = waiting()
    assert seen and states() == {"T"}
    second = next(rounds)
    for record in (first, second):
        assert record.status is Status.OK
        assert fact(record, "others") >= 1 and fact(record, "running") == 0
    assert fact(second, "pid") in seen and fact(first, "pid") not in seen


def test_a_case_in_one_process_is_followed_by_the_next_case_and_the_last_by_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FILLPATH_SUITE", "small")
    rounds = measure_rounds([CASE, replace(CASE, seed=1)], 1, True, run.alone())
    next(rounds)
    seen = waiting()
    monkeypatch.setattr(workers, "prepare", lambda *_: pytest.fail("nothing comes after the last"))
    assert fact(next(rounds), "pid") in seen


def test_a_worker_of_other_variables_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    workers.prepare(setup(CASE), cores=2)
    seen = waiting()
    monkeypatch.setenv("SOME_VARIABLE", "1")
    other = workers.take(setup(CASE))
    assert other.pid not in seen and waiting() == seen
    other.end()


def test_cases_in_turn_with_other_threads_keep_their_workers() -> None:
    """As in a figure of scaling: neither ends those that wait for the other."""
    one, two = (replace(CASE, threads=count) for count in (1, 2))
    workers.prepare(setup(one), cores=4)
    before = waiting()
    workers.prepare(setup(two), cores=4)
    assert [worker.setup.environment["NUMBA_NUM_THREADS"] for worker in workers._waiting] == ["1", "2"]
    workers.prepare(setup(one), cores=4)
    assert waiting()[0] == before[1] and len(waiting()) == 2


def test_a_measurement_goes_on_where_no_worker_can_be_started_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    start, started = subprocess.Popen, []

    def once(*arguments: Any, **options: Any) -> Any:
        if "benchmarks.engine.worker" in arguments[0]:
            started.append(1)
            if len(started) > 1:
                raise BlockingIOError(11, "Resource temporarily unavailable")
        return start(*arguments, **options)

    monkeypatch.setattr(workers.subprocess, "Popen", once)
    open_before = len(list(Path("/proc/self/fd").iterdir()))
    assert next(measure_rounds([CASE], 2, True, run.alone())).status is Status.OK
    assert len(started) == 2 and waiting() == []
    assert len(list(Path("/proc/self/fd").iterdir())) == open_before


def test_a_worker_that_died_waiting_is_replaced() -> None:
    workers.prepare(setup(CASE), cores=2)
    (dead,) = waiting()
    os.kill(dead, signal.SIGKILL)
    os.waitid(os.P_PID, dead, os.WEXITED | os.WNOWAIT)
    worker = workers.take(setup(CASE))
    assert worker.pid != dead and waiting() == []
    # Its first byte says that it has begun.
    assert worker.reports.read(1) == b"\n"
    worker.end()


def test_a_worker_that_is_stopped_at_once_dies_with_its_supervisor() -> None:
    code = (
        "import os, signal; from benchmarks.engine import workers; "
        "worker = workers.Worker(workers.Setup(os.environ, ())); worker.stop(); "
        "print(worker.pid, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert ended.returncode == -signal.SIGKILL
    assert is_gone(int(ended.stdout))


@pytest.mark.parametrize("stopped", ["", "workers.pause(); "])
def test_none_survives_a_supervisor_that_ends(stopped: str) -> None:
    code = (
        "import os; from benchmarks.engine import workers; "
        f"workers.prepare(workers.Setup(os.environ, ()), cores=4); {stopped}"
        "print(*(worker.pid for worker in workers._waiting))"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert [is_gone(pid) for pid in ended.stdout.split()] == [True, True]
