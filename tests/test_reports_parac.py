"""ParAC's tables and figures, from made records. All numbers are made up."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from reports.frames.parac import CPU, ENOUGH, GPU, over, printed_sum

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
from reports.facts.naming import label, printed_label, stand_in
from reports.facts.printed import abbreviation, abbreviations, printed_column
from reports.facts.records import Records
from reports.frames.variants import variant_of
from reports.parac import breakeven, fig3, fig4, orderings, quality, rhs, seeds, table1, table2, table3
from reports.parac.breakeven import ALWAYS, NEVER
from reports.parac.fig3 import TOO_MANY
from reports.shapes.printed import plain
from tests.reports_fakes import made_frame, made_record, unavailable

OWN, STAND_IN = "ecology1", "road,20000"
ENTRIES = catalogue.entries()
# Enough for a share of all to be more than a half.
FIVE = ("ecology1", "apache2", "parabolic_fem", "G3_circuit", "belgium_osm")


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
        **{"seconds": [seconds * factor for factor in (0.9, 1.0, 1.2)], "threads_used": 16, **changes},
    )


def frame_of(function: Any, *records: Record, more: tuple[Case, ...] = ()) -> pd.DataFrame:
    return made_frame(function, ENTRIES, records, more)


def outcomes(exhibit: Any, frame: pd.DataFrame) -> dict[str, str]:
    """What became of each claim that is judged, by its name."""
    verdicts = [v for v in exhibit.verdicts(frame) if v.outcome != "beside the print"]
    return {v.claim.rpartition(".")[2]: str(v.outcome) for v in verdicts}


def cells(figure: Any) -> list[str]:
    return [text.get_text() for axes in figure.axes for text in axes.texts]


# ---- what they share


def test_generated_matrices_of_the_paper_are_its_own_and_have_stand_ins() -> None:
    own, other = catalogue.lookup("poisson3d,243,aniso_x"), catalogue.lookup("poisson3d,24,aniso")
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


# ---- tables


def test_table1_holds_orders_and_entries_against_the_print() -> None:
    frame = frame_of(table1.EXHIBIT.frame, factorised("parac_cpu.threads=1", 1.0)).set_index("label")
    assert len(frame) == 15
    row = frame.loc[OWN]
    assert (row["order_is"], row["entries_is"], row["nnz_g"]) == ("equal", "equal", 1200)
    assert frame.loc["apache2", "order_is"] == "not_held"
    assert "the paper's (=, =)" in cells(table1.EXHIBIT.picture(frame.reset_index()))
    assert "= equal" in table1.EXHIBIT.words(frame.reset_index())


def test_what_is_printed_stands_below_a_stand_in_and_weighs_nothing() -> None:
    """In the picture alone: the frame, which verdicts read, has the print of the paper's own matrices."""
    near, far = (
        factorised("parac_cpu.threads=1", 1.0, matrix) for matrix in ("grid2d,1000,laplacian", STAND_IN)
    )
    frame = frame_of(table1.EXHIBIT.frame, near, far)
    rows = frame[frame["machine"].notna()].set_index("label")
    assert rows["paper_order"].isna().all()
    drawn = cells(table1.EXHIBIT.picture(frame))
    assert {"near enough", "too far", OWN, "1,000,000", "belgium_osm", "1,441,295"} <= set(drawn)
    assert outcomes(table1.EXHIBIT, frame) == {"order": "not run", "nnz": "not run"}


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
    assert {"printed", "3x", "14.1x"} <= set(drawn)
    assert "HYPRE has no result here" in table2.EXHIBIT.words(frame)
    found = {(v.claim.rpartition(".")[2], v.outcome.value): v for v in table2.EXHIBIT.verdicts(frame)}
    total = found["below_ichol", "inconclusive"]
    assert total.scope == "on the paper's own matrices" and total.numbers.startswith("1 of 1, ")
    assert found["over_ichol", "deviates"].factor == pytest.approx(3 / (16.25 / 1.15))
    assert ("below_hypre", "not run") in found and ("below_hypre", "beside the print") in found


