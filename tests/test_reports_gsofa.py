"""GSoFA's Table 1 and Figures 4, 10, 11 and 12, from made records. All numbers are made up."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest

from fillpath.case import Case
from fillpath.nouns import Series
from fillpath.record import Record, Status
from fillpath.series import read_bins, series_path, write_series
from reports.facts.records import Records
from reports.gsofa import fig4, fig5, fig10, fig11, fig12, growth, speed, table1, table2, table3
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
    told,
)  # fmt: skip

NEAR = Made("onetone2", "ATandT", "onetone2", ("twotone",), order=36_057, nnz=222_596, kind="circuit")
FAR = Made("fpga_dcop_01", "Sandia", "fpga_dcop_01", ("twotone",), order=1_220, nnz=5_892, kind="circuit")
GRIDS = [Made(f"poisson3d,{m}", "", f"poisson3d:{m}", order=m**3, kind="3D grid") for m in (22, 40, 100)]
CIRCUIT = Made("circuit,10000", "", "circuit:10000", order=10_000, kind="circuit")
REAL = Made("G2_circuit", "AMD", "G2_circuit", order=150_102, kind="circuit")
ALL = (*ENTRIES, *MORE_OF_GSOFA, NEAR, FAR, *GRIDS, CIRCUIT, REAL)
# Columns that a row is called by.
CALLED = ("label", "abbr", "implementation", "ranks", "budget", "variant", "code")
BC = Case("symbolic", "gsofa_cpu", "bcsstk18", METIS, threads=1)
TT, STAND_IN = replace(BC, matrix="twotone"), replace(BC, matrix="circuit,4000")
ON_GPU = Case("symbolic", "gsofa", "bcsstk18", METIS)
RISING = np.concatenate([np.zeros(500), np.linspace(2.0, 700.0, 4500)])


def keep(case: Case, frontier: np.ndarray[Any, Any], **changes: Any) -> Record:
    """A record of that case whose series is on disk."""
    path = series_path("made-up", case.name)
    name = write_series(path, Series(frontier=frontier), len(frontier))
    return replace(made_record(case, 1), status=Status.OK, **{"series": name, **changes})


def frame_of(figure: ModuleType, *records: Record, more: Sequence[Case] = ()) -> pd.DataFrame:
    return made_frame(figure.EXHIBIT.frame, ALL, records, more)


def check(
    figure: ModuleType, records: Sequence[Record], columns: Mapping[str, Any], said: str, *more: Case
) -> pd.DataFrame:
    """Assert what a figure has of these records, and of more cases. Returns its frame.

    columns : by what its row is called in CALLED, and column: `gsofa.ratio`
    said : words, or sentences, of the picture, its table, legend and caption; `! ...` for what they lack
    """
    frame = frame_of(figure, *records, more=more)
    names = frame.reindex(columns=list(CALLED)).map(lambda v: f"{v:g}" if isinstance(v, float) else str(v))
    for name, value in columns.items():
        at, _, column = name.rpartition(".")
        found: Any = frame.loc[names.eq(at).any(axis=1), column].iloc[0]
        wanted = pytest.approx(value) if isinstance(value, float | int) else value
        assert pd.isna(found) if value is None else found == wanted, name
    text = " ".join(told(figure, frame, records).split())
    for each in filter(None, said.split(" | ")):
        words = each.removeprefix("! ")
        assert (words in (text if " " in words else re.split("[,;]? ", text))) == (words == each), words
    return frame


def triple(matrix: str, gsofa: float, fill2_gpu: float, fill2_cpu: float, **changes: Any) -> list[Record]:
    """GSoFA with 2.5 times the edges of fill2, and both fill2."""
    more = {"edges": 25 * 10**7, "fills": 10**6, "facts": {}}
    return [
        measured("gsofa", gsofa, matrix, work=more),
        measured("fill2_gpu", fill2_gpu, matrix, **changes),
        measured("fill2_cpu", fill2_cpu, matrix, device=None),
    ]


def sequential(name: str, seconds: float, matrix: str = "bcsstk18") -> Record:
    return measured(f"{name}.threads=1", seconds, matrix, device=None)


def of_phases(name: str, whole: float, **phases: float) -> Record:
    """A peer's record of that many seconds in all, and of each phase."""
    samples = {each: [seconds * factor for factor in (0.9, 1.0, 1.2)] for each, seconds in phases.items()}
    return measured(name, whole, device=None, phases=samples)


