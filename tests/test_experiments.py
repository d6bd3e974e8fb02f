"""Which cases a run has: config x catalogue, narrowed by settings, and the run that pairs them."""

from __future__ import annotations

import shutil
import time
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import run
from benchmarks.experiments import (
    Settings,
    experiment_cases,
    experiments,
    suite_cases,
    suite_figures,
    suite_inputs,
    suite_stages,
)
from fetch import catalogue
from fillpath import registry
from fillpath.errors import ConfigError
from fillpath.paths import CONFIG


@pytest.fixture(autouse=True)
def own_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "_RUN", tmp_path / "run.json")


def measured_by(*implementations: str) -> set[str]:
    experiment = replace(experiments()[0], implementations=implementations)
    return {case.implementation for case in experiment_cases(experiment, Settings())}


def test_an_experiment_that_names_none_has_every_registered_implementation_but_peers() -> None:
    whole = replace(experiments()[0], implementations=())
    measured = {case.implementation for case in experiment_cases(whole, Settings())}
    assert measured == {entry.name for entry in registry.registered(whole.stage) if not entry.peer}
    named = replace(whole, implementations=("fill1", "superlu"))
    assert {case.implementation for case in experiment_cases(named, Settings())} == {"fill1", "superlu"}


def test_an_experiment_may_show_some_of_a_papers_matrices_and_their_stand_ins() -> None:
    figure = next(experiment for experiment in experiments() if experiment.id == "gsofa-fig4")
    assert set(figure.only) == {"bcsstk18", "twotone"}
    for suite in ("embedded", "small", "papers"):
        chosen = [catalogue.lookup(case.matrix) for case in experiment_cases(figure, Settings(suite=suite))]
        assert all(e.id in figure.only or set(figure.only).intersection(e.stands_for) for e in chosen)
        shown = {matrix for entry in chosen for matrix in (entry.id, *entry.stands_for)}
        assert set(figure.only) <= shown, "each is there itself or by a stand-in"


def test_an_experiment_names_its_threads_and_no_matrix_of_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    figure = next(experiment for experiment in experiments() if experiment.id == "gsofa-fig11")
    assert all(".threads=1@" in case.name for case in experiment_cases(figure, Settings()))
    text = (CONFIG / "experiments.yaml").read_text().replace("only: [bcsstk18,", "only: [memplus,")
    (tmp_path / "experiments.yaml").write_text(text)
    shutil.copytree(CONFIG / "schemas", tmp_path / "schemas")
    monkeypatch.setattr("benchmarks.experiments.CONFIG", tmp_path)
    with pytest.raises(ConfigError, match="gsofa-fig4: memplus"):
        experiments.__wrapped__()


def test_the_embedded_suite_needs_no_download() -> None:
    ids = {case.matrix for case in suite_cases(Settings())}
    assert ids
    assert all(not catalogue.lookup(matrix).group for matrix in ids)


def test_suites_hold_the_papers_matrices_and_their_stand_ins_only() -> None:
    for suite in ("embedded", "small", "papers"):
        for case in suite_cases(Settings(suite=suite, paper="gsofa")):
            entry = catalogue.lookup(case.matrix)
            stood_for = [catalogue.lookup(matrix) for matrix in entry.stands_for]
            assert any("gsofa" in candidate.papers for candidate in (entry, *stood_for))
    papers = {case.matrix for case in suite_cases(Settings(suite="papers"))}
    assert {entry.id for entry in catalogue.entries() if "gsofa" in entry.papers} <= papers


def test_cases_come_cheapest_first_and_once() -> None:
    cases = suite_cases(Settings(suite="small"))
    entries = [catalogue.lookup(case.matrix).nnz_with_zeros or 0 for case in cases]
    assert entries == sorted(entries)
    assert len(set(cases)) == len(cases)


def test_settings_narrow() -> None:
    assert suite_cases(Settings(device="gpu")) == []
    assert suite_cases(Settings(paper="parac")) == []
    assert suite_stages(Settings()) == ["symbolic"]
    assert ("gsofa", "fig10") in suite_figures(Settings())
    assert all(name.endswith(".metis") for name in suite_inputs(Settings()))


def test_every_experiment_is_drawn() -> None:
    from reports import available_figures

    assert {(e.paper, e.figure) for e in experiments()} <= set(available_figures())


def test_a_run_goes_on_after_a_kill_but_not_under_other_settings() -> None:
    first = run.begin("a", None)
    assert run.current() == first
    assert run.begin("a", 60.0).id == first.id
    assert run.begin("b", None).id != first.id
    run.finish()
    assert run.current() is None


@pytest.mark.parametrize(
    ("text", "seconds"), [("", None), ("90", 90), ("90s", 90), ("30m", 1800), ("2h", 7200)]
)
def test_limits(text: str, seconds: float | None) -> None:
    assert run.parse_limit(text) == seconds


@pytest.mark.parametrize("text", ["soon", "-1h", "0", "2d", "1h30m"])
def test_limits_that_mean_nothing_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match="LIMIT"):
        run.parse_limit(text)


def test_remaining_time_runs_out() -> None:
    assert run.Run("x", None, "").remaining() == float("inf")
    assert run.Run("x", time.time() - 5, "").remaining() < 0
