"""Nothing is measured, drawn or started again where nothing changed; each change is seen."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.engine import run
from benchmarks.engine.measure import measure
from benchmarks.runs import marks, rounds
from benchmarks.runs.cases import limits_of, suite_stages
from benchmarks.runs.rounds import outstanding
from fillpath.case import Case
from fillpath.errors import InputError
from fillpath.paths import results
from fillpath.record import Record, Status, read_records, record_path, write_records
from fillpath.settings import Settings, settings

RUN, LATER = run.Run("a-run", None, ""), run.Run("a-later-run", None, "")
CASE, ABSENT = Case("symbolic", "right", "grid2d,6"), Case("symbolic", "absent", "grid2d,6")
EMBEDDED = Settings()


@pytest.fixture(scope="module")
def measured() -> list[Record]:
    """CASE's record, once a test has measured it."""
    return []


@pytest.fixture
def stored(
    measured: list[Record],
    registered_fakes: None,
    shared_cache: None,
    monkeypatch: pytest.MonkeyPatch,
) -> Path:
    """The stage has one case that can run, measured, and one that cannot. Returns the first one's file."""
    monkeypatch.setattr(rounds, "suite_cases", lambda settings, stage: [CASE, ABSENT])
    path = record_path("test-machine", CASE.name)
    if not measured:
        measured.append(measure(CASE, limits_of(CASE, settings()), within=RUN))
    write_records(path, measured)
    rounds.run_stage("symbolic")
    return path


def test_what_stands_is_not_outstanding_in_a_later_run(stored: Path) -> None:
    other = Case("symbolic", "right", "grid2d,7")
    assert outstanding([CASE, ABSENT, other], LATER) == [other]
    assert rounds.is_done("symbolic")