def on_ranks(ranks: int, seconds: float) -> Record:
    """SuperLU_DIST's, of whose seconds those of the phase `symbolic` are meant."""
    name = "superlu_dist_parallel" + (f".ranks={ranks}" if ranks > 1 else "")
    return of_phases(name, 50 * seconds, separators=9 * seconds, symbolic=seconds)


def failed(record: Record, status: Status, reason: str = "", after: float | None = None) -> Record:
    """The record of a call without a result; `after`, where a limit of time ended the call."""
    return replace(
        record, status=status, reason=reason, seconds=[], phases={}, work=None, verified=None,
        longer_than=after,
    )  # fmt: skip


def rerun(record: Record) -> Record:
    return replace(record, run_id="run-2")


TRIPLE, OF_RM = triple("bcsstk18", 2.0, 20.0, 60.0), triple("rma10", 2.0, 80.0, 60.0)
GSOFA, GP = measured("gsofa", 2.0), sequential("gilbert_peierls", 100.0)
PRUNED, NODES = sequential("fill1_pruned", 4.0), sequential("fill1_supernodal", 9.0)
TREE = sequential("etree_cpu", 3.0)
PEER = of_phases("superlu_dist.threads=1", 50.0, convert=36.0, etree=5.0, symbolic=4.0, counts=5.0)
GOOD = (GSOFA, PRUNED, NODES, PEER)
KLU = of_phases("klu.threads=1", 90.0, analysis=20.0, factor=30.0, refactor=10.0)
RANKS = [on_ranks(count, seconds) for count, seconds in ((1, 8.0), (2, 5.0), (4, 3.0), (8, 4.0))]
IDLE = [failed(record, Status.UNAVAILABLE, "2 cores") for record in RANKS[2:]]


def on_six(seconds: float) -> list[Record]:
    best = replace(RANKS[1], phases={"symbolic": [5.0] * 3})
    return [GSOFA, RANKS[0], best, replace(measured("gsofa_multi.gpus=6", 1.0), seconds=[seconds] * 3)]


# As many fill-ins an entry as BC has.
OF_BC = measured("fill1_pruned", 1.0, work={"edges": 1, "fills": 6 * 7131})
SYMMETRIC = replace(OF_BC, prepared={**(OF_BC.prepared or {}), "structural_symmetry": 0.4951})
HIDDEN = "! its ratios are bounds"
PRINT_12 = " | ".join(f"{abbr} {ratio:.3g}x" for abbr, ratio in fig12.DATA["one_node"].items())


def good(code: str | None, untimed: str, ratio: float | None) -> dict[str, Any]:
    names = ("code", "untimed", "ratio", "ratio_low")
    values = (code, untimed, ratio, None if ratio is None else ratio * 0.9 / 1.2)
    return {f"gsofa.sequential_{name}": value for name, value in zip(names, values, strict=True)}


def pair(pair: str, low: float | None = None, high: float | None = None) -> dict[str, Any]:
    ends = {"pair": pair, "ratio": None, "ratio_low": low, "ratio_high": high}
    return {f"gsofa.gilbert_peierls_{name}": value for name, value in ends.items()}


