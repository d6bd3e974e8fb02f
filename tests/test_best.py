"""What a machine achieves at best: whoever implements it, but never by other work or a lucky draw."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from commands import main
from fillpath.case import Case
from fillpath.errors import UnknownNameError
from fillpath.record import Record, Status, record_path, write_records
from reports.facts.records import Records
from reports.hardware.comparison import COPIED, RESIDENT, Comparison, compare
from reports.hardware.pictures import best_picture
from reports.hardware.text import text
from tests.reports_fakes import measured

ON_GPUS = ("gsofa", "fill2_gpu", "out_of_core", "glu3", "lu_gpu", "cudss", "parac_gpu", "ic0_gpu")
GRID, WING = "@grid2d,60.metis", "@wing.nnz"
OTHER = "symbolic.gsofa@circuit,300.metis"
GPU, CPU, SEVERAL = (f"symbolic.{name}{GRID}" for name in ("gsofa", "fill1_pruned", "fill2_cpu"))


def record(case: str, machine: str, seconds: float, *, input: str = "", **changes: Any) -> Record:
    """An ok record of a case; samples 0.9, 1 and 1.2 times the seconds. input : what its prepared matrix
    holds, by default that of its name."""
    parsed = Case.parse(case)
    made = measured("gsofa", seconds)
    digest = hashlib.sha256((input or case.partition("@")[2]).encode()).hexdigest()
    content = {"hash": digest, "checksum": f"content of {parsed.matrix}", "entries": 7131}
    values = {
        "case": case, "machine": machine, "prepared": {**(made.prepared or {}), **content}, "threads_used": 8,
        "device": "NVIDIA H200" if parsed.implementation in ON_GPUS else None,
        "work": {"edges": 9, "facts": None},
    }  # fmt: skip
    return replace(made, **{**values, **changes})


def compared(*records: Record, prices: dict[str, float] | None = None) -> Comparison:
    return compare(["a", "b"], Records(records), prices)


def answers(found: Comparison, span: str = RESIDENT) -> pd.DataFrame:
    return found.best.answers[found.best.answers["span"] == span]


def winners(found: Comparison, span: str = RESIDENT) -> list[str]:
    return answers(found, span)["case"].tolist()


def test_machines_meet_where_no_implementation_runs_on_both() -> None:
    found = compared(
        record(GPU, "a", 1.0), record(CPU, "a", 2.0), record(CPU, "b", 4.0), record(SEVERAL, "b", 9.0)
    )
    assert winners(found) == [GPU, CPU]
    (mean,) = found.best.means[found.best.means["span"] == RESIDENT].to_dict("records")
    numbers = {"ratio": 1 / 4, "ratio_low": 0.9 / 4.8, "ratio_high": 1.2 / 3.6, "n": 1}
    numbers |= {"first_faster": 1, "other_faster": 0}
    assert {name: mean[name] for name in numbers} == pytest.approx(numbers)
    assert (mean["problem"], mean["machine"]) == ("symbolic", "b")
    assert found.pairs["case"].tolist() == [CPU], "the same implementation is another question"
    assert "a is 4x as fast as b (3x to 5.33x); a is faster on 1 of 1, b on 0" in text(found)


@pytest.mark.parametrize(
    ("case", "changes", "reason"),
    [
        (f"symbolic.gsofa.output=counts{GRID}", {}, "row counts only"),
        (f"symbolic.fill2_multi.virtual_gpus=6{GRID}", {}, "simulates several GPUs in turn"),
        (f"symbolic.fill2_multi.nodes=6{GRID}", {}, "simulates several nodes in turn"),
        (f"symbolic.fill2_multi.ranks=2{GRID}", {}, "by MPI ranks"),
        (f"symbolic.superlu{GRID}", {}, "a peer"),
        (f"symbolic.fill2_cpu.threads=4{GRID}", {}, "limited to fewer threads"),
        (f"laplacian.parac_cpu.seed=3{WING}", {}, "one of several draws"),
        (GPU, {"suspect": True}, "suspect: faster"),
        (SEVERAL, {"status": Status.WRONG, "reason": "3 rows"}, ""),
    ],
)
def test_other_work_draws_and_what_is_not_right_are_never_pooled(
    case: str, changes: dict[str, Any], reason: str
) -> None:
    own = CPU if case.endswith(GRID) else f"laplacian.parac_cpu{WING}"
    found = compared(record(own, "a", 1.0), record(own, "b", 1.0), record(case, "b", 0.001, **changes))
    assert winners(found) == [own, own]
    assert found.best.not_pooled[["machine", "records"]].values.tolist() == ([["b", 1]] if reason else [])
    assert all(said.startswith(reason) and said in text(found) for said in found.best.not_pooled["reason"])


REPLACED = {"work": {"edges": None, "facts": {"small_pivots": 3.0}}}
STATIC = "numeric.glu3.static_pivoting=true@wing.amd"


@pytest.mark.parametrize(
    ("first", "other", "changes", "one"),
    [
        pytest.param(f"symbolic.gsofa{WING}", "symbolic.gsofa@wing.amd", {}, False, id="a pattern's order"),
        pytest.param(f"laplacian.ict{WING}", "laplacian.pyamg@wing.amd", {}, True, id="a system's order"),
        # The order of a system is part of its solution.
        (f"laplacian.parac_gpu@wing.amd laplacian.parac_gpu{WING}", "laplacian.pyamg@wing.amd", {}, True),
        pytest.param("symbolic.out_of_core@grid2d,60.auto+metis", CPU, {"input": "same"}, True, id="names"),
        ("numeric.glu3@wing.amd", "numeric.left_looking@wing.amd", {}, False),
        ("numeric.glu3@wing.amd", "numeric.left_looking.dtype=float32@wing.amd", {}, True),
        ("solve.lu_gpu@wing.amd", "solve.lu_cpu@wing.amd", {}, True),
        ("solve.cudss@wing.amd", "solve.superlu@wing.amd", {}, True),
        ("solve.lu_gpu.dtype=float32@wing.amd", "solve.lu_cpu@wing.amd", {}, False),
        ("laplacian.parac_gpu@wing.amd", "laplacian.ict@wing.amd", {}, True),
        ("laplacian.parac_gpu.rhs=product@wing.amd", "laplacian.ict@wing.amd", {}, False),
        pytest.param(STATIC, "numeric.glu3@wing.amd", REPLACED, False, id="pivots replaced"),
        pytest.param(STATIC, "numeric.glu3@wing.amd", {}, True, id="none replaced"),
        pytest.param(f"symbolic.fill1_pruned.threads=1{GRID}", CPU, {}, True, id="sequential on one thread"),
    ],
)
def test_one_input_is_one_question(first: str, other: str, changes: dict[str, Any], one: bool) -> None:
    own = [record(case, "a", 1.0 / place, **changes) for place, case in enumerate(first.split(), 1)]
    found = compared(*own, record(other, "b", 1.0, input=changes.get("input", "")))
    assert winners(found) == ([first.split()[-1], other] if one else [])
    assert len(found.best.unanswered) == (0 if one else 2)


def test_copies_are_a_comparison_of_their_own_and_may_change_who_is_the_best() -> None:
    moved = record(GPU, "a", 1.0, phases={"to_device": [2.0], "to_host": [1.0, 3.0]})
    found = compared(moved, record(CPU, "a", 4.0), record(CPU, "b", 8.0))
    assert winners(found, RESIDENT) == [GPU, CPU] and winners(found, COPIED) == [CPU, CPU]
    faster = answers(compared(moved, record(CPU, "b", 8.0)), COPIED)
    assert faster["seconds"].tolist() == pytest.approx([1.0 + 2.0 + 2.0, 8.0])
    unknown = compared(record(GPU, "a", 1.0), record(CPU, "b", 8.0))
    assert set(unknown.best.answers["span"]) == {RESIDENT}, "no copies are never free"


def test_processes_are_pooled_and_said() -> None:
    rounds = [record(GPU, "a", s, process=i) for i, s in enumerate((1.0, 3.0, 2.0))]
    found = compare(["a", "b"], Records((rounds[2], record(CPU, "b", 4.0)), earlier=tuple(rounds[:2])))
    assert answers(found)[["seconds", "processes"]].values.tolist() == [[2.0, 3], [4.0, 1]]
    assert found.best.of_one_process and "are of a single process" in text(found)
    assert found.best.means["ratio"].iloc[0] == pytest.approx(0.5)


def test_inputs_that_one_machine_has_not_solved_are_named_with_the_reason() -> None:
    slow = record(OTHER.replace("gsofa", "fill2_cpu"), "b", 1.0, status=Status.TIMEOUT, reason="75 s")
    absent = record(OTHER, "b", 1.0, status=Status.UNAVAILABLE, reason="no GPU")
    solved = [record(GPU, "a", 1.0), record(OTHER, "a", 1.0)]
    found = compared(*solved, replace(slow, seconds=[]), replace(absent, prepared=None))
    assert found.best.unanswered[["input", "machine", "reason"]].values.tolist() == [
        ["circuit,300.metis", "b", "timeout: 75 s"], ["grid2d,60.metis", "b", "no record"]
    ]  # fmt: skip
    assert "b: timeout: 75 s: circuit,300.metis" in text(found) and found.best.answers.empty


def test_any_number_of_machines_stand_beside_the_first_and_a_gap_is_one() -> None:
    """Each mean is geometric, over the inputs that the first and that machine have solved."""
    seconds = {GPU: (1.0, 2.0, None), OTHER: (8.0, 2.0, 4.0), "symbolic.gsofa@wing.amd": (None, 1.0, 1.0)}
    seconds |= {"symbolic.gsofa@own.amd": (1e-9, None, None)}
    made = [record(case, m, s) for case, row in seconds.items() for m, s in zip("abc", row, strict=True) if s]
    found = compare(["a", "b", "c"], Records(tuple(made)))
    assert answers(found)[["input", "machine"]].apply(tuple, axis=1).tolist() == [
        *(("circuit,300.metis", name) for name in "abc"), *(("grid2d,60.metis", name) for name in "ab")
    ]  # fmt: skip
    means = found.best.means.set_index(["machine", "span"]).xs(RESIDENT, level="span")
    assert means["ratio"].tolist() == pytest.approx([(0.5 * 4) ** 0.5, 2.0])
    assert means[["n", "first_faster", "other_faster"]].values.tolist() == [[2, 1, 1], [1, 0, 1]]
    lacking = found.best.unanswered[["input", "machine"]].values.tolist()
    assert lacking == [["grid2d,60.metis", "c"], ["own.amd", "b"], ["own.amd", "c"], ["wing.amd", "a"]]
    (gap,) = [line for line in text(found).splitlines() if line.startswith("grid2d,60.metis")]
    assert gap.split("  ")[-1].strip() == "-" and best_picture(found).axes[0].get_title(loc="left")


@pytest.mark.parametrize("case", [f"levels.kahn_gpu{WING}", GPU])
def test_machines_without_an_input_in_common_have_no_answer(case: str) -> None:
    for records in ([], [record(case, "a", 1.0)]):
        found = compared(*records)
        assert "no problem that two of them have solved" in text(found)
        assert "no input that two" in best_picture(found).axes[0].texts[0].get_text()


def test_a_price_gives_the_cost_of_a_solution_and_joules_stand_where_they_were_read() -> None:
    records = record(GPU, "a", 1.0, energy=[60.0]), record(CPU, "b", 4.0)
    found = compared(*records, prices={"a": 7200.0, "b": 900.0})
    assert answers(found)["cost"].tolist() == pytest.approx([2.0, 1.0])
    assert answers(found)["joules"].iloc[0] == 60.0 and pd.isna(answers(found)["joules"].iloc[1])
    assert "60 J" in text(found) and "a solution on a costs 2x of one on b" in text(found)
    half = compared(*records, prices={"a": 1.0})
    assert half.best.means["cost"].isna().all() and answers(half)["cost"].isna().tolist() == [False, True]
    with pytest.raises(UnknownNameError, match="price of c"):
        compared(*records, prices={"c": 1.0})


def test_equal_cores_scale_what_works_on_several_and_only_that() -> None:
    found = compared(
        *(record(case, "a", 1.0, threads_used=16) for case in (SEVERAL, CPU, GPU)),
        *(record(case, "b", 4.0, threads_used=2) for case in (SEVERAL, CPU, GPU)),
    )
    scaled = found.pairs.set_index("case")["equal_cores"]
    assert (scaled[SEVERAL], scaled[CPU]) == pytest.approx((0.25 * 16 / 2, 0.25)) and pd.isna(scaled[GPU])
    means = found.scaled.set_index("group")
    assert means.loc["symbolic.fill2_cpu", "ratio"] == pytest.approx(2.0) and means.loc["all", "n"] == 2
    whole = found.means.set_index("group")["equal_cores"]
    assert whole["symbolic.fill2_cpu"] == pytest.approx(2.0) and pd.isna(whole["all"])
    assert "symbolic.gsofa" not in means.index


def test_only_what_works_on_one_core_throughout_has_one_core() -> None:
    """PyAMG says that it is sequential, and its conjugate gradients are not."""
    one = ("symbolic.fill1_pruned", "numeric.left_looking", "solve.superlu")
    all_cores = ("symbolic.fill2_cpu", "laplacian.parac_cpu", "laplacian.pyamg", "laplacian.theirs")
    cases = [f"{name}@m{i}.amd" for i, name in enumerate((*one, *all_cores))]
    found = answers(compared(*(record(case, machine, 1.0) for case in cases for machine in "ab")))
    cores = found.groupby(found["case"].str.partition("@")[0])["cores"].agg(tuple).to_dict()
    assert cores == dict.fromkeys(one, (1, 1)) | dict.fromkeys(all_cores, (8, 8))


def test_part_of_a_machine_and_further_draws_count_in_no_stages_mean() -> None:
    cases = [f"laplacian.parac_cpu{part}{WING}" for part in (".threads=1", ".seed=3", "")]
    found = compared(*(record(case, m, s) for case in cases for m, s in (("a", 1.0), ("b", 2.0))))
    counts = found.means.set_index("group")["n"]
    assert counts["laplacian"] == counts["laplacian.threads=1"] == counts["all"] == 1
    assert len(found.pairs) == 3 and "laplacian.parac_cpu.seed=3" not in counts.index


def test_who_implements_it_is_named_with_its_options_and_a_systems_order() -> None:
    said = {
        "symbolic.gsofa.maxid_ranges=false@wing.amd": "gsofa, maxid_ranges=false",
        "symbolic.gsofa.fill_first=true.maxid_ranges=false@own.amd": "gsofa, 2 options",
        "laplacian.ict@wing.amd": "ict, amd",
    }
    shown = text(compared(*(record(case, machine, 1.0) for case in said for machine in "ab")))
    assert all(f"  1 s {name}  1 s {name}  1x " in re.sub("   +", "  ", shown) for name in said.values())


def test_the_command_takes_prices_and_writes_the_best(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("fillpath.paths.SITE", tmp_path)
    for each in (record(GPU, "a", 1.0), record(CPU, "b", 4.0)):
        write_records(record_path(each.machine, each.case), [each])
    assert main(["compare", "a", "b", "--price", "a=3600", "--price", "b=900", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["prices"] == {"a": 3600.0, "b": 900.0}
    assert [each["cost"] for each in told["best"]["answers"]] == [1.0, 1.0]
    head, *rows = (tmp_path / "compare" / "a_b" / "best.csv").read_text().splitlines()
    assert head.startswith("problem,input,span,machine,case,seconds") and len(rows) == 2
    assert rows[0].startswith(f'symbolic,"grid2d,60.metis",resident,a,"{GPU}",1.0')


@pytest.mark.parametrize("written", ["a", "a=", "=3", "a=dear", "a=-1", "a=0", "a=inf", "a=nan"])
def test_a_price_that_is_none_is_refused(written: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["compare", "a", "b", "--price", written])
    assert end.value.code == 2 and "expected MACHINE=COST" in capsys.readouterr().err
