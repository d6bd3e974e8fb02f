"""A picture is of one machine: which one, by what its records say. All numbers are made up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.figure import Figure

from benchmarks.engine import run
from benchmarks.runs import marks
from commands import main, page
from commands._records import machines_here
from fillpath.case import Case
from fillpath.record import Record, Status, record_path, write_records
from reports import figures
from reports.claims.verdict import Outcome, Verdict
from reports.exhibit import Exhibit, Judge
from reports.facts.claims import claims_of
from reports.facts.records import Records
from reports.how import place
from reports.shapes import files, style
from tests.reports_fakes import ENTRIES, ON_GPU, draw, made_record, on_gpu, rows_of, site

__all__ = ["site"]
# Each result decides another claim, whatever that says.
CLAIMS = {"fill1": "smallest", "fill1_pruned": "mean", "fill2_cpu": "largest"}
CASES = [Case.parse(f"symbolic.{name}@bcsstk18.metis") for name in ("fill1", "fill1_pruned", "fill2_cpu")]
ELSEWHERE = Case.parse("symbolic.fill1@rma10.metis")


@pytest.fixture(autouse=True)
def by_functions_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No column of a frame is held against the claims."""
    monkeypatch.setattr("reports.exhibit.claims_of", lambda paper, id: [])


def rows(cases: pd.DataFrame) -> pd.DataFrame:
    return cases


def drawn(frame: pd.DataFrame, title: str) -> Figure:
    return style.new_figure(3, 2, title)


def judged(claims: Sequence[str], outcome: Outcome = Outcome.DEVIATES) -> Judge:
    """Judges a claim of each of these implementations by the machines with an ok case of it; it is `not run`
    without any, and nothing stands beside the print then."""

    def verdicts(frame: pd.DataFrame) -> list[Verdict]:
        return [each for name in claims for each in of(frame, name)]

    def of(frame: pd.DataFrame, name: str) -> list[Verdict]:
        ok = frame[(frame["status"] == "ok") & (frame["implementation"] == name)]
        if len(ok):
            return [verdict(name, machine, outcome) for machine in sorted(set(ok["machine"]))]
        return [] if outcome is Outcome.BESIDE else [verdict(name, "", Outcome.NOT_RUN)]

    return verdicts


def verdict(claim: str, machine: str, outcome: Outcome) -> Verdict:
    return Verdict(f"gsofa.fig14_maxid_ranges.{CLAIMS[claim]}", "seconds", outcome, "1.2x", machine)


def figure_of(*held: Judge, claims: tuple[str, ...] = ("fig14_maxid_ranges",)) -> Exhibit:
    return Exhibit("gsofa", "GSoFA, Figure 99", "a sham", rows, drawn, "A sham.", held=held, claims=claims)


BOTH = figure_of(judged(["fill1_pruned", "fill2_cpu"]))
SILENT = figure_of(judged(["fill1_pruned", "fill2_cpu"], Outcome.BESIDE), claims=())


def records(measured: Mapping[str, str], status: Status = Status.OK) -> Records:
    """By the cases of each machine, one character each: `x` is ok, `.` has that status, `-` was not tried."""
    made = [
        replace(made_record(case, 2 * number), machine=machine, status=Status.OK if mark == "x" else status)
        for machine, marks in measured.items()
        for number, (case, mark) in enumerate(zip([*CASES, ELSEWHERE], marks, strict=False))
        if mark != "-"
    ]
    return Records(tuple(made))


