"""What a machine achieves at best: whoever implements it, but never by other work or a lucky draw."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from reports.pages.best import COPIED, RESIDENT, Achieved, Answer
from reports.pages.best_pools import is_sequential
from reports.pages.compare import compare
from reports.pages.comparison import Comparison
from reports.pages.comparison_text import text
from reports.pages.hardware import draw_comparison

from commands import main
from fillpath.case import Case
from fillpath.errors import UnknownNameError
from fillpath.record import Record, Status, record_path, write_records
from fillpath.registry import lookup
from reports.facts.records import Records
from tests.reports_fakes import measured

ON_GPUS = ("gsofa", "fill2_gpu", "out_of_core", "glu3", "lu_gpu", "cudss", "parac_gpu", "ic0_gpu")


def record(case: str, machine: str, seconds: float, *, input: str = "", **changes: Any) -> Record:
    """An ok record of a case; samples 0.9, 1 and 1.2 times the seconds. input : what its prepared matrix
    holds, by default that of its name."""
    parsed = Case.parse(case)
    device = "NVIDIA H200" if parsed.implementation in ON_GPUS else None
    made = measured("gsofa", seconds)
    assert made.prepared is not None
    prepared = {
        **made.prepared,
        "hash": hashlib.sha256((input or case.partition("@")[2]).encode()).hexdigest(),
        "checksum": f"content of {parsed.matrix}",
        "entries": 7131,
    }
    values = {
        "case": case, "machine": machine, "prepared": prepared, "device": device, "threads_used": 8,
        "work": {"edges": 9, "facts": None},
    }  # fmt: skip
    return replace(made, **{**values, **changes})


def compared(*records: Record, prices: dict[str, float] | None = None) -> Comparison:
    return compare(["a", "b"], Records(records), prices)


def answer(comparison: Comparison, span: str = RESIDENT) -> Answer:
    (only,) = [answer for answer in comparison.best.answers if answer.span == span]
    return only


def winners(comparison: Comparison, span: str = RESIDENT) -> list[str]:
    return [achieved.case for achieved in answer(comparison, span).achieved]


GPU, CPU = "symbolic.gsofa@grid2d,60.metis", "symbolic.fill1_pruned@grid2d,60.metis"


def test_machines_meet_where_no_implementation_runs_on_both() -> None:
    slower = record("symbolic.fill2_cpu@grid2d,60.metis", "b", 9.0)
    found = compared(record(GPU, "a", 1.0), record(CPU, "a", 2.0), record(CPU, "b", 4.0), slower)
    assert winners(found) == [GPU, CPU]
    (mean,) = [mean for mean in found.best.means if mean.span == RESIDENT]
    assert (mean.problem, mean.machine, mean.n) == ("symbolic", "b", 1)
    assert mean.ratio == pytest.approx(1 / 4)
    assert (mean.low, mean.high) == (pytest.approx(0.9 / 4.8), pytest.approx(1.2 / 3.6))
    assert (mean.first_faster, mean.other_faster) == (1, 0)
    assert [pair.case for pair in found.pairs] == [CPU], "the same implementation is another question"
    assert "a is 4x as fast as b (3x to 5.33x); a is faster on 1 of 1, b on 0" in text(found)


@pytest.mark.parametrize(
    "case",
    [
        "symbolic.gsofa.output=counts@grid2d,60.metis",
        "symbolic.fill2_multi.virtual_gpus=6@grid2d,60.metis",
        "symbolic.fill2_multi.nodes=6@grid2d,60.metis",
        "symbolic.fill2_multi.ranks=2@grid2d,60.metis",
        "symbolic.superlu@grid2d,60.metis",
        "symbolic.fill2_cpu.threads=4@grid2d,60.metis",
    ],
)
def test_other_work_is_never_pooled_however_fast(case: str) -> None:
    found = compared(record(CPU, "a", 1.0), record(CPU, "b", 1.0), record(case, "b", 0.001))
    assert winners(found) == [CPU, CPU]
    (left,) = found.best.not_pooled
    assert (left.machine, left.records) == ("b", 1) and left.reason in text(found)


def test_what_is_too_fast_or_failed_is_never_pooled() -> None:
    suspect = record(GPU, "a", 0.001, suspect=True)
    failed = record("symbolic.fill2_gpu@grid2d,60.metis", "a", 0.001, status=Status.WRONG, reason="3 rows")
    found = compared(suspect, failed, record(CPU, "a", 1.0), record(CPU, "b", 1.0))
    assert winners(found) == [CPU, CPU]


def test_a_lucky_draw_is_not_the_best() -> None:
    draws = [record(f"laplacian.parac_cpu.seed={i}@wing.nnz", "b", 0.1) for i in range(1, 20)]
    same = [record("laplacian.parac_cpu@wing.nnz", machine, 1.0) for machine in ("a", "b")]
    assert winners(compared(*same, *draws)) == ["laplacian.parac_cpu@wing.nnz"] * 2


def test_one_thread_limits_no_sequential_implementation() -> None:
    one = "symbolic.fill1_pruned.threads=1@grid2d,60.metis"
    found = compared(record(one, "a", 1.0), record(CPU, "b", 1.0))
    assert winners(found) == [one, CPU]
    assert [achieved.cores for achieved in answer(found).achieved] == [1, 1]


def test_a_patterns_input_is_the_ordered_matrix_a_systems_any_order_of_it() -> None:
    amd, nnz = "@wing.amd", "@wing.nnz"
    symbolic = compared(record(f"symbolic.gsofa{amd}", "a", 1.0), record(f"symbolic.gsofa{nnz}", "b", 1.0))
    assert not symbolic.best.answers and len(symbolic.best.unanswered) == 2
    system = compared(
        record(f"laplacian.parac_gpu{amd}", "a", 2.0),
        record(f"laplacian.parac_gpu{nnz}", "a", 1.0),
        record(f"laplacian.pyamg{amd}", "b", 3.0),
    )
    assert winners(system) == [f"laplacian.parac_gpu{nnz}", f"laplacian.pyamg{amd}"]


def test_two_names_of_one_ordered_matrix_are_one_input() -> None:
    matched = "symbolic.out_of_core@grid2d,60.auto+metis"
    found = compared(record(matched, "a", 1.0, input="same"), record(CPU, "b", 1.0, input="same"))
    assert winners(found) == [matched, CPU] and not found.best.unanswered


@pytest.mark.parametrize(
    ("first", "other", "one"),
    [
        ("numeric.glu3", "numeric.left_looking", False),
        ("numeric.glu3", "numeric.left_looking.dtype=float32", True),
        ("solve.lu_gpu", "solve.lu_cpu", True),
        ("solve.cudss", "solve.superlu", True),
        ("solve.lu_gpu.dtype=float32", "solve.lu_cpu", False),
        ("laplacian.parac_gpu", "laplacian.ict", True),
        ("laplacian.parac_gpu.rhs=product", "laplacian.ict", False),
    ],
)
def test_another_type_or_right_hand_side_is_another_problem(first: str, other: str, one: bool) -> None:
    found = compared(record(f"{first}@wing.amd", "a", 1.0), record(f"{other}@wing.amd", "b", 1.0))
    assert bool(found.best.answers) == one


def test_a_factor_with_pivots_replaced_is_that_of_another_matrix() -> None:
    replaced = {"edges": None, "facts": {"small_pivots": 3.0}}
    static = "numeric.glu3.static_pivoting=true@wing.amd"
    plain = record("numeric.glu3@wing.amd", "b", 1.0)
    assert not compared(record(static, "a", 1.0, work=replaced), plain).best.answers
    assert winners(compared(record(static, "a", 1.0), plain)) == [static, plain.case]


def test_copies_are_a_comparison_of_their_own_and_may_change_who_is_the_best() -> None:
    phases = {"to_device": [2.0], "to_host": [1.0, 3.0]}
    found = compared(record(GPU, "a", 1.0, phases=phases), record(CPU, "a", 4.0), record(CPU, "b", 8.0))
    assert winners(found, RESIDENT) == [GPU, CPU] and winners(found, COPIED) == [CPU, CPU]
    faster = compared(record(GPU, "a", 1.0, phases=phases), record(CPU, "b", 8.0))
    assert answer(faster, COPIED).achieved[0].seconds == pytest.approx(1.0 + 2.0 + 2.0)
    unknown = compared(record(GPU, "a", 1.0), record(CPU, "b", 8.0))
    assert [answer.span for answer in unknown.best.answers] == [RESIDENT], "no copies are never free"


def test_processes_are_pooled_and_said() -> None:
    rounds = [record(GPU, "a", s, process=i) for i, s in enumerate((1.0, 3.0, 2.0))]
    one = record(CPU, "b", 4.0)
    found = compare(["a", "b"], Records((rounds[2], one), earlier=tuple(rounds[:2])))
    (first, other) = answer(found).achieved
    assert (first.seconds, first.processes, other.processes) == (2.0, 3, 1)
    assert found.best.of_one_process and "are of a single process" in text(found)
    ratio = next(mean for mean in found.best.means if mean.span == RESIDENT)
    assert ratio.ratio == pytest.approx(0.5)


def test_inputs_that_one_machine_has_not_solved_are_named_with_the_reason() -> None:
    other = "symbolic.gsofa@circuit,300.metis"
    slow = record("symbolic.fill2_cpu@circuit,300.metis", "b", 1.0, status=Status.TIMEOUT, reason="75 s")
    absent = record(
        "symbolic.gsofa@circuit,300.metis",
        "b",
        1.0,
        status=Status.UNAVAILABLE,
        reason="no GPU",
        prepared=None,
    )
    found = compared(record(GPU, "a", 1.0), record(other, "a", 1.0), replace(slow, seconds=[]), absent)
    reasons = {entry.input: (entry.machine, entry.reason) for entry in found.best.unanswered}
    assert reasons == {"grid2d,60.metis": ("b", "no record"), "circuit,300.metis": ("b", "timeout: 75 s")}
    assert "b: timeout: 75 s: circuit,300.metis" in text(found) and not found.best.answers


def test_means_are_over_the_inputs_that_all_have_solved() -> None:
    cases = ["symbolic.gsofa@grid2d,60.metis", "symbolic.gsofa@circuit,300.metis"]
    records = [record(case, "a", s) for case, s in zip(cases, (1.0, 8.0), strict=True)]
    records += [record(case, "b", 2.0) for case in cases]
    mean = compared(*records, record("symbolic.gsofa@wing.amd", "a", 1e-9)).best.means[0]
    assert mean.ratio == pytest.approx((0.5 * 4) ** 0.5) and mean.n == 2
    assert (mean.first_faster, mean.other_faster) == (1, 1)


def test_a_price_gives_the_cost_of_a_solution_and_joules_stand_where_they_were_read() -> None:
    records = record(GPU, "a", 1.0, energy=[60.0]), record(CPU, "b", 4.0)
    first, other = answer(compared(*records, prices={"a": 7200.0, "b": 900.0})).achieved
    assert (first.cost, other.cost) == (pytest.approx(2.0), pytest.approx(1.0))
    assert (first.joules, other.joules) == (60.0, None)
    found = compared(*records, prices={"a": 7200.0, "b": 900.0})
    assert found.best.means[0].cost == pytest.approx(2.0)
    assert "60 J" in text(found) and "a solution on a costs 2x of one on b" in text(found)
    half = compared(*records, prices={"a": 1.0}).best
    assert half.means[0].cost is None and half.answers[0].achieved[1].cost is None
    with pytest.raises(UnknownNameError, match="price of c"):
        compared(*records, prices={"c": 1.0})


def test_equal_cores_scale_what_works_on_several_and_only_that() -> None:
    parallel = "symbolic.fill2_cpu@grid2d,60.metis"
    found = compared(
        *(record(case, "a", 1.0, threads_used=16) for case in (parallel, CPU, GPU)),
        *(record(case, "b", 4.0, threads_used=2) for case in (parallel, CPU, GPU)),
    )
    scaled = {pair.case: pair.equal_cores for pair in found.pairs}
    assert scaled == {parallel: pytest.approx(0.25 * 16 / 2), CPU: pytest.approx(0.25), GPU: None}
    means = {mean.group: mean for mean in found.scaled}
    assert means["symbolic.fill2_cpu"].ratio == pytest.approx(2.0) and "symbolic.gsofa" not in means
    assert means["all"].n == 2


@pytest.mark.parametrize(
    ("stage", "name", "one"),
    [
        ("symbolic", "fill1_pruned", True),
        ("numeric", "left_looking", True),
        ("solve", "superlu", True),
        ("symbolic", "fill2_cpu", False),
        ("laplacian", "parac_cpu", False),
        # Says that it is sequential, and its conjugate gradients are not.
        ("laplacian", "pyamg", False),
    ],
)
def test_only_what_works_on_one_core_throughout_is_sequential(stage: str, name: str, one: bool) -> None:
    assert is_sequential(lookup(stage, name)) == one and not is_sequential(None)


def test_part_of_a_machine_and_further_draws_count_in_no_stages_mean() -> None:
    names = ("laplacian.parac_cpu.threads=1", "laplacian.parac_cpu.seed=3", "laplacian.parac_cpu")
    cases = [f"{name}@wing.nnz" for name in names]
    found = compared(*(record(case, m, s) for case in cases for m, s in (("a", 1.0), ("b", 2.0))))
    counts = {mean.group: mean.n for mean in found.means}
    assert counts["laplacian"] == counts["laplacian.threads=1"] == counts["all"] == 1
    assert len(found.pairs) == 3


def test_the_best_is_drawn_and_written(tmp_path: Path) -> None:
    found = compared(record(GPU, "a", 1.0), record(CPU, "b", 4.0))
    paths = draw_comparison(found, Records(), tmp_path)
    assert {"best.csv", "best.svg"} <= {path.name for path in paths}
    head, *rows = (tmp_path / "best.csv").read_text().splitlines()
    assert head.startswith("problem,input,span,machine,case,seconds") and len(rows) == 2
    assert rows[0].startswith(f'symbolic,"grid2d,60.metis",resident,a,"{GPU}",1.0')


def put(*records: Record) -> None:
    for each in records:
        write_records(record_path(each.machine, each.case), [each])
        (record_path(each.machine, "x").parents[1] / "machine.json").write_text(
            f'{{"name": "{each.machine}"}}'
        )


def test_the_command_takes_prices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("fillpath.paths.SITE", tmp_path / "site")
    put(record(GPU, "a", 1.0), record(CPU, "b", 4.0))
    assert main(["compare", "a", "b", "--price", "a=3600", "--price", "b=900", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["prices"] == {"a": 3600.0, "b": 900.0}
    assert [each["cost"] for each in told["best"]["answers"][0]["achieved"]] == [1.0, 1.0]


@pytest.mark.parametrize("written", ["a", "a=", "=3", "a=dear", "a=-1", "a=0", "a=inf", "a=nan"])
def test_a_price_that_is_none_is_refused(written: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["compare", "a", "b", "--price", written])
    assert end.value.code == 2 and "expected MACHINE=COST" in capsys.readouterr().err


def test_who_implements_it_is_named_with_its_options_and_a_systems_order() -> None:
    from reports.pages.comparison_text import implementation

    def name(case: str) -> str:
        return implementation(Achieved("a", case, 1.0, 1.0, 1.0, 1, None, None, None, None))

    assert name("symbolic.gsofa.maxid_ranges=false@wing.amd") == "gsofa, maxid_ranges=false"
    assert name("symbolic.gsofa.fill_first=true.maxid_ranges=false@wing.amd") == "gsofa, 2 options"
    assert name("laplacian.ict@wing.amd") == "ict, amd"