@pytest.mark.parametrize(
    ("figure", "records", "columns", "said"),
    [
        # Ratios in seconds and in TEPS, whose interval runs the other way.
        (
            fig10, TRIPLE,
            {
                "gsofa.fill2_gpu_ratio": 10, "gsofa.fill2_cpu_ratio": 30, "gsofa.fill2_gpu_teps": 25,
                "gsofa.fill2_cpu_teps": 75, "gsofa.fill2_gpu_teps_low": 2.5 * 18 / 2.4,
                "fill2_gpu.fill2_cpu_teps": 3, "fill2_cpu.fill2_cpu_pair": None,
            },
            f"10x | 25x | 30x | 75x | 3x | {HIDDEN}",
        ),
        # The geometric mean of 10 and 40, and the print of RM.
        (fig10, [*TRIPLE, *OF_RM], {}, "20x in seconds | 97.1x | 30.4x"),
        (fig10, [TRIPLE[0], rerun(TRIPLE[1])], {"gsofa.fill2_gpu_pair": "two_runs"}, "two runs"),
        # A code that was stopped has the edges of the other.
        (
            fig10, [*TRIPLE[:2], failed(TRIPLE[2], Status.TIMEOUT, after=595.0)],
            {
                "gsofa.fill2_cpu_pair": "> 248x", "gsofa.fill2_cpu_teps": None,
                "gsofa.fill2_cpu_teps_low": 2.5 * 595 / 2.4,
            },
            "> 248x | its ratios are bounds",
        ),
        (
            fig10, [failed(TRIPLE[0], Status.TIMEOUT), *TRIPLE[1:]], {"gsofa.fill2_cpu_pair": "timeout"},
            "timeout",
        ),
        (fig10, [failed(TRIPLE[0], Status.UNAVAILABLE), *TRIPLE[1:]], {}, f"! unavailable | {HIDDEN}"),
        (
            fig11, [*GOOD, TREE, GP],
            {
                "gsofa.gilbert_peierls_ratio": 50, "gsofa.gilbert_peierls_ratio_low": 90 / 2.4,
                "gsofa.gilbert_peierls_paper": 1.01, "superlu_dist.gilbert_peierls_paper": None,
                "superlu_dist.median": 9,
            },
            # A peer without a record has no line.
            "50x | 1.5x e | 1.01x | printed mean 50.1x, 1.01x (BC) to 171.1x (BB) | ! gsofa over klu",
        ),
        (
            fig11, [GSOFA, KLU], {"gsofa.klu_ratio": 10, "gsofa.klu_pair": "ok"},
            "gsofa over klu (factor - refactor), not in the paper: 10x",
        ),
        # A record does not say, or the search for the pattern comes to nothing.
        *(
            (
                fig11, [GSOFA, of_phases("klu.threads=1", 90.0, **phases)],
                {"klu.status": "not_measured", "gsofa.klu_ratio": None}, HIDDEN,
            )
            for phases in ({"factor": 30.0}, {"factor": 10.0, "refactor": 10.0})
        ),
        # What cannot be paired has no speedup.
        (fig11, [failed(GP, Status.TIMEOUT), GSOFA], pair("gilbert_peierls timeout"), "! 50x"),
        (fig11, [GP, failed(GSOFA, Status.OUT_OF_MEMORY)], pair("out_of_memory"), "out of memory | ! 50x"),
        (fig11, [GP, rerun(GSOFA)], pair("two_runs"), "two runs | ! out of memory | ! 50x"),
        (fig11, [GSOFA], pair("gilbert_peierls not_run"), HIDDEN),
        # A limit of time ended a call: of the baseline, of gsofa.
        (
            fig11, [failed(GP, Status.TIMEOUT, after=595.0), GSOFA], pair("> 248x", low=595 / 2.4),
            "> 248x | > 595 s | its ratios are bounds",
        ),
        (
            fig11, [GP, failed(GSOFA, Status.TIMEOUT, after=595.0)], pair("< 0.202x", high=120 / 595),
            "< 0.202x",
        ),
        # The good sequential code is the fastest of the run, which may be a peer's; on it is no bound.
        (fig11, [*GOOD, TREE], good("etree_cpu", "", 1.5), "superlu_dist (etree + symbolic), one core"),
        (fig11, [*GOOD, sequential("etree_cpu", 5.0)], good("fill1_pruned", "", 2), ""),
        (fig11, [*GOOD, failed(TREE, Status.UNSUPPORTED)], good("fill1_pruned", "", 2), ""),
        (fig11, [*GOOD, failed(TREE, Status.TIMEOUT)], good("fill1_pruned", "etree_cpu", 2), ""),
        (fig11, [*GOOD, rerun(TREE)], good("fill1_pruned", "etree_cpu", 2), ""),
        (fig11, GOOD, good("fill1_pruned", "etree_cpu", 2), ""),
        (
            fig11, [GSOFA, PEER, sequential("fill1_supernodal", 9.5)],
            good("superlu_dist", "fill1_pruned, etree_cpu", 4.5), "",
        ),
        (
            fig11, [GSOFA, failed(PRUNED, Status.TIMEOUT, after=595.0)],
            good(None, "fill1_pruned, etree_cpu, fill1_supernodal, superlu_dist", None)
            | {"gsofa.sequential_pair": "fill1_pruned timeout"},
            "! Good sequential code",
        ),
        (
            fig11, [*GOOD, TREE, *(replace(r, case=r.case.replace("bcsstk18", "rma10")) for r in GOOD)], {},
            "(fill1_pruned (p) on 1, etree_cpu (e) on 1; no time of etree_cpu on 1 of 2)",
        ),
        (
            fig12, [*GOOD, *RANKS],
            {"1.ratio": 4, "1.best": 0, "4.ratio": 1.5, "4.ratio_low": 2.7 / 2.4, "4.best": 1},
            f"1.5x (4) | 2x p | 1.2x | G7 10.9x | mean 5x | HM 1.3x | {PRINT_12} | ! six GPUs 1",
        ),
        (fig12, [GSOFA, rerun(RANKS[0])], {"1.pair": "two_runs"}, ""),
        # Ranks that a host cannot have are said, and what failed is a slot.
        (
            fig12, [GSOFA, RANKS[0], failed(RANKS[1], Status.WRONG), *IDLE],
            {"1.best": 1, "2.best": 0, "1.pair": "ok", "2.pair": "wrong", "8.pair": "unavailable"},
            "Unavailable on 4, 8 ranks: 2 cores. | wrong | ! unavailable",
        ),
        # Without a GPU there are seconds, and no ratio.
        (
            fig12, [RANKS[0], PRUNED, TREE],
            {"etree_cpu.code": "etree_cpu", "etree_cpu.ratio": None, "1.pair": "gsofa not_run"},
            "! over gsofa on one GPU",
        ),
        (fig12, on_six(5 / 1.2), {"2.six_ratio": 1.2}, "six GPUs"),
        (
            table1, [SYMMETRIC, *(measured("fill1_pruned", 1.0, m) for m in ("onetone2", "circuit,4000"))],
            {
                "BC.structural_symmetry": 0.4951, "circuit:4000.structural_symmetry": None,
                "BC.nnz_per_row": 7.131,
            },
            "bcsstk18 (BC) | 0.50 | printed, 11,948, 149,090, 1.00 | printed of TT, 120,750 | Not measured:",
        ),
    ],
)  # fmt: skip
def test_rows_of_a_figure_and_what_it_says(
    figure: ModuleType, records: list[Record], columns: dict[str, Any], said: str
) -> None:
    check(figure, records, columns, said)


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (lambda: replace(keep(BC, RISING), series=None), "its record names no series"),
        (lambda: replace(keep(BC, RISING), series="series/gone.npz"), "in series/gone.npz"),
        (lambda: failed(keep(BC, RISING), Status.TIMEOUT, "over 60 s"), "timeout: over 60 s"),
        (lambda: failed(keep(BC, RISING), Status.WRONG, "3 rows differ"), "wrong: 3 rows differ"),
        (lambda: keep(BC, np.zeros(40)), "no source has a frontier"),
    ],
)
def test_a_case_without_a_series_is_a_panel_that_says_why(record: Any, reason: str) -> None:
    frame = check(fig4, [record()], {}, reason, STAND_IN)
    assert frame[["frontier_mean", "ratio"]].isna().all(axis=None) and len(frame) == 2


