"""Which cases a run has: config x catalogue, narrowed by settings, and the run that pairs them."""

import shutil
import time
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.engine import run
from benchmarks.runs.cases import (
    drawn_cases,
    experiment_cases,
    figure_cases,
    suite_cases,
    suite_figures,
    suite_inputs,
    suite_stages,
)
from benchmarks.runs.experiments import experiments
from fetch import catalogue
from fillpath import registry
from fillpath.config import figure_names
from fillpath.errors import ConfigError, FillpathError
from fillpath.paths import CONFIG
from fillpath.settings import SUITES, Settings
from reports.facts.records import Records
from reports.figures import exhibit
from tests.reports_fakes import shown_frame


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
    on_cpu = experiment_cases(figure, Settings(device="cpu"))
    assert on_cpu and all(".threads=1@" in case.name for case in on_cpu)
    on_gpu = experiment_cases(figure, Settings(device="gpu"))
    assert on_gpu and all(case.threads == 0 for case in on_gpu), "one case with Figure 10's"
    text = (CONFIG / "experiments.yaml").read_text().replace("only: [bcsstk18,", "only: [memplus,")
    (tmp_path / "experiments.yaml").write_text(text)
    shutil.copytree(CONFIG / "schemas", tmp_path / "schemas")
    monkeypatch.setattr("benchmarks.runs.experiments.CONFIG", tmp_path)
    with pytest.raises(ConfigError, match="gsofa-fig4: memplus"):
        experiments.__wrapped__()


def test_an_experiment_may_measure_several_seeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    figure = next(experiment for experiment in experiments() if experiment.id == "parac-seeds")
    for device in ("cpu", "gpu"):
        cases = experiment_cases(figure, Settings(suite="small", device=device))
        by_matrix = {c.matrix: {d.seed for d in cases if d.matrix == c.matrix} for c in cases}
        assert by_matrix == {
            matrix: set(range(20)) for matrix in ("poisson3d,32", "delaunay_n16", "G2_circuit")
        }
        assert len(cases) == 60, "a case each, of one implementation"
        assert sum(".seed=" in case.name for case in cases) == 57, "seed 0 is what others measure too"
    text = (CONFIG / "experiments.yaml").read_text()
    shutil.copytree(CONFIG / "schemas", tmp_path / "schemas")
    monkeypatch.setattr("benchmarks.runs.experiments.CONFIG", tmp_path)

    def seeds(written: str) -> int:
        (tmp_path / "experiments.yaml").write_text(text.replace("seeds: 20\n", f"seeds: {written}\n"))
        return next(e.seeds for e in experiments.__wrapped__() if e.id == "parac-seeds")

    assert seeds("2") == 2
    for refused in ("0", "-1", "[1]", "1.5", "true"):
        with pytest.raises(ConfigError, match="seeds"):
            seeds(refused)


def test_only_the_experiments_that_ask_for_it_measure_another_seed_than_0() -> None:
    seeded = {e.id for e in experiments() if e.seeds != 1}
    assert seeded == {"parac-seeds", "parac-seeds-embedded"}