def test_times_of_fewer_threads_than_the_papers_are_not_judged() -> None:
    """Iterations are: they do not depend on the threads."""
    two, enough = (
        outcomes(
            table2.EXHIBIT,
            frame_of(table2.EXHIBIT.frame, *(solved(name, threads_used=t) for name in ("parac_cpu", "ict"))),
        )
        for t in (2, ENOUGH)
    )
    times = {"below_ichol", "over_ichol", "below_ichol_solve"}
    assert {two[name] for name in times} == {"cannot be tested here"}
    assert "cannot be tested here" not in {enough[name] for name in times}
    assert two["iterations"] == enough["iterations"] == "reproduced"


def by_ranks(**totals: float) -> list[Record]:
    """ParAC's 0.4 s on 16 threads, and HYPRE's by ranks: r1=0.8 is of one."""
    names = {name: "hypre" if name == "r1" else f"hypre.ranks={name[1:]}" for name in totals}
    return [
        solved("parac_cpu", (0.1, 0.1, 0.2)),
        *(solved(names[name], (s / 2, 0.0, s / 2), threads_used=1) for name, s in totals.items()),
    ]


def test_table2_takes_hypre_on_as_many_ranks_as_parac_has_threads() -> None:
    """Also where fewer take less: else on the ranks that take least."""
    for totals, ranks, ratio in (
        ({"r1": 0.2, "r2": 0.1, "r16": 0.8}, 16, 2.0),
        ({"r1": 0.2, "r2": 0.1, "r8": 0.3}, 2, 0.25),
        ({"r1": 0.2}, 1, 0.5),
    ):
        frame = frame_of(table2.EXHIBIT.frame, *by_ranks(**totals))
        row = frame.set_index("label").loc[OWN]
        assert row["hypre_ranks"] == ranks and row["hypre_ratio"] == pytest.approx(ratio)
        assert row["hypre_alone"] == pytest.approx(totals["r1"]) and row["hypre_least"] == ranks
        assert f"ranks: {ranks}; threads of ParAC: 16" in table2.EXHIBIT.words(frame)
    frame = frame_of(table2.EXHIBIT.frame, *by_ranks(r1=0.2), solved("hypre.ranks=2", run_id="run-2"))
    assert frame.set_index("label").loc[OWN, "hypre_ranks"] == 1, "of ParAC's run"


def test_table2_takes_hypres_faster_order() -> None:
    for total, ratio in ((0.4, 1.0), (1.2, 2.0)):
        other = solved("hypre.order=rcm.ranks=16", (total / 2, 0.0, total / 2), threads_used=1)
        frame = frame_of(table2.EXHIBIT.frame, *by_ranks(r1=0.9, r16=0.8), other)
        row = frame.set_index("label").loc[OWN]
        assert row["hypre_ranks"] == 16 and row["hypre_ratio"] == pytest.approx(ratio)


def test_hypres_times_are_judged_from_16_ranks_on_and_its_iterations_on_any() -> None:
    def became(**totals: float) -> dict[str, str]:
        return outcomes(table2.EXHIBIT, frame_of(table2.EXHIBIT.frame, *by_ranks(**totals)))

    few, enough = became(r1=0.8), became(r16=0.8)
    assert few["over_hypre"] == few["below_hypre"] == "cannot be tested here"
    assert enough["over_hypre"] != "cannot be tested here" and enough["below_hypre"] == "inconclusive"
    assert few["hypre_iterations"] == enough["hypre_iterations"] == "deviates", (
        "40, of another count in print"
    )


def test_hypre_that_cannot_run_says_why_and_takes_nothing_from_the_others() -> None:
    wide = replace(unavailable(Case.parse(f"laplacian.hypre.ranks=16@{OWN}.nnz"), 1), machine="box")
    frame = frame_of(table2.EXHIBIT.frame, *by_ranks(r2=0.8), wide)
    assert frame.set_index("label").loc[OWN, "hypre_ranks"] == 2
    failed = replace(solved("hypre"), status=Status.WRONG, seconds=[], phases={}, work=None)
    frame = frame_of(table2.EXHIBIT.frame, *by_ranks(), failed)
    row = frame.set_index("label").loc[OWN]
    assert row["status_hypre"] == "wrong" and row["hypre_pair"] == "hypre wrong"
    assert "wrong" in cells(table2.EXHIBIT.picture(frame))


