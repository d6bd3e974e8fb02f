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
from benchmarks.runs.cases import drawn_cases, figure_cases
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
from reports.facts.printed import abbreviation, abbreviations
from reports.facts.records import Records
from reports.parac import breakeven, fig3, fig4, orderings, quality, rhs, seeds, table1, table2, table3
from reports.parac.breakeven import ALWAYS, NEVER
from reports.parac.fig3 import TOO_MANY
from reports.parac.solution import ENOUGH
from tests.reports_fakes import made_frame, made_record, unavailable

OWN, STAND_IN = "ecology1", "road,20000"
ENTRIES = catalogue.entries()
FIGURES = (breakeven, fig3, fig4, orderings, quality, rhs, seeds, table1, table2, table3)
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


def failing(record: Record, status: Status) -> Record:
    return replace(record, status=status, seconds=[], phases={}, work=None)


def absent(name: str) -> Record:
    """A record of a machine that cannot run it."""
    return replace(unavailable(Case.parse(f"laplacian.{name}@{OWN}.nnz"), 1), machine="box")


def frame_of(module: Any, *records: Record) -> pd.DataFrame:
    return made_frame(module.EXHIBIT.frame, ENTRIES, records)


def own_row(module: Any, *records: Record) -> Any:
    return frame_of(module, *records).set_index("label").loc[OWN]


def outcomes(module: Any, *records: Record) -> dict[str, str]:
    """What became of each claim that is judged, by its name."""
    verdicts = module.EXHIBIT.verdicts(frame_of(module, *records))
    judged = [v for v in verdicts if v.outcome != "beside the print"]
    return {v.claim.rpartition(".")[2]: str(v.outcome) for v in judged}


def drawn(module: Any, *records: Record) -> list[str]:
    """The texts of the picture."""
    figure = module.EXHIBIT.picture(frame_of(module, *records))
    return [text.get_text() for axes in figure.axes for text in axes.texts]


def words(module: Any, *records: Record) -> str:
    return str(module.EXHIBIT.words(frame_of(module, *records)))


# ---- what they share


def test_generated_matrices_of_the_paper_are_its_own_and_have_stand_ins() -> None:
    own, other = catalogue.lookup("poisson3d,243,aniso_x"), catalogue.lookup("poisson3d,24,aniso")
    assert len(abbreviations("parac")) == 15 and abbreviation(own, "parac") == "anisotropic 3D poisson"
    assert label(own.id, own, "parac") == printed_label("anisotropic 3D poisson", "parac")
    assert abbreviation(other, "parac") is None and stand_in(other, "parac") == "anisotropic 3D poisson"
    assert abbreviation(own, "gsofa") is None


def test_the_printed_tables_say_what_the_claims_say() -> None:
    """The counts of matrices in config/claims/ follow from the printed seconds."""
    cpu, gpu = table2.prints(), table3.prints()
    assert set(cpu.index) == set(gpu.index) == set(abbreviations("parac").values())
    ours = cpu["paper_parac_cpu_factor"] + cpu["paper_parac_cpu_solve"]
    ratios = (cpu["paper_ratio"], cpu["paper_ict_solve"] / ours, cpu["paper_hypre_ratio"])
    assert [(ratio > 1).sum() for ratio in ratios] == [14, 12, 2]
    for name, ratio in (("ic0", gpu["paper_ratio"]), ("amgx", gpu["paper_amgx_ratio"].dropna())):
        assert claim("parac", "table3_gpu", f"below_{name}").count == ((ratio > 1).sum(), len(ratio))
    assert claim("parac", "table3_gpu", "over_ic0").by_matrix == pytest.approx(gpu["paper_ratio"].to_dict())


