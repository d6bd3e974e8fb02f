"""A picture is of one machine: which one, by what its records say. All numbers are made up."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from matplotlib.figure import Figure

from benchmarks.engine import run
from benchmarks.runs import marks
from commands import main, page
from commands._records import machines_here
from fillpath.record import Status, record_path, write_records
from reports import figures
from reports.claims.verdict import Outcome, Reason, Verdict
from reports.exhibit import Exhibit, place
from reports.facts.records import Records
from reports.shapes import files, style
from tests.reports_fakes import ENTRIES, ON_GPU, case_of, draw, made_record, on_gpu, read_csv, rows_of

# Each result decides another claim, whatever that says; no column of a frame is held against these.
CLAIMS = {"fill1": "highest", "fill1_pruned": "lowest", "fill2_cpu": "exceed", "always": "lowest_of_seven"}
CASES = [case_of(name) for name in ("fill1", "fill1_pruned", "fill2_cpu")]
ELSEWHERE = case_of("fill1", "rma10")
POINT = pd.DataFrame({"input": ["BC"], "of_claim": ["BC"], "bound": [""]})


def sham(*names: str, reason: Reason | None = None) -> Exhibit:
    """A figure that judges a claim of each of these implementations that has an ok case, and else says `not
    run`, but nothing beside the print. The claim of `always` needs no record."""

    def judged(frame: pd.DataFrame) -> list[Verdict]:
        ok = {*frame.loc[frame["status"] == "ok", "implementation"], "always"}
        return [verdict(name, reason, POINT) for name in names if name in ok] + [
            verdict(name, Reason.NOT_RUN) for name in names if name not in ok and reason is not Reason.BESIDE
        ]

    return Exhibit(rows, drawn, "A sham.", held=(judged,), more_claims=("table2_in_words",))


def rows(cases: pd.DataFrame) -> pd.DataFrame:
    return cases


# As if it were the file of a figure.
rows.__module__ = "reports.ooclu.fig99"


def verdict(name: str, reason: Reason | None, points: pd.DataFrame = POINT[:0]) -> Verdict:
    outcome = Outcome.NOT_JUDGED if reason else Outcome.OTHER_SIZE
    return Verdict(f"ooclu.table2_in_words.{CLAIMS[name]}", "rows", outcome, "1.2x", reason, points=points)


def drawn(frame: pd.DataFrame, title: str) -> Figure:
    return style.new_figure(3, 2, title)


def records(measured: Mapping[str, str], status: Status = Status.OK) -> Records:
    """By the cases of each machine, one character each: `x` is ok, `.` has that status, `-` was not tried."""
    made = [
        replace(made_record(case, 2 * number), machine=machine, status=Status.OK if mark == "x" else status)
        for machine, marks in measured.items()
        for number, (case, mark) in enumerate(zip([*CASES, ELSEWHERE], marks, strict=False))
        if mark != "-"
    ]
    return Records(tuple(made))


BOTH = sham("fill1_pruned", "fill2_cpu")
BESIDE = sham("fill1_pruned", "fill2_cpu", reason=Reason.BESIDE)
CONSTANT = sham("fill1", "fill2_cpu", reason=Reason.CONSTANT)
ARITHMETIC = sham("always", reason=Reason.DERIVED)
SILENT = [replace(each, more_claims=()) for each in (BESIDE, sham())]
OTHERS = {"a": "-x", "b": "-xx", "c": "x-x"}
# The marks of a machine that decides nothing.
NOTHING = ("x--", "x..", "...", "---x", "")
NODES = {"head": "x", "node-1": "-x", "node-2": "-xx", "there": "xxx"}
CHOICES: list[tuple[str, Exhibit, dict[str, str], str, str | None]] = [
    ("it decides a claim", BOTH, {"here": "-x", "there": "xxx"}, "here", "here"),
    ("none is here", BOTH, {"here": "-x", "there": "xxx"}, "", "there"),
    *(("decides nothing", BOTH, OTHERS | {"here": own}, "here", "b") for own in NOTHING),
    ("most results", BOTH, {"a": "-xx", "b": "xxx", "c": "xxx"}, "nobody", "b"),
    ("what failed is not tried", BOTH, {"c": "x-.", "b": "x--"}, "", "b"),
    ("cases of other figures", BOTH, {"b": "-x-x", "a": "-x"}, "", "a"),
    ("results count", BOTH, {"here": "x", "there": "x..", "most": "x--x"}, "here", "here"),
    ("no stranger is preferred", CONSTANT, {"here": "-x", "there": "xx"}, "here", "there"),
    *(("any case is ok", each, {"here": ".x", "there": "xxx"}, "here", "here") for each in SILENT),
    *(("no case is ok", each, {"here": "..", "there": "xxx"}, "here", "there") for each in SILENT),
    *(("no case is here", each, {"a": "x", "b": "xx"}, "here", "b") for each in SILENT),
    ("others say most", BESIDE, {"here": "x", "there": "-xx"}, "here", "there"),
    ("results count after that", BESIDE, {"here": "x--x", "there": "-x"}, "here", "there"),
    (
        "arithmetic is no machine's",
        sham("always", reason=Reason.DERIVED),
        {"here": ".", "there": "x"},
        "here",
        "there",
    ),
    ("several are here", BOTH, NODES, "head node-1 node-2", "node-2"),
    ("two are here", BOTH, NODES, "head node-1", "node-1"),
    ("no record at all", BOTH, {}, "", None),
    ("no record of its cases", BOTH, {"a": "---x"}, "a", None),
]


@pytest.mark.parametrize(("why", "shown", "measured", "here", "machine"), CHOICES)
def test_the_machine_of_a_picture(
    why: str, shown: Any, measured: Any, here: str, machine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """measured : as `records` has it, what has `.` was stopped."""
    monkeypatch.setattr(figures, "exhibits", lambda paper: {"fig99": shown})
    every = records(measured, Status.TIMEOUT)
    own = map(every.of_machine, every.machines())
    views = [figures.view("ooclu", "fig99", each, ENTRIES, CASES) for each in own]
    seen = figures.pictured(views, here.split())
    assert (seen and seen.machine) == machine, why


def test_five_processes_go_before_more_numbers() -> None:
    one = Verdict("a.b.c", "seconds", Outcome.OPEN, "1x", points=pd.DataFrame({"input": ["m"]}), processes=1)
    rows, five = pd.DataFrame({"status": ["ok"], "current": [True]}), replace(one, processes=5)
    views = [
        figures.View("ooclu", "fig4", name, rows, rows, own)
        for name, own in (("a", (one,) * 2), ("b", (five,)))
    ]
    assert min(views, key=lambda each: each.rank).machine == "b"


@pytest.mark.parametrize(
    ("older", "machine"),
    [((0, 0), "a"), ((2, 0), "b"), ((2, 2), "a"), ((1, 0), "b"), ((1, 1), "a"), ((4, 3), "b")],
)
def test_results_of_older_sources_count_against_a_machine(older: tuple[int, int], machine: str) -> None:
    """`a` has four results and `b` has three, of which so many are older; neither judges a claim."""
    views = []
    for name, results, old in zip("ab", (4, 3), older, strict=True):
        rows = pd.DataFrame({"key": "k", "status": "ok", "current": [False] * old + [True] * (results - old)})
        views.append(figures.View("gsofa", "growth", name, rows, rows))
    seen = figures.pictured(views)
    assert seen and seen.machine == machine


def test_where_a_stage_was_measured_last_is_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "_MACHINES", tmp_path / "machines")
    assert machines_here() == ["test-machine"]
    monkeypatch.setenv("FILLPATH_MACHINE", "node-1")
    run.note_machine("symbolic")
    monkeypatch.setenv("FILLPATH_MACHINE", "head")
    assert machines_here() == ["head", "node-1"]


@pytest.mark.parametrize("here", [["here"], []])
def test_the_picture_and_its_data_are_of_that_machine_which_its_caption_names(
    site: Path, monkeypatch: pytest.MonkeyPatch, here: list[str]
) -> None:
    monkeypatch.setattr(figures, "exhibits", lambda paper: {"fig99": BOTH})
    cases, machine = (CASES[1:2], "here") if here else (CASES, "there")
    measured = f"Measured on {machine} (Imaginary CPU, 2 cores). A sham. "
    nothing = Records(), "A sham. Nothing was measured here."
    for stored, where in ((records({"here": "-x", "there": "xxx"}), measured), nothing):
        comments, frame = read_csv(draw("ooclu", "fig99", cases, stored, ENTRIES, here)[1])
        assert list(frame["case"]) == [case.name for case in cases]
        assert comments["caption"].startswith(where)
        assert not stored.rows or set(frame["machine"]) == {machine} == {comments["machine"]}


def test_the_place_names_what_was_measured_on() -> None:
    gpu, cpu = on_gpu(ON_GPU[0], 1), replace(made_record(CASES[0], 2), host_cpu="A CPU")
    failed = replace(made_record(CASES[1], 3), status=Status.TIMEOUT, host_cpu="Another CPU", seconds=[])
    nodes = replace(gpu, case="symbolic.gsofa_multi.virtual_gpus=6@bcsstk18.metis")
    for made, text in (
        ([gpu], "Measured on made-up (Imaginary GPU)."),
        ([cpu, failed], "Measured on made-up (A CPU)."),
        ([cpu, gpu], "Measured on made-up (Imaginary GPU)."),
        ([replace(cpu, host_cpu=None)], "Measured on made-up."),
        ([failed], ""),
        ([], ""),
        ([nodes], "Simulated on made-up (Imaginary GPU)."),
        ([nodes, gpu], "Measured on made-up (Imaginary GPU)."),
    ):
        assert place(rows_of(Records(tuple(made)))) == text


@pytest.mark.parametrize("whole", [True, False])
def test_the_step_of_the_workflow_draws_the_run_s_figures_of_this_machine(
    site: Path, monkeypatch: pytest.MonkeyPatch, whole: bool
) -> None:
    cases = [case for case in ON_GPU if case.matrix == "bcsstk18"]
    for machine, count in (("test-machine", 4), ("there", len(cases))):
        for number, case in enumerate(cases[:count]):
            write_records(record_path(machine, case.name), [on_gpu(case, number, machine=machine)])
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
