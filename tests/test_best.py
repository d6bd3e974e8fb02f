"""What a machine achieves at best: whoever implements it, but never by other work or a lucky draw."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from commands import main
from fillpath.case import Case
from fillpath.record import Record, Status, record_path, write_records
from reports.facts.records import Records
from reports.hardware.comparison import Comparison, compare
from reports.hardware.pictures import best_picture
from reports.hardware.text import text
from tests.reports_fakes import measured

ON_GPUS = ("gsofa", "fill2_gpu", "out_of_core", "glu3", "lu_gpu", "cudss", "parac_gpu", "ic0_gpu")
GRID, WING = "@grid2d,60.metis", "@wing.nnz"
OTHER = "symbolic.gsofa@circuit,300.metis"
GPU, CPU, SEVERAL = (f"symbolic.{name}{GRID}" for name in ("gsofa", "fill1_pruned", "fill2_cpu"))


def on(cases: str, input: str = "", **changes: Any) -> list[Record]:
    """Ok records of the cases on the machines `a`, `b` and `c`, which are given their seconds.

    input : what the prepared matrix holds, by default that of its name
    """
    seconds = {machine: changes.pop(machine) for machine in "abc" if machine in changes}
    made = []
    for case in map(Case.parse, cases.split()):
        digest = hashlib.sha256((input or case.name.partition("@")[2]).encode()).hexdigest()
        content = {"hash": digest, "checksum": f"content of {case.matrix}", "entries": 7131}
        content = {**(measured("gsofa", 1.0).prepared or {}), **content}
        device = "NVIDIA H200" if case.implementation in ON_GPUS else None
        values = {"prepared": content, "threads_used": 8, "device": device, "work": {"edges": 9}, **changes}
        made += [measured("gsofa", s, case=case.name, machine=m, **values) for m, s in seconds.items()]
    return made


def compared(*parts: list[Record], machines: str = "ab", **prices: float) -> Comparison:
    return compare([*machines], Records(tuple(record for part in parts for record in part)), prices)


def winners(found: Comparison, span: str = "resident") -> list[str]:
    return found.best["answers"].loc[found.best["answers"]["span"] == span, "case"].tolist()


def lines(found: Comparison) -> list[str]:
    """The lines of the text, with two spaces between columns."""
    return ["  ".join(filter(None, map(str.strip, line.split("  ")))) for line in text(found).splitlines()]


@pytest.mark.parametrize(
    ("case", "changes", "reason"),
    [
        (f"symbolic.gsofa.output=counts{GRID}", {}, "row counts only"),
        (f"symbolic.fill2_multi.virtual_gpus=6{GRID}", {}, "simulates several GPUs in turn"),
        (f"symbolic.fill2_multi.nodes=6{GRID}", {}, "simulates several nodes in turn"),
        (f"symbolic.fill2_multi.nodes=6.virtual_gpus=6{GRID}", {}, "simulates several GPUs in turn"),
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
    found = compared(on(own, a=1.0, b=1.0), on(case, b=0.001, **changes))
    assert winners(found) == [own, own]
    assert found.best["not_pooled"][["machine", "records"]].values.tolist() == ([["b", 1]] if reason else [])
    assert (f"b: 1 record: {reason}" if reason else "other work: 0 records") in text(found)


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
        ("solve.lu_gpu@wing.amd", "solve.lu_cpu@wing.amd+diagonal=7", {}, False),
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
    own = [on(case, a=1.0 / place, **changes) for place, case in enumerate(first.split(), 1)]
    found = compared(*own, on(other, changes.get("input", ""), b=1.0))
    assert winners(found) == ([first.split()[-1], other] if one else [])
    assert len(found.best["unanswered"]) == (0 if one else 2)


MOVED = on(GPU, a=1.0, phases={"to_device": [2.0], "to_host": [1.0, 3.0]})
PAGEABLE = [replace(record, started_at="2026-11-25T23:59:59Z") for record in MOVED]
SLOW = on(OTHER.replace("gsofa", "fill2_cpu"), b=1.0, status=Status.TIMEOUT, reason="75 s")
ABSENT = on(OTHER, b=1.0, status=Status.UNAVAILABLE, reason="no GPU")
# Fewer threads than a machine has, further draws; one option, and two.
PARTS = " ".join(f"laplacian.parac_cpu{part}{WING}" for part in (".threads=1", ".seed=3", ""))
NAMED, TWO = "gsofa.maxid_ranges=false@wing.amd", "gsofa.fill_first=true.maxid_ranges=false@own.amd"
EIGHTH = "grid2d,60.metis  1 s gsofa  8 s fill1_pruned: 0.125x (0.0938x to 0.167x"
QUARTER = (
    "data where the work is: b has 0.25x (0.188x to 0.333x) the speed of a: "
    "faster on 0 of 1 input, slower on 1"
)
NO_ANSWER = "no problem that two machines have solved on one input"
OF_ONE = "Some times are of a single process: other processes would differ by more than its interval."


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        pytest.param(
            [on(GPU, a=1.0), on(CPU, a=2.0, b=4.0), on(SEVERAL, b=9.0)],
            f"""{QUARTER}
            grid2d,60.metis  1 s gsofa  4 s fill1_pruned: 0.25x (0.188x to 0.333x)
            symbolic.fill1_pruned  b  0.5x (0.375x to 0.667x)  1  1
            left out of a mean of the same implementation: 2 cases""",
            id="no implementation runs on both",
        ),
        pytest.param(
            [MOVED, on(CPU, a=4.0, b=8.0)],
            f"{EIGHTH}; with copies 0.5x)",
            id="another is the best with copies",
        ),
        pytest.param(
            [MOVED, on(CPU, b=8.0)], f"{EIGHTH}; with copies 0.625x)", id="medians of both copies are added"
        ),
        pytest.param([on(GPU, a=1.0), on(CPU, b=8.0)], f"{EIGHTH})\n{OF_ONE}", id="unknown copies, not free"),
        pytest.param([PAGEABLE, on(CPU, b=8.0)], f"{EIGHTH})", id="copies from pageable memory"),
        pytest.param([PAGEABLE, on(CPU, a=4.0, b=8.0)], f"{EIGHTH})", id="perhaps the best with copies"),
        pytest.param(
            [on(f"{GPU} {OTHER}", a=1.0), SLOW, ABSENT],
            f"""{NO_ANSWER}
            solved on some of these machines only: 2 inputs
            symbolic pattern of A: b: timeout: 75 s: circuit,300.metis
            symbolic pattern of A: b: no record: grid2d,60.metis""",
            id="what failed says more than what is unavailable",
        ),
        pytest.param(
            [on(f"symbolic.{NAMED} symbolic.{TWO} laplacian.ict@wing.amd", a=1.0, b=1.0)],
            """wing.amd  1 s gsofa, maxid_ranges=false  1 s gsofa, maxid_ranges=false: 1x (0.75x to 1.33x)
            own.amd  1 s gsofa, 2 non-default options  1 s gsofa, 2 non-default options: 1x (0.75x to 1.33x)
            wing  1 s ict, amd  1 s ict, amd: 1x (0.75x to 1.33x; with copies 1x)""",
            id="options and a system's order are named",
        ),
        pytest.param(
            [on(PARTS, a=1.0, b=2.0)],
            """laplacian  b  0.5x (0.375x to 0.667x)  1  1
            all  b  0.5x (0.375x to 0.667x)  1  1
            laplacian.threads=1  b  0.5x (0.375x to 0.667x)  1  1
            left out of a mean of the same implementation: 0 cases""",
            id="parts of a machine and draws are in no stage's mean",
        ),
        pytest.param([], NO_ANSWER, id="nothing was measured"),
        pytest.param([on(f"levels.kahn_gpu{WING}", a=1.0)], NO_ANSWER, id="a stage of no problem"),
        pytest.param([on(GPU, a=1.0)], NO_ANSWER, id="one has solved it"),
    ],
)
def test_a_comparison_says(parts: list[list[Record]], said: str) -> None:
    found = compared(*parts)
    assert set(map(str.strip, said.splitlines())) <= set(lines(found)), "\n".join(lines(found))
    if found.best["answers"].empty:
        assert "no input that two" in best_picture(found).axes[0].texts[0].get_text()


def test_processes_are_pooled() -> None:
    *earlier, last = (record for i, s in enumerate((1.0, 3.0, 2.0)) for record in on(GPU, a=s, process=i))
    found = compare(["a", "b"], Records((last, *on(CPU, b=4.0)), earlier=tuple(earlier)))
    assert found.best["answers"][["seconds", "processes"]].values.tolist() == [[2.0, 3], [4.0, 1]]
    assert found.best["means"]["ratio"].tolist() == [0.5] and OF_ONE in lines(found)


def test_any_number_of_machines_stand_beside_the_first_and_a_gap_is_one() -> None:
    """Each mean is geometric, over the inputs that the first and that machine have solved."""
    made = on(GPU, a=1.0, b=2.0), on(OTHER, a=8.0, b=2.0, c=4.0), on("symbolic.gsofa@own.amd", a=1e-9)
    found = compared(*made, on("symbolic.gsofa@wing.amd", b=1.0, c=1.0), machines="abc")
    first = "circuit,300.metis  8 s gsofa  2 s gsofa: 4x (3x to 5.33x)  4 s gsofa: 2x (1.5x to 2.67x)"
    assert {first, "grid2d,60.metis  1 s gsofa  2 s gsofa: 0.5x (0.375x to 0.667x)  -"} <= set(lines(found))
    means = found.best["means"][["ratio", "n", "first_faster", "other_faster"]].values.ravel().tolist()
    assert means == pytest.approx([(0.5 * 4) ** 0.5, 2, 1, 1, 2.0, 1, 0, 1])
    lacking = found.best["unanswered"][["input", "machine"]].values.tolist()
    assert lacking == [["grid2d,60.metis", "c"], ["own.amd", "b"], ["own.amd", "c"], ["wing.amd", "a"]]
    (panel,) = best_picture(found).axes
    points = [list(zip(*line.get_data(), strict=True)) for line in panel.lines]
    assert points == [[(8.0, 0), (1.0, 1)], [], [(2.0, 0), (2.0, 1)], [], [(4.0, 0)], []], "none with copies"
    beside = [words.get_text() for words in panel.child_axes[0].get_yticklabels()]
    assert beside == ["b: gsofa\na: gsofa", "a: gsofa\nb: gsofa"], "the fastest, and below it the slowest"


def test_only_what_works_on_one_core_throughout_is_the_whole_machine_on_one_thread() -> None:
    """PyAMG says that it is sequential, and its conjugate gradients are not."""
    one = ("symbolic.fill1_pruned", "numeric.left_looking", "solve.superlu")
    all_cores = ("symbolic.fill2_cpu", "laplacian.parac_cpu", "laplacian.pyamg", "laplacian.theirs")
    cases = [f"{name}.threads=1@m{i}.amd" for i, name in enumerate((*one, *all_cores))]
    found = compared(on(" ".join(cases), a=1.0, b=1.0))
    assert set(winners(found)) == set(cases[:3]) and found.best["not_pooled"]["records"].tolist() == [4, 4]


def test_the_command_takes_prices_and_writes_the_best(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("fillpath.paths.SITE", tmp_path)
    for each in (*on(GPU, a=1.0, energy=[60.0]), *on(CPU, b=4.0)):
        write_records(record_path(each.machine, each.case), [each])
    command = ["compare", "a", "b", "--price", "a=7200", "--price", "b=900"]
    assert main([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["prices"] == {"a": 7200.0, "b": 900.0}
    costs = [[each["cost"], each["joules"]] for each in told["best"]["answers"]]
    assert costs == [[2.0, 60.0], [1.0, None]] and told["best"]["means"][0]["cost"] == 2.0
    head, *rows = (tmp_path / "compare" / "a_b" / "best.csv").read_text().splitlines()
    assert head.startswith("problem,input,span,machine,case,seconds") and len(rows) == 2
    assert rows[0].startswith(f'symbolic,"grid2d,60.metis",resident,a,"{GPU}",1.0')
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert "gsofa, 60 J, cost 2, older sources " in shown
    assert "a solution on b costs 0.5x as much as on a" in shown
    half = compared(on(GPU, a=1.0), on(CPU, b=4.0), a=1.0).best
    assert half["means"]["cost"].isna().all() and half["answers"]["cost"].isna().tolist() == [False, True]


@pytest.mark.parametrize("written", ["a", "a=", "=3", "a=dear", "a=-1", "a=0", "a=inf", "a=nan"])
def test_a_price_that_is_none_is_refused(written: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["compare", "a", "b", "--price", written])
    assert end.value.code == 2 and "expected MACHINE=COST" in capsys.readouterr().err