def test_experiments_have_what_their_figures_show() -> None:
    known = {
        "table1": {"parac_cpu", "parac_gpu"},
        "table2": {*table2.CODES, "hypre"},
        "table3": {name for names in table3.CODES.values() for name in names},
    }
    for suite in SUITES:
        for figure in {e.figure for e in experiments() if e.paper == "parac"}:
            cases = figure_cases("parac", figure, Settings(suite=suite))
            names = {case.name.partition("@")[0].partition(".")[2] for case in cases}
            short = names if figure == "table3" else {case.implementation for case in cases}
            assert cases and short <= known.get(figure, short), (suite, figure)
            assert {case.preparation.matching for case in cases} == {"none"}
    tables = {case.matrix for case in figure_cases("parac", "table2", Settings(suite="papers"))}
    assert {entry.id for entry in ENTRIES if "parac" in entry.papers and entry.obtainable} <= tables
    threads = {case.threads for case in figure_cases("parac", "fig3", Settings())}
    assert threads == {1, 2}, "the embedded suite is for two cores"


@pytest.mark.parametrize("module", FIGURES)
def test_figures_draw_nothing_measured(module: Any) -> None:
    """Of cases without a record: a picture and a caption, and no claim is judged."""
    cases = figure_cases("parac", module.__name__.rpartition(".")[2], Settings(suite="small"))
    frame = module.EXHIBIT.frame(Records(()), ENTRIES, cases)
    assert module.EXHIBIT.picture(frame).get_size_inches()[0] <= 14
    assert module.EXHIBIT.words(frame)
    assert {str(v.outcome) for v in module.EXHIBIT.verdicts(frame)} <= {"not run"}


# ---- tables


def test_table1_holds_orders_and_entries_against_the_print() -> None:
    record = factorised("parac_cpu.threads=1", 1.0)
    frame = frame_of(table1, record).set_index("label")
    assert len(frame) == 15
    row = frame.loc[OWN]
    assert (row["n_is"], row["nnz_is"], row["nnz_g"]) == ("equal", "equal", 1200)
    assert frame.loc["apache2", "n_is"] == ""
    assert {"1,000,000 =", "the paper's"} <= set(drawn(table1, record))


def test_what_is_printed_stands_below_a_stand_in_and_weighs_nothing() -> None:
    """In the picture alone: the frame, which verdicts read, has the print of the paper's own matrices."""
    matrices = ("grid2d,1000,laplacian", STAND_IN)
    records = [factorised("parac_cpu.threads=1", 1.0, matrix) for matrix in matrices]
    frame = frame_of(table1, *records)
    assert frame.loc[frame["case"].notna(), "paper_n"].isna().all()
    wanted = {"near enough", "too far", "printed of ecology1", "printed of belgium_osm", "1,441,295"}
    assert wanted <= set(drawn(table1, *records))
    assert outcomes(table1, *records) == {"order": "not run", "nnz": "not run"}


def test_table2_leaves_the_search_for_a_threshold_out_and_counts_wins() -> None:
    ict = solved("ict", (0.1, 0.1, 1.0))
    ict = replace(ict, phases={**ict.phases, "threshold": [9.0] * 3}, seconds=[10.0, 10.0, 10.0])
    records = [solved("parac_cpu"), ict, solved("pyamg", (0.3, 0.0, 0.06))]
    row = own_row(table2, *records)
    ratios = (row["ratio"], row["solve_ratio"], row["amg_ratio"], row["paper_ratio"])
    assert ratios == pytest.approx((3.0, 2.5, 0.9, 16.25 / 1.15)) and row["status_hypre"] == "not_run"
    assert {"printed", "3x", "14.1x"} <= set(drawn(table2, *records))
    assert "HYPRE has no result here" in words(table2, *records)
    verdicts = table2.EXHIBIT.verdicts(frame_of(table2, *records))
    found = {(v.claim.rpartition(".")[2], v.outcome.value): v for v in verdicts}
    total = found["below_ichol", "inconclusive"]
    assert total.scope == "on the paper's own matrices" and total.numbers.startswith("1 of 1, ")
    assert found["over_ichol", "deviates"].factor == pytest.approx(3 / (16.25 / 1.15))
    assert ("below_hypre", "not run") in found and ("below_hypre", "beside the print") in found