def halves(fill2_gpu: float, count: int = len(HALF_OF_GSOFA)) -> list[Record]:
    return [record for name in HALF_OF_GSOFA[-count:] for record in triple(name, 2.0, fill2_gpu, 60.0)]


def growing(factor: float) -> list[Record]:
    """Gilbert-Peierls over GSoFA, where each matrix has ten times the edges of the one before."""
    matrices = ["circuit,4000", "grid2d,60", "poisson3d,16", "random,1000,0.004", "onetone2", "fpga_dcop_01"]
    pairs = [
        (
            measured("gsofa", 2.0, matrix, work={"edges": 10 ** (3 + i), "fills": 10**6, "facts": {}}),
            sequential("gilbert_peierls", 100 * factor**i, matrix),
        )
        for i, matrix in enumerate(matrices)
    ]
    return [record for pair in pairs for record in pair]


@pytest.mark.parametrize(
    ("figure", "records", "claim", "basis", "expected"),
    [
        (fig10, TRIPLE, "fig10_vs_fill2_gpu.mean", "seconds", {"outcome": "beside the print"}),
        (fig10, TRIPLE, "fig10_vs_fill2_gpu.mean", "TEPS", {"outcome": "inconclusive"}),
        *(
            (fig10, halves(*of), "fill2_gpu_vs_cpu.mean", "TEPS", {"direction": way, "outcome": became})
            for of, way, became in (
                ((20.0,), "as printed", "reproduced"), ((20.0, 6), "as printed", "inconclusive"),
                ((180.0,), "opposite", "contradicted"), ((180.0, 6), "opposite", "inconclusive"),
            )
        ),
        (fig11, [GSOFA, GP], ".smallest", "", {"outcome": "deviates", "factor": pytest.approx(50 / 1.01)}),
        # A limit of time ended the baseline's call.
        (
            fig11, [failed(GP, Status.TIMEOUT, after=595.0), GSOFA], ".smallest", "",
            {"numbers": "> 247.9x (bcsstk18 (BC)), printed 1.01x (BC, the smallest)"},
        ),
        (fig11, [GSOFA, KLU], ".mean", "KLU", {"outcome": "beside the print"}),
        (fig11, growing(2.0), ".with_work", "", {"outcome": "reproduced"}),
        (fig11, growing(0.5), ".with_work", "", {"outcome": "contradicted"}),
        (fig12, [GSOFA, *RANKS], "", "six GPUs", {"outcome": "not run"}),
        (fig12, [GSOFA, *RANKS], "", "one GPU", {"outcome": "beside the print"}),
        (fig12, RANKS, "", "", {"outcome": "not run"}),
        (fig12, on_six(5 / 1.2), "", "six GPUs", {"outcome": "reproduced", "doubt": "1 process of 5"}),
        (fig12, on_six(0.5), "", "six GPUs", {"outcome": "deviates"}),
        (fig12, on_six(50.0), "", "six GPUs", {"outcome": "contradicted"}),
        *((table1, [OF_BC], f"table1_matrices.{n}", "", {"outcome": "deviates"}) for n in ("order", "nnz")),
        (table1, [OF_BC], "fillins_per_nnz", "", {"outcome": "reproduced"}),
    ],
)  # fmt: skip
def test_what_a_figure_decides(
    figure: ModuleType, records: list[Record], claim: str, basis: str, expected: dict[str, Any]
) -> None:
    verdicts = figure.EXHIBIT.verdicts(frame_of(figure, *records))
    of_claim = [v for v in verdicts if v.claim.endswith(claim) and basis in v.basis]
    (verdict,) = [v for v in of_claim if v.n] or of_claim
    assert {name: getattr(verdict, name) for name in expected} == expected