def test_table2_keeps_failures_and_two_runs_in_sight() -> None:
    late = replace(solved("ict"), status=Status.UNSUPPORTED, seconds=[], phases={}, work=None)
    frame = frame_of(table2.EXHIBIT.frame, solved("parac_cpu"), late, solved("pyamg", run_id="run-2"))
    row = frame.set_index("label").loc[OWN]
    assert (row["pair"], row["amg_pair"]) == ("ict unsupported", "two_runs") and pd.isna(row["ratio"])
    assert "unsupported" in cells(table2.EXHIBIT.picture(frame))


TABLE3 = {
    "parac_gpu": (0.02, 0.01, 0.05),
    "parac_gpu.triangular=cusparse": (0.02, 0.1, 0.08),
    "ic0_gpu": (0.51, 0.01, 0.78),
    "ic0_gpu.policy=levels": (0.01, 0.01, 0.58),
    "ic0_gpu.triangular=own": (0.01, 0.01, 0.14),
    "ic0_gpu.policy=levels.triangular=own": (0.02, 0.01, 0.14),
    "ic0_gpu.tail=2048.triangular=own": (0.01, 0.02, 0.07),
}


def test_table3_pairs_like_with_like_beside_the_print() -> None:
    """SpSV with SpSV and own solves with own, ichol(0) by the best of its settings; milliseconds."""
    records = [solved(name, parts) for name, parts in TABLE3.items()]
    absent = replace(unavailable(Case.parse(f"laplacian.amgx@{OWN}.nnz"), 1), machine="box")
    frame = frame_of(table3.EXHIBIT.frame, *records, absent)
    row = frame.set_index("label").loc[OWN]
    totals = {name: row[f"{name}_total"] for name in ("parac", "parac_own", "ic0", "ic0_own")}
    assert totals == pytest.approx({"parac": 200, "parac_own": 80, "ic0": 600, "ic0_own": 100})
    ratios = {prefix: row[f"{prefix}ratio"] for prefix in table3.PAIRS}
    assert ratios == pytest.approx({"": 3, "own_": 1.25, "mixed_": 7.5, "swapped_": 0.5})
    assert row["setup_ratio"] == pytest.approx(1) and row["status_amgx"] == "unavailable"
    assert row["paper_ratio"] == pytest.approx((10.58 + 1135) / 162.36)
    assert {"3x", "7.06x", "1.25x", "600", "1,146"} <= set(cells(table3.EXHIBIT.picture(frame)))
    words = table3.EXHIBIT.words(frame)
    assert "SpSV on both sides 3x (1 of 1 above 1)" in words and "ichol(0) alone 0.5x (0 of 1" in words
    judged = {
        v.claim.rpartition(".")[2]: v for v in table3.EXHIBIT.verdicts(frame) if v.outcome == "deviates"
    }
    assert judged["over_ic0"].factor == pytest.approx(3 / ((10.58 + 1135) / 162.36))
    assert outcomes(table3.EXHIBIT, frame)["below_amgx"] == "not run"
    with_amgx = frame_of(table3.EXHIBIT.frame, *records, solved("amgx"))
    without = "AmgX has no result here"
    assert without in words and without not in table3.EXHIBIT.words(with_amgx)
    assert "2x" in cells(table3.EXHIBIT.picture(with_amgx)), "its total over ParAC's"
    assert "AmgX" not in cells(table3.EXHIBIT.picture(frame))


@pytest.mark.parametrize("module", [table1, table2, table3])
def test_rows_of_a_table_are_in_the_order_of_the_print_below_them(module: Any) -> None:
    """A stand-in of several matrices stands behind the one whose print it is shown with."""
    make: Any = factorised if module is table1 else solved
    seconds: Any = 1.0 if module is table1 else (0.1, 0.1, 0.2)
    name = "parac_gpu" if module is table3 else "parac_cpu"
    records = [make(name, seconds, matrix) for matrix in ("G2_circuit", "G3_circuit", "apache2", OWN)]
    frame = frame_of(module.EXHIBIT.frame, *records)
    measured_rows = frame[frame["machine"].notna()]
    assert measured_rows["label"].tolist() == [OWN, "apache2", "G3_circuit", "G2_circuit"]


def test_a_factor_of_another_run_makes_no_ratio() -> None:
    """The faster record of another run is not taken where there is one of ParAC's run."""
    names = ("parac_gpu.triangular=cusparse", "ic0_gpu")
    early = [solved(name, TABLE3[name]) for name in names]
    late = solved("ic0_gpu.policy=levels", TABLE3["ic0_gpu.policy=levels"], run_id="run-2")
    row = frame_of(table3.EXHIBIT.frame, *early, late).set_index("label").loc[OWN]
    assert row["ratio"] == pytest.approx(1300 / 200)
    row = frame_of(table3.EXHIBIT.frame, early[0], late).set_index("label").loc[OWN]
    assert row["pair"] == "two_runs" and pd.isna(row["ratio"])


