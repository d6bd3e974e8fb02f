"""The page's numbers against a recomputation that shares no code with it."""

import ast
import json
import re
import runpy
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from commands._records import figure_cases
from fillpath.paths import ROOT
from reports.claims.verdict import Standing
from reports.facts.records import Records
from reports.figures import figure_of
from reports.pages.ledger.document import to_json
from tests.recompute import AS_RUN, CLAIMS, MEASURES, OWN, STAND_INS, Claim, lines_by_case, recompute
from tests.recompute_page import Numbers, differences, on_page, scope_of

RECORDS = ROOT / "results" / "h200" / "records"


@pytest.fixture(scope="module")
def verdicts(committed_standings: list[Standing]) -> Numbers:
    """What `fillpath claims --json` prints of the committed records, by claim and kind of input."""
    of_machine = [standing for standing in committed_standings if standing.machine == "h200"]
    return {
        (verdict["claim"], scope): verdict
        for standing in to_json(["h200"], of_machine)["standings"]
        for verdict in (standing["verdict"], *standing["beside"])
        if verdict and verdict["measured"] and (scope := scope_of(verdict))
    }


@pytest.fixture(scope="module")
def ours() -> Numbers:
    return recompute(RECORDS)


def test_it_imports_nothing_of_fillpath() -> None:
    for name in ("recompute.py", "recompute_processes.py"):
        nodes = list(ast.walk(ast.parse((ROOT / "tests" / name).read_text())))
        froms = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
        whole = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
        others = {name.partition(".")[0] for name in (froms | whole) - {"tests.recompute_processes"}}
        assert others <= {*sys.stdlib_module_names, "numpy", "pandas", "yaml"}


