"""asv: its configuration, its series, and that the tool itself reads them and sees a slowdown."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from asv.config import Config
from asv.runner import BENCHMARK_RUN_SCRIPT

from benchmarks.engine import machine
from benchmarks.engine.run import Run
from benchmarks.runs import airspeed, rounds, stage
from benchmarks.runs.airspeed import AirspeedError, Row, add_rows, facets, has_rows
from benchmarks.suite import Suite
from benchmarks.symbolic import Symbolic
from fillpath.case import Case
from fillpath.errors import DiskFullError
from fillpath.hardware import identity
from fillpath.paths import CONFIG, ROOT, results
from fillpath.record import Record, Status, read_records, record_path, write_records
from fillpath.stages import STAGES
from tests.reports_fakes import made_record

SECONDS = "symbolic.Symbolic.track_seconds"
EDGES = "symbolic.Symbolic.track_edges"
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def test_configuration_matches_its_schema_and_asv_knows_every_key() -> None:
    schema = json.loads((CONFIG / "schemas" / "asv.json").read_text())
    jsonschema.validate(json.loads((ROOT / "asv.conf.json").read_text()), schema)
    # asv passes over keys that it does not know: a misspelt one would have no effect and no error.
    assert set(schema["properties"]) - {"version"} <= set(vars(Config()))


def test_parameters_are_case_names_and_the_base_class_is_not_collected() -> None:
    import inspect

    (names,) = Symbolic().params
    assert names and all(name.startswith("symbolic.") for name in names)
    assert inspect.isabstract(Suite) and not inspect.isabstract(Symbolic)


def test_what_cannot_run_here_has_its_record_without_a_process(
    monkeypatch: pytest.MonkeyPatch, registered_fakes: None
) -> None:
    absent = [Case("symbolic", "absent", f"random,{n},0.1") for n in (100, 200)]
    monkeypatch.setattr(stage, "suite_cases", lambda settings, stage: absent)
    monkeypatch.setattr(stage, "measure_rounds", lambda *arguments: pytest.fail("one is measured"))
    assert Symbolic().params == [[]]
    for _ in range(2):
        stage.run_stage("symbolic")
    for case in absent:
        (record,) = read_records(record_path("test-machine", case.name))
        assert (record.status, record.reason) == ("unavailable", "needs a machine that does not exist")


def test_a_full_disk_is_said_with_what_is_stored(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = [Case.parse(f"symbolic.fill1@grid2d,{order}.metis") for order in (8, 9)]

    def refused(cases: list[Case], *arguments: object) -> Iterator[Record]:
        record = made_record(cases[0], 1)
        write_records(record_path("test-machine", record.case), [record])
        yield record
        raise DiskFullError("no space left for results")

    monkeypatch.setattr(stage, "suite_cases", lambda settings, stage: cases)
    monkeypatch.setattr(stage, "measure_rounds", refused)
    with pytest.raises(
        DiskFullError, match=r"^1 of 2 symbolic cases are done and stored, the next was refused"
    ):
        stage.run_stage("symbolic")
    assert f"[1/2] ok            {cases[0].name}  " in capsys.readouterr().err


def test_the_cases_of_an_input_are_measured_in_turn_and_each_process_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cases = [Case.parse(f"symbolic.{name}@grid2d,8.metis") for name in ("fill1", "fill2_cpu", "fill1_pruned")]
    other = Case.parse("symbolic.fill1@grid2d,9.metis")
    asked = []

    def measured(case: Case, limits: object, process: int, within: Run, **rest: object) -> Record:
        asked.append((case, process))
        is_wrong = case == cases[1]
        record = replace(
            made_record(case, 1), run_id=within.id, process=process, host=identity(), machine="test-machine",
            status=Status.WRONG if is_wrong else Status.OK, reason="differs" if is_wrong else "",
            seconds=[] if is_wrong else [1.0 + process],
        )  # fmt: skip
        path = record_path("test-machine", case.name)
        write_records(path, [*read_records(path), record])
        return record

    monkeypatch.setattr(stage, "suite_cases", lambda settings, stage: [cases[0], other, *cases[1:]])
    monkeypatch.setattr(stage.run, "current", lambda: Run("one", None, ""))
    monkeypatch.setattr(machine, "git_state", lambda: (None, None))
    monkeypatch.setattr(rounds, "measure", measured)
    monkeypatch.setenv("FILLPATH_PROCESSES", "2")
    stage.run_stage("symbolic")
    first, second = [(case, 0) for case in cases], [(cases[0], 1), (cases[2], 1)]
    assert asked == [*first, *second, (other, 0), (other, 1)]
    assert capsys.readouterr().err.splitlines() == [
        f"[0/4] ok            {cases[0].name}  1 s",
        f"[1/4] wrong         {cases[1].name}  differs",
        f"[1/4] ok            {cases[2].name}  1 s",
        f"[2/4] ok            {cases[0].name}  2 s, process 2",
        f"[3/4] ok            {cases[2].name}  2 s, process 2",
        f"[3/4] ok            {other.name}  1 s",
        f"[4/4] ok            {other.name}  2 s, process 2",
    ]


def test_facets_are_text() -> None:
    assert {type(value) for value in facets().values()} == {str}


@pytest.fixture
def commit(monkeypatch: pytest.MonkeyPatch) -> str:
    """This checkout's commit, as from a clean tree."""
    commit = machine.git_state()[0] or pytest.skip("no repository")
    monkeypatch.setattr(machine, "git_state", lambda: (commit, False))
    return commit


