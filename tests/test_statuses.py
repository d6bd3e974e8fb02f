"""Every reader of records takes one of each status with nothing but the fields that the schema requires."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from benchmarks.engine import current
from benchmarks.engine.limits import Limits
from benchmarks.engine.run import alone
from benchmarks.runs import airspeed, archive, plan
from benchmarks.runs.cases import suite_cases
from benchmarks.runs.exact import agreed, differences
from benchmarks.runs.night_rounds import paired
from benchmarks.runs.predictions import Predictions
from benchmarks.runs.rounds import outstanding
from commands import main
from commands._records import figure_cases, record_text
from commands.workflow.summary import summary
from fetch import catalogue, collection
from fillpath.case import Case
from fillpath.config import schema_of
from fillpath.papers import paper_names
from fillpath.record import Record, Status, Verified, stored_records
from fillpath.settings import Settings
from reports import figures
from reports.facts.records import Records
from reports.pages import crate, drawing, handout, webpage
from reports.pages.ledger.document import to_json
from reports.pages.ledger.text import table
from reports.shapes import style
from tests.reports_fakes import NO_ROWS, OF_EACH_SHAPE, Judgement, judge
from tests.shared import once
from tests.thorough import daily

# Cases of an implementation.
EACH = 2
MACHINES = ("bare", "test-machine")
PREPARED = {
    "hash": "a" * 64, "n": 1, "nnz": 1, "explicit_zeros": 0, "matching": "none", "ordering": "metis",
    "versions": {},
}  # fmt: skip


def bare(case: Case, status: Status, machine: str) -> dict[str, Any]:
    """The required fields alone; null, empty or least where the schema allows."""
    record = Record(case.name, parts(case), "0" * 64, status, "", "run", "2026-01-01T00:00:00Z", machine)
    if status is Status.OK:
        record = replace(
            record, seconds=[1.0], prepared=PREPARED, verified=Verified("fill1", "rows", 0.0, 0.0)
        )
    data = record.to_json()
    return {name: data[name] for name in schema_of("record")["required"]}


def parts(case: Case) -> dict[str, Any]:
    return {
        "stage": case.stage, "implementation": case.implementation, "options": dict(case.options),
        "matrix": case.matrix, "preparation": case.preparation.name, "seed": case.seed,
        "threads": case.threads, "gpus": case.gpus,
    }  # fmt: skip


def chosen() -> Iterator[tuple[Case, Status]]:
    """Cases of every implementation of the papers' suite, the statuses in turn."""
    by_name: dict[tuple[str, str], list[Case]] = {}
    for case in suite_cases(Settings(suite="papers")):
        by_name.setdefault((case.stage, case.implementation), []).append(case)
    statuses = cycle(Status)
    for cases in by_name.values():
        yield from zip(cases[:: max(1, len(cases) // EACH)][:EACH], statuses, strict=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("bare")
    for case, status in chosen():
        for machine in MACHINES:
            path = made / machine / "records" / f"{case.name}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{json.dumps(bare(case, status, machine))}\n")
    return made


@pytest.fixture(autouse=True)
def stored(folder: Path, site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FILLPATH_RESULTS", str(folder))
    monkeypatch.setenv("FILLPATH_OFFLINE", "1")


def every() -> list[Record]:
    return [record for records in stored_records() for record in records]


def test_each_status_is_there_of_each_stage() -> None:
    of_stage: dict[str, set[Status]] = {}
    for record in every():
        of_stage.setdefault(record.parts["stage"], set()).add(record.status)
    assert len(of_stage) > 5 and all(len(statuses) > 1 for statuses in of_stage.values())
    assert set.union(*of_stage.values()) == set(Status)


@pytest.mark.parametrize(
    "command", ["check", "list", "compare bare test-machine", "pack bare.tar.gz --machine bare"]
)
def test_a_command_reads_it(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(style, "write_picture", lambda figure, path, box=None: path.touch())
    monkeypatch.chdir(tmp_path)
    assert main(command.split()) == 0


@pytest.mark.parametrize("suite", ["embedded", "papers"])
def test_a_plan_reads_it(
    suite: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FILLPATH_MACHINE", "bare")
    monkeypatch.setattr(plan.host, "is_here", lambda name: False)
    assert main(["plan", suite]) in (0, 1) and "known by" in capsys.readouterr().out


def test_what_counts_and_compares_reads_it() -> None:
    for records in stored_records():
        assert record_text(records[-1]).startswith(records[-1].case)
        assert differences(records[-1], records[-1]) == () and not agreed(records)
    measured = [record for record in every() if record.median is not None]
    assert measured and all(paired({"a": [record], "b": [record]}, "a", "b") == (0.0,) for record in measured)
    assert airspeed.rows_of({record.case: [record] for record in measured})


def test_what_is_stored_settles_or_is_measured_again() -> None:
    each = {record.status: Case.parse(record.case) for record in every()}
    for case in each.values():
        assert current.reusable_record(case, PREPARED["hash"], Limits()) is None, "of no sources"
    assert len(each) == len(Status) and outstanding(list(each.values()), alone())


def test_what_a_plan_is_made_of_reads_it() -> None:
    assert len(Predictions(Records.load("bare").rows, "bare").checks())


@pytest.fixture
def judged(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Judgement]:
    """How the claims of a paper stand, judged once in a test run."""
    return lambda paper: once(tmp_path_factory, f"bare-{paper}", lambda: _judgement(paper))


def _judgement(paper: str) -> Judgement:
    records = Records.load("bare")
    return judge(records, catalogue.entries(), figure_cases(records), [paper])


@pytest.mark.parametrize("paper", paper_names())
def test_every_claim_is_judged_by_it(judged: Callable[[str], Judgement], paper: str) -> None:
    found = judged(paper)
    standings, failed = found
    assert standings and not failed


def test_every_document_is_written_of_it(site: Path, judged: Callable[[str], Judgement]) -> None:
    records, entries = Records.load("bare"), catalogue.entries()
    standings = [standing for paper in paper_names() for standing in judged(paper)[0]]
    cases = [Case.parse(record.case) for record in records.rows]
    assert table(standings) and to_json(["bare"], standings)
    assert webpage.page(standings, cases, records, entries).is_file()
    assert handout.files("bare", records, drawing.Result(tuple(standings), {}), site)
    assert summary([("gsofa", "fig10")], cases, records, entries)
    stored = archive.contents("bare")
    assert crate.metadata(records, stored, {}, "unknown", collection.SITE)


@pytest.mark.parametrize(("paper", "figure"), daily(figures.available_figures(), *OF_EACH_SHAPE))
def test_a_figure_has_a_picture_of_it(paper: str, figure: str) -> None:
    """Made and not laid out, which takes most of a minute for all of them."""
    records, entries = Records.load(), catalogue.entries()
    cases, shown = figure_cases(records)(paper, figure), figures.exhibit(paper, figure)
    views = [figures.view(paper, figure, records.of_machine(name), entries, cases) for name in MACHINES]
    assert not any(view.failure for view in views)
    assert bool(figures.pictured(views)) == any(records.of(case.name) for case in cases)
    frame = views[MACHINES.index("bare")].frame
    assert shown.picture(frame).axes and shown.words(frame, NO_ROWS)