def test_times_of_fewer_threads_than_the_papers_are_not_judged() -> None:
    """Iterations are: they do not depend on the threads."""
    two, enough = (
        outcomes(table2, *(solved(name, threads_used=threads) for name in ("parac_cpu", "ict")))
        for threads in (2, ENOUGH)
    )
    times = ("below_ichol", "over_ichol", "below_ichol_solve")
    assert {two[name] for name in times} == {"cannot be tested here"}
    assert "cannot be tested here" not in {enough[name] for name in times}
    assert two["iterations"] == enough["iterations"] == "reproduced"


def by_ranks(**totals: float) -> list[Record]:
    """ParAC's 0.4 s on 16 threads, and HYPRE's by ranks: r1=0.8 is of one, rcm16 of 16 in its other order."""
    records = [solved("parac_cpu")]
    for name, seconds in totals.items():
        order, ranks = (".order=rcm", name[3:]) if name.startswith("rcm") else ("", name[1:])
        variant = f"hypre{order}" + (f".ranks={ranks}" if ranks != "1" else "")
        records.append(solved(variant, (seconds / 2, 0.0, seconds / 2), threads_used=1))
    return records


@pytest.mark.parametrize(
    ("totals", "more", "ranks", "ratio"),
    [
        pytest.param({"r1": 0.2, "r2": 0.1, "r16": 0.8}, (), 16, 2.0, id="as many as threads"),
        pytest.param({"r1": 0.2, "r2": 0.1, "r8": 0.3}, (), 2, 0.25, id="without these, the fastest"),
        pytest.param({"r1": 0.2}, (), 1, 0.5, id="one"),
        pytest.param({"r1": 0.2}, (solved("hypre.ranks=2", run_id="run-2"),), 1, 0.5, id="of ParAC's run"),
        pytest.param({"r2": 0.8}, (absent("hypre.ranks=16"),), 2, 2.0, id="what cannot run"),
        pytest.param({"r1": 0.9, "r16": 0.8, "rcm16": 0.4}, (), 16, 1.0, id="the other order is faster"),
        pytest.param({"r1": 0.9, "r16": 0.8, "rcm16": 1.2}, (), 16, 2.0, id="the other order is slower"),
    ],
)
def test_table2_takes_hypre_on_as_many_ranks_as_parac_has_threads(
    totals: dict[str, float], more: tuple[Record, ...], ranks: int, ratio: float
) -> None:
    records = [*by_ranks(**totals), *more]
    row = own_row(table2, *records)
    assert row["hypre_ranks"] == row["hypre_least"] == ranks and row["hypre_ratio"] == pytest.approx(ratio)
    assert f"ranks: {ranks}; threads of ParAC: 16" in words(table2, *records)


def test_hypres_times_are_judged_from_16_ranks_on_and_its_iterations_on_any() -> None:
    few, enough = (outcomes(table2, *by_ranks(**{ranks: 0.8})) for ranks in ("r1", "r16"))
    assert few["over_hypre"] == few["below_hypre"] == "cannot be tested here"
    assert enough["over_hypre"] != "cannot be tested here" and enough["below_hypre"] == "inconclusive"
    assert few["hypre_iterations"] == enough["hypre_iterations"] == "deviates", "40, of another in print"


