"""asv: its configuration, its series, and that the tool itself reads them and sees a slowdown."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from asv.config import Config
from asv.runner import BENCHMARK_RUN_SCRIPT

from benchmarks.engine import machine
from benchmarks.engine.run import Run
from benchmarks.runs import airspeed, rounds
from benchmarks.runs.airspeed import facets
from benchmarks.suite import Suite
from benchmarks.symbolic import Symbolic
from fillpath.case import Case
from fillpath.errors import DiskFullError, FillpathError
from fillpath.hardware import identity
from fillpath.paths import CONFIG, ROOT
from fillpath.record import Record, Status, read_records, record_path, write_records
from fillpath.stages import STAGES
from tests.reports_fakes import made_record

SECONDS = "symbolic.Symbolic.track_seconds"
EDGES = "symbolic.Symbolic.track_edges"
CASES = [f"symbolic.fill1@grid2d,{order}.metis" for order in (7, 8, 9)]
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
    monkeypatch.setattr(rounds, "suite_cases", lambda settings, stage: absent)
    monkeypatch.setattr(rounds, "measure_rounds", lambda *arguments: pytest.fail("one is measured"))
    assert Symbolic().params == [[]]
    for _ in range(2):
        rounds.run_stage("symbolic")
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

    monkeypatch.setattr(rounds, "suite_cases", lambda settings, stage: cases)
    monkeypatch.setattr(rounds, "measure_rounds", refused)
    with pytest.raises(
        DiskFullError, match=r"^1 of 2 symbolic cases are done and stored, the next was refused"
    ):
        rounds.run_stage("symbolic")
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

    monkeypatch.setattr(rounds, "suite_cases", lambda settings, stage: [cases[0], other, *cases[1:]])
    monkeypatch.setattr(rounds.run, "current", lambda: Run("one", None, ""))
    monkeypatch.setattr(machine, "git_state", lambda: (None, None))
    monkeypatch.setattr(rounds, "measure", measured)
    monkeypatch.setenv("FILLPATH_PROCESSES", "2")
    rounds.run_stage("symbolic")
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


@pytest.fixture
def commit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """This checkout's commit; asv's files lie in a folder of the test's own."""
    monkeypatch.setattr(airspeed, "WORK", tmp_path)
    monkeypatch.setattr(airspeed, "SITE", tmp_path / "site")
    return machine.git_state()[0] or pytest.skip("no repository")


def stored(name: str, seconds: float, commit: str, **changes: Any) -> Record:
    """Add a record of five equal samples to its case's file."""
    ok = changes.get("status", Status.OK) is Status.OK
    record = replace(
        made_record(Case.parse(name), 1), machine="test-machine", commit=commit, dirty=False, run_id=commit,
        seconds=[seconds] * 5 if ok else [], versions={"python": "3.12.1"},
    )  # fmt: skip
    record = replace(record, **changes)
    path = record_path("test-machine", name)
    write_records(path, [*read_records(path), record])
    return record


def test_facets_are_text_with_and_without_facts() -> None:
    for name in ("test-machine", "absent"):
        assert {type(value) for value in facets(name).values()} == {str}
        machine.write_facts()


def test_a_row_has_the_last_run_of_each_case_at_a_commit_that_the_repository_has(
    commit: str, tmp_path: Path
) -> None:
    name = "symbolic.fill1@grid2d,{}.metis".format
    stored(name(1), 1.0, commit)
    stored(name(1), 2.0, commit, run_id="later", process=0)
    stored(name(1), 4.0, commit, run_id="later", process=1)
    stored(name(2), 1.0, commit)
    stored(name(2), 1.0, commit, run_id="later", status=Status.TIMEOUT, reason="60 s")
    for order, changes in enumerate(({"dirty": True}, {"commit": "0" * 40}, {"status": Status.NOT_RUN}), 3):
        stored(name(order), 1.0, **{"commit": commit, **changes})
    assert airspeed.write_series(["test-machine"])
    (path,) = (tmp_path / "asv" / "test-machine").glob("*-*.json")
    content = json.loads(path.read_text())
    assert content["results"][SECONDS] == [[3.0, None], [[repr(name(1)), repr(name(2))]], "1"]
    assert (content["commit_hash"], path.name) == (commit, f"{commit[:8]}-existing-py3.12.json")
    listed = json.loads((tmp_path / "asv" / "benchmarks.json").read_text())
    assert listed[SECONDS]["params"] == [[repr(name(1)), repr(name(2))]]
    assert not airspeed.write_series(["another"])
    assert not path.exists(), "a machine that is not published any more"


def test_each_quantity_has_a_row_of_its_own() -> None:
    record = replace(made_record(Case.parse("solve.lu_cpu@grid2d,8.metis"), 1), work={"edges": 7})
    failed = replace(record, case="solve.lu_cpu@grid2d,9.metis", status=Status.ERROR, seconds=[])
    rows = airspeed.rows_of({each.case: [each] for each in (record, failed)})
    assert rows == {
        "solve.Solve.track_seconds": {record.case: record.median, failed.case: None},
        "solve.Solve.track_edges": {record.case: 7},
    }
    seconds, edges = (airspeed.description(name, cases) for name, cases in rows.items())
    assert (seconds["unit"], edges["unit"]) == ("seconds", "count")


