"""ParAC's tables and figures, from made records. All numbers are made up."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.checks.trees import depths
from benchmarks.runs.cases import figure_cases
from benchmarks.runs.experiments import experiments
from fetch import catalogue
from fillpath.case import Case
from fillpath.nouns import Array, Laplacian, Preconditioner
from fillpath.record import Record, Status
from fillpath.settings import SUITES, Settings
from impl.cholesky.ac_sequential import ac_sequential
from impl.cholesky.graph import from_edges
from reports.facts.claims import claim
from reports.facts.naming import label, measured_on, printed_label, stand_in
from reports.facts.printed import abbreviation, abbreviations, printed_column
from reports.facts.records import Records
from reports.frames.parac import CPU, GPU, over, printed_sum
from reports.frames.variants import variant_of
from reports.parac import breakeven, fig3, fig4, quality, rhs, seeds, table1, table2, table3
from reports.parac.breakeven import ALWAYS, NEVER
from reports.parac.fig3 import TOO_MANY
from reports.shapes.printed import plain
from tests.reports_fakes import made_frame, made_record, unavailable

OWN, STAND_IN = "ecology1", "road,20000"
ENTRIES = catalogue.entries()


def solved(name: str, parts: Any = (0.1, 0.1, 0.2), matrix: str = OWN, **changes: Any) -> Record:
    """An ok record of three samples, whose factor, analysis and solve take so many seconds."""
    facts = {"iterations": 40.0, "residual": 8e-7, "nnz_factor": 3e6, **changes.pop("facts", {})}
    ordering = changes.pop("ordering", "nnz")
    phases = {
        phase: [seconds * factor for factor in (0.9, 1.0, 1.2)]
        for phase, seconds in zip(("factor", "analysis", "solve"), parts, strict=True)
    }
    return measured(f"laplacian.{name}", sum(parts), matrix, ordering, facts, phases=phases, **changes)


def factorised(name: str, seconds: float, matrix: str = OWN, ordering: str = "nnz", **changes: Any) -> Record:
    """An ok record of a factor."""
    facts = {
        "height_classical": 1000.0, "height_actual": 50.0, "critical_path": 70.0, "nnz_l": 1000.0,
        "nnz_g": 1200.0, **changes.pop("facts", {}),
    }  # fmt: skip
    return measured(f"cholesky.{name}", seconds, matrix, ordering, facts, **changes)


def measured(name: str, seconds: float, matrix: str, ordering: str, facts: Any, **changes: Any) -> Record:
    entry = catalogue.lookup(matrix)
    record = made_record(Case.parse(f"{name}@{matrix}.{ordering}"), 1)
    return replace(
        record,
        status=Status.OK,
        reason="",
        machine="box",
        prepared={**(record.prepared or {}), "n": entry.order, "nnz": entry.nnz},
        work={"edges": None, "fills": None, "facts": facts},
        **{"seconds": [seconds * factor for factor in (0.9, 1.0, 1.2)], **changes},
    )


def frame_of(function: Any, *records: Record, more: tuple[Case, ...] = ()) -> pd.DataFrame:
    return made_frame(function, ENTRIES, records, more)


def cells(figure: Any) -> list[str]:
    return [text.get_text() for axes in figure.axes for text in axes.texts]


# ---- what they share


def test_generated_matrices_of_the_paper_are_its_own_and_have_stand_ins() -> None:
    own, other = catalogue.lookup("poisson3d,243,aniso"), catalogue.lookup("poisson3d,24,aniso")
    assert len(abbreviations("parac")) == 15 and abbreviation(own, "parac") == "anisotropic 3D poisson"
    assert label(own.id, own, "parac") == printed_label("anisotropic 3D poisson", "parac")
    assert abbreviation(other, "parac") is None and stand_in(other, "parac") == "anisotropic 3D poisson"
    assert abbreviation(own, "gsofa") is None


def test_the_printed_tables_say_what_the_claims_say() -> None:
    """The counts of matrices in config/claims/ follow from the printed seconds."""
    ours = printed_sum(CPU, "parac_factor_s", "parac_solve_s")
    total = printed_column("parac", GPU, "parac_total_ms")
    assert set(ours) == set(abbreviations("parac").values()) == set(total)
    ratios = {
        "ict": over(printed_sum(CPU, "ichol_factor_s", "ichol_solve_s"), ours),
        "ict_solve": over(printed_column("parac", CPU, "ichol_solve_s"), ours),
        "pyamg": over(printed_sum(CPU, "hypre_setup_s", "hypre_solve_s"), ours),
    }
    assert {name: sum((r or 0) > 1 for r in found.values()) for name, found in ratios.items()} == {
        "ict": 14, "ict_solve": 12, "pyamg": 2
    }  # fmt: skip
    ic0 = over(printed_sum(GPU, "ic0_analysis_factor_ms", "ic0_solve_ms"), total)
    ratios_of_amgx = over(printed_column("parac", GPU, "amgx_total_ms"), total).values()
    amgx = [ratio for ratio in ratios_of_amgx if ratio is not None]
    counts = [claim("parac", "table3_gpu", name).count for name in ("below_ic0", "below_amgx")]
    assert (sum((ratio or 0) > 1 for ratio in ic0.values()), len(ic0)) == counts[0]
    assert (sum(ratio > 1 for ratio in amgx), len(amgx)) == counts[1]
    assert claim("parac", "table3_gpu", "over_ic0").by_matrix == pytest.approx(ic0)


def test_experiments_have_what_their_figures_show() -> None:
    ours = [experiment for experiment in experiments() if experiment.paper == "parac"]
    columns = {"table1": table1.FACTORS, "table2": table2.VARIANTS, "table3": table3.VARIANTS}
    for suite in SUITES:
        for figure in {e.figure for e in ours}:
            cases = figure_cases("parac", figure, Settings(suite=suite))
            variants = {variant_of(case) for case in cases}
            assert cases and variants <= set(columns.get(figure, variants)), (suite, figure)
            assert {case.preparation.matching for case in cases} == {"none"}
    tables = {case.matrix for case in figure_cases("parac", "table2", Settings(suite="papers"))}
    own = {entry.id for entry in ENTRIES if "parac" in entry.papers and entry.obtainable}
    assert own <= tables
    threads = {case.threads for case in figure_cases("parac", "fig3", Settings())}
    assert threads == {1, 2}, "the embedded suite is for two cores"


def test_numbers_are_written_short() -> None:
    assert [plain(v) for v in (0.06, 16.74, 999.7, 1248.55)] == ["0.06", "16.7", "1,000", "1,249"]


def test_a_machine_is_named_once_with_its_gpu() -> None:
    assert measured_on(["laptop", "laptop (a GPU)", "lap", "lap"]) == "lap, laptop (a GPU)"


# ---- tables


def test_table1_holds_orders_and_entries_against_the_print() -> None:
    frame = frame_of(table1.EXHIBIT.frame, factorised("parac_cpu.threads=1", 1.0)).set_index("label")
    assert len(frame) == 15
    row = frame.loc[OWN]
    assert (row["order_is"], row["entries_is"], row["nnz_g"]) == ("equal", "equal", 1200)
    assert frame.loc["apache2", "order_is"] == "not_held"
    assert "1,000,000 =" in cells(table1.EXHIBIT.picture(frame.reset_index()))


def test_table2_leaves_the_search_for_a_threshold_out_and_counts_wins() -> None:
    ict = solved("ict", (0.1, 0.1, 1.0))
    ict = replace(ict, phases={**ict.phases, "threshold": [9.0] * 3}, seconds=[10.0, 10.0, 10.0])
    ours = solved("parac_cpu", (0.1, 0.1, 0.2))
    frame = frame_of(table2.EXHIBIT.frame, ours, ict, solved("pyamg", (0.3, 0.0, 0.06)))
    row = frame.set_index("label").loc[OWN]
    assert row["ratio"] == pytest.approx(3.0) and row["solve_ratio"] == pytest.approx(2.5)
    assert row["amg_ratio"] == pytest.approx(0.9) and row["paper_ratio"] == pytest.approx(16.25 / 1.15)
    assert row["status_hypre"] == "not_run"
    drawn = cells(table2.EXHIBIT.picture(frame))
    assert "printed" in drawn
    found = {(v.claim.rpartition(".")[2], v.outcome.value): v for v in table2.EXHIBIT.verdicts(frame)}
    total = found["below_ichol", "reproduced"]
    assert total.scope == "on the paper's own matrices" and total.numbers == "1 of 1, printed 14 of 15"
    assert found["over_ichol", "deviates"].factor == pytest.approx(3 / (16.25 / 1.15))
    assert ("below_ichol_solve", "deviates") in found, "all of one is more than 12 of 15"
    assert ("below_hypre", "not run") in found and ("below_hypre", "beside the print") in found


def test_table2_keeps_failures_and_two_runs_in_sight() -> None:
    late = replace(solved("ict"), status=Status.UNSUPPORTED, seconds=[], phases={}, work=None)
    frame = frame_of(table2.EXHIBIT.frame, solved("parac_cpu"), late, solved("pyamg", run_id="run-2"))
    row = frame.set_index("label").loc[OWN]
    assert (row["pair"], row["amg_pair"]) == ("ict unsupported", "two_runs") and pd.isna(row["ratio"])
    assert "unsupported" in cells(table2.EXHIBIT.picture(frame))


def test_table3_is_in_milliseconds_beside_the_print() -> None:
    variants = (
        ("parac_gpu", (0.02, 0.01, 0.05)),
        ("parac_gpu.triangular=cusparse", (0.02, 0.1, 0.08)),
        ("ic0_gpu", (0.51, 0.01, 0.78)),
        ("ic0_gpu.policy=levels", (0.01, 0.01, 0.78)),
    )
    records = [solved(name, parts) for name, parts in variants]
    absent = replace(unavailable(Case.parse(f"laplacian.amgx@{OWN}.nnz"), 1), machine="box")
    frame = frame_of(table3.EXHIBIT.frame, *records, absent)
    row = frame.set_index("label").loc[OWN]
    assert row["parac_total"] == pytest.approx(80) and row["ratio"] == pytest.approx(10)
    assert row["spsv_ratio"] == pytest.approx(2.5) and row["status_amgx"] == "unavailable"
    assert row["paper_ratio"] == pytest.approx((10.58 + 1135) / 162.36)
    drawn = cells(table3.EXHIBIT.picture(frame))
    assert "unavailable" in drawn and "OOM" in drawn
    outcomes = {v.claim.rpartition(".")[2]: str(v.outcome) for v in table3.EXHIBIT.verdicts(frame)}
    assert outcomes["below_ic0"] == "deviates" and outcomes["below_amgx"] == "not run"


# ---- figures


def scaled(seconds: dict[int, float], ordering: str = "nnz") -> list[Record]:
    return [factorised(f"parac_cpu.threads={t}", s, ordering=ordering) for t, s in seconds.items()]


def test_fig3_is_over_one_thread_and_leaves_out_more_threads_than_cores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FILLPATH_RESULTS", str(tmp_path))
    (tmp_path / "box").mkdir()
    (tmp_path / "box" / "machine.json").write_text(json.dumps({"cores": 16}))
    records = scaled({1: 8.0, 4: 2.0, 16: 0.5, 32: 0.1})
    frame = frame_of(fig3.EXHIBIT.frame, *records)
    by_threads = frame.set_index("threads")
    assert by_threads.loc[16, "ratio"] == pytest.approx(16) and by_threads.loc[32, "pair"] == TOO_MANY
    assert frame.loc[frame["most"], "threads"].tolist() == [16]
    assert "nnz-sort 16x on 16 threads" in "\n".join(cells(fig3.EXHIBIT.picture(frame)))
    assert "1 cases of more threads" in fig3.EXHIBIT.words(frame)
    (verdict,) = fig3.EXHIBIT.verdicts(frame)
    assert verdict.outcome == "deviates" and verdict.factor == pytest.approx(1.6)
    fewer = [replace(record, case=record.case.replace(OWN, STAND_IN)) for record in scaled({1: 8.0, 2: 8.0})]
    with_fewer = fig3.EXHIBIT.verdicts(frame_of(fig3.EXHIBIT.frame, *records, *fewer))
    assert [v.numbers.split()[0] for v in with_fewer if v.measured] == ["16x", "1x"]
    (tmp_path / "box" / "machine.json").write_text(json.dumps({"cores": 4}))
    (verdict,) = fig3.EXHIBIT.verdicts(frame_of(fig3.EXHIBIT.frame, *records))
    assert verdict.outcome == "cannot be tested here" and verdict.why == "fewer than 16 threads"
    assert verdict.numbers.startswith("4x") and verdict.basis.endswith("the most, 4")


def test_fig4_takes_the_time_of_the_gpu_where_there_is_one() -> None:
    gpu, alone = factorised("parac_gpu", 0.01), factorised("parac_cpu.threads=1", 1.0)
    amd = factorised(
        "parac_cpu.threads=1", 2.0, ordering="amd", facts={"height_actual": 500.0, "nnz_g": 900.0}
    )
    frame = frame_of(fig4.EXHIBIT.frame, alone, gpu, amd)
    assert frame["ordering"].tolist() == ["amd", "nnz"]
    assert frame["implementation"].tolist() == ["parac_cpu", "parac_gpu"]
    assert frame["fill"].tolist() == pytest.approx([1.8, 2.4])
    assert frame["shrinks"].tolist() == pytest.approx([2, 20])
    assert "1,000" in cells(fig4.EXHIBIT.picture(frame))
    lower, heights, fill = fig4.EXHIBIT.verdicts(frame)
    assert lower.numbers == "2 of 2, printed all" and lower.outcome == "reproduced"
    assert heights.numbers.startswith("2x AMD, 20x nnz-sort") and "1.33x" in fill.numbers
    failed = replace(gpu, status=Status.TIMEOUT, seconds=[], work=None)
    assert frame_of(fig4.EXHIBIT.frame, alone, failed)["implementation"].tolist() == ["parac_cpu"]


def test_rhs_is_judged_for_parac_and_its_peers_apart() -> None:
    counts = {"parac_cpu": 40, "parac_cpu.rhs=product": 38, "ict": 90, "ict.rhs=product": 30}
    records = (solved(name, facts={"iterations": float(n)}) for name, n in counts.items())
    frame = frame_of(rhs.EXHIBIT.frame, *records)
    ratios = frame.dropna(subset="ratio").set_index("implementation")["ratio"]
    assert ratios.to_dict() == pytest.approx({"parac_cpu": 40 / 38, "ict": 3})
    assert [str(verdict.outcome) for verdict in rhs.EXHIBIT.verdicts(frame)] == [
        "reproduced", "reproduced", "beside the print", "beside the print"
    ]  # fmt: skip
    assert {"40", "38", "90", "30"} <= set(cells(rhs.EXHIBIT.picture(frame)))


def test_seeds_are_found_beside_the_figures_cases() -> None:
    records = [solved("parac_cpu", facts={"iterations": 40.0})]
    records += [solved(f"parac_cpu.seed={s}", facts={"iterations": 40.0 + s}) for s in (1, 2, 10)]
    other = solved("parac_cpu.seed=1", matrix=STAND_IN)
    cases = [Case.parse(records[0].case)]
    frame = seeds.EXHIBIT.frame(Records((*records, other)), ENTRIES, cases)
    assert frame["seed"].tolist() == [0, 1, 2, 10] and set(frame["label"]) == {OWN}
    assert "40 to 50\nof 4" in cells(seeds.EXHIBIT.picture(frame))


@pytest.mark.parametrize(
    ("amg", "wanted", "words"),
    [((1.2, 0.0, 0.1), 10.0, "ParAC up to 10 right-hand sides"), ((0.1, 0.0, 0.1), 0.0, NEVER),
     ((1.2, 0.0, 0.3), np.inf, ALWAYS)],
)  # fmt: skip
def test_breakeven_is_where_multigrid_has_made_up_for_its_setup(amg: Any, wanted: float, words: str) -> None:
    frame = frame_of(breakeven.EXHIBIT.frame, solved("parac_cpu", (0.1, 0.1, 0.2)), solved("pyamg", amg))
    row = frame.set_index("implementation").loc["parac_cpu"]
    assert row["breakeven"] == pytest.approx(wanted) and row["taken"] == words
    assert words in cells(breakeven.EXHIBIT.picture(frame))


def test_what_is_not_run_stands_in_its_matrixs_panel() -> None:
    ours = solved("parac_cpu")
    missing = Case.parse(ours.case.replace("parac_cpu", "ict"))
    frame = frame_of(breakeven.EXHIBIT.frame, ours, solved("pyamg"), more=(missing,))
    figure = breakeven.EXHIBIT.picture(frame)
    assert len(figure.axes) == 1 and any("ict: not run" in text for text in cells(figure))


def test_quality_is_against_the_sequential_factor_of_that_machine() -> None:
    records = [solved("ac_sequential"), solved("parac_cpu"), solved("parac_gpu", facts={"iterations": 41.0})]
    frame = frame_of(quality.EXHIBIT.frame, *records)
    assert frame.set_index("implementation")["more_iterations"].to_dict() == {
        "ac_sequential": 0, "parac_cpu": 0, "parac_gpu": 1,
    }  # fmt: skip
    assert "1 of 2 have its entries and its iterations" in quality.EXHIBIT.words(frame)


# ---- what is counted of a factor


def dense_heights(graph: Laplacian, factor: Preconditioner) -> dict[str, int]:
    """The same by dense elimination."""
    n = graph.n
    filled, ours = np.zeros((n, n), bool), np.zeros((n, n), bool)
    filled[graph.pattern.rows(), graph.pattern.indices] = True
    for k in range(n):
        later = np.flatnonzero(filled[k, k + 1 :]) + k + 1
        filled[np.ix_(later, later)] = True
        ours[factor.pattern.indices[factor.pattern.indptr[k] : factor.pattern.indptr[k + 1]], k] = True
    tree = [np.tril(lower, -1) for lower in (filled, ours)]
    first = [lower & (np.cumsum(lower, axis=0) == 1) for lower in tree]
    paths = {"height_classical": first[0], "height_actual": first[1], "critical_path": tree[1]}
    return {name: longest(lower) for name, lower in paths.items()}


def longest(lower: Array) -> int:
    depth = np.ones(len(lower), int)
    for k in range(len(lower)):
        depth[lower[:, k]] = np.maximum(depth[lower[:, k]], depth[k] + 1)
    return int(depth.max())


@pytest.mark.parametrize("seed", range(6))
def test_heights_are_those_of_dense_elimination(seed: int) -> None:
    rng = np.random.default_rng(seed)
    ends = np.array([(i, j) for i in range(30) for j in range(i) if rng.random() < 0.1])
    graph = from_edges(30, ends[:, 0], ends[:, 1], rng.uniform(1, 2, len(ends)))
    factor, _ = ac_sequential(graph, seed=seed)
    found = depths(graph, factor)
    assert {name: found[name] for name in ("height_classical", "height_actual", "critical_path")} == (
        dense_heights(graph, factor)
    )
    assert found["nnz_l"] == graph.pattern.nnz + 30 and found["nnz_g"] == factor.pattern.nnz + 30