@pytest.mark.parametrize(
    ("record", "pair", "reason"),
    [
        (failing(solved("hypre"), Status.WRONG), "hypre_pair", "hypre wrong"),
        (failing(solved("ict"), Status.UNSUPPORTED), "pair", "ict unsupported"),
        (solved("pyamg", run_id="run-2"), "amg_pair", "two_runs"),
    ],
)
def test_table2_keeps_failures_and_two_runs_in_sight(record: Record, pair: str, reason: str) -> None:
    row = own_row(table2, solved("parac_cpu"), record)
    assert row[pair] == reason and pd.isna(row[pair.replace("pair", "ratio")])
    cells = drawn(table2, solved("parac_cpu"), record)
    assert record.status == Status.OK or str(record.status) in cells


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
    alone = [solved(name, parts) for name, parts in TABLE3.items()]
    records = [*alone, absent("amgx")]
    row, printed = own_row(table3, *records), (10.58 + 1135) / 162.36
    totals = {name: row[f"{name}_total"] for name in ("parac", "parac_own", "ic0", "ic0_own")}
    assert totals == pytest.approx({"parac": 200, "parac_own": 80, "ic0": 600, "ic0_own": 100})
    ratios = {prefix: row[f"{prefix}ratio"] for prefix in table3.PAIRS}
    assert ratios == pytest.approx({"": 3, "own_": 1.25, "mixed_": 7.5, "swapped_": 0.5})
    assert (row["setup_ratio"], row["paper_ratio"]) == pytest.approx((1, printed))
    assert row["status_amgx"] == "unavailable"
    cells, text = drawn(table3, *records), words(table3, *records)
    assert {"3x", "7.06x", "1.25x", "600", "1,146"} <= set(cells) and "AmgX" not in cells
    assert "SpSV on both sides 3x (1 of 1 above 1)" in text and "ichol(0) alone 0.5x (0 of 1" in text
    (over_ic0,) = (
        v.factor
        for v in table3.EXHIBIT.verdicts(frame_of(table3, *records))
        if v.claim.endswith("over_ic0") and v.outcome == "deviates"
    )
    assert over_ic0 == pytest.approx(3 / printed)
    assert outcomes(table3, *records)["below_amgx"] == "not run"
    assert "AmgX has no result here" in text
    assert "AmgX has no result here" not in words(table3, *alone, solved("amgx"))
    assert "2x" in drawn(table3, *alone, solved("amgx")), "its total over ParAC's"


@pytest.mark.parametrize(
    ("module", "name"), [(table1, "parac_cpu"), (table2, "parac_cpu"), (table3, "parac_gpu")]
)
def test_rows_of_a_table_are_in_the_order_of_the_print_below_them(module: Any, name: str) -> None:
    """A stand-in of several matrices stands behind the one whose print it is shown with."""
    matrices = ("G2_circuit", "G3_circuit", "apache2", OWN)
    records = [
        factorised(name, 1.0, matrix) if module is table1 else solved(name, matrix=matrix)
        for matrix in matrices
    ]
    frame = frame_of(module, *records)
    labels = frame.loc[frame["matrix"].notna(), "label"] if "matrix" in frame else frame["label"]
    assert labels.tolist() == [OWN, "apache2", "G3_circuit", "G2_circuit"]


def test_a_factor_of_another_run_makes_no_ratio() -> None:
    """The faster record of another run is not taken where there is one of ParAC's run."""
    early = [solved(name, TABLE3[name]) for name in ("parac_gpu.triangular=cusparse", "ic0_gpu")]
    late = solved("ic0_gpu.policy=levels", TABLE3["ic0_gpu.policy=levels"], run_id="run-2")
    assert own_row(table3, *early, late)["ratio"] == pytest.approx(1300 / 200)
    row = own_row(table3, early[0], late)
    assert row["pair"] == "two_runs" and pd.isna(row["ratio"])


# ---- figures


def scaled(seconds: dict[int, float], ordering: str = "nnz", matrix: str = OWN) -> list[Record]:
    return [factorised(f"parac_cpu.threads={t}", s, matrix, ordering) for t, s in seconds.items()]


def sped_up(speed_ups: dict[str, float]) -> list[Record]:
    """Records of one and of 16 threads, by matrix."""
    return [r for matrix, by in speed_ups.items() for r in scaled({1: 8.0, 16: 8.0 / by}, matrix=matrix)]