# ---- figures


def scaled(seconds: dict[int, float], ordering: str = "nnz", matrix: str = OWN) -> list[Record]:
    return [factorised(f"parac_cpu.threads={t}", s, matrix, ordering) for t, s in seconds.items()]


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
    assert "16x" in cells(fig3.EXHIBIT.picture(frame))
    assert "1 cases of more threads" in fig3.EXHIBIT.words(frame)
    verdicts = {v.claim.rpartition(".")[2]: v for v in fig3.EXHIBIT.verdicts(frame)}
    assert verdicts["tenfold"].outcome == "inconclusive" and verdicts["tenfold"].numbers.startswith("0 of 1")
    (tmp_path / "box" / "machine.json").write_text(json.dumps({"cores": 4}))
    few = fig3.EXHIBIT.verdicts(frame_of(fig3.EXHIBIT.frame, *records))[0]
    assert few.outcome == "cannot be tested here" and few.why == "fewer than 16 threads"
    assert few.basis.endswith(", 4 threads")


def test_fig3_tells_many_matrices_apart_and_names_what_failed() -> None:
    matrices = (*FIVE, "delaunay_n24", "venturiLevel3", "GAP-road", "europe_osm", "ecology2")
    records = [record for matrix in matrices for record in scaled({1: 8.0, 16: 1.0}, matrix=matrix)]
    failed = replace(records[1], status=Status.TIMEOUT, seconds=[], work=None)
    figure = fig3.EXHIBIT.picture(frame_of(fig3.EXHIBIT.frame, records[0], failed, *records[2:]))
    looks = {(line.get_color(), line.get_marker()) for line in figure.legends[0].get_lines()}
    assert len(looks) == len(matrices) + 1
    assert f"{OWN}: timeout" in cells(figure)


def test_fig3_names_a_point_without_a_line_and_what_is_in_one_ordering_only() -> None:
    both = [*scaled({1: 8.0, 16: 1.0}), *scaled({1: 8.0, 16: 1.0}, "amd")]
    other = scaled({1: 8.0, 16: 1.0}, matrix="apache2")
    point = scaled({16: 1.0}, "amd", "apache2")
    frame = frame_of(fig3.EXHIBIT.frame, *both, *other, *point)
    words = fig3.EXHIBIT.words(frame)
    assert "Scaled in nnz-sort only: apache2. A single point in AMD: apache2. " in words
    assert "apache2" in cells(fig3.EXHIBIT.picture(frame))
    without = frame_of(fig3.EXHIBIT.frame, *both)
    assert " only:" not in fig3.EXHIBIT.words(without) and "single" not in fig3.EXHIBIT.words(without)


def test_fig3_counts_a_matrix_once_whatever_the_orderings() -> None:
    records = [*scaled({1: 8.0, 16: 1.0}), *scaled({1: 8.0, 16: 0.25}, "amd")]
    most = fig3.EXHIBIT.verdicts(frame_of(fig3.EXHIBIT.frame, *records))[0]
    assert (most.n, most.value) == (1, 0)


@pytest.mark.parametrize(("seconds", "outcome"), [(2.0, "reproduced"), (0.6, "contradicted")])
def test_fig3_holds_the_exception_apart_from_most(seconds: float, outcome: str) -> None:
    """com-LiveJournal and its stand-ins are in no count of most, and the claim that it does not scale can
    fail."""
    others = [scaled({1: 8.0, 16: 0.8}, matrix=matrix) for matrix in FIVE]
    exceptions = [scaled({1: 8.0, 16: seconds}, matrix=m) for m in ("com-LiveJournal", "coAuthorsDBLP")]
    frame = frame_of(
        fig3.EXHIBIT.frame, *(record for records in [*others, *exceptions] for record in records)
    )
    verdicts = {
        v.claim.rpartition(".")[2]: v for v in fig3.EXHIBIT.verdicts(frame) if v.outcome != "beside the print"
    }
    most = verdicts["tenfold"]
    assert most is not None and (most.n, most.value) == (5, 1)
    assert str(verdicts["livejournal"].outcome) == outcome