def test_growth_is_that_of_the_series_file() -> None:
    said = "largest over smallest gsofa_cpu: 350x (700 / 2) printed of BC: 1,265x"
    frame = check(fig4, [keep(BC, RISING)], {}, said)
    assert len(frame) == 2000 and frame["first"].iloc[0] == 0 and frame["last"].iloc[-1] == 4999
    assert (frame["first"].iloc[1:].to_numpy() == frame["last"].iloc[:-1].to_numpy() + 1).all()
    of_case = frame[["smallest", "largest", "ratio", "paper_matrix", "paper_ratio"]].drop_duplicates()
    assert of_case.to_numpy().tolist() == [[2.0, 700.0, 350.0, "BC", 1265]]
    _, bins = read_bins(series_path("made-up", BC.name))
    assert np.array_equal(frame["frontier_mean"], bins["frontier_mean"])
    assert fig4.EXHIBIT.picture(frame).axes[0].get_ylim()[0] == 0


def test_the_moving_average_keeps_the_mean_and_takes_out_the_spikes() -> None:
    frame = frame_of(fig4, keep(BC, 10.0 + 8.0 * (np.arange(2000) % 2)))
    assert frame["average"].mean() == pytest.approx(14, rel=1e-3)
    assert frame["average"].std() < 0.1 * frame["frontier_mean"].std()