def tenfold(*records: Record) -> Any:
    return fig3.EXHIBIT.verdicts(frame_of(fig3, *records))[0]


def test_fig3_is_over_one_thread_and_leaves_out_more_threads_than_cores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FILLPATH_RESULTS", str(tmp_path))
    (tmp_path / "box").mkdir()
    cores = tmp_path / "box" / "machine.json"
    cores.write_text(json.dumps({"cores": 16}))
    records = scaled({1: 8.0, 4: 2.0, 16: 0.5, 32: 0.1})
    frame = frame_of(fig3, *records)
    by_threads = frame.set_index("threads")
    assert by_threads.loc[16, "ratio"] == pytest.approx(16) and by_threads.loc[32, "pair"] == TOO_MANY
    assert frame.loc[frame["most"], "threads"].tolist() == [16]
    assert "16x" in drawn(fig3, *records) and "1 cases of more threads" in words(fig3, *records)
    most = tenfold(*records)
    assert most.outcome == "inconclusive" and most.numbers.startswith("0 of 1")
    cores.write_text(json.dumps({"cores": 4}))
    few = tenfold(*records)
    assert few.outcome == "cannot be tested here" and few.why == "fewer than 16 threads"
    assert few.basis.endswith(", 4 threads")


def test_fig3_tells_many_matrices_apart_and_names_what_failed() -> None:
    matrices = (*FIVE, "delaunay_n24", "venturiLevel3", "GAP-road", "europe_osm", "ecology2")
    first, second, *others = sped_up(dict.fromkeys(matrices, 8.0))
    records = [first, failing(second, Status.TIMEOUT), *others]
    figure = fig3.EXHIBIT.picture(frame_of(fig3, *records))
    looks = {(line.get_color(), line.get_marker()) for line in figure.legends[0].get_lines()}
    assert len(looks) == len(matrices) + 1
    assert f"{OWN}: timeout" in drawn(fig3, *records)


def test_fig3_names_a_point_without_a_line_and_what_is_in_one_ordering_only() -> None:
    both = [*scaled({1: 8.0, 16: 1.0}), *scaled({1: 8.0, 16: 1.0}, "amd")]
    others = [*sped_up({"apache2": 8.0}), *scaled({16: 1.0}, "amd", "apache2")]
    text = "Scaled in nnz-sort only: apache2. A single point in AMD: apache2."
    assert text in words(fig3, *both, *others)
    assert "apache2" in drawn(fig3, *both, *others)
    assert " only:" not in words(fig3, *both) and "single" not in words(fig3, *both)


def test_fig3_counts_a_matrix_once_whatever_the_orderings() -> None:
    """The geometric mean of 8x and 32x is 16x."""
    records = [*scaled({1: 8.0, 16: 1.0}), *scaled({1: 8.0, 16: 0.25}, "amd")]
    assert (tenfold(*records).measured.n, tenfold(*records).measured.value) == (1, 0)
    (subset,) = fig3.by_matrix(frame_of(fig3, *records))
    assert subset.rows["ratio"].tolist() == pytest.approx([16.0])


@pytest.mark.parametrize(("seconds", "outcome"), [(2.0, "reproduced"), (0.6, "contradicted")])
def test_fig3_holds_the_exception_apart_from_most(seconds: float, outcome: str) -> None:
    """com-LiveJournal and its stand-ins are in no count of most, and the claim that it does not scale can
    fail."""
    exceptions = dict.fromkeys(("com-LiveJournal", "coAuthorsDBLP"), 8.0 / seconds)
    records = sped_up(dict.fromkeys(FIVE, 10.0) | exceptions)
    most = tenfold(*records).measured
    assert (most.n, most.value) == (5, 1)
    assert outcomes(fig3, *records)["livejournal"] == outcome


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
    records = sped_up(dict(zip(FIVE, speed_ups, strict=True)))
    assert tenfold(*(replace(r, seconds=[r.median] * 3) for r in records)).outcome == outcome