@pytest.mark.parametrize(
    ("speed_ups", "outcome"),
    [
        ((10.0, 8.0, 12.0, 9.0, 11.0), "reproduced"),
        ((2.0, 3.0, 4.0, 5.0, 6.0), "contradicted"),
        ((20.0, 30.0, 40.0, 15.0, 16.0), "contradicted"),
        ((10.0, 10.0, 10.0, 2.0, 30.0), "inconclusive"),
        ((1.5, 66.0, 1.5, 66.0, 13.0), "contradicted"),
    ],
)
def test_fig3_asks_for_about_tenfold_on_most_matrices(speed_ups: tuple[float, ...], outcome: str) -> None:
    """A mean of 10x that no matrix has is none, and what is far above 10x is not about that."""
    records = [
        replace(record, seconds=[record.median] * 3)
        for matrix, speed_up in zip(FIVE, speed_ups, strict=True)
        for record in scaled({1: 8.0, 16: 8.0 / speed_up}, matrix=matrix)
    ]
    assert outcomes(fig3.EXHIBIT, frame_of(fig3.EXHIBIT.frame, *records))["tenfold"] == outcome


def test_fig3_does_not_know_whether_a_wide_interval_is_about_tenfold() -> None:
    """Samples of 0.9 to 1.2 times the median: 10x may be 7.5x or 13.3x."""
    records = [record for matrix in FIVE for record in scaled({1: 8.0, 16: 0.8}, matrix=matrix)]
    frame = frame_of(fig3.EXHIBIT.frame, *records)
    assert outcomes(fig3.EXHIBIT, frame)["tenfold"] == "inconclusive"


@pytest.mark.parametrize(("sign", "outcome"), [(1, "reproduced"), (-1, "contradicted")])
def test_fig3_sees_whether_speed_ups_fall_with_density(sign: int, outcome: str) -> None:
    names = ("belgium_osm", "ecology1", "parabolic_fem", "delaunay_n24", "venturiLevel3", "com-LiveJournal")
    entries = [catalogue.lookup(name) for name in names]
    records = []
    for entry in entries:
        density = float(entry.nnz or 0) / float(entry.order or 1)
        records += scaled({1: 8.0, 16: 0.1 * density**sign}, matrix=entry.id)
    frame = frame_of(fig3.EXHIBIT.frame, *records)
    assert outcomes(fig3.EXHIBIT, frame)["density"] == outcome


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
    failed = replace(gpu, status=Status.TIMEOUT, seconds=[], work=None)
    assert frame_of(fig4.EXHIBIT.frame, alone, failed)["implementation"].tolist() == ["parac_cpu"]


# Of AMD, nnz-sort and random, with a classical height of 1000: the actual height, the critical path,
# entries of the factor, milliseconds.
AS_PRINTED = {"amd": (500, 600, 1000, 9), "nnz": (50, 70, 1100, 2), "random": (60, 80, 1150, 3)}
PLANTED = {
    "lower": {"amd": (900, 950, 1000, 9)},
    "amd_less": {"nnz": (300, 320, 1100, 2)},
    "amd_path": {"random": (60, 700, 1150, 3)},
    "amd_slowest": {"random": (60, 80, 1150, 12)},
    "fill": {"random": (60, 80, 1500, 3)},
}


def by_orderings(numbers: dict[str, tuple[int, int, int, int]]) -> list[Record]:
    """Four matrices of which each ordering has these numbers."""
    return [
        factorised(
            "parac_gpu", 1e-3 * ms, matrix, ordering,
            facts={"height_actual": float(actual), "critical_path": float(path), "nnz_g": float(entries)},
        )
        for matrix in FIVE[:4]
        for ordering, (actual, path, entries, ms) in numbers.items()
    ]  # fmt: skip


def test_fig4_reproduces_what_the_paper_says_of_its_orderings() -> None:
    frame = frame_of(fig4.EXHIBIT.frame, *by_orderings(AS_PRINTED))
    assert set(outcomes(fig4.EXHIBIT, frame).values()) == {"reproduced"}