def test_its_command_prints_a_line_per_claim_and_kind_of_input(
    ours: Numbers, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(action="ignore"):
        patch.setattr(sys, "argv", ["recompute"])
        runpy.run_module("tests.recompute", run_name="__main__")
    assert len(capsys.readouterr().out.splitlines()) == len(ours)


def test_it_is_of_at_least_twenty_claims_of_all_papers_and_of_most_aggregates() -> None:
    claims = list(map(parsed, CLAIMS.strip().splitlines()))
    assert len(claims) >= 20
    assert {claim.id.partition(".")[0] for claim in claims} == {"gsofa", "ooclu", "glu3", "parac"}
    aggregates = {"equal", "each", "geometric", "largest", "smallest", "count", "range", "trend"}
    assert {claim.aggregate for claim in claims} == aggregates


def test_every_case_of_a_figure_of_ratios_weighs_in_the_choice_of_its_run() -> None:
    cases_of = figure_cases(Records.load("h200"))
    for claim in map(parsed, CLAIMS.strip().splitlines()):
        paper, subject, _ = claim.id.split(".")
        names = [case.name.partition("@") for case in cases_of(paper, figure_of(paper, subject))]
        shown = {
            f"{variant}@{prepared.rpartition('.')[2]}"
            for variant, _, prepared in names
            if AS_RUN not in prepared
        }
        for measure in map(MEASURES.__getitem__, claim.measure.split("~")):
            # Of the embedded suite's tables those are shown that a machine has a record of.
            embedded = {"table2_cpu": "@nnz", "table1_kernel_time": "@metis"}.get(subject, "@")
            more = {case for case in measure.cases - shown if case.endswith(embedded)}
            assert not measure.one_run or measure.cases - more == shown, claim.id


def test_the_page_has_the_numbers_that_the_records_give(verdicts: Numbers) -> None:
    assert differences(on_page(verdicts), RECORDS) == {}


def test_stand_ins_decide_nothing(verdicts: Numbers) -> None:
    judged = {scope for (_, scope), verdict in verdicts.items() if verdict["outcome"] != "not judged"}
    assert judged == {OWN} and {scope for _, scope in verdicts} == {OWN, STAND_INS}


def test_every_ratio_in_the_words_of_a_verdict_is_one_of_these_numbers(
    verdicts: Numbers, ours: Numbers
) -> None:
    claims = {claim.id: claim for claim in map(parsed, CLAIMS.strip().splitlines())}
    for (name, scope), numbers in ours.items():
        text, printed = verdicts[name, scope]["numbers"], claims[name].printed
        if claims[name].aggregate == "range":
            # Its middle is recomputed, and both ends are printed.
            text = text.partition(", printed")[0]
        whole = printed if isinstance(printed, Mapping) else {"": printed}
        same = [whole[matrix] for matrix in numbers["points"] if matrix in whole]
        values = [point["value"] for point in numbers["points"].values()]
        known = [
            *([numbers["printed"]] if "printed" in numbers else []),
            *values,
            *means(values),
            *means(same),
        ]
        ratios = [float(ratio.replace(",", "")) for ratio in re.findall(r"(\d[\d,.]*)x", text)]
        unknown = [ratio for ratio in ratios if not np.isclose(ratio, known, rtol=6e-4).any()]
        # The paper's own mean was made of numbers with more digits.
        unknown = [
            ratio for ratio in unknown if not np.isclose(ratio, means(whole.values()), rtol=0.01).any()
        ]
        assert not unknown, (name, scope, text)


def parsed(line: str) -> Claim:
    return Claim.parse(*line.split())


def means(values: Iterable[float]) -> list[float]:
    """Arithmetic and geometric."""
    numbers = np.array(list(values))
    if not len(numbers):
        return []
    return [float(numbers.mean()), *([float(np.exp(np.log(numbers).mean()))] if numbers.min() > 0 else [])]


def more(*path: str) -> Callable[[Any], None]:
    """Adds 1 to a number of a record."""

    def change(raw: Any) -> None:
        for name in path[:-1]:
            raw = raw[name]
        raw[path[-1]] += 1

    return change


def slower(raw: Any) -> None:
    for samples in (raw["seconds"], raw["kernel_seconds"] or [], *raw["phases"].values()):
        samples[:] = [100 * sample for sample in samples]


def failed(raw: Any) -> None:
    raw["status"] = "timeout"


# A change in all records of a case, and the claims whose numbers it changes.
PLANTS: list[tuple[str, Callable[[Any], None], list[str]]] = [
    ("symbolic.fill1_pruned@bcsstk18.metis", more("prepared", "entries"), ["gsofa.table1_matrices.nnz"]),
    ("levels.glu2@rajat12.mc64+amd", more("work", "facts", "levels"), ["glu3.counts.levels_exact"]),
    ("symbolic.out_of_core@onetone2.auto+metis", failed, ["ooclu.fig4_vs_modified_glu3.range"]),
    # Of a stand-in, whose number stands beside, and of one more along a trend that no matrices are named of.
    ("symbolic.fill2_gpu@fpga_dcop_01.metis", slower, ["gsofa.fig10_vs_fill2_gpu.mean"]),
    (
        "symbolic.gilbert_peierls.threads=1@west2021.metis",
        slower,
        ["gsofa.fig11_vs_glu3_symbolic.mean", "gsofa.fig11_vs_glu3_symbolic.with_work"],
    ),
    ("laplacian.parac_gpu@ct2010.nnz", slower, ["parac.orderings.gpu"]),
    (
        "numeric.glu2.static_pivoting=true@rajat01.mc64+amd",
        slower,
        ["glu3.table1_kernel_time.each", "glu3.table1_kernel_time.geometric"],
    ),
    (
        "laplacian.parac_gpu.triangular=cusparse@road,1000000.nnz",
        slower,
        ["parac.table3_gpu.below_ic0", "parac.table3_gpu.over_ic0"],
    ),
]
# A case whose records today's gate refuses, and the claims that lose a number.
REFUSED = (
    "laplacian.parac_gpu.triangular=cusparse@grid2d,1000,laplacian.nnz",
    ["parac.table3_gpu.more_iterations"],
)


def test_a_change_in_a_copy_of_the_records_is_seen_in_just_the_claims_that_hang_on_it(
    verdicts: Numbers, tmp_path: Path
) -> None:
    copy = tmp_path / "records"
    copy.mkdir()
    stored = lines_by_case(RECORDS)
    for case, lines in stored.items():
        (copy / f"{case}.jsonl").write_text("".join(f"{line}\n" for line in lines))
    for case, change, _ in PLANTS:
        raws = [json.loads(line) for line in stored[case]]
        for raw in raws:
            change(raw)
        (copy / f"{case}.jsonl").write_text("".join(f"{json.dumps(raw)}\n" for raw in raws))
    (refused, claims_of_it), rows = REFUSED, "case,key,status,value,bound,method,reason\n"
    keys = {json.loads(line)["key"] for line in stored[refused]}
    rows += "".join(f"{refused},{key},wrong,1,1e-6,residual,wrong\n" for key in sorted(keys))
    (tmp_path / "gate.csv").write_text(rows)
    changed = {name.partition(" ")[0] for name in differences(on_page(verdicts), copy)}
    assert changed == {claim for _, _, claims in PLANTS for claim in claims} | set(claims_of_it)