def test_fig3_does_not_know_whether_a_wide_interval_is_about_tenfold() -> None:
    """Samples of 0.9 to 1.2 times the median: 10x may be 7.5x or 13.3x."""
    assert tenfold(*sped_up(dict.fromkeys(FIVE, 10.0))).outcome == "inconclusive"


@pytest.mark.parametrize(("sign", "outcome"), [(1, "reproduced"), (-1, "contradicted")])
def test_fig3_sees_whether_speed_ups_fall_with_density(sign: int, outcome: str) -> None:
    names = ("belgium_osm", "ecology1", "parabolic_fem", "delaunay_n24", "venturiLevel3", "com-LiveJournal")
    entries = [catalogue.lookup(name) for name in names]
    records = sped_up({e.id: 80.0 * (float(e.order or 1) / float(e.nnz or 0)) ** sign for e in entries})
    assert outcomes(fig3, *records)["density"] == outcome


def test_fig4_takes_the_time_of_the_gpu_where_there_is_one() -> None:
    gpu, alone = factorised("parac_gpu", 0.01), factorised("parac_cpu.threads=1", 1.0)
    facts = {"height_actual": 500.0, "nnz_g": 900.0}
    records = [alone, gpu, factorised("parac_cpu.threads=1", 2.0, ordering="amd", facts=facts)]
    frame = frame_of(fig4, *records)
    assert frame["preparation"].tolist() == ["amd", "nnz"]
    assert frame["implementation"].tolist() == ["parac_cpu", "parac_gpu"]
    assert frame[["fill", "shrinks"]].to_numpy().ravel().tolist() == pytest.approx([1.8, 2, 2.4, 20])
    assert "1,000" in drawn(fig4, *records)
    failed = frame_of(fig4, alone, failing(gpu, Status.TIMEOUT))
    assert failed["implementation"].tolist() == ["parac_cpu"]


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
    assert set(outcomes(fig4, *by_orderings(AS_PRINTED)).values()) == {"reproduced"}


@pytest.mark.parametrize("name", PLANTED)
def test_each_statement_of_fig4_fails_where_it_is_not_so(name: str) -> None:
    became = outcomes(fig4, *by_orderings(AS_PRINTED | PLANTED[name]))
    assert became.pop(name) == "contradicted"
    assert (set(became.values()) if name != "lower" else {became["fill"]}) == {"reproduced"}


@pytest.mark.parametrize("what", ["another run", "another host", "not measured"])
def test_fig4_compares_times_of_one_run_and_host_alone(what: str) -> None:
    """AMD is not the slowest of two."""
    changed = {"another run": {"run_id": "run-2"}, "another host": {"host": "2" * 16}}.get(what)
    records = [
        replace(r, **{"host": "1" * 16, **(changed or {})} if ".random" in r.case else {"host": "1" * 16})
        for r in by_orderings(AS_PRINTED)
        if changed or ".random" not in r.case
    ]
    assert outcomes(fig4, *records)["amd_slowest"] == "not run"


def test_one_matrix_is_enough_against_all_and_three_are_none_for_it() -> None:
    """What is said of all is not reproduced by fewer than four matrices, and deviates by one."""
    three = [r for r in by_orderings(AS_PRINTED) if "G3_circuit" not in r.case]
    assert outcomes(fig4, *three)["fill"] == "inconclusive"
    one = [r for r in by_orderings(AS_PRINTED | PLANTED["fill"]) if OWN in r.case]
    assert outcomes(fig4, *one)["fill"] == "deviates"


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
    records = [*in_orderings("parac_cpu", totals), *in_orderings("parac_gpu", totals)]
    assert outcomes(orderings, *records) == {"cpu": cpu, "cpu_solve": cpu, "gpu": gpu, "gpu_amd": amd}
    assert len(orderings.EXHIBIT.picture(frame_of(orderings, *records)).axes) == 2
    two = in_orderings("parac_cpu", totals, threads_used=2)
    assert outcomes(orderings, *two)["cpu"] == "cannot be tested here"