@pytest.mark.parametrize("name", PLANTED)
def test_each_statement_of_fig4_fails_where_it_is_not_so(name: str) -> None:
    frame = frame_of(fig4.EXHIBIT.frame, *by_orderings(AS_PRINTED | PLANTED[name]))
    became = outcomes(fig4.EXHIBIT, frame)
    assert became.pop(name) == "contradicted"
    others = set(became.values()) if name != "lower" else {became["fill"]}
    assert others == {"reproduced"}


def test_an_ordering_of_another_run_is_not_timed_against_the_others() -> None:
    """Nor is one that was not measured: AMD is not the slowest of two."""
    records = by_orderings(AS_PRINTED)
    late = [replace(r, run_id="run-2") if ".random" in r.case else r for r in records]
    fewer = [r for r in records if ".random" not in r.case]
    for chosen in (late, fewer):
        frame = frame_of(fig4.EXHIBIT.frame, *chosen)
        assert outcomes(fig4.EXHIBIT, frame)["amd_slowest"] == "not run"


def test_one_matrix_is_enough_against_all_and_three_are_none_for_it() -> None:
    """What is said of all is not reproduced by fewer than four matrices, and deviates by one."""
    printed, other = by_orderings(AS_PRINTED), by_orderings(AS_PRINTED | PLANTED["fill"])
    three = [r for r in printed if "belgium_osm" not in r.case and "G3_circuit" not in r.case]
    became = outcomes(fig4.EXHIBIT, frame_of(fig4.EXHIBIT.frame, *three))
    assert became["fill"] == "inconclusive"
    one = [r for r in other if OWN in r.case]
    assert outcomes(fig4.EXHIBIT, frame_of(fig4.EXHIBIT.frame, *one))["fill"] == "deviates"


def in_orderings(name: str, totals: dict[str, float], **changes: Any) -> list[Record]:
    """Five matrices, of each ordering so many seconds, of which the solve is a half."""
    return [
        solved(name, (s / 4, s / 4, s / 2), matrix, ordering=ordering, **changes)
        for matrix in FIVE
        for ordering, s in totals.items()
    ]


@pytest.mark.parametrize(
    ("totals", "cpu", "gpu", "amd"),
    [
        ({"amd": 1.0, "nnz": 2.0, "random": 3.0}, "reproduced", "contradicted", "contradicted"),
        ({"amd": 2.0, "nnz": 1.0, "random": 3.0}, "contradicted", "reproduced", "contradicted"),
        ({"amd": 3.0, "nnz": 2.0, "random": 1.0}, "contradicted", "contradicted", "reproduced"),
    ],
)
def test_orderings_are_held_against_the_others(
    totals: dict[str, float], cpu: str, gpu: str, amd: str
) -> None:
    """The best against the fastest other one, the slowest against the slowest."""
    frame = frame_of(
        orderings.EXHIBIT.frame, *in_orderings("parac_cpu", totals), *in_orderings("parac_gpu", totals)
    )
    assert outcomes(orderings.EXHIBIT, frame) == {"cpu": cpu, "cpu_solve": cpu, "gpu": gpu, "gpu_amd": amd}
    assert len(orderings.EXHIBIT.picture(frame).axes) == 2
    two = frame_of(orderings.EXHIBIT.frame, *in_orderings("parac_cpu", totals, threads_used=2))
    assert outcomes(orderings.EXHIBIT, two)["cpu"] == "cannot be tested here"


@pytest.mark.parametrize(
    ("samples", "outcome"), [((1.0, 1.0, 1.0), "reproduced"), ((0.3, 1.0, 3.0), "inconclusive")]
)
def test_a_solve_is_held_against_others_with_its_interval(samples: tuple[float, ...], outcome: str) -> None:
    """A median twice as long says nothing where the samples differ tenfold."""
    records = [
        replace(r, phases={**r.phases, "solve": [r.phases["solve"][1] * s for s in samples]})
        for r in in_orderings("parac_cpu", {"amd": 1.0, "nnz": 2.0, "random": 3.0})
    ]
    frame = frame_of(orderings.EXHIBIT.frame, *records)
    assert outcomes(orderings.EXHIBIT, frame)["cpu_solve"] == outcome
    ends = frame.loc[frame["ordering"] == "amd", ["solve_low", "solve_high"]].to_numpy()
    assert ends[0].tolist() == pytest.approx([0.5 * samples[0], 0.5 * samples[2]])