def test_a_panel_for_each_of_the_papers_matrices_or_for_the_nearest_that_stands_in() -> None:
    rising = np.arange(1.0, 90.0)
    own, far, near = keep(BC, rising), *(keep(replace(BC, matrix=m.id), rising) for m in (FAR, NEAR))
    said = "bcsstk18 (BC) | onetone2, stand-in: TT | printed of TT: 6,230x | of 4 measured"
    check(fig4, [far, near, keep(STAND_IN, rising), own], {}, said)
    check(fig4, [far, near, own, keep(TT, rising)], {}, "twotone (TT)")
    check(fig4, [own, far], {}, "fpga_dcop_01, stand-in: TT")


@pytest.mark.parametrize(
    ("of_tt", "outcome"), [(RISING, "reproduced"), (RISING[::-1], "contradicted"), (None, "inconclusive")]
)
def test_that_the_frontier_grows_with_the_source_can_fail(of_tt: Any, outcome: str) -> None:
    """The CPU decides, and the GPU stands beside with the reason."""
    records = [keep(BC, np.linspace(1, 1200, 900)), keep(ON_GPU, np.linspace(1, 450, 900))]
    frame = frame_of(fig4, *records, *([] if of_tt is None else [keep(TT, of_tt)]))
    of_cpu, of_gpu, rises = fig4.EXHIBIT.verdicts(frame)
    assert "gsofa_cpu" in of_cpu.basis and of_cpu.outcome in ("reproduced", "deviates")
    assert of_gpu.outcome == "beside the print" and "at most 512 vertices at a step" in of_gpu.basis
    assert rises.outcome == outcome


def test_no_damage_of_a_series_file_ends_in_an_error(caplog: pytest.LogCaptureFixture) -> None:
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
    path.write_bytes(b"PK\x03\x04 no archive")
    caplog.clear()
    assert read_series("made-up", path.name) is None and "no series" in caplog.text
    np.savez(path, n=np.array(3))
    assert read_series("made-up", path.name) is None
    assert read_series("made-up", "../../elsewhere/x.npz") is None


def test_table_1_has_the_papers_own_matrices_before_stand_ins() -> None:
    matrices = ("circuit,4000", "twotone", "rma10", "bcsstk18")
    frame = frame_of(table1, *(measured("fill1_pruned", 1.0, m) for m in matrices)).dropna(subset="case")
    assert list(frame["label"]) == ["bcsstk18 (BC)", "rma10 (RM)", "twotone (TT)", "circuit:4000"]


def test_figure_12_counts_the_processes_of_a_run() -> None:
    records = [GSOFA, RANKS[0]]
    cases = [Case.parse(record.case) for record in records]
    frame = fig12.EXHIBIT.frame(in_five_processes(records), ALL, cases)
    (row,) = frame[frame["ranks"] == 1].to_dict("records")
    assert row["ratio"] == pytest.approx(4) and row["ratio_processes"] == 5
    assert 2.9 < row["ratio_low"] < row["ratio_high"] < 5.4, "both of a round drift alike, by up to 16 times"
    top, printed = fig12.EXHIBIT.picture(frame).axes
    assert not top.get_shared_y_axes().joined(top, printed) and top.get_ylim()[0] < 2 < top.get_ylim()[1]


@pytest.mark.parametrize("cases", [[], ["symbolic.gsofa@twotone.metis"]])
@pytest.mark.parametrize("figure", [fig4, fig5, fig10, fig11, fig12, growth, speed, table1, table2, table3])
def test_a_figure_of_nothing_is_drawn(figure: ModuleType, cases: list[str]) -> None:
    frame = figure.EXHIBIT.frame(Records(), ALL, list(map(Case.parse, cases)))
    assert figure.EXHIBIT.picture(frame).axes and figure.EXHIBIT.words(frame)
    assert not any(verdict.n for verdict in figure.EXHIBIT.verdicts(frame))
