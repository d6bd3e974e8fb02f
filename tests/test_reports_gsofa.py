"""GSoFA's Table 1 and Figures 4, 10, 11 and 12, from made records. All numbers are made up."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from fillpath.case import Case
from fillpath.nouns import Series
from fillpath.record import Record, Status
from fillpath.series import read_bins, series_path, write_series
from reports.facts.claims import subject
from reports.facts.records import Records
from reports.frames import ranks
from reports.gsofa import fig4, fig5, fig10, fig11, fig12, table1, table2, table3
from reports.series import read_series
from tests.reports_fakes import (
    ENTRIES,
    HALF_OF_GSOFA,
    METIS,
    MORE_OF_GSOFA,
    Made,
    in_five_processes,
    made_frame,
    made_record,
    measured,
)

NEAR = Made("onetone2", "ATandT", "onetone2", ("twotone",), order=36_057, nnz=222_596, kind="circuit")
FAR = Made("fpga_dcop_01", "Sandia", "fpga_dcop_01", ("twotone",), order=1_220, nnz=5_892, kind="circuit")
ALL = (*ENTRIES, *MORE_OF_GSOFA, NEAR, FAR)
BC, STAND_IN, OTHER, TT = (
    Case("symbolic", "gsofa_cpu", matrix, METIS, threads=1)
    for matrix in ("bcsstk18", "circuit,4000", "poisson3d,16,aniso", "twotone")
)
RISING = np.concatenate([np.zeros(500), np.linspace(2.0, 700.0, 4500)])


def keep(case: Case, frontier: np.ndarray[Any, Any], **changes: Any) -> Record:
    """A record of that case whose series is on disk."""
    path = series_path("made-up", case.name)
    name = write_series(path, Series(frontier=frontier), len(frontier))
    return replace(made_record(case, 1), status=Status.OK, series=name, **changes)


def texts(axes: Any) -> str:
    return "\n".join([axes.get_title(loc="left"), *(text.get_text() for text in axes.texts)])


def frame_of(exhibit: Any, *records: Record, more: tuple[Case, ...] = ()) -> pd.DataFrame:
    return made_frame(exhibit.frame, ALL, records, more)


def cells(exhibit: Any, frame: pd.DataFrame) -> list[list[str]]:
    """The table's cells and what stands below them, line by line."""
    lines = exhibit.picture(frame).cells.lines
    return [list(part) for line in lines for part in (line.cells, line.below) if part]


# ---- Figure 4


def test_growth_is_that_of_the_series_file() -> None:
    frame = frame_of(fig4.EXHIBIT, keep(BC, RISING))
    assert len(frame) == 2000 and frame["first"].iloc[0] == 0 and frame["last"].iloc[-1] == 4999
    assert (frame["first"].iloc[1:].to_numpy() == frame["last"].iloc[:-1].to_numpy() + 1).all()
    ends = (set(frame["smallest"]), set(frame["largest"]), set(frame["ratio"]))
    assert ends == ({2.0}, {700.0}, {350})
    assert set(frame["paper_matrix"]) == {"BC"} and set(frame["paper_ratio"]) == {1265}
    _, bins = read_bins(series_path("made-up", BC.name))
    assert np.array_equal(frame["frontier_mean"], bins["frontier_mean"])
    (axes, _) = fig4.EXHIBIT.picture(frame).axes
    assert "350x (700 / 2)" in texts(axes) and "printed of BC: 1,265x" in texts(axes)
    assert axes.get_ylim()[0] == 0


def test_the_moving_average_keeps_the_mean_and_takes_out_the_spikes() -> None:
    frame = frame_of(fig4.EXHIBIT, keep(BC, 10.0 + 8.0 * (np.arange(2000) % 2)))
    assert frame["average"].mean() == pytest.approx(14, rel=1e-3)
    assert frame["average"].std() < 0.1 * frame["frontier_mean"].std()