def test_an_experiment_names_implementations_with_their_options() -> None:
    figure = replace(experiments()[0], implementations=("fill1", "gsofa.fill_first=true.memory_budget=1GB"))
    options = {(case.implementation, case.options) for case in experiment_cases(figure, Settings())}
    assert options == {("fill1", ()), ("gsofa", (("fill_first", "true"), ("memory_budget", "1GB")))}


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("gsofa.memory_budget=1000MB", "write gsofa.memory_budget=1GB"),
        ("gsofa.maxid_ranges=true", "write gsofa$"),
        ("gsofa.threads=2", "write gsofa$"),
        ("gsofa.no_such_option=1", "no option 'no_such_option'"),
    ],
)
def test_options_are_written_as_a_case_writes_them(
    written: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (CONFIG / "experiments.yaml").read_text().replace("[gsofa, gsofa.fill_first=true]", f"[{written}]")
    (tmp_path / "experiments.yaml").write_text(text)
    shutil.copytree(CONFIG / "schemas", tmp_path / "schemas")
    monkeypatch.setattr("benchmarks.runs.experiments.CONFIG", tmp_path)
    with pytest.raises(FillpathError, match=message):
        experiments.__wrapped__()


def test_a_figure_shows_the_papers_cases_and_recorded_ones_of_every_suite() -> None:
    embedded, small, own = (figure_cases("gsofa", "fig14", Settings(suite=suite)) for suite in SUITES)
    assert set(small) <= set(own) and embedded and not set(embedded) & set(own)
    assert drawn_cases("gsofa", "fig14", set()) == own
    assert drawn_cases("gsofa", "fig14", {"symbolic.fill1@no+such.metis"}) == own
    assert drawn_cases("gsofa", "fig14", {case.name for case in (*own, *embedded[1:])}) == own + embedded[1:]


@pytest.mark.parametrize("figure", ["fig5", "table3", "fig14", "fig15", "fig16", "fig20"])
def test_every_gpu_figure_pairs_what_it_measures(figure: str) -> None:
    """Each case with an option has in the same experiment the case that it is held against."""
    cases = figure_cases("gsofa", figure, Settings(suite="papers"))
    frame = shown_frame(exhibit("gsofa", figure), Records(), catalogue.entries(), cases)
    own = frame[frame["case"].notna()]
    assert len(own) and own["other_case"].notna().all()


def test_the_embedded_suite_needs_no_download() -> None:
    ids = {case.matrix for case in suite_cases(Settings())}
    assert ids
    assert all(not catalogue.lookup(matrix).group for matrix in ids)


def test_suites_hold_the_papers_matrices_and_their_stand_ins_only() -> None:
    for suite in ("embedded", "small", "papers"):
        for experiment in experiments():
            listed = experiment.matrices
            for case in experiment_cases(experiment, Settings(suite=suite)):
                entry = catalogue.lookup(case.matrix)
                if isinstance(listed, tuple):
                    assert entry.id in listed
                    continue
                stood_for = [catalogue.lookup(matrix) for matrix in entry.stands_for]
                assert any(listed in candidate.papers for candidate in (entry, *stood_for))
    papers = {case.matrix for case in suite_cases(Settings(suite="papers"))}
    assert {entry.id for entry in catalogue.entries() if "gsofa" in entry.papers} <= papers


def test_cases_come_cheapest_first_and_once() -> None:
    cases = suite_cases(Settings(suite="small"))
    entries = [catalogue.lookup(case.matrix).nnz_with_zeros or 0 for case in cases]
    assert entries == sorted(entries)
    assert len(set(cases)) == len(cases)


def test_settings_narrow() -> None:
    by_device = [set(suite_cases(Settings(device=device))) for device in ("cpu", "gpu")]
    assert all(by_device) and not by_device[0] & by_device[1]
    assert by_device[0] | by_device[1] == set(suite_cases(Settings()))
    own = suite_cases(Settings(paper="parac"))
    assert own and {case.stage for case in own} == {"cholesky", "laplacian"}
    assert suite_stages(Settings())[1:] == ["symbolic", "levels", "numeric", "solve", "cholesky", "laplacian"]
    assert ("gsofa", "fig10") in suite_figures(Settings())
    assert all(name.endswith(".metis") for name in suite_inputs(Settings(paper="gsofa")))


@pytest.mark.parametrize("suite", SUITES)
def test_one_figure_takes_its_own_cases_and_inputs_only(suite: str) -> None:
    for name in figure_names():
        paper, _, figure = name.partition(".")
        chosen = Settings(suite=suite, figure=name)
        own = figure_cases(paper, figure, Settings(suite=suite))
        assert set(suite_cases(chosen)) == set(own)
        assert set(suite_inputs(chosen)) == {f"{case.matrix}.{case.preparation.name}" for case in own}
        assert set(suite_stages(chosen)) == {case.stage for case in own}
        assert suite_figures(chosen) == [(paper, figure)]
    devices = [set(suite_cases(Settings(suite, figure="gsofa.fig10", device=d))) for d in ("cpu", "gpu")]
    whole = set(suite_cases(Settings(suite, figure="gsofa.fig10")))
    assert all(devices) and devices[0] | devices[1] == whole and not devices[0] & devices[1]


def test_every_experiment_is_drawn() -> None:
    from reports.figures import available_figures

    measured = list(dict.fromkeys((e.paper, e.figure) for e in experiments()))
    assert set(measured) <= set(available_figures())
    assert [f"{paper}.{figure}" for paper, figure in measured] == list(figure_names())


def test_a_run_goes_on_after_a_kill_but_not_under_other_settings() -> None:
    first = run.begin("a", None)
    assert run.current() == first
    assert run.begin("a", 60.0).id == first.id
    assert run.begin("b", None).id != first.id
    run.finish()
    assert run.current() is None


@pytest.mark.parametrize(
    ("text", "limit"), [("", None), ("90", 90), ("90s", 90), ("30m", 1800), ("2h", 7200)]
)
def test_limits(text: str, limit: float | None) -> None:
    assert Settings.from_env({"FILLPATH_LIMIT": text}).limit == limit


@pytest.mark.parametrize("text", ["soon", "-1h", "0", "2d", "1h30m"])
def test_limits_that_mean_nothing_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=f"FILLPATH_LIMIT={text}: expected a time"):
        Settings.from_env({"FILLPATH_LIMIT": text})


def test_remaining_time_runs_out() -> None:
    assert run.Run("x", None, "").remaining() == float("inf")
    assert run.Run("x", time.time() - 5, "").remaining() < 0