def test_a_narrower_run_keeps_the_cases_of_a_wider_one(commit: str) -> None:
    for values in ({"x": 1.0, "y": 2.0}, {"y": 3.0, "z": None}):
        add_rows([Row(SECONDS, "seconds", dict(values))])
    (path,) = (results() / "asv" / "test-machine").glob(f"{commit[:8]}-*.json")
    row = json.loads(path.read_text())["results"][SECONDS]
    assert row[:2] == [[1.0, 3.0, None], [["'x'", "'y'", "'z'"]]]
    listed = results() / "asv" / "benchmarks.json"
    assert json.loads(listed.read_text())[SECONDS]["params"] == [["'x'", "'y'", "'z'"]]
    held: Callable[[dict[str, float | None]], bool] = lambda values: has_rows(  # noqa: E731
        [Row(SECONDS, "seconds", values)]
    )
    assert held({"x": 1.0, "z": None}) and not held({"x": 2.0}) and not held({"w": None})
    assert "venv" not in path.read_text() + path.name
    # An `asv run` by hand lists what it finds alone.
    listed.write_text('{"version": 2}')
    assert not held({"x": 1.0})


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("benchmarks", '{"version":'),
        ("benchmarks", "[]"),
        ("benchmarks", json.dumps({SECONDS: {"params": []}})),
        ("benchmarks", json.dumps({SECONDS: {"params": 1}})),
        ("commit", "null"),
        ("commit", '{"results": []}'),
        ("commit", json.dumps({"results": {SECONDS: [[1.0, 2.0], [["'y'"]], Row.version]}})),
        ("commit", json.dumps({"results": {SECONDS: [[1.0]]}})),
    ],
)
def test_a_damaged_file_is_named(commit: str, name: str, text: str) -> None:
    file = "benchmarks.json" if name == "benchmarks" else f"{commit[:8]}-{airspeed.ENVIRONMENT}.json"
    path = results() / "asv" / ("" if name == "benchmarks" else "test-machine") / file
    path.parent.mkdir(parents=True)
    path.write_text(text)
    with pytest.raises(AirspeedError, match=rf"{file}: damaged .+ remove it, and run `make figures`"):
        add_rows([Row(SECONDS, "seconds", {"x": 1.0})])
    assert not has_rows([Row(SECONDS, "seconds", {"x": 1.0})])


def test_another_version_begins_a_row_anew(commit: str) -> None:
    for version, case in (("1", "x"), ("2", "y")):
        add_rows([Row(SECONDS, "seconds", {case: 1.0}, version)])
    (path,) = (results() / "asv" / "test-machine").glob(f"{commit[:8]}-*.json")
    assert json.loads(path.read_text())["results"][SECONDS] == [[1.0], [["'y'"]], "2"]


def test_a_stage_s_own_version_is_asv_s_and_other_quantities_have_rows_of_their_own() -> None:
    record = replace(made_record(Case.parse("solve.lu_cpu@grid2d,8.metis"), 1), work={"edges": 7})
    seconds, edges = airspeed.rows_of("solve", {record.case: [record], "failed": []})
    assert (seconds.name, seconds.version) == ("solve.Solve.track_seconds", "2")
    assert seconds.values == {record.case: record.median, "failed": None}
    assert edges == Row("solve.Solve.track_edges", "count", {record.case: 7})


@pytest.mark.thorough
def test_asv_finds_the_benchmarks_that_are_described_here(tmp_path: Path, commit: str) -> None:
    """asv's own discovery, as an `asv run` by hand begins."""
    found = tmp_path / "found.json"
    places = str(ROOT / "benchmarks"), str(found)
    call(tmp_path, sys.executable, str(BENCHMARK_RUN_SCRIPT), "discover", *places)
    add_rows([row for name in STAGES for row in airspeed.rows_of(name, {"x": []})])
    listed = json.loads((results() / "asv" / "benchmarks.json").read_text())
    compared = ("name", "param_names", "type", "unit", "version")
    for benchmark in json.loads(found.read_text()):
        ours = listed.pop(benchmark["name"])
        assert {key: ours[key] for key in compared} == {key: benchmark[key] for key in compared}
    assert set(listed) == {"version"}


def call(folder: Path, *command: str) -> str:
    environment = {**os.environ, "HOME": str(folder / "home")}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def asv(folder: Path, *arguments: str) -> str:
    return call(folder, sys.executable, "-m", "asv", *arguments)


