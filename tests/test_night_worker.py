"""What waits in a commit's checkout."""

import os
import sys
from collections.abc import Iterator

import pytest

from benchmarks.runs.checkouts import Process
from fillpath.errors import FillpathError
from fillpath.paths import ROOT
from fillpath.record import Status

COMMAND = [sys.executable, "-m", "fillpath", "workflow", "processes", "night-1"]
CASE = "symbolic.fill1@grid2d,6.natural"


@pytest.fixture
def worker(shared_cache: None) -> Iterator[Process]:
    variables = {**os.environ, "FILLPATH_SUITE": "embedded", "FILLPATH_FIGURE": "glu3.phases"}
    process = Process(COMMAND, ROOT, variables)
    yield process
    process.close()


def test_a_worker_measures_each_process_of_its_run_once(worker: Process) -> None:
    assert "solve.lu_cpu@circuit,20000.metis" in worker.cases
    second = worker.measure(CASE, 1)
    assert second is not None and (second.run_id, second.process) == ("night-1", 1)
    assert second.status is Status.OK and worker.measure(CASE, 1) == second
    assert worker.measure("symbolic.no_such@grid2d,6.natural", 0) is None


def test_a_worker_that_cannot_start_is_an_error() -> None:
    with pytest.raises(FillpathError, match="ended with status 3"):
        Process([sys.executable, "-c", "raise SystemExit(3)"], ROOT, dict(os.environ))


def test_a_worker_that_died_is_an_error_and_can_be_closed() -> None:
    dying = Process(
        [sys.executable, "-c", "print('[]', flush=True); raise SystemExit(4)"], ROOT, dict(os.environ)
    )
    for _ in range(2):
        with pytest.raises(FillpathError, match="ended with status 4"):
            dying.measure(CASE, 0)
    dying.close()