def test_a_panel_for_each_of_the_papers_matrices_or_for_the_nearest_that_stands_in() -> None:
    rising = np.arange(1.0, 90.0)
    case_of_ = {name: replace(BC, matrix=name) for name in ("fpga_dcop_01", "onetone2")}
    records = [keep(case, rising) for case in (*case_of_.values(), STAND_IN, BC)]
    frame = frame_of(fig4.EXHIBIT, *records)
    first, second = fig4.EXHIBIT.picture(frame).axes
    assert "bcsstk18 (BC)" in texts(first) and "onetone2, stand-in: TT" in texts(second)
    assert "printed of TT: 6,230x" in texts(second)
    own = frame_of(fig4.EXHIBIT, *records, keep(TT, rising))
    assert "twotone (TT)" in texts(fig4.EXHIBIT.picture(own).axes[1])
    far = frame_of(fig4.EXHIBIT, keep(BC, rising), keep(case_of_["fpga_dcop_01"], rising))
    assert "fpga_dcop_01, stand-in: TT" in texts(fig4.EXHIBIT.picture(far).axes[1])


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"series": None}, "its record names no series"),
        ({"series": "series/gone.npz"}, "no frontier sizes in series/gone.npz"),
        ({"status": Status.TIMEOUT, "reason": "over the limit of 60 s"}, "timeout: over the limit of 60 s"),
        ({"status": Status.WRONG, "reason": "3 rows differ"}, "wrong: 3 rows differ"),
    ],
)
def test_a_case_without_a_series_is_a_panel_that_says_why(changes: dict[str, Any], reason: str) -> None:
    record = replace(keep(BC, np.arange(1.0, 90.0)), **changes)
    frame = frame_of(fig4.EXHIBIT, record, more=(OTHER,))
    assert frame[["frontier_mean", "ratio"]].isna().all(axis=None) and len(frame) == 2
    assert reason in texts(fig4.EXHIBIT.picture(frame).axes[0]).replace("\n", " ")
    assert "indicative" in fig4.EXHIBIT.words(frame)


def test_sources_without_a_frontier_make_no_ratio() -> None:
    frame = frame_of(fig4.EXHIBIT, keep(BC, np.zeros(40)))
    assert frame["ratio"].isna().all()
    assert "no source has a frontier" in texts(fig4.EXHIBIT.picture(frame).axes[0])


def test_the_cpu_decides_on_the_growth_and_the_gpu_stands_beside_with_the_reason() -> None:
    on_gpu = Case("symbolic", "gsofa", "bcsstk18", METIS)
    frame = frame_of(
        fig4.EXHIBIT, keep(BC, np.linspace(1, 1200, 900)), keep(on_gpu, np.linspace(1, 450, 900))
    )
    by_cpu, by_gpu = (v for v in fig4.EXHIBIT.verdicts(frame) if v.claim.endswith(".each"))
    assert by_cpu.outcome == "reproduced" and "gsofa_cpu" in by_cpu.basis
    assert by_gpu.outcome == "beside the print" and "at most 512 vertices at a step" in by_gpu.basis


@pytest.mark.parametrize(
    ("of_tt", "outcome"), [(RISING, "reproduced"), (RISING[::-1], "contradicted"), (None, "inconclusive")]
)
def test_that_the_frontier_grows_with_the_source_can_fail(of_tt: Any, outcome: str) -> None:
    records = [keep(BC, RISING)] + ([] if of_tt is None else [keep(TT, of_tt)])
    (verdict,) = (
        v for v in fig4.EXHIBIT.verdicts(frame_of(fig4.EXHIBIT, *records)) if v.claim.endswith("rises")
    )
    assert verdict.outcome == outcome


