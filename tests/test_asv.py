"""asv: its configuration, its results files, and that a slowdown between two commits is seen."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from asv.config import Config

from benchmarks.runs import airspeed, asv_exact
from benchmarks.runs import asv_results as series
from benchmarks.runs.asv_process import facets
from benchmarks.runs.exact import Quantity
from benchmarks.suite import Suite
from benchmarks.symbolic import Symbolic
from fillpath.case import Case
from fillpath.paths import CONFIG, ROOT
from fillpath.record import read_records, record_path

BENCH = "timing.Planted.track_seconds"
EDGES = "timing.Planted.track_edges"
BENCHMARK = """
class Planted:
    params = [["a", "b"]]
    param_names = ["case"]
    version = "1"
    unit = "seconds"

    def track_seconds(self, case):
        return {"a": FACTOR * 0.25, "b": 0.5}[case]
"""
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
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], registered_fakes: None
) -> None:
    absent = [Case("symbolic", "absent", f"random,{n},0.1") for n in (100, 200)]
    monkeypatch.setattr(airspeed, "suite_cases", lambda settings, stage: absent)
    monkeypatch.setattr(airspeed, "_run_asv", lambda *arguments: pytest.fail("asv was started"))
    assert Symbolic().params == [[]]
    airspeed.run_stage("symbolic", {})
    assert "2 cases are unavailable: needs a machine that does not exist" in capsys.readouterr().err
    found = [read_records(record_path("test-machine", case.name)) for case in absent]
    assert [[record.status for record in records] for records in found] == [["unavailable"], ["unavailable"]]


def test_facets_are_text() -> None:
    assert {type(value) for value in facets().values()} == {str}


def results_file(interpreter: str, row: list[Any]) -> dict[str, Any]:
    return {
        "commit_hash": "0123456789abcdef",
        "python": interpreter,
        "env_name": f"existing-py{interpreter.replace('/', '_')}",
        "params": {"machine": "m", "python": interpreter},
        "results": {"symbolic.Symbolic.track_seconds": row},
    }


def test_two_checkouts_give_the_same_file() -> None:
    row = [[1.0, math.nan], [["'x'", "'y'"]], "1"]
    first, second = (series.normalised(results_file(f"/{home}/.venv/bin/python", row)) for home in "ab")
    assert first == second
    assert "venv" not in json.dumps(first, allow_nan=False)
    assert first["results"]["symbolic.Symbolic.track_seconds"][0] == [1.0, None]


def test_a_narrower_run_keeps_the_cases_of_a_wider_one(tmp_path: Path) -> None:
    def save(values: list[float], names: list[str]) -> None:
        source = tmp_path / "scratch"
        series.write_json(source / "m" / "machine.json", {"machine": "m", "version": 1})
        data = results_file("/some/python", [values, [names], "1"])
        series.write_json(source / "m" / "01234567-existing.json", data)
        known = {"symbolic.Symbolic.track_seconds": {"params": [names]}, "version": 2}
        series.write_json(source / "benchmarks.json", known)
        series.merge(source, tmp_path / "asv")

    save([1.0, 2.0], ["'x'", "'y'"])
    save([3.0, 4.0], ["'y'", "'z'"])
    (path,) = (tmp_path / "asv" / "m").glob("01234567-*.json")
    row = json.loads(path.read_text())["results"]["symbolic.Symbolic.track_seconds"]
    assert row[:2] == [[1.0, 3.0, 4.0], [["'x'", "'y'", "'z'"]]]
    known = json.loads((tmp_path / "asv" / "benchmarks.json").read_text())
    assert known["symbolic.Symbolic.track_seconds"]["params"] == [["'x'", "'y'", "'z'"]]


class Repository:
    """A throw-away repository with one benchmark, whose results go the way that ours go."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # A file that is written again within a second, as long as before, is the old one to compiled files.
        without_compiled = {"PYTHONDONTWRITEBYTECODE": "1"}
        self.environment = {**os.environ, **without_compiled, "HOME": str(folder / "home")}
        (folder / "benchmarks").mkdir(parents=True)
        (folder / "home").mkdir()
        (folder / "benchmarks" / "__init__.py").touch()
        configuration = {
            **json.loads((ROOT / "asv.conf.json").read_text()),
            "results_dir": "scratch",
            "html_dir": "html",
        }
        series.write_json(folder / "asv.conf.json", configuration)
        self.git("init", "--quiet")

    def git(self, *arguments: str) -> str:
        identity = ("-c", "user.name=test", "-c", "user.email=test@example.org")
        return self._call("git", *identity, *arguments)

    def asv(self, *arguments: str) -> str:
        return self._call(sys.executable, "-m", "asv", *arguments)

    def _call(self, *command: str) -> str:
        done = subprocess.run(command, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def measured_commit(self, factor: float) -> str:
        """Commit a benchmark whose first case takes `factor` as long, measure it, merge its results.

        Of a case that was measured its edges are kept too, of one that was not nothing."""
        (self.folder / "benchmarks" / "timing.py").write_text(f"FACTOR = {factor}\n{BENCHMARK}")
        self.git("add", "benchmarks", "asv.conf.json")
        self.git("commit", "--quiet", "--allow-empty", "--message", f"factor {factor}")
        commit = self.git("rev-parse", "HEAD").strip()
        self.asv("run", "--machine", "m", "--set-commit-hash", commit)
        counts = {"a": {"edges": Quantity(1000 * factor, "count")}, "c": {"fills": Quantity(1, "count")}}
        kernels = {"fast.cu fast sm_90": {"registers": Quantity(40, "count")}}
        asv_exact.add_series(self.folder / "scratch", commit, BENCH, counts, kernels)
        series.merge(self.folder / "scratch", self.folder / "asv")
        return commit

    def compared(self, first: str, second: str) -> str:
        configuration = json.loads((self.folder / "asv.conf.json").read_text())
        series.write_json(self.folder / "merged.json", {**configuration, "results_dir": "asv"})
        return self.asv("--config", "merged.json", "compare", "--only-changed", first, second)


@needs_git
def test_a_planted_slowdown_is_reported_and_a_clean_pair_is_not(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    machine = {"machine": "m", "os": "o", "arch": "a", "cpu": "c", "num_cpu": "1", "ram": "r"}
    series.write_json(tmp_path / "home" / ".asv-machine.json", {"m": machine, "version": 1})
    before = repository.measured_commit(1.0)
    same = repository.measured_commit(1.0)
    slower = repository.measured_commit(2.0)
    assert BENCH not in repository.compared(before, same)
    report = repository.compared(before, slower)
    assert f"{BENCH}('a')" in report and "| 250ms " in report and "| 500ms " in report
    assert f"{BENCH}('b')" not in report
    assert f"{EDGES}('a')" in report and EDGES not in repository.compared(before, same)
    # A case that was skipped is null in the file, and asv still publishes it, on a detached HEAD too.
    path = next((tmp_path / "asv" / "m").glob(f"{slower[:8]}-*.json"))
    data = json.loads(path.read_text())
    data["results"][BENCH][0][1] = None
    series.write_json(path, data)
    repository.git("checkout", "--quiet", "--detach")
    repository.asv("--config", "merged.json", "publish", "--no-pull")
    assert (tmp_path / "html" / "index.html").is_file()
    # What needs no clock is drawn as a series of its own, of the cases that count it and were measured.
    index = json.loads((tmp_path / "html" / "index.json").read_text())["benchmarks"]
    assert set(index) == {BENCH, EDGES, "timing.Planted.track_registers"}
    assert (index[EDGES]["unit"], index[EDGES]["params"]) == ("count", [["'a'"]])
    (graph,) = (tmp_path / "html" / "graphs").rglob(f"machine-m/**/{EDGES}.json")
    assert [value for _, (value,) in json.loads(graph.read_text())] == [1000, 1000, 2000]