def chosen(shown: Exhibit, measured: Mapping[str, str], *here: str) -> str | None:
    """measured : see `records`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figures, "exhibits", lambda paper: {"fig99": shown})
        every = records(measured, Status.TIMEOUT)
        own = map(every.of_machine, every.machines())
        seen = figures.pictured([figures.view("gsofa", "fig99", each, ENTRIES, CASES) for each in own], here)
    return seen and seen.machine


def test_it_is_this_machine_where_it_decides_a_claim() -> None:
    measured = {"here": "-x", "there": "xxx"}
    assert chosen(BOTH, measured, "here") == "here"
    assert chosen(BOTH, measured) == "there"


@pytest.mark.parametrize("marks", ["x--", "x..", "...", "---x", ""])
def test_what_decides_nothing_here_gives_way_to_who_decides_most(marks: str) -> None:
    others = {"a": "-x", "b": "-xx", "c": "x-x"}
    assert chosen(BOTH, {"here": marks, **others}, "here") == "b"


def test_of_equals_it_is_who_has_most_results_then_the_first_by_name() -> None:
    assert chosen(BOTH, {"a": "-xx", "b": "xxx", "c": "xxx"}, "nobody") == "b"
    assert chosen(BOTH, {"c": "x-.", "b": "x--"}) == "b", "what failed counts as little as what was not tried"
    assert chosen(BOTH, {"b": "-x-x", "a": "-x"}) == "a", "cases of other figures do not count"


def test_where_nothing_is_decided_results_count_and_no_stranger_is_preferred() -> None:
    assert chosen(BOTH, {"here": "x", "there": "x..", "most": "x--x"}, "here") == "here"
    unjudged = figure_of(judged(["fill1", "fill2_cpu"], Outcome.NOT_COMPARABLE))
    assert chosen(unjudged, {"here": "-x", "there": "xx"}, "here") == "there"


def test_a_figure_without_claims_is_of_this_machine_where_any_case_is_ok() -> None:
    for shown in (SILENT, figure_of(claims=())):
        assert chosen(shown, {"here": ".x", "there": "xxx"}, "here") == "here"
        assert chosen(shown, {"here": "..", "there": "xxx"}, "here") == "there"
        assert chosen(shown, {"a": "x", "b": "xx"}, "here") == "b"


def test_a_figure_whose_claims_need_other_hardware_is_of_whom_it_says_most() -> None:
    beside = figure_of(judged(["fill1_pruned", "fill2_cpu"], Outcome.BESIDE))
    assert chosen(beside, {"here": "x", "there": "-xx"}, "here") == "there"
    assert chosen(beside, {"here": "x--x", "there": "-x"}, "here") == "there", "and results count after that"


def test_a_claim_that_no_record_decides_is_no_machines() -> None:
    """As that of an example which is arithmetic."""
    always = figure_of(lambda frame: [verdict("fill1", "any", Outcome.REPRODUCED)])
    assert chosen(always, {"here": ".", "there": "x"}, "here") == "there"


def test_of_several_machines_here_it_is_the_one_that_decides_most() -> None:
    measured = {"head": "x", "node-1": "-x", "node-2": "-xx", "there": "xxx"}
    assert chosen(BOTH, measured, "head", "node-1", "node-2") == "node-2"
    assert chosen(BOTH, measured, "head", "node-1") == "node-1"


def test_where_a_stage_was_measured_last_is_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "_MACHINES", tmp_path / "machines")
    assert machines_here() == ["test-machine"]
    monkeypatch.setenv("FILLPATH_MACHINE", "node-1")
    run.note_machine("symbolic")
    monkeypatch.setenv("FILLPATH_MACHINE", "head")
    assert machines_here() == ["head", "node-1"]


def test_no_record_is_no_machine() -> None:
    assert chosen(BOTH, {}) is None
    assert chosen(BOTH, {"a": "---x"}, "a") is None


def test_the_picture_and_its_data_are_of_that_machine_which_its_caption_names(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figures, "exhibits", lambda paper: {"fig99": BOTH})
    stored = records({"here": "-x", "there": "xxx"})
    for here, cases in ((["here"], CASES[1:2]), ([], CASES)):
        comments, frame = files.read_csv(draw("gsofa", "fig99", CASES, stored, ENTRIES, here)[1])
        machine = here[0] if here else "there"
        assert list(frame["case"]) == [case.name for case in cases]
        assert set(frame["machine"]) == {machine} and comments["machine"] == machine
        assert comments["caption"].startswith(f"Measured on {machine} (Imaginary CPU, 2 cores). A sham. ")
    comments, frame = files.read_csv(draw("gsofa", "fig99", CASES, Records(), ENTRIES)[1])
    assert len(frame) == len(CASES) and comments["caption"].startswith(
        "A sham. Nothing of it was measured here."
    )


def test_the_place_names_what_was_measured_on() -> None:
    gpu, cpu = on_gpu(ON_GPU[0], 1), replace(made_record(CASES[0], 2), host_cpu="A CPU")
    failed = replace(made_record(CASES[1], 3), status=Status.TIMEOUT, host_cpu="Another CPU", seconds=[])

    def placed(*made: Record) -> str:
        return place(rows_of(Records(made)))

    assert placed(gpu) == "Measured on made-up (Imaginary GPU)."
    assert placed(cpu, failed) == "Measured on made-up (A CPU)."
    assert placed(cpu, gpu) == "Measured on made-up (Imaginary GPU)."
    assert placed(replace(cpu, host_cpu=None)) == "Measured on made-up."
    assert placed(failed) == placed() == ""
    nodes = replace(gpu, case="symbolic.gsofa_multi.virtual_gpus=6@bcsstk18.metis")
    assert placed(nodes) == "Simulated on made-up (Imaginary GPU)."
    assert placed(nodes, gpu) == "Measured on made-up (Imaginary GPU)."


@pytest.mark.parametrize("whole", [True, False])
def test_the_step_of_the_workflow_draws_the_run_s_figures_of_this_machine(
    site: Path, monkeypatch: pytest.MonkeyPatch, whole: bool
) -> None:
    monkeypatch.setattr("reports.exhibit.claims_of", claims_of)
    cases = [case for case in ON_GPU if case.matrix == "bcsstk18"]
    for machine, count in (("test-machine", 4), ("there", len(cases))):
        for number, case in enumerate(cases[:count]):
            record = on_gpu(case, number, machine=machine)
            write_records(record_path(machine, case.name), [record])
    monkeypatch.setenv("FILLPATH_FIGURE", "gsofa.fig14")
    drawn: list[tuple[str, str]] = []
    kept: list[str] = []
    monkeypatch.setattr(page, "write", lambda handed, records: (drawn.extend(handed), whole)[1])
    monkeypatch.setattr(marks, "keep_drawn", kept.append)
    assert main(["workflow", "draw"]) == (0 if whole else 1)
    assert drawn == [("gsofa", "fig14")] and len(kept) == whole, "what failed is tried again"
    draw(*drawn[0], cases, Records.load(), ENTRIES, machines_here())
    comments = files.read_comments(style.figure_path("gsofa_fig14", "csv"))
    assert comments["machine"] == "test-machine"