@pytest.mark.parametrize("changes", [{"run_id": "run-2"}, {"host": "2" * 16}])
def test_orderings_of_two_runs_or_hosts_are_not_compared(changes: dict[str, str]) -> None:
    early = in_orderings("parac_cpu", {"amd": 2.0}, host="1" * 16)
    late = in_orderings("parac_cpu", {"nnz": 1.0}, **{"host": "1" * 16, **changes})
    assert outcomes(orderings.EXHIBIT, frame_of(orderings.EXHIBIT.frame, *early, *late))["cpu"] == "not run"


def test_fig4_compares_no_times_of_two_hosts() -> None:
    records = by_orderings(AS_PRINTED)
    elsewhere = [replace(r, host=("2" if ".random" in r.case else "1") * 16) for r in records]
    frame = frame_of(fig4.EXHIBIT.frame, *elsewhere)
    assert outcomes(fig4.EXHIBIT, frame)["amd_slowest"] == "not run"


RHS = {
    "parac_cpu": 40, "parac_cpu.rhs=product": 32, "ict": 90, "ict.rhs=product": 30,
    "parac_gpu": 40, "parac_gpu.rhs=product": 20, "ic0_gpu": 120, "ic0_gpu.rhs=product": 10,
}  # fmt: skip


def right_hand_sides(**counts: int) -> pd.DataFrame:
    """Iterations of five matrices."""
    records = [
        solved(name, matrix=matrix, facts={"iterations": float(counts.get(name.replace(".rhs=", "_"), n))})
        for matrix in FIVE
        for name, n in RHS.items()
    ]
    return frame_of(rhs.EXHIBIT.frame, *records)


def test_right_hand_sides_are_paired_by_matrix() -> None:
    """ParAC's own sensitivity contradicts nothing that the text says."""
    frame = right_hand_sides()
    rows = frame.drop_duplicates("implementation").set_index("implementation")
    assert rows["ratio"].to_dict() == pytest.approx(
        {"parac_cpu": 1.25, "ict": 3, "parac_gpu": 2, "ic0_gpu": 12}
    )
    assert rows.loc["ict", "less"] == pytest.approx(3 / 1.25) and pd.isna(rows.loc["parac_cpu", "less"])
    assert outcomes(rhs.EXHIBIT, frame) == {"ichol": "reproduced", "less_sensitive": "reproduced"}
    assert {"40", "32", "90", "30", "3x", "1.25x"} <= set(cells(rhs.EXHIBIT.picture(frame)))


def test_a_right_hand_side_alone_is_no_pair() -> None:
    """One that failed is a slot, one that was not run is left out."""
    alone, pair = solved("ict"), (solved("parac_cpu"), solved("parac_cpu.rhs=product"))
    failed = replace(solved("ict.rhs=product"), status=Status.TIMEOUT, seconds=[], phases={}, work=None)
    drawn = [
        cells(rhs.EXHIBIT.picture(frame_of(rhs.EXHIBIT.frame, *pair, alone, *more)))
        for more in ((), (failed,))
    ]
    assert ["timeout" in texts for texts in drawn] == [False, True]


def test_right_hand_sides_count_a_matrix_once() -> None:
    judged = [v for v in rhs.EXHIBIT.verdicts(right_hand_sides()) if v.n]
    assert [v.n for v in judged] == [len(FIVE)] * 2


def test_right_hand_sides_of_an_insensitive_ichol_contradict_the_text() -> None:
    assert outcomes(rhs.EXHIBIT, right_hand_sides(ict_product=85, ic0_gpu_product=119)) == dict.fromkeys(
        ("ichol", "less_sensitive"), "contradicted"
    )
    assert outcomes(rhs.EXHIBIT, right_hand_sides(parac_gpu_product=3)) == {
        "ichol": "reproduced", "less_sensitive": "contradicted"
    }  # fmt: skip


def test_seeds_are_found_beside_the_figures_cases() -> None:
    records = [solved("parac_cpu", facts={"iterations": 40.0})]
    records += [solved(f"parac_cpu.seed={s}", facts={"iterations": 40.0 + s}) for s in (1, 2, 10)]
    other = solved("parac_cpu.seed=1", matrix=STAND_IN)
    cases = [Case.parse(records[0].case)]
    frame = seeds.EXHIBIT.frame(Records((*records, other)), ENTRIES, cases)
    assert frame["seed"].tolist() == [0, 1, 2, 10] and set(frame["label"]) == {OWN}
    assert {"40 to 50\nof 4", "1.00\nof 4"} <= set(cells(seeds.EXHIBIT.picture(frame)))


