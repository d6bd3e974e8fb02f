"""What waits in a commit's checkout, and which tier a night on a GPU takes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks.runs import night_tier
from benchmarks.runs.night_tier import tier_that_fits
from benchmarks.runs.night_worker import Process
from fillpath.errors import FillpathError
from fillpath.paths import ROOT
from fillpath.record import Status
from fillpath.settings import Settings

COMMAND = [sys.executable, "-m", "fillpath", "workflow", "processes", "night-1"]
CASE = "symbolic.fill1@grid2d,8.metis"


@pytest.fixture
def worker() -> Iterator[Process]:
    variables = {**os.environ, "FILLPATH_SUITE": "embedded", "FILLPATH_FIGURE": "glu3.phases"}
    process = Process(COMMAND, ROOT, variables)
    yield process
    process.close()


def test_a_worker_measures_each_process_of_its_run_once(worker: Process) -> None:
    assert "solve.lu_cpu@circuit,20000.metis" in worker.cases
    first, second = worker.measure(CASE, 0), worker.measure(CASE, 1)
    assert first is not None and second is not None
    assert (first.run_id, first.process, first.status) == ("night-1", 0, Status.OK)
    assert (second.run_id, second.process) == ("night-1", 1)
    assert worker.measure(CASE, 0) == first
    assert worker.measure("symbolic.no_such@grid2d,8.metis", 0) is None


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


@dataclass(frozen=True)
class Line:
    seconds: float
    bound: float = 0.0
    cases: tuple[SimpleNamespace, ...] = ()


@dataclass(frozen=True)
class Planned:
    lines: tuple[Line, ...]


WHOLE = (Line(3600.0), Line(0.0, bound=600.0, cases=(SimpleNamespace(call=None),)))
OF_GSOFA = (Line(600.0),)


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> list[Settings]:
    """A machine with a GPU, whose plans are made up; the settings that were planned."""
    planned: list[Settings] = []

    def plan(settings: Settings) -> Any:
        planned.append(settings)
        return Planned(OF_GSOFA if settings.paper == "gsofa" else WHOLE)

    monkeypatch.setattr(night_tier.kernels, "available", lambda: (True, ""))
    monkeypatch.setattr(night_tier, "plan", plan)
    return planned


@pytest.mark.parametrize(
    ("limit", "paper"), [(3 * 3600.0, ""), (2 * 3600.0, "gsofa"), (1300.0, "gsofa"), (60.0, "gsofa")]
)
def test_a_night_takes_the_largest_tier_that_fits_half_of_its_limit(
    gpu: list[Settings], limit: float, paper: str
) -> None:
    variables = tier_that_fits(Settings(suite="small", limit=limit))
    assert variables["FILLPATH_PAPER"] == paper
    assert set(variables) == {"FILLPATH_PAPER", "FILLPATH_FIGURE", "FILLPATH_DEVICE"}
    # Base and one commit, three processes each, nothing reused.
    assert all((each.rounds, each.fresh, each.suite) == (6, True, "small") for each in gpu)


def test_what_was_chosen_is_measured(gpu: list[Settings], monkeypatch: pytest.MonkeyPatch) -> None:
    limited = Settings(suite="small", limit=1e6)
    for chosen in (
        replace(limited, limit=None),
        replace(limited, paper="glu3"),
        replace(limited, figure="gsofa.fig10"),
        replace(limited, device="gpu"),
    ):
        assert tier_that_fits(chosen) == {}
    monkeypatch.setattr(night_tier.kernels, "available", lambda: (False, "no driver"))
    assert tier_that_fits(limited) == {} and gpu == []