def test_a_damaged_series_is_none(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = series_path("made-up", "x")
    path.parent.mkdir(parents=True)
    path.write_bytes(b"PK\x03\x04 no archive")
    assert read_series("made-up", "series/x.npz") is None and "no series" in caplog.text
    np.savez(path, n=np.array(3))
    assert read_series("made-up", "series/x.npz") is None
    assert read_series("made-up", "../../elsewhere/x.npz") is None


def test_no_damage_of_a_series_file_ends_in_an_error() -> None:
    keep(BC, RISING)
    path = series_path("made-up", BC.name)
    whole = path.read_bytes()
    generator = random.Random(1)
    for _ in range(100):
        damaged = bytearray(whole[: generator.choice([len(whole), generator.randrange(len(whole))])])
        for _ in range(min(3, len(damaged))):
            damaged[generator.randrange(len(damaged))] = generator.randrange(256)
        path.write_bytes(damaged)
        read_series("made-up", path.name)


# ---- Figures 10, 11, 12


def triple(matrix: str, gsofa: float, fill2_gpu: float, fill2_cpu: float, **changes: Any) -> list[Record]:
    """GSoFA with 2.5 times the edges of fill2, and both fill2."""
    more = {"edges": 25 * 10**7, "fills": 10**6, "facts": {}}
    return [
        measured("gsofa", gsofa, matrix, work=more),
        measured("fill2_gpu", fill2_gpu, matrix, **changes),
        measured("fill2_cpu", fill2_cpu, matrix, device=None),
    ]


def test_gsofa_over_fill2_in_teps_and_in_seconds() -> None:
    frame = frame_of(fig10.EXHIBIT, *triple("bcsstk18", 2.0, 20.0, 60.0)).set_index("implementation")
    row = frame.loc["gsofa"]
    assert (row["seconds_over_fill2_gpu"], row["seconds_over_fill2_cpu"]) == pytest.approx((10, 30))
    assert (row["teps_over_fill2_gpu"], row["teps_over_fill2_cpu"]) == pytest.approx((25, 75))
    assert row["teps_over_fill2_gpu_low"] < 25 < row["teps_over_fill2_gpu_high"]
    assert frame.loc["fill2_gpu", "teps_over_fill2_cpu"] == pytest.approx(3)
    assert pd.isna(frame.loc["fill2_cpu", "pair_fill2_cpu"])
    (axes,) = fig10.EXHIBIT.picture(frame.reset_index()).axes
    assert {"10x", "25x", "30x", "75x", "3x"} <= set(texts(axes).splitlines()) and axes.get_yscale() == "log"
    outcomes = {(v.claim, v.basis): v.outcome for v in fig10.EXHIBIT.verdicts(frame.reset_index())}
    assert outcomes["gsofa.fig10_vs_fill2_gpu.mean", "seconds"] == "beside the print"
    assert outcomes["gsofa.fig10_vs_fill2_gpu.mean", "TEPS"] == "inconclusive", "one matrix is no mean"


def test_the_mean_of_ratios_is_geometric_and_of_one_machine() -> None:
    records = [*triple("bcsstk18", 2.0, 20.0, 60.0), *triple("circuit,4000", 2.0, 80.0, 60.0)]
    elsewhere = [replace(r, machine="other") for r in triple("rma10", 1.0, 1000.0, 1.0)]
    frame = frame_of(fig10.EXHIBIT, *records, *elsewhere)
    gsofa = frame[(frame["implementation"] == "gsofa") & (frame["machine"] == "h200")]
    assert gsofa["seconds_over_fill2_gpu_mean"].tolist() == pytest.approx([20, 20]), "of 10 and 40"


@pytest.mark.parametrize(("fill2_gpu", "direction"), [(20.0, "as printed"), (180.0, "opposite")])
def test_fill2_on_the_gpu_is_held_against_fill2_on_the_cpu(fill2_gpu: float, direction: str) -> None:
    records = [r for m in HALF_OF_GSOFA for r in triple(m, 2.0, fill2_gpu, 60.0)]
    outcome = "reproduced" if direction == "as printed" else "contradicted"
    # Three records a matrix; one matrix less than half decides nothing.
    for rows, became in ((records, outcome), (records[3:], "inconclusive")):
        verdicts = fig10.EXHIBIT.verdicts(frame_of(fig10.EXHIBIT, *rows))
        (verdict,) = (v for v in verdicts if v.claim == "gsofa.fig10_fill2_gpu_vs_cpu.mean" and v.measured)
        assert verdict.direction == direction and verdict.outcome == became


@pytest.mark.parametrize(("status", "hatched"), [(Status.TIMEOUT, True), (Status.UNAVAILABLE, False)])
def test_figure_10_says_what_a_hatched_slot_is_where_it_draws_one(status: Status, hatched: bool) -> None:
    failed, *others = triple("bcsstk18", 2.0, 20.0, 60.0)
    frame = frame_of(fig10.EXHIBIT, replace(failed, status=status, seconds=[]), *others)
    assert ("timeout" in texts(fig10.EXHIBIT.picture(frame).axes[0])) == hatched
    assert ("Hatched: no valid result." in fig10.EXHIBIT.words(frame)) == hatched


def test_figure_10_stands_in_the_papers_order() -> None:
    records = [
        r for m in ("twotone", "circuit,4000", "rma10", "bcsstk18") for r in triple(m, 2.0, 20.0, 60.0)
    ]
    frame = frame_of(fig10.EXHIBIT, *records)
    assert list(dict.fromkeys(frame["label"])) == [
        "bcsstk18 (BC)", "rma10 (RM)", "circuit:4000", "twotone (TT)",
    ]  # fmt: skip
    (axes,) = fig10.EXHIBIT.picture(frame).axes
    assert {"97.1x", "30.4x"} <= set(texts(axes).splitlines()), "the print of RM"


def test_figure_10_calls_no_measured_code_not_run() -> None:
    here = measured("fill2_cpu", 60.0)
    unmeasured = replace(Case.parse(here.case), implementation="gsofa")
    frame = frame_of(fig10.EXHIBIT, here, more=(unmeasured,)).set_index("implementation")
    assert (frame.loc["fill2_cpu", "status"], frame.loc["gsofa", "pair_fill2_cpu"]) == ("ok", "not_run")


def test_figure_10_pairs_no_two_machines_and_no_two_runs() -> None:
    records = measured("gsofa", 2.0), measured("fill2_cpu", 60.0, machine="laptop", device=None)
    frame = frame_of(fig10.EXHIBIT, *records).set_index("implementation")
    assert frame.loc["gsofa", "pair_fill2_cpu"] == "fill2_cpu not_run"
    two_runs = frame_of(fig10.EXHIBIT, *triple("bcsstk18", 2.0, 20.0, 60.0, run_id="run-2"))
    assert two_runs.set_index("implementation").loc["gsofa", "pair_fill2_gpu"] == "two_runs"
    assert "two runs" in texts(fig10.EXHIBIT.picture(two_runs).axes[0])


def sequential(name: str, seconds: float, matrix: str = "bcsstk18", **changes: Any) -> Record:
    return measured(f"{name}.threads=1", seconds, matrix, device=None, **changes)


def of_phases(name: str, whole: float, matrix: str = "bcsstk18", **phases: float) -> Record:
    """A peer's record of that many seconds in all, and of each phase."""
    samples = {each: [seconds * factor for factor in (0.9, 1.0, 1.2)] for each, seconds in phases.items()}
    return measured(name, whole, matrix, device=None, phases=samples)


def test_figure_11_has_gsofa_over_one_core_and_over_the_fastest_good_code() -> None:
    records = (
        sequential("gilbert_peierls", 100.0), measured("gsofa", 2.0),
        sequential("fill1_pruned", 10.0), sequential("etree_cpu", 6.0), sequential("fill1_supernodal", 8.0),
        of_phases("superlu_dist.threads=1", 50.0, convert=38.0, etree=3.0, symbolic=4.0, counts=5.0),
    )  # fmt: skip
    frame = frame_of(fig11.EXHIBIT, *records).set_index("implementation")
    row = frame.loc["gsofa"]
    assert row["over_gilbert_peierls"] == pytest.approx(50) and row["over_sequential"] == pytest.approx(3)
    assert row["sequential"] == "etree_cpu" and row["sequential_untimed"] == ""
    assert row["over_gilbert_peierls_low"] == pytest.approx(90 / 2.4)
    assert row["paper"] == 1.01 and frame["paper"].notna().sum() == 1
    verdicts = {v.claim: v for v in fig11.EXHIBIT.verdicts(frame.reset_index()) if v.scope}
    smallest = verdicts["gsofa.fig11_vs_glu3_symbolic.smallest"]
    assert smallest.outcome == "deviates" and smallest.factor == pytest.approx(50 / 1.01)
    (axes,) = fig11.EXHIBIT.picture(frame.reset_index()).axes
    assert {"50x", "3x e", "1.01x"} <= set(texts(axes).splitlines())
    assert "printed mean 50.1x, 1.01x (BC) to 171.1x (BB)" in texts(axes)
    assert frame.loc["superlu_dist", "median"] == pytest.approx(7), "etree and symbolic alone"
    assert "klu" not in texts(axes), "a peer without a record has no line"


def test_figure_11_has_klus_search_for_the_pattern_beside_the_print() -> None:
    klu = of_phases("klu.threads=1", 90.0, analysis=20.0, factor=30.0, refactor=10.0)
    frame = frame_of(fig11.EXHIBIT, measured("gsofa", 2.0), klu)
    row = frame.set_index("implementation").loc["gsofa"]
    assert row["over_klu"] == pytest.approx(10) and row["pair_klu"] == "ok"
    assert "gsofa over klu (factor - refactor): 10x" in texts(fig11.EXHIBIT.picture(frame).axes[0])
    (verdict,) = (v for v in fig11.EXHIBIT.verdicts(frame) if "KLU" in v.basis)
    assert verdict.outcome == "beside the print"
    for phases in ({"factor": 30.0}, {"factor": 10.0, "refactor": 10.0}):
        unknown = frame_of(fig11.EXHIBIT, measured("gsofa", 2.0), of_phases("klu.threads=1", 90.0, **phases))
        assert set(unknown.loc[unknown["implementation"] == "klu", "status"]) == {"not_measured"}
        assert unknown["over_klu"].isna().all()


@pytest.mark.parametrize(
    ("baseline", "gsofa", "status"),
    [
        ({"status": Status.TIMEOUT}, {}, "gilbert_peierls timeout"),
        ({}, {"status": Status.OUT_OF_MEMORY}, "out_of_memory"),
        ({}, {"run_id": "run-2"}, "two_runs"),
        ({}, {"machine": "other"}, "gilbert_peierls not_run"),
    ],
)
def test_what_cannot_be_paired_has_no_speedup(
    baseline: dict[str, Any], gsofa: dict[str, Any], status: str
) -> None:
    records = sequential("gilbert_peierls", 100.0, **baseline), measured("gsofa", 2.0, **gsofa)
    frame = frame_of(fig11.EXHIBIT, *records)
    assert frame["over_gilbert_peierls"].isna().all()
    assert status in set(frame["pair_gilbert_peierls"])
    drawn = texts(fig11.EXHIBIT.picture(frame).axes[0])
    assert ("out of memory" in drawn) == (status == "out_of_memory") and "50x" not in drawn


@pytest.mark.parametrize(("seconds", "outcome"), [(1.0, "reproduced"), (-1.0, "contradicted")])
def test_that_the_speedup_grows_with_the_work_can_fail(seconds: float, outcome: str) -> None:
    matrices = ["circuit,4000", "grid2d,60", "poisson3d,16", "random,1000,0.004", "onetone2", "fpga_dcop_01"]
    records = [
        record
        for i, matrix in enumerate(matrices)
        for record in (
            sequential("gilbert_peierls", 100.0 * 2 ** (seconds * i), matrix),
            measured("gsofa", 2.0, matrix, work={"edges": 10 ** (3 + i), "fills": 10**6, "facts": {}}),
        )
    ]
    verdicts = fig11.EXHIBIT.verdicts(frame_of(fig11.EXHIBIT, *records))
    (verdict,) = (v for v in verdicts if v.claim.endswith("with_work") and v.measured)
    assert verdict.outcome == outcome


def on_ranks(ranks: int, seconds: float, matrix: str = "bcsstk18", **changes: Any) -> Record:
    """SuperLU_DIST's, of whose seconds those of the phase `symbolic` are meant."""
    name = "superlu_dist_parallel" + (f".ranks={ranks}" if ranks > 1 else "")
    record = of_phases(name, 50 * seconds, matrix, separators=9 * seconds, symbolic=seconds)
    return replace(record, **changes)


def in_fig12(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of SuperLU_DIST by ranks."""
    return frame[frame["series"] == ranks.RANKED].set_index("ranks")


def test_figure_12_is_of_superlu_dists_symbolic_phase_by_ranks() -> None:
    codes = sequential("fill1_pruned", 10.0), sequential("etree_cpu", 12.0)
    times = [on_ranks(count, seconds) for count, seconds in ((1, 8.0), (2, 5.0), (4, 3.0), (8, 4.0))]
    frame = frame_of(fig12.EXHIBIT, measured("gsofa", 2.0), *codes, *times)
    rows = in_fig12(frame)
    assert rows["ratio"].to_dict() == pytest.approx({1: 4, 2: 2.5, 4: 1.5, 8: 2})
    assert list(rows.index[rows["best"]]) == [4] and rows["ratio_low"][4] == pytest.approx(2.7 / 2.4)
    top, printed = fig12.EXHIBIT.picture(frame).axes
    assert {"1.5x (4)", "5x p", "1.2x"} <= set(texts(top).splitlines())
    for abbr, value in subject("gsofa", fig12.CLAIM).data["one_node"].items():
        assert f"{abbr} {value:.3g}x" in texts(printed)
    assert "G7 10.9x" in texts(printed) and "mean 5x" in texts(printed) and "HM 1.3x" in texts(printed)
    assert not top.get_shared_y_axes().joined(top, printed)


def test_one_gpu_of_figure_12_stands_beside_the_print_and_six_of_one_host_are_judged() -> None:
    one = [measured("gsofa", 2.0), on_ranks(1, 8.0), on_ranks(2, 5.0)]
    outcomes = {v.basis: str(v.outcome) for v in fig12.EXHIBIT.verdicts(frame_of(fig12.EXHIBIT, *one))}
    assert outcomes == {
        "seconds of SuperLU_DIST on the best of 1 to 16 ranks over gsofa_multi on six GPUs of the host":
            "not run",
        "seconds of SuperLU_DIST on the best of 1 to 16 ranks over gsofa on one GPU of the host":
            "beside the print",
    }  # fmt: skip
    for seconds, outcome in ((5 / 1.2, "reproduced"), (0.5, "deviates"), (50.0, "contradicted")):
        six = replace(measured("gsofa_multi.gpus=6", seconds), seconds=[seconds] * 3)
        best = replace(on_ranks(2, 5.0), phases={"symbolic": [5.0] * 3})
        frame = frame_of(fig12.EXHIBIT, *one[:2], best, six)
        (verdict,) = (v for v in fig12.EXHIBIT.verdicts(frame) if "six GPUs" in v.basis)
        assert verdict.measured and verdict.measured.points[0].value == pytest.approx(5 / seconds)
        assert str(verdict.outcome) == outcome and verdict.doubt, "of one process"
        assert "six GPUs" in texts(fig12.EXHIBIT.picture(frame).axes[0])


def test_figure_12_says_which_ranks_a_host_cannot_have_and_hatches_only_what_failed() -> None:
    none: dict[str, Any] = {"seconds": [], "phases": {}}
    records = [
        measured("gsofa", 2.0),
        on_ranks(1, 8.0),
        replace(on_ranks(2, 1.0), status=Status.WRONG, reason="3 rows differ", **none),
        *(
            replace(on_ranks(count, 1.0), status=Status.UNAVAILABLE, reason=f"{count} ranks, 2 cores", **none)
            for count in (4, 8)
        ),
    ]
    frame = frame_of(fig12.EXHIBIT, *records)
    rows = in_fig12(frame)
    assert rows["pair"].to_dict() == {1: "ok", 2: "wrong", 4: "unavailable", 8: "unavailable"}
    assert list(rows.index[rows["best"]]) == [1]
    assert "Unavailable on 4, 8 ranks: 4 ranks, 2 cores." in fig12.EXHIBIT.words(frame)
    drawn = texts(fig12.EXHIBIT.picture(frame).axes[0])
    assert "wrong" in drawn and "unavailable" not in drawn


def test_figure_12_of_a_host_without_a_gpu_shows_seconds_and_no_ratio() -> None:
    codes = sequential("fill1_pruned", 10.0), sequential("etree_cpu", 6.0)
    frame = frame_of(fig12.EXHIBIT, on_ranks(1, 8.0), on_ranks(2, 5.0), *codes)
    (good,) = frame[frame["series"] == ranks.GOOD].to_dict("records")
    assert good["sequential"] == "etree_cpu" and good["pair"] == "gsofa not_run"
    assert frame["ratio"].isna().all() and set(in_fig12(frame)["pair"]) == {"gsofa not_run"}
    top, _ = fig12.EXHIBIT.picture(frame).axes
    assert "over gsofa" not in texts(top) and top.get_ylim()[0] < 5 < top.get_ylim()[1]
    assert {str(v.outcome) for v in fig12.EXHIBIT.verdicts(frame)} == {"not run"}


def test_figure_12_pairs_no_two_runs_and_counts_the_processes_of_one() -> None:
    frame = frame_of(fig12.EXHIBIT, measured("gsofa", 2.0), on_ranks(1, 8.0, run_id="run-2"))
    assert in_fig12(frame)["pair"][1] == "two_runs"
    records = [measured("gsofa", 2.0), on_ranks(1, 8.0)]
    cases = [Case.parse(record.case) for record in records]
    frame = fig12.EXHIBIT.frame(in_five_processes(records), ALL, cases)
    row = in_fig12(frame).loc[1]
    assert row["ratio"] == pytest.approx(4) and row["ratio_processes"] == 5
    assert 2.9 < row["ratio_low"] < row["ratio_high"] < 5.4, "both of a round drift alike, by up to 16 times"


# ---- What a limit of time ended


def stopped(record: Record, seconds: float) -> Record:
    """The record of a call that had taken so long when its limit ended it."""
    return replace(
        record, status=Status.TIMEOUT, seconds=[], work=None, verified=None, limit_seconds=seconds + 5,
        longer_than=seconds,
    )  # fmt: skip


def test_a_stopped_baseline_bounds_the_ratio() -> None:
    records = (measured("gsofa", 2.0), stopped(measured("gilbert_peierls.threads=1", 1.0), 595.0))
    frame = frame_of(fig11.EXHIBIT, *records).set_index("implementation")
    ours, theirs = frame.loc["gsofa"], frame.loc["gilbert_peierls"]
    assert theirs["status"] == "timeout" and theirs["low"] == 595.0 and np.isnan(theirs["median"])
    least = 595.0 / ours["high"]
    assert np.isnan(ours[fig11.SPEEDUP]) and np.isnan(ours[f"{fig11.SPEEDUP}_high"])
    assert ours[f"{fig11.SPEEDUP}_low"] == pytest.approx(least)
    assert ours[fig11.PAIR].startswith("> ")
    drawn = fig11.EXHIBIT.picture(frame.reset_index())
    assert "> 595 s" in texts(drawn.axes[0]) and ours[fig11.PAIR] in texts(drawn.axes[0])
    assert "its ratios are bounds" in fig11.EXHIBIT.words(frame.reset_index())
    verdicts = {v.claim: v for v in fig11.EXHIBIT.verdicts(frame.reset_index()) if v.scope}
    assert "> " in verdicts["gsofa.fig11_vs_glu3_symbolic.smallest"].numbers


def test_a_stopped_gsofa_bounds_the_ratio_from_above() -> None:
    records = (stopped(measured("gsofa", 2.0), 595.0), measured("gilbert_peierls.threads=1", 1.0))
    ours = frame_of(fig11.EXHIBIT, *records).set_index("implementation").loc["gsofa"]
    assert ours[fig11.PAIR].startswith("< ") and ours[f"{fig11.SPEEDUP}_high"] < 0.01
    assert np.isnan(ours[f"{fig11.SPEEDUP}_low"])


def test_a_stopped_sequential_code_bounds_not_the_fastest() -> None:
    records = (measured("gsofa", 2.0), stopped(measured("fill1_pruned.threads=1", 1.0), 595.0))
    ours = frame_of(fig11.EXHIBIT, *records).set_index("implementation").loc["gsofa"]
    assert ours["pair_sequential"] == "fill1_pruned timeout" and np.isnan(ours["over_sequential_low"])


def test_a_limit_that_ended_no_call_is_no_bound() -> None:
    late = replace(stopped(measured("gilbert_peierls.threads=1", 1.0), 1.0), longer_than=None)
    ours = frame_of(fig11.EXHIBIT, measured("gsofa", 2.0), late).set_index("implementation").loc["gsofa"]
    assert ours[fig11.PAIR] == "gilbert_peierls timeout"


def test_teps_over_a_stopped_fill2_take_the_edges_of_the_other() -> None:
    ours, gpu, cpu = triple("bcsstk18", 2.0, 20.0, 60.0)
    frame = frame_of(
        fig10.EXHIBIT, *(stopped(r, 595.0) if "fill2_cpu" in r.case else r for r in (ours, gpu, cpu))
    )
    row = frame.set_index("implementation").loc["gsofa"]
    more = row["edges"] / frame.set_index("implementation").loc["fill2_gpu", "edges"]
    assert row["pair_fill2_cpu"].startswith("> ")
    assert row["teps_over_fill2_cpu_low"] == pytest.approx(more * row["seconds_over_fill2_cpu_low"])
    assert np.isnan(row["teps_over_fill2_cpu"])


@pytest.mark.parametrize("exhibit", [fig4, fig5, fig10, fig11, fig12, table1, table2, table3])
def test_a_figure_of_nothing_is_drawn(exhibit: Any) -> None:
    case = Case.parse("symbolic.gsofa@twotone.metis")
    frame = exhibit.EXHIBIT.frame(Records(), ALL, [case])
    assert exhibit.EXHIBIT.picture(frame).axes and exhibit.EXHIBIT.words(frame)


# ---- Table 1


def test_table_1_has_the_print_below_what_was_measured() -> None:
    matrices = ("bcsstk18", "onetone2", "circuit,4000")
    new, near, old = (
        replace(made_record(Case("symbolic", "fill1_pruned", matrix, METIS), 1), status=Status.OK)
        for matrix in matrices
    )
    new = replace(new, prepared={**(new.prepared or {}), "structural_symmetry": 0.4951})
    frame = frame_of(table1.EXHIBIT, new, near, old)
    by_label = frame.set_index("label")
    assert by_label.loc["bcsstk18 (BC)", "structural_symmetry"] == 0.4951
    assert pd.isna(by_label.loc["circuit:4000", "structural_symmetry"])
    assert by_label.loc["bcsstk18 (BC)", "nnz_per_row"] == pytest.approx(7.131)
    own, print_of_own, *others = cells(table1.EXHIBIT, frame)
    assert own[0] == "bcsstk18 (BC)" and "0.50" in own
    assert print_of_own[:4] == ["printed", "11,948", "149,090", "1.00"]
    beside = {others[i][0]: others[i + 1][:2] for i in range(0, len(others), 2)}
    assert beside["onetone2"] == ["printed of TT", "120,750"]
    assert len(frame) > 3 and "Not measured" in table1.EXHIBIT.words(frame)


def test_table_1_has_the_papers_own_matrices_before_stand_ins() -> None:
    matrices = ("onetone2", "circuit,4000", "twotone", "rma10")
    frame = frame_of(table1.EXHIBIT, *(measured("fill1_pruned", 1.0, matrix) for matrix in matrices))
    shown = [line[0] for line in cells(table1.EXHIBIT, frame)[::2]]
    assert shown == ["rma10 (RM)", "twotone (TT)", "circuit:4000", "onetone2"], "each in the paper's order"


def test_table_1_counts_what_is_known_of_the_input() -> None:
    wrong = replace(made_record(Case("symbolic", "fill1_pruned", "bcsstk18", METIS), 12), status=Status.OK)
    verdicts = table1.EXHIBIT.verdicts(frame_of(table1.EXHIBIT, wrong))
    assert {v.claim.rpartition(".")[2]: str(v.outcome) for v in verdicts if v.measured} == {
        "order": "deviates", "nnz": "deviates", "fillins_per_nnz": "reproduced",
    }  # fmt: skip