@pytest.mark.parametrize(
    ("samples", "outcome"), [((1.0, 1.0, 1.0), "reproduced"), ((0.3, 1.0, 3.0), "inconclusive")]
)
def test_a_solve_is_held_against_others_with_its_interval(samples: tuple[float, ...], outcome: str) -> None:
    """A median twice as long says nothing where the samples differ tenfold."""
    records = [
        replace(r, phases={**r.phases, "solve": [r.phases["solve"][1] * s for s in samples]})
        for r in in_orderings("parac_cpu", {"amd": 1.0, "nnz": 2.0, "random": 3.0})
    ]
    assert outcomes(orderings, *records)["cpu_solve"] == outcome
    frame = frame_of(orderings, *records).set_index("preparation")
    ends = frame.loc["amd", ["solve_low", "solve_high"]].to_numpy()[0].tolist()
    assert ends == pytest.approx([0.5 * samples[0], 0.5 * samples[2]])


@pytest.mark.parametrize("changes", [{"run_id": "run-2"}, {"host": "2" * 16}])
def test_orderings_of_two_runs_or_hosts_are_not_compared(changes: dict[str, str]) -> None:
    early = in_orderings("parac_cpu", {"amd": 2.0}, host="1" * 16)
    late = in_orderings("parac_cpu", {"nnz": 1.0}, **{"host": "1" * 16, **changes})
    assert outcomes(orderings, *early, *late)["cpu"] == "not run"


RHS = {
    "parac_cpu": 40, "parac_cpu.rhs=product": 32, "ict": 90, "ict.rhs=product": 30,
    "parac_gpu": 40, "parac_gpu.rhs=product": 20, "ic0_gpu": 120, "ic0_gpu.rhs=product": 10,
}  # fmt: skip


def right_hand_sides(**counts: int) -> list[Record]:
    """Iterations of five matrices."""
    return [
        solved(name, matrix=matrix, facts={"iterations": float(counts.get(name.replace(".rhs=", "_"), n))})
        for matrix in FIVE
        for name, n in RHS.items()
    ]


def test_right_hand_sides_are_paired_by_matrix() -> None:
    frame = frame_of(rhs, *right_hand_sides())
    rows = frame.drop_duplicates("implementation").set_index("implementation")
    ratios = {"parac_cpu": 1.25, "ict": 3, "parac_gpu": 2, "ic0_gpu": 12}
    assert rows["ratio"].to_dict() == pytest.approx(ratios)
    assert rows.loc["ict", "less"] == pytest.approx(3 / 1.25) and pd.isna(rows.loc["parac_cpu", "less"])
    assert {"40", "32", "90", "30", "3x", "1.25x"} <= set(drawn(rhs, *right_hand_sides()))


def test_a_right_hand_side_alone_is_no_pair() -> None:
    """One that failed is a slot, one that was not run is left out."""
    records = [solved("parac_cpu"), solved("parac_cpu.rhs=product"), solved("ict")]
    failed = failing(solved("ict.rhs=product"), Status.TIMEOUT)
    assert "timeout" not in drawn(rhs, *records) and "timeout" in drawn(rhs, *records, failed)


@pytest.mark.parametrize(
    ("counts", "ichol", "less"),
    [
        pytest.param({}, "reproduced", "reproduced", id="ParAC's own sensitivity contradicts nothing"),
        pytest.param({"ict_product": 85, "ic0_gpu_product": 119}, "contradicted", "contradicted", id="ichol"),
        pytest.param({"parac_gpu_product": 3}, "reproduced", "contradicted", id="ParAC"),
    ],
)
def test_right_hand_sides_count_a_matrix_once(counts: dict[str, int], ichol: str, less: str) -> None:
    verdicts = rhs.EXHIBIT.verdicts(frame_of(rhs, *right_hand_sides(**counts)))
    assert [v.measured.n for v in verdicts if v.measured] == [len(FIVE)] * 2
    assert [str(v.outcome) for v in verdicts if v.measured] == [ichol, less]