@pytest.mark.thorough
def test_asv_finds_the_benchmarks_that_are_described_here(tmp_path: Path) -> None:
    """asv's own discovery, as an `asv run` by hand begins."""
    found = tmp_path / "found.json"
    places = str(ROOT / "benchmarks"), str(found)
    call(tmp_path, sys.executable, str(BENCHMARK_RUN_SCRIPT), "discover", *places)
    ours = [airspeed.description(f"{name}.{name.capitalize()}.track_seconds", ["x"]) for name in STAGES]
    compared = ("name", "param_names", "type", "unit", "version")
    theirs = json.loads(found.read_text())
    described = [[[each[key] for key in compared] for each in several] for several in (ours, theirs)]
    assert sorted(described[0]) == sorted(described[1])


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
    tmp_path: Path, commit: str, command: str
) -> None:
    names = [f"symbolic.fill1@grid2d,{order}.metis" for order in (8, 9)]
    for name, seconds in zip(names, (0.25, 0.5), strict=True):
        stored(name, seconds, commit)
    airspeed.publish(["test-machine"])
    if command == "publish":
        graphs = (tmp_path / "site" / "asv" / "graphs").rglob(f"{SECONDS}.json")
        assert [0.25, 0.5] in [json.loads(graph.read_text())[-1][1] for graph in graphs]
        return
    arguments = {"show": ("--details", commit), "compare": (commit, commit)}
    told = asv(ROOT, "--config", str(airspeed.configuration()), command, *arguments[command])
    for name, seconds in zip(names, ("250", "500"), strict=True):
        assert any(name in line and seconds in line for line in told.splitlines()), told


def test_without_a_series_asv_is_not_started(commit: str, capsys: pytest.CaptureFixture[str]) -> None:
    airspeed.publish(["test-machine"])
    assert capsys.readouterr().err.startswith("asv: no series yet")


def test_a_failure_of_asv_is_one_line(commit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored("symbolic.fill1@grid2d,8.metis", 1.0, commit)
    monkeypatch.setattr(airspeed, "SITE", tmp_path / "site")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "asv").write_text("no folder")
    with pytest.raises(FillpathError, match=r"^asv ended with status \d+ \(.+\); try `.+ --no-pull`$"):
        airspeed.publish(["test-machine"])


class Repository:
    """A throw-away repository whose series are written as ours are."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        (folder / "home").mkdir()
        given = json.loads((ROOT / "asv.conf.json").read_text())
        changed = {**given, "results_dir": "asv", "html_dir": "html"}
        (folder / "asv.conf.json").write_text(json.dumps(changed))
        self.git("init", "--quiet")
        for name in ("ROOT", "WORK"):
            monkeypatch.setattr(airspeed, name, folder)

    def git(self, *arguments: str) -> str:
        identity = ("-c", "user.name=test", "-c", "user.email=test@example.org")
        return call(self.folder, "git", *identity, *arguments).strip()

    def measured_commit(self, factor: float) -> str:
        """A commit whose first case takes `factor` as long; a third case has no result."""
        self.git("commit", "--quiet", "--allow-empty", "--message", f"factor {factor}")
        commit = self.git("rev-parse", "HEAD")
        a, b, c = CASES
        stored(a, factor * 0.25, commit, work={"edges": 1000 * factor})
        stored(b, 0.5, commit, work={})
        stored(c, 1.0, commit, status=Status.ERROR, reason="made up")
        airspeed.write_series(["test-machine"])
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
    assert f"{SECONDS}({CASES[0]!r})" in report and "| 250ms " in report and "| 500ms " in report
    assert f"{SECONDS}({CASES[1]!r})" not in report and f"{EDGES}({CASES[0]!r})" in report


def test_asv_publishes_every_series_on_a_detached_head_too(repository: Repository) -> None:
    for factor in (1.0, 1.0, 2.0):
        repository.measured_commit(factor)
    repository.git("checkout", "--quiet", "--detach")
    asv(repository.folder, "publish", "--no-pull")
    # What needs no clock is drawn as a series of its own, of the cases that count it and were measured.
    index: dict[str, Any] = json.loads((repository.folder / "html" / "index.json").read_text())["benchmarks"]
    assert set(index) == {SECONDS, EDGES}
    assert (index[EDGES]["unit"], index[EDGES]["params"]) == ("count", [[repr(CASES[0])]])
    drawn = {
        SECONDS: [[0.25, 0.5, None], [0.25, 0.5, None], [0.5, 0.5, None]],
        EDGES: [[1000], [1000], [2000]],
    }
    for series, values in drawn.items():
        (graph,) = (repository.folder / "html" / "graphs").rglob(f"machine-test-machine/**/{series}.json")
        assert [value for _, value in json.loads(graph.read_text())] == values