@pytest.mark.parametrize(("factor", "outcome"), [(1.1, "reproduced"), (1.5, "contradicted")])
def test_seeds_are_judged_by_how_far_their_iterations_lie_apart(factor: float, outcome: str) -> None:
    """Of seconds those of one run: what another run took says nothing. They stand beside the print."""
    seconds_of = ((0, 1.0, "run-1"), (1, factor, "run-1"), (2, 1.0, "run-1"), (3, 3.0, "run-0"))
    records = [
        solved(
            f"parac_cpu.seed={seed}" if seed else "parac_cpu", (0.1 * by, 0.1 * by, 0.2 * by), matrix,
            facts={"iterations": 40.0 * min(by, factor)}, run_id=run,
        )
        for matrix in FIVE[:4]
        for seed, by, run in seconds_of
    ]  # fmt: skip
    frame = frame_of(seeds.EXHIBIT.frame, *records)
    assert outcomes(seeds.EXHIBIT, frame) == {"iterations": outcome}


@pytest.mark.parametrize(
    ("amg", "wanted", "words"),
    [((1.2, 0.0, 0.1), 10.0, "up to 10"), ((0.1, 0.0, 0.1), 0.0, NEVER), ((1.2, 0.0, 0.3), np.inf, ALWAYS)],
)  # fmt: skip
def test_breakeven_is_where_multigrid_has_made_up_for_its_setup(amg: Any, wanted: float, words: str) -> None:
    records = [solved("parac_cpu", (0.1, 0.1, 0.2)), solved("pyamg", amg), solved("ict", run_id="run-2")]
    frame = frame_of(breakeven.EXHIBIT.frame, *records)
    row = frame.set_index("label").loc[OWN]
    assert row["pyamg_breakeven"] == pytest.approx(wanted) and pd.isna(row["ict_breakeven"])
    assert words in cells(breakeven.EXHIBIT.picture(frame))


def test_breakeven_is_of_one_host() -> None:
    records = [
        solved("parac_cpu", host="1" * 16),
        solved("pyamg", host="2" * 16),
        solved("ict", host="1" * 16),
    ]
    row = frame_of(breakeven.EXHIBIT.frame, *records).set_index("label").loc[OWN]
    assert pd.isna(row["pyamg_breakeven"]) and pd.notna(row["ict_breakeven"])


def test_what_failed_stands_in_its_matrixs_line() -> None:
    failed = replace(solved("ict"), status=Status.TIMEOUT, seconds=[], phases={}, work=None)
    frame = frame_of(breakeven.EXHIBIT.frame, solved("parac_cpu"), failed)
    assert {"timeout", "not run"} <= set(cells(breakeven.EXHIBIT.picture(frame)))


def test_quality_is_against_the_sequential_factor_of_that_machine() -> None:
    records = [solved("ac_sequential"), solved("parac_cpu"), solved("parac_gpu", facts={"iterations": 41.0})]
    frame = frame_of(quality.EXHIBIT.frame, *records)
    assert frame.set_index("implementation")["more_iterations"].to_dict() == {
        "ac_sequential": 0, "parac_cpu": 0, "parac_gpu": 1,
    }  # fmt: skip
    assert "1 of 2 parallel factors have the sequential one's entries" in quality.EXHIBIT.words(frame)
    drawn = cells(quality.EXHIBIT.picture(frame))
    assert (drawn.count("40"), drawn.count("41"), drawn.count("3,000,000")) == (2, 1, 3)


@pytest.mark.parametrize(
    "module", [breakeven, fig3, fig4, orderings, quality, rhs, seeds, table1, table2, table3]
)
def test_figures_draw_nothing_measured(module: Any) -> None:
    """Of cases without a record: a picture and a caption, and no claim is judged."""
    name = module.__name__.rpartition(".")[2]
    cases = figure_cases("parac", name, Settings(suite="small"))
    frame = module.EXHIBIT.frame(Records(()), ENTRIES, cases)
    assert module.EXHIBIT.picture(frame).get_size_inches()[0] <= 14
    assert module.EXHIBIT.words(frame)
    assert set(outcomes(module.EXHIBIT, frame).values()) <= {"not run"}


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