def test_seeds_are_found_beside_the_figures_cases() -> None:
    own = solved("parac_cpu", matrix="poisson3d,24", facts={"iterations": 40.0})
    seeded = [
        solved(f"parac_cpu.seed={s}", matrix="poisson3d,24", facts={"iterations": 40.0 + s})
        for s in (1, 2, 10)
    ]
    records = Records((own, *seeded, solved("parac_cpu.seed=1", matrix=STAND_IN)))
    cases = drawn_cases("parac", "seeds", Settings(), {record.case for record in records.rows})
    frame = seeds.EXHIBIT.frame(records, ENTRIES, cases)
    ok = frame[frame["status"] == "ok"]
    assert ok["seed"].tolist() == [0, 1, 2, 10] and set(ok["label"]) == {"poisson3d:24"}
    figure = seeds.EXHIBIT.picture(frame)
    cells = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert {"40 to 50\nof 4", "1.00\nof 4"} <= set(cells)


@pytest.mark.parametrize(("factor", "outcome"), [(1.1, "reproduced"), (1.5, "contradicted")])
def test_seeds_are_judged_by_how_far_their_iterations_lie_apart(factor: float, outcome: str) -> None:
    """Seconds are over those of one run: what another run took says nothing."""
    seconds_of = ((0, 1.0, "run-1"), (1, factor, "run-1"), (2, 1.0, "run-1"), (3, 3.0, "run-0"))
    records = [
        solved(
            f"parac_cpu.seed={seed}" if seed else "parac_cpu", (0.1 * by, 0.1 * by, 0.2 * by), matrix,
            facts={"iterations": 40.0 * min(by, factor)}, run_id=run,
        )
        for matrix in FIVE[:4]
        for seed, by, run in seconds_of
    ]  # fmt: skip
    assert outcomes(seeds, *records) == {"iterations": outcome}
    assert frame_of(seeds, *records)["relative"].unique().tolist() == pytest.approx([1.0, factor])


@pytest.mark.parametrize(
    ("amg", "wanted", "text"),
    [((1.2, 0.0, 0.1), 10.0, "up to 10"), ((0.1, 0.0, 0.1), 0.0, NEVER), ((1.2, 0.0, 0.3), np.inf, ALWAYS)],
)
def test_breakeven_is_where_multigrid_has_made_up_for_its_setup(amg: Any, wanted: float, text: str) -> None:
    """In one run, on one host."""
    records = [solved("parac_cpu", host="1" * 16), solved("pyamg", amg, host="1" * 16)]
    for other in (solved("ict", run_id="run-2", host="1" * 16), solved("ict", host="2" * 16)):
        row = own_row(breakeven, *records, other)
        assert row["pyamg_breakeven"] == pytest.approx(wanted) and pd.isna(row["ict_breakeven"])
    assert text in drawn(breakeven, *records)


def test_what_failed_stands_in_its_matrixs_line() -> None:
    records = [solved("parac_cpu"), failing(solved("ict"), Status.TIMEOUT)]
    assert {"timeout", "not run"} <= set(drawn(breakeven, *records))


def test_quality_is_against_the_sequential_factor() -> None:
    records = [solved("ac_sequential"), solved("parac_cpu"), solved("parac_gpu", facts={"iterations": 41.0})]
    assert "1 of 2 parallel factors have the sequential one's entries" in words(quality, *records)
    cells = drawn(quality, *records)
    assert (cells.count("40"), cells.count("41"), cells.count("3,000,000")) == (2, 1, 3)


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