def test_nothing_is_measured_where_all_stands(
    stored: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(rounds, "measure_rounds", lambda *arguments: pytest.fail("one is measured"))
    rounds.run_stage("symbolic")
    assert "1 of 1 symbolic cases are done" in capsys.readouterr().err


def test_a_lost_record_is_outstanding(stored: Path) -> None:
    stored.unlink()
    assert outstanding([CASE], LATER) == [CASE]
    assert not rounds.is_done("symbolic")


def test_a_record_of_the_old_gate_is_outstanding(stored: Path) -> None:
    """The record is kept, and the case measured anew."""
    (record,) = read_records(stored)
    assert record.verified is not None
    by_norms = replace(record, verified=replace(record.verified, method="relative residual"))
    write_records(stored, [by_norms])
    assert outstanding([CASE], LATER) == [CASE]
    rounds.run_stage("symbolic")
    first, last = read_records(stored)
    assert first == by_norms and last.verified == record.verified and outstanding([CASE], LATER) == []


def test_a_torn_line_is_outstanding_and_stops_no_other_input(
    stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Case("symbolic", "right", "grid2d,7")
    monkeypatch.setattr(rounds, "suite_cases", lambda settings, stage: [CASE, ABSENT, other])
    stored.write_text(stored.read_text()[:-9])
    assert outstanding([CASE], LATER) == [CASE]
    with pytest.raises(InputError, match=r"jsonl:1: not a record .* mend or remove the line"):
        rounds.run_stage("symbolic")
    assert read_records(record_path("test-machine", other.name))[-1].status is Status.OK


def test_a_record_of_other_code_is_outstanding(stored: Path) -> None:
    text = stored.read_text()
    stored.write_text(text.replace(read_records(stored)[0].key, "0" * 64))
    assert outstanding([CASE], LATER) == [CASE]


def test_a_standing_record_behind_another_is_made_the_last(stored: Path) -> None:
    (record,) = read_records(stored)
    write_records(stored, [record, replace(record, key="0" * 64, run_id="other")])
    assert outstanding([CASE], LATER) == [CASE]
    assert read_records(stored)[-1].key == "0" * 64, "the rule only reads"
    rounds.run_stage("symbolic")
    assert read_records(stored)[-1] == record and outstanding([CASE], LATER) == []


def test_another_reason_not_to_run_is_to_be_recorded(stored: Path) -> None:
    path = record_path("test-machine", ABSENT.name)
    (record,) = read_records(path)
    write_records(path, [replace(record, reason="needs another machine")])
    assert outstanding([CASE, ABSENT], LATER) == [ABSENT]
    rounds.run_stage("symbolic")
    assert read_records(path)[-1].reason == record.reason and rounds.is_done("symbolic")


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of its own with figures that are drawn and all stages measured."""
    site, page = tmp_path / "reports" / "site", tmp_path / "reports" / "index.html"
    for name, value in {"ROOT": tmp_path, "WORK": tmp_path / "work", "SITE": site, "PAGE": page}.items():
        monkeypatch.setattr(marks, name, value)
    monkeypatch.setattr(marks, "_DRAW", tmp_path / "work" / "markers" / "figures")
    monkeypatch.setattr(marks, "_MEASURE", tmp_path / "work" / "markers" / "measure")
    monkeypatch.setattr(marks.rounds, "is_done", lambda name: True)
    monkeypatch.setattr(marks.run, "machine_of", lambda stage: "test-machine")
    for name in ("reports/figures.py", "reports/site/a.svg", "reports/index.html", "config/matrices.csv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (results() / "m" / "records").mkdir(parents=True)
    (results() / "m" / "records" / "case.jsonl").write_text("x")
    for name in suite_stages(EMBEDDED):
        (marks._MEASURE / name).parent.mkdir(parents=True, exist_ok=True)
        (marks._MEASURE / name).touch()
    marks.keep_drawn(marks.drawn_from(EMBEDDED))
    return tmp_path


def left(folder: Path, chosen: Settings = EMBEDDED) -> set[str]:
    """The steps whose markers are gone."""
    every = {"figures", *(f"measure/{stage}" for stage in suite_stages(EMBEDDED))}
    marks.remove_stale(chosen)
    return {name for name in every if not (folder / "work" / "markers" / name).is_file()}


def test_nothing_is_left_to_do_where_nothing_changed(tree: Path) -> None:
    drawn = marks.drawn_at()
    # As Snakemake does to a job's outputs.
    os.utime(tree / "reports" / "site" / "a.svg")
    assert left(tree) == set() and drawn is not None and marks.drawn_at() == drawn


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: (folder / "reports" / "figures.py").write_text("other"),
        lambda folder: (folder / "config" / "new.yaml").write_text("x"),
        lambda folder: (results() / "m" / "records" / "case.jsonl").write_text("longer"),
        lambda folder: (results() / "m" / "records" / "case.jsonl").unlink(),
        lambda folder: (folder / "reports" / "site" / "a.svg").write_text("edited"),
        lambda folder: (folder / "reports" / "index.html").unlink(),
        lambda folder: (folder / "work" / "markers" / "figures").write_text(""),
    ],
    ids=["source", "new file", "record", "lost record", "picture", "page", "damaged marker"],
)
def test_a_change_is_drawn(tree: Path, change: Callable[[Path], object]) -> None:
    change(tree)
    assert left(tree) == {"figures"}


def test_what_is_made_is_no_source(tree: Path) -> None:
    made = marks.drawn_from(EMBEDDED)
    (tree / "reports" / "site" / "b.svg").write_text("x")
    (tree / "reports" / "__pycache__").mkdir()
    (tree / "reports" / "__pycache__" / "x.pyc").write_text("x")
    (results() / "m" / ".lock").touch()
    assert marks.drawn_from(EMBEDDED) == made


def test_other_settings_are_drawn(tree: Path) -> None:
    assert left(tree, Settings(figure="gsofa.table1")) == {"figures"}


@pytest.mark.parametrize("why", ["a case is outstanding", "another machine measured it", "Slurm", "fresh"])
def test_a_stage_with_something_left_is_measured(
    tree: Path, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    chosen = Settings(fresh=why == "fresh", profile="slurm" if why == "Slurm" else "default")
    if why == "a case is outstanding":
        monkeypatch.setattr(marks.rounds, "is_done", lambda name: name != "symbolic")
    if why == "another machine measured it":
        machines = {"symbolic": "far"}
        monkeypatch.setattr(marks.run, "machine_of", lambda stage: machines.get(stage, "test-machine"))
    monkeypatch.setattr(marks.slurm, "submits", lambda profile: profile == "slurm")
    every = {f"measure/{stage}" for stage in suite_stages(chosen)}
    # Snakemake would not measure for figures that are drawn.
    measured = every if why in ("Slurm", "fresh") else {"measure/symbolic"}
    assert left(tree, chosen) == {"figures", *measured}