@needs_git
@pytest.mark.parametrize("command", ["show", "compare", "publish"])
def test_asv_itself_reads_the_stored_medians_of_a_first_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, commit: str, command: str
) -> None:
    names = [f"symbolic.fill1@grid2d,{order}.metis" for order in (8, 9)]
    for name, seconds in zip(names, (0.25, 0.5), strict=True):
        record = replace(made_record(Case.parse(name), 1), seconds=[seconds] * 5)
        write_records(record_path("test-machine", name), [record])
    monkeypatch.setattr(airspeed, "WORK", tmp_path)
    monkeypatch.setattr(airspeed, "SITE", tmp_path)
    monkeypatch.setattr(stage, "suite_cases", lambda settings, stage: [Case.parse(name) for name in names])
    monkeypatch.setattr(stage, "outstanding", lambda cases, within: [])
    assert not stage.is_done("symbolic")
    stage.run_stage("symbolic")
    assert stage.is_done("symbolic")
    if command == "publish":
        airspeed.publish()
        graphs = (tmp_path / "asv" / "graphs").rglob(f"{SECONDS}.json")
        assert [0.25, 0.5] in [json.loads(graph.read_text())[-1][1] for graph in graphs]
        return
    arguments = {"show": ("--details", commit), "compare": (commit, commit)}
    told = asv(ROOT, "--config", str(airspeed.configuration()), command, *arguments[command])
    for name, seconds in zip(names, ("250", "500"), strict=True):
        assert any(name in line and seconds in line for line in told.splitlines()), told


def test_a_failure_of_asv_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(airspeed, "WORK", tmp_path)
    monkeypatch.setattr(airspeed, "SITE", tmp_path)
    monkeypatch.setattr(machine, "git_state", lambda: ("0" * 40, False))
    (results() / "asv").mkdir(parents=True)
    (results() / "asv" / "benchmarks.json").write_text("{")
    with pytest.raises(AirspeedError, match=r"^asv ended with status \d+ \(.+\); try `.+ --no-pull`$"):
        airspeed.publish()


class Repository:
    """A throw-away repository whose series are written as ours are."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        (folder / "home").mkdir()
        given = json.loads((ROOT / "asv.conf.json").read_text())
        changed = {**given, "results_dir": str(results() / "asv"), "html_dir": "html"}
        (folder / "asv.conf.json").write_text(json.dumps(changed))
        self.git("init", "--quiet")
        monkeypatch.setattr(airspeed, "ROOT", folder)
        monkeypatch.setattr(machine, "git_state", lambda: (self.git("rev-parse", "HEAD"), False))

    def git(self, *arguments: str) -> str:
        identity = ("-c", "user.name=test", "-c", "user.email=test@example.org")
        return call(self.folder, "git", *identity, *arguments).strip()

    def measured_commit(self, factor: float) -> str:
        """A commit whose first case takes `factor` as long; a third case has no result."""
        self.git("commit", "--quiet", "--allow-empty", "--message", f"factor {factor}")
        commit = self.git("rev-parse", "HEAD")
        seconds = Row(SECONDS, "seconds", {"a": factor * 0.25, "b": 0.5, "c": None})
        add_rows([seconds, Row(EDGES, "count", {"a": 1000 * factor})])
        return commit

    def compared(self, first: str, second: str) -> str:
        return asv(self.folder, "compare", "--only-changed", first, second)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    folder = tmp_path / "repository"
    folder.mkdir()
    return Repository(folder, monkeypatch)


def test_a_planted_slowdown_is_reported_and_a_clean_pair_is_not(repository: Repository) -> None:
    before, same, slower = (repository.measured_commit(factor) for factor in (1.0, 1.0, 2.0))
    assert SECONDS not in (clean := repository.compared(before, same)) and EDGES not in clean
    report = repository.compared(before, slower)
    assert f"{SECONDS}('a')" in report and "| 250ms " in report and "| 500ms " in report
    assert f"{SECONDS}('b')" not in report and f"{EDGES}('a')" in report


def test_asv_publishes_every_series_on_a_detached_head_too(repository: Repository) -> None:
    for factor in (1.0, 1.0, 2.0):
        repository.measured_commit(factor)
    repository.git("checkout", "--quiet", "--detach")
    asv(repository.folder, "publish", "--no-pull")
    # What needs no clock is drawn as a series of its own, of the cases that count it and were measured.
    index: dict[str, Any] = json.loads((repository.folder / "html" / "index.json").read_text())["benchmarks"]
    assert set(index) == {SECONDS, EDGES}
    assert (index[EDGES]["unit"], index[EDGES]["params"]) == ("count", [["'a'"]])
    drawn = {
        SECONDS: [[0.25, 0.5, None], [0.25, 0.5, None], [0.5, 0.5, None]],
        EDGES: [[1000], [1000], [2000]],
    }
    for series, values in drawn.items():
        (graph,) = (repository.folder / "html" / "graphs").rglob(f"machine-test-machine/**/{series}.json")
        assert [value for _, value in json.loads(graph.read_text())] == values
