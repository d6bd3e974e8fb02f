"""GSoFA's figures and tables, from made records. All numbers are made up."""

import importlib
import json
import random
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.probes.counting import counts_path
from fetch import catalogue
from fillpath.case import Case
from fillpath.nouns import Series
from fillpath.paths import results
from fillpath.record import Record, Status
from fillpath.series import read_bins, series_path, write_series
from reports.claims.verdict import Reason, Verdict
from reports.facts.claims import subject
from reports.facts.printed import printed_table
from reports.gsofa import fig12, growth, speed
from reports.gsofa.memory import PRINTED_WORDS, WORD
from reports.series import read_series
from reports.verbs import on
from tests import reports_fakes as fakes
from tests.reports_fakes import HALF_OF_GSOFA, STAND_IN, Made, case_of, counting, measured

NEAR = Made("onetone2", "ATandT", "onetone2", ("twotone",), order=36_057, nnz=222_596, kind="circuit")
FAR = Made("fpga_dcop_01", "Sandia", "fpga_dcop_01", ("twotone",), order=1_220, nnz=5_892, kind="circuit")
GRIDS = [Made(f"poisson3d,{m}", "", f"poisson3d:{m}", order=m**3, kind="3D grid") for m in (22, 40, 100)]
CIRCUIT = Made("circuit,10000", "", "circuit:10000", order=10_000, kind="circuit")
REAL = Made("G2_circuit", "AMD", "G2_circuit", order=150_102, kind="circuit")
TWIN = next(entry for entry in catalogue.entries() if entry.stands_for == ("rma10",))
SIMILAR = catalogue.lookup("bcsstk32")
ALL = (*fakes.ENTRIES, *fakes.MORE_OF_GSOFA, NEAR, FAR, *GRIDS, CIRCUIT, REAL, TWIN, SIMILAR)
# Columns that a row is called by.
CALLED = ("label", "abbr", "implementation", "ranks", "budget", "variant", "code", "what")
BC = Case("symbolic", "gsofa_cpu", "bcsstk18", fakes.METIS, threads=1)
TT, OF_CIRCUIT, AT_NEAR, AT_FAR = (replace(BC, matrix=m) for m in ("twotone", STAND_IN, NEAR.id, FAR.id))
RISING = np.concatenate([np.zeros(500), np.linspace(2.0, 700.0, 4500)])
TIMEOUT, WRONG, UNSUPPORTED, NO_MEMORY = map(Status, ("timeout", "wrong", "unsupported", "out_of_memory"))


# ---- builders


def keep(case: Case, frontier: np.ndarray[Any, Any], **changes: Any) -> Record:
    """A record of that case whose series is on disk."""
    path = series_path("made-up", case.name)
    name = write_series(path, Series(frontier=frontier), len(frontier))
    return replace(fakes.made_record(case, 1), status=Status.OK, **{"series": name, **changes})


def counters(text: str | None = None, **changes: Any) -> Record:
    """A record whose counters are on disk, as that text."""
    path = results() / ON.machine / "counters" / f"{ON.case}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text or json.dumps({"key": ON.key, "facts": COUNTS, **changes}))
    return ON


def triple(matrix: str, gsofa: float, fill2_gpu: float, fill2_cpu: float) -> list[Record]:
    """GSoFA with 2.5 times the edges of fill2, and both fill2."""
    more = {"edges": 25 * 10**7, "fills": 10**6, "facts": {}}
    return [
        measured("gsofa", gsofa, matrix, work=more),
        measured("fill2_gpu", fill2_gpu, matrix),
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


def failed(record: Record, status: Status = TIMEOUT, reason: str = "", after: float | None = None) -> Record:
    """The record of a call without a result; `after`, where a limit of time ended the call."""
    none: dict[str, Any] = {"seconds": [], "phases": {}, "work": None, "verified": None}
    return replace(record, status=status, reason=reason, longer_than=after, **none)


def rerun(record: Record) -> Record:
    return replace(record, run_id="run-2")


def on_six(seconds: float) -> list[Record]:
    best = replace(RANKS[1], phases={"symbolic": [5.0] * 3})
    return [GSOFA, RANKS[0], best, replace(measured("gsofa_multi.gpus=6", 1.0), seconds=[seconds] * 3)]


def halves(fill2_gpu: float, count: int = len(HALF_OF_GSOFA)) -> list[Record]:
    return [record for name in HALF_OF_GSOFA[-count:] for record in triple(name, 2.0, fill2_gpu, 60.0)]


def growing(factor: float, matrices: Sequence[str] = HALF_OF_GSOFA[:6]) -> list[Record]:
    """Gilbert-Peierls over GSoFA, where each matrix has ten times the edges of the one before."""
    records = []
    for i, matrix in enumerate(matrices):
        work = {"edges": 10 ** (3 + i), "fills": 10**6, "facts": {}}
        records += [measured("gsofa", 2.0, matrix, work=work)]
        records += [sequential("gilbert_peierls", 100 * factor**i, matrix)]
    return records


def in_frontiers(*of_tt: Any) -> list[Record]:
    """Of BC on the CPU and the GPU, of TT on the CPU."""
    on_gpu = keep(replace(BC, implementation="gsofa", threads=0), np.linspace(1, 450, 900))
    return [keep(BC, np.linspace(1, 1200, 900)), on_gpu, *(keep(TT, frontier) for frontier in of_tt)]


def budgets(*seconds: float, **changes: Any) -> list[Record]:
    """Gsofa without a budget, which takes 3.08e9 bytes, and within 16 GB, 5 GB, 1 GB and 64 MB."""
    names = ("gsofa", *(f"{BUDGET}={budget}" for budget in ("16GB", "5GB", "1GB", "64MB")))
    return [measured(name, s, STAND_IN, **changes) for name, s in zip(names, seconds, strict=True)]


def ranges(without: dict[str, Any], with_them: dict[str, Any]) -> list[Record]:
    """Without value ranges and with them."""
    return [replace(NO_RANGES, **without), replace(ON, **with_them)]


def gaining(*seconds: float) -> list[Record]:
    """Return records of these seconds without value ranges, one per matrix, and of 2 s with them."""
    pairs = zip(HALF_OF_GSOFA, seconds, strict=False)
    each = [(name, s, m) for m, without in pairs for name, s in ((RANGES, without), ("gsofa", 2.0))]
    return [measured(name, s, m, seconds=[s] * 3) for name, s, m in each]


def space(after: float) -> list[Record]:
    """Space optimisations off and on, on half of the matrices."""
    seconds = {OFF: 1.0, ALL_ON: after}
    return [measured(n, s, m, seconds=[s] * 3) for m in HALF_OF_GSOFA for n, s in seconds.items()]


def of_cudss(*symbolic: float) -> Record:
    phases = {"reordering": [5.0] * 3, "symbolic": list(symbolic)}
    return replace(measured("gsofa", 9.0), case="solve.cudss@G2_circuit.mc64+amd", phases=phases)


def by_workers(name: str, seconds: float) -> Record:
    """Return a record of several GPUs. The slowest of workers in turn takes 1/10 of the seconds."""
    case = case_of(name)
    options = dict(case.options)
    workers = max(1, case.gpus) * int(options.get("nodes", "1")) * int(options.get("virtual_gpus", "1"))
    in_turn = workers > max(1, case.gpus)
    phases = {f"gpu{k}": [seconds / (10 + k)] * 3 for k in range(workers)} if in_turn else {}
    work = counting(workers=float(workers), load_balance=1.1, simulated=float(in_turn))
    return measured(name, seconds, seconds=[seconds] * 3, phases=phases, work=work)


def with_faults() -> list[Record]:
    """Write the page faults of three calls of each of SHARED, and return these records."""
    for record, groups in zip(SHARED, (440, 200, 160), strict=True):
        path = counts_path("faults", record.machine, record.case)
        path.parent.mkdir(parents=True, exist_ok=True)
        calls = [{"gpu_fault_groups": groups + more} for more in (-10, 0, 60)]
        path.write_text(json.dumps({"key": record.key, "facts": calls[1], "repeats": calls}))
    return SHARED


def counted(code: str, matrix: Made, seconds: float) -> Record:
    """A record of row counts, with as many entries of L + U as n to the power 1.5."""
    name, _, more = code.partition(".")
    n = matrix.order or 1
    record = measured(f"{name}{OUTPUT}{'.' + more if more else ''}", seconds, matrix.id)
    # A tenth of the diagonal was added.
    sizes = {"n": n, "nnz": n, "entries": n - n // 10, "diagonal_added": n // 10}
    work = {"edges": 1, "fills": round(n**1.5) - n}
    return replace(record, prepared={**(record.prepared or {}), **sizes}, work=work)


TRIPLE, OF_RM = triple("bcsstk18", 2.0, 20.0, 60.0), triple("rma10", 2.0, 80.0, 60.0)
GSOFA, GP = measured("gsofa", 2.0), sequential("gilbert_peierls", 100.0)
PRUNED, NODES = sequential("fill1_pruned", 4.0), sequential("fill1_supernodal", 9.5)
TREE, STOPPED = sequential("etree_cpu", 3.0), failed(GP, after=595.0)
PEER = of_phases("superlu_dist.threads=1", 50.0, convert=36.0, etree=5.0, symbolic=4.0, counts=5.0)
GOOD = (GSOFA, PRUNED, NODES, PEER)
KLU = of_phases("klu.threads=1", 90.0, analysis=20.0, factor=30.0, refactor=10.0)
RANKS = [on_ranks(count, seconds) for count, seconds in ((1, 8.0), (2, 5.0), (4, 3.0), (8, 4.0))]
IDLE = [failed(record, Status.UNAVAILABLE, "2 cores") for record in RANKS[2:]]
# As many fill-ins an entry as BC has.
OF_BC = measured("fill1_pruned", 1.0, work={"edges": 1, "fills": 6 * 7131})
SYMMETRIC = replace(OF_BC, prepared={**(OF_BC.prepared or {}), "structural_symmetry": 0.4951})
RANGES, FIRST, BUDGET = "gsofa.maxid_ranges=false", "gsofa.fill_first=true", "gsofa.memory_budget"
STATIC = "gsofa.dynamic_space=false.memory_budget"
NO_RANGES = measured(RANGES, 3.0, work=counting(reinit_share=0.2))
ON = measured("gsofa", 2.0, work=counting(reinit_share=0.001))
COUNTS = {"dram_bytes": 6e11, "l2_bytes": 2e12, "kernel_seconds": 0.5, "dram_peak_bytes_per_s": 4.8e12}
NO_L2 = {**COUNTS, "l2_bytes": None}
COUNTED = measured("gsofa", 2.0, work={**counting(), "bytes": 10**12}, gpu={"peak_bytes_per_second": 4e12})
SLOWER, NO_QUEUE = (1.0, 1.0, 1.1, 2.0, 5.0), {"work": counting(bytes_queue=None)}
OFF, OUTPUT = f"gsofa.{fakes.SPACE_OFF}.rule=published", ".output=counts"
ALL_ON = "gsofa.queue_fraction=8.rule=published"
LESS = counting(bytes_queue=0.0, bytes_maxid=1.16e9, bytes_fill=8e7)
# Words of 4 bytes a vertex and source.
WORDS = 4 * 1000 * 512
QUEUE, SUM = (f"{size / WORDS:.3g}" for size in (6e8, 3.08e9))
LACKING = measured(OFF, 2.0, work=counting(concurrent_sources=None, queue_peak=None))
HM = [measured("gsofa", 1.0), measured(f"{BUDGET}=1GB", 2.0), measured(f"{STATIC}=1GB", 3.0)]
ORDERS = ("order=contiguous.", "order=inter_node.", "")
ON_GPUS = [
    by_workers(f"gsofa_multi.gpus=2.{way}"[:-1], 8.0 / ratio)
    for way, ratio in zip(ORDERS, (1, 2, 8), strict=True)
]
IN_TURN = [
    by_workers(f"gsofa_multi.nodes=6.{way}virtual_gpus=6", 60.0 / ratio)
    for way, ratio in zip(ORDERS, (1, 2, 6), strict=True)
]
NODES_OF_6 = {"": 66.0, "nodes=33.": 3.0, "nodes=44.": 2.0}
OF_FILL2 = [by_workers(f"fill2_multi.{way}virtual_gpus=6", seconds) for way, seconds in NODES_OF_6.items()]
OF_GPUS = [by_workers(f"gsofa_multi{count}", s) for count, s in (("", 8), (".gpus=2", 5), (".gpus=4", 2.5))]
CHUNKS = [by_workers(f"gsofa_multi.gpus=4{size}", s) for size, s in ((".maxsup=64", 2.0), ("", 3.0))]
IN_WORDS = [measured(name, 2.0, m) for m in ("bcsstk18", "twotone") for name in (OFF, ALL_ON, "gsofa")]
LARGEST_CHUNK = by_workers("gsofa_multi.gpus=4.maxsup=256", 4.0)
ONE_ARRAY = "gpus=2.sharing=one_array"
SHARED = [
    by_workers(f"gsofa_multi.{way}", 1.0)
    for way in (f"advise=false.{ONE_ARRAY}", ONE_ARRAY, "gpus=2.sharing=separate_arrays")
]


# ---- what is asserted


def module(figure: str) -> Any:
    return importlib.import_module(f"reports.gsofa.{figure}")


def frame_of(figure: str, *some: Record | Case) -> pd.DataFrame:
    return fakes.made_frame(module(figure).EXHIBIT, some, ALL)


def check(figure: str, some: fakes.Given, columns: str, said: str) -> pd.DataFrame:
    """Assert what a figure has of these records and cases. Returns its frame.

    columns : `gsofa: ratio=2 | pair=ok; BC: ratio=`, by what rows are called in CALLED; nothing behind the
        sign where there is no value
    said : words, or sentences, of the picture, its table, legend and caption; `! ...` for what they lack
    """
    frame = frame_of(figure, *some)
    names = frame.reindex(columns=list(CALLED)).map(lambda v: f"{v:g}" if isinstance(v, float) else str(v))
    for of_row in filter(None, columns.split("; ")):
        at, _, values = of_row.partition(": ")
        row: Any = frame[names.eq(at).any(axis=1)].iloc[0]
        for column, _, wanted in (each.partition("=") for each in values.split(" | ")):
            found = "" if pd.isna(row[column]) else row[column]
            same = found == wanted if isinstance(found, str) else found == pytest.approx(float(wanted))
            assert same, (at, column, found)
    text = " ".join(fakes.told(module(figure).EXHIBIT, frame, fakes.recorded(some)).split())
    for each in filter(None, said.split(" | ")):
        words = each.removeprefix("! ")
        assert (words in (text if " " in words else re.split("[,;]? ", text))) == (words == each), words
    return frame


def verdicts_of(figure: str, frame: pd.DataFrame) -> Sequence[Verdict]:
    verdicts: Sequence[Verdict] = module(figure).EXHIBIT.verdicts(frame)
    return verdicts


def outcomes(figure: str, frame: pd.DataFrame, claim: str = "") -> dict[str, str]:
    """By outcome, or the reason of none, what else verdicts say, of claims that are called so, with what is
    compared."""
    verdicts = [v for v in verdicts_of(figure, frame) if claim in f"{v.claim}, {v.basis}"]
    assert all((v.outcome == "not judged") == (v.reason is not None) for v in verdicts)
    return {str(v.reason or v.outcome): f"{v.factor or 0:.4g} of the print, {v.text}" for v in verdicts}


HIDDEN, PLACE = "! its ratios are bounds", "on h200 (NVIDIA H200)"
PRINT_12 = " | ".join(f"{abbr} {ratio:.3g}x" for abbr, ratio in fig12.DATA["one_node"].items())
LARGE = "below: AU; DI; HM; PR; ST; TT"
THREE = "fill1_pruned, etree_cpu, fill1_supernodal"


def good(code: str, untimed: str, ratio: float | None) -> str:
    low = "" if ratio is None else ratio * 0.9 / 1.2
    values = {"code": code, "untimed": untimed, "ratio": "" if ratio is None else ratio, "ratio_low": low}
    return "gsofa: " + " | ".join(f"sequential_{name}={value}" for name, value in values.items())


def pair(pair: str, low: float | str = "", high: float | str = "") -> str:
    values = {"pair": pair, "ratio": "", "ratio_low": low, "ratio_high": high}
    return "gsofa: " + " | ".join(f"gilbert_peierls_{name}={value}" for name, value in values.items())


ROWS: list[tuple[str, Any, str, str]] = [
    # A series that is not there is a panel that says why.
    ("fig4", lambda: [replace(keep(BC, RISING), series=None), OF_CIRCUIT], "", "its record names no series"),
    ("fig4", lambda: [keep(BC, RISING, series="series/gone.npz"), OF_CIRCUIT], "", "in series/gone.npz"),
    ("fig4", lambda: [failed(keep(BC, RISING), reason="over 60 s"), OF_CIRCUIT], "", "timeout: over 60 s"),
    ("fig4", lambda: [failed(keep(BC, RISING), WRONG, "3 rows differ")], "", "wrong: 3 rows differ"),
    ("fig4", lambda: [keep(BC, np.zeros(40))], "BC: frontier_mean= | ratio=", "no source has a frontier"),
    # A panel for each of the paper's matrices, or for one that stands in.
    *(
        ("fig4", lambda cases=cases: [keep(case, np.arange(1.0, 90.0)) for case in cases], "", said)
        for cases, said in (
            (
                (AT_FAR, AT_NEAR, OF_CIRCUIT, BC),
                "bcsstk18 (BC) | onetone2, stand-in: TT | printed of TT: 6,230x | of 4 measured",
            ),
            ((AT_FAR, AT_NEAR, BC, TT), "twotone (TT)"),
            ((BC, AT_FAR), "fpga_dcop_01, stand-in: TT"),
        )
    ),
    # Ratios in seconds and in TEPS, whose interval runs the other way.
    (
        "fig10", TRIPLE,
        "gsofa: fill2_gpu_ratio=10 | fill2_cpu_ratio=30 | fill2_gpu_teps=25 | fill2_cpu_teps=75 | "
        "fill2_gpu_teps_low=18.75; fill2_gpu: fill2_cpu_teps=3; fill2_cpu: fill2_cpu_pair=; "
        f"fill2_gpu: teps=5e6 | teps_low={1e8 / 24} | teps_high={1e8 / 18}",
        f"10x | 25x | 30x | 75x | 3x | {HIDDEN}",
    ),
    # The geometric mean of 10 and 40, and the print of RM, beside the paper's own matrix alone.
    (
        "fig10", [*TRIPLE, *OF_RM, measured("gsofa", 2.0, STAND_IN)],
        "RM: fill2_cpu_paper=97.11; BC: fill2_cpu_paper=; circuit:4000: fill2_cpu_paper=",
        "20x in seconds | 97.1x | 30.4x",
    ),
    # A case without a record is of the machine, and a name below.
    (
        "fig10", [TRIPLE[2], case_of("gsofa"), case_of("gsofa", "poisson3d,16,aniso")],
        "gsofa: machine=h200 | status=not_run | fill2_cpu_pair=not_run", "Not measured: poisson3d:16:aniso.",
    ),
    # A twin is called one, and what is none stays a stand-in.
    (
        "fig10", [measured("gsofa", 1.0, TWIN.id), measured("gsofa", 1.0, SIMILAR.id)],
        "twin of RM: stand_in_for=RM | abbr=; bcsstk32: stand_in_for=AU | abbr=",
        "below: twin of RM; bcsstk32 stand-in: AU",
    ),
    ("fig10", [TRIPLE[0], rerun(TRIPLE[1])], "gsofa: fill2_gpu_pair=two_runs", "two runs"),
    # A code that was stopped has the edges of the other.
    (
        "fig10", [*TRIPLE[:2], failed(TRIPLE[2], after=595.0)],
        f"gsofa: fill2_cpu_pair=> 248x | fill2_cpu_teps= | fill2_cpu_teps_low={2.5 * 595 / 2.4}",
        "> 248x | its ratios are bounds",
    ),
    ("fig10", [failed(TRIPLE[0]), *TRIPLE[1:]], "gsofa: fill2_cpu_pair=timeout", "timeout"),
    ("fig10", [failed(TRIPLE[0], Status.UNAVAILABLE), *TRIPLE[1:]], "", f"! unavailable | {HIDDEN}"),
    # A peer without a record has no line.
    (
        "fig11", [*GOOD, TREE, GP],
        "gsofa: gilbert_peierls_ratio=50 | gilbert_peierls_ratio_low=37.5 | gilbert_peierls_paper=1.01; "
        "superlu_dist: gilbert_peierls_paper= | median=9",
        "50x | 1.5x e | 1.01x | printed mean 50.1x, 1.01x (BC) to 171.1x (BB) | ! gsofa over klu",
    ),
    (
        "fig11", [GSOFA, KLU], "gsofa: klu_ratio=10 | klu_pair=ok",
        "gsofa over klu (factor - refactor), not in the paper: 10x",
    ),
    # A record does not say, or the search for the pattern comes to nothing.
    *(
        ("fig11", [GSOFA, of_phases("klu", 9, **own)], "klu: status=not_measured; gsofa: klu_ratio=", HIDDEN)
        for own in ({"factor": 30.0}, {"factor": 10.0, "refactor": 10.0})
    ),
    # What cannot be paired has no speedup.
    ("fig11", [failed(GP), GSOFA], pair("gilbert_peierls timeout"), "! 50x"),
    ("fig11", [GP, failed(GSOFA, NO_MEMORY)], pair("out_of_memory"), "out of memory | ! 50x"),
    ("fig11", [GP, rerun(GSOFA)], pair("two_runs"), "two runs | ! out of memory | ! 50x"),
    ("fig11", [GSOFA], pair("gilbert_peierls not_run"), HIDDEN),
    # A limit of time ended a call: of the baseline, of gsofa.
    ("fig11", [STOPPED, GSOFA], pair("> 248x", low=595 / 2.4), "> 248x | > 595 s | its ratios are bounds"),
    ("fig11", [GP, failed(GSOFA, after=595.0)], pair("< 0.202x", high=120 / 595), "< 0.202x"),
    # The good sequential code is the fastest of the run, which may be a peer's; on it is no bound.
    ("fig11", [*GOOD, TREE], good("etree_cpu", "", 1.5), "superlu_dist (etree + symbolic), one core"),
    ("fig11", [*GOOD, sequential("etree_cpu", 5.0)], good("fill1_pruned", "", 2), ""),
    ("fig11", [*GOOD, failed(TREE, UNSUPPORTED)], good("fill1_pruned", "", 2), ""),
    *(
        ("fig11", [*GOOD, *lacking], good("fill1_pruned", "etree_cpu", 2), "")
        for lacking in ([], [failed(TREE)], [rerun(TREE)])
    ),
    ("fig11", [GSOFA, PEER, NODES], good("superlu_dist", "fill1_pruned, etree_cpu", 4.5), ""),
    (
        "fig11", [GSOFA, failed(PRUNED, after=595.0)],
        good("", f"{THREE}, superlu_dist", None) + " | sequential_pair=fill1_pruned timeout",
        "! Good sequential code",
    ),
    (
        "fig11", [*GOOD, TREE, *(replace(r, case=r.case.replace("bcsstk18", "rma10")) for r in GOOD)], "",
        "(fill1_pruned (p) on 1, etree_cpu (e) on 1; no time of etree_cpu on 1 of 2)",
    ),
    (
        "fig12", [*GOOD, *RANKS], "1: ratio=4 | best=0; 4: ratio=1.5 | ratio_low=1.125 | best=1",
        f"1.5x (4) | 2x p | 1.2x | HM 1.3x mean 5x G7 10.9x | {PRINT_12} | ! six GPUs 1",
    ),
    ("fig12", [GSOFA, rerun(RANKS[0])], "1: pair=two_runs", ""),
    # Ranks that a host cannot have are said, and what failed is a slot.
    (
        "fig12", [GSOFA, RANKS[0], failed(RANKS[1], WRONG), *IDLE],
        "1: best=1 | pair=ok; 2: best=0 | pair=wrong; 8: pair=unavailable",
        "Unavailable on 4, 8 ranks: 2 cores. | wrong | ! unavailable",
    ),
    # Without a GPU there are seconds, and no ratio.
    ("fig12", [RANKS[0], PRUNED, TREE], "etree_cpu: ratio=; 1: pair=gsofa not_run", "! over gsofa on one"),
    ("fig12", on_six(5 / 1.2), "2: six_ratio=1.2", "six GPUs"),
    (
        "table1", [OF_BC, failed(measured("fill1_pruned", 1.0, "rma10"), NO_MEMORY)],
        "BC: fillins_per_nnz=6 | paper_fillins_per_nnz=6.52; RM: status=out_of_memory | fillins_per_nnz=",
        "0 of 1 measured matrices are",
    ),
    (
        "table1", [SYMMETRIC, *(measured("fill1_pruned", 1.0, m) for m in ("onetone2", STAND_IN))],
        "BC: structural_symmetry=0.4951 | nnz_per_row=7.131; circuit:4000: structural_symmetry= | abbr= | "
        "stand_in_for=PR, TT; ST: status=not_run | fills=",
        "bcsstk18 (BC) | 0.50 | printed, 11,948, 149,090, 1.00 | printed of TT, 120,750 | Not measured:",
    ),
    # Without a record the print stands alone.
    (
        "fig13", [], "",
        "printed: V100, peak 900 GB/s 43% 47% 40% | below: below: mean; AU, the most; the least legend: | "
        "Nothing was measured here.",
    ),
    ("fig14", [], "", "printed: V100 1.14x 1.5x 1.02x | 22% 0.082% | below: below: mean; LH; BB; PR legend:"),
    ("fig15", [], "", f"printed: one V100 1.2x 1.2x 1.7x | over with {LARGE} legend:"),
    ("fig16", [], "", f"printed: 264 V100, budgets per GPU 1.9x 1.9x | over within 16GB {LARGE} legend:"),
    ("fig20", [], "", "printed: one V100 gains gains +5.5% -4.6% | first, % below: BB; LH; BC; ST legend:"),
    # A ratio and two shares beside what is printed; what was not measured has no place.
    (
        "fig14", [ON, NO_RANGES],
        "BC: pair=ok | ratio=1.5 | ratio_low=1.125 | ratio_high=2 | reinit_without=0.2 | reinit_with=0.001; "
        "BB: status=not_run | paper_speedup=1.02; LH: paper_speedup=1.5; "
        "PR: paper_reinit_without=0.22 | paper_reinit_with=0.00082",
        "1.5x | 20% | 0.1% | 1.14x | 1.02x | 22% | 0.082% | measured on h200 (NVIDIA H200) | "
        "below: bcsstk18 (BC) legend:",
    ),
    # A record without the share has its ratio.
    ("fig14", ranges({"work": counting(reinit_share=None)}, {}), "BC: ratio=1.5", "1.5x | not measured"),
    *(
        ("fig14", ranges(off, on), "BC: ratio=", f"{said} | no number")
        for off, on, said in (
            ({"status": TIMEOUT}, {}, "timeout"),
            ({}, {"status": NO_MEMORY}, "with value ranges out of memory"),
            ({}, {"run_id": "run-2"}, "two runs"),
            ({}, {"case": case_of("gsofa", STAND_IN).name}, "with value ranges not run"),
            ({"work": counting(concurrent_sources=None)}, {}, "not measured"),
            ({"work": counting(concurrent_sources=8.0)}, {}, "other concurrency"),
            ({"work": None}, {}, "not measured"),
        )
    ),
    # The gain has the paper's sign.
    (
        "fig20",
        [GSOFA, measured(FIRST, 2.5), measured("gsofa", 3.2, STAND_IN), measured(FIRST, 2.0, STAND_IN)],
        f"BC: gain=-20 | fill={10**6 / 7131}; circuit:4000: gain=60; BB: paper_gain=5.5; LH: paper_gain=-4.6",
        "+60% | -20% | +5.5% | -4.6% | gains",
    ),
    # A budget is held against 16 GB and says whether it binds.
    (
        "fig16", budgets(*SLOWER),
        "5GB: ratio=1.1 | binds=0 | unlimited_bytes=3.08e9; 1GB: ratio=2 | binds=1; 64MB: ratio=5 | binds=1; "
        "HM: paper_ratio=3.3",
        f"1.1x | 2x | 5x | 3.3x | {LARGE}",
    ),
    ("fig16", budgets(*SLOWER, **NO_QUEUE), "5GB: binds=; 1GB: binds=; 64MB: binds=", "does not bind"),
    # Dynamic space is compared within one budget.
    (
        "fig15",
        [*HM, measured(f"{BUDGET}=64MB", 4.0), measured(f"{STATIC}=64MB", 1.0, status=NO_MEMORY)],
        "1GB: ratio=1.5; 64MB: pair=out_of_memory; HM: paper_ratio=1.7", f"1.5x | out of memory | {LARGE}",
    ),
    # What was counted takes the card's peak.
    ("fig13", [COUNTED], "BC: how=counted | share_of_peak=0.125", "12% | counted, not read"),
    ("fig13", [replace(COUNTED, gpu=None)], "BC: told=ok | share_of_peak=", "not measured"),
    ("fig13", [ON], "BC: told=not_measured | dram_bytes=", "not measured | ! through L2"),
    # Counters have seconds of their own.
    (
        "fig13", lambda: [counters()],
        "BC: how=hardware counters | dram_bytes_per_s=1.2e12 | l2_bytes_per_s=4e12 | share_of_peak=0.25",
        "25% | 40% | 43% | 47% | 1,200 | 4,000 | 422 | log axis | Bytes: hardware counters | through L2",
    ),
    # Those of other sources, damaged ones, and those without what went through L2.
    ("fig13", lambda: [counters(key="0" * 64)], "BC: told=not_measured | dram_bytes=", "not measured"),
    ("fig13", lambda: [counters("{")], "BC: told=not_measured", "not measured"),
    ("fig13", lambda: [counters(facts=NO_L2)], "BC: told=ok", "legend: through DRAM Measured | ! through L2"),
    # Sources are dealt out to GPUs by seconds, in turn by those of the slowest worker; BC has no print.
    (
        "fig17", ON_GPUS,
        "inter_node over contiguous: ratio=2 | paper=; intra_node over inter_node: ratio=4; "
        "intra_node over contiguous: ratio=8",
        f"measured: 2 GPUs {PLACE} 2x 8x | inter: drops inter: drops inter: drops | 1.6x 5.28x 4.3x",
    ),
    (
        "fig17", IN_TURN,
        "inter_node over contiguous: ratio=2 | median=3; intra_node over inter_node: ratio=3 | median=1; "
        "intra_node over contiguous: ratio=6 | median=1",
        f"simulated: 6 nodes of 6, by gsofa in turn {PLACE} 2x 6x",
    ),
    # Faults are read beside their record, and their absence is said.
    ("fig18", SHARED, "advice: pair=not_measured; separation: pair=not_measured; both: ratio=", ""),
    (
        "fig18", with_faults,
        f"advice: ratio=2.2 | ratio_low={430 / 260} | ratio_high={500 / 190}; separation: fewer=20; "
        f"both: left_low={150 / 500} | left={160 / 440} | left_high={220 / 430}; "
        f"LH: paper={100 / 15}; AU: paper=10.3",
        "45% | 36%",
    ),
    # Nodes are held against one and 33. A panel tells of fill2 only where it is drawn.
    (
        "fig19", OF_FILL2,
        "fill2_multi.nodes=44.virtual_gpus=6: ratio=33 | efficiency=0.75 | from_33=1.5 | by=fill2 | "
        "simulated=1",
        f"nodes of 6, by fill2 in turn {PLACE} 22x 33x | 31x 24.9x 21.5x 21.5x 16.1x 16.1x | ! GPUs on",
    ),
    ("fig19", OF_FILL2[::2], "fill2_multi.nodes=44.virtual_gpus=6: ratio=33 | from_33=", ""),
    (
        "fig19", [*OF_GPUS, *OF_FILL2], "gsofa_multi.gpus=4: ratio=3.2 | efficiency=0.8 | simulated=0",
        f"measured: GPUs {PLACE} 1.6x 3.2x simulated: nodes of 6, by fill2 in turn {PLACE} 22x 33x",
    ),
    ("fig19", OF_GPUS, "", f"measured: GPUs {PLACE} 1.6x 3.2x | 31x | ! by fill2"),
    ("fig21", [*CHUNKS, LARGEST_CHUNK], "", f"measured: 4 GPUs {PLACE} 1.5x 2x | 1.04x | 1.13x | 1.6x"),
    # Memory is comparable across runs, seconds are not.
    (
        "fig5", [measured(OFF, 2.0), measured(ALL_ON, 2.0, work=LESS, run_id="run-2"), GSOFA],
        f"BC: before={3.08e9 / 6e5} | after={1.24e9 / 6e5} | reduction={3.08 / 1.24} | both=ok | "
        f"table2={6 * WORDS / 6e5} | pair=two_runs | ratio=",
        "5,133x | 2,067x | 2.48x | 20.5x | 3,121x | 36x | 801x | 9x | 4x",
    ),
    (
        "fig5", [measured(OFF, 2.0, work=counting(bytes_fill=None)), measured(ALL_ON, 2.0)],
        "BC: both=not_measured | reduction=; MK: paper_before=3121 | paper_after=801", "not measured",
    ),
    ("fig5", [measured(OFF, 2.0), case_of(ALL_ON)], "BC: both=not_run", ""),
    # A row per structure, from the least to the most of the matrices.
    (
        "table2",
        [
            *(measured(name, 2.0, m) for m in ("bcsstk18", STAND_IN) for name in (OFF, "gsofa")),
            measured(ALL_ON, 2.0, work=counting(bytes_queue=0.0)), measured(ALL_ON, 2.0, STAND_IN),
        ],
        f"all off: words_queue={6e8 / WORDS} | words_sum={3.08e9 / WORDS} | printed_sum=6",
        f"newTracker, 4, {QUEUE}, 0 to {QUEUE}, | maxId, 1, | fill, 1, | sum, 6, {SUM}, | of 2 matrices",
    ),
    ("table2", [LACKING], "all off: told=not_measured", "sum, 6, not measured"),
    (
        "table3", [LACKING, failed(measured(OFF, 2.0, STAND_IN), WRONG)], "",
        "bcsstk18 (BC), 0.1, not measured | circuit:4000, wrong, wrong",
    ),
    # The print is of the matrix that is stood in for.
    (
        "table3",
        [
            measured(OFF, 2.0, STAND_IN, work=counting(queue_mean=0.0011, queue_peak=0.25)),
            measured(ALL_ON, 1.0, STAND_IN),
        ],
        "circuit:4000: average_usage_percent=0.11 | peak_usage_percent=25 | "
        f"small_peak_usage_percent={100 * fakes.FACTS['queue_peak']}; AU: told=not_run",
        "circuit:4000, 0.11, 25, | printed of PR, 0.11, 25, | Not measured: Hamrle3 (HM)",
    ),
    # Row counts are held against gsofa in the same run.
    (
        "speed",
        [
            measured(f"gsofa{OUTPUT}", 2.0, work={"edges": 300, "fills": 7}),
            measured(f"fill2_gpu{OUTPUT}", 6.0, work={"edges": 100, "fills": 7}),
            measured(f"fill1_pruned{OUTPUT}", 1.0, run_id="run-2"),
        ],
        "BC: edges_ratio=3 | fills=7 | fill2_gpu_ratio=3 | fill2_gpu_pair=ok | fill1_pruned_ratio= | "
        "fill1_pruned_pair=two_runs | sequential_ratio= | sequential_pair=two_runs",
        "2,000.000 | 6,000.000 | 1,000.000 | 3x | -",
    ),
    # Trees and fronts stand beside the traversals, each path by itself.
    (
        "speed",
        [
            measured(f"gsofa{OUTPUT}", 2.0), measured(f"fill1_pruned{OUTPUT}.threads=1", 4.0),
            measured(f"etree_cpu{OUTPUT}.threads=1", 1.0), measured(f"bitfronts_gpu{OUTPUT}", 0.0002),
            measured(f"bitfronts_gpu{OUTPUT}.path=fronts", 0.02),
        ],
        "BC: sequential_code=etree_cpu | sequential_ratio=0.5 | bitfronts_gpu_ratio=1e-4 | "
        f"{speed.FRONTS}_ratio=1e-2", "0.200 | 20.000 | 0.5x, e | 0.0001x | not run",
    ),
    # A code that was not run is no row of its own.
    (
        "speed", [measured(f"gsofa{OUTPUT}", 2.0), case_of(f"fill2_gpu{OUTPUT}")],
        "BC: machine=h200 | status_fill2_gpu=not_run | edges_ratio=", "",
    ),
    # A circuit that was not generated has no exponent.
    (
        "growth",
        [
            *(
                counted(code, grid, 1e-9 * (grid.order or 1) ** exponent) for grid in GRIDS
                for code, exponent in (
                    ("bitfronts_gpu", 1.6), ("bitfronts_gpu.path=fronts", 1.2), ("etree_cpu.threads=1", 1.0),
                )
            ),
            counted("gsofa", REAL, 1.0),
        ],
        "bitfronts_gpu: exponent=1.6 | family=3D grids; etree_cpu: exponent=1; "
        f"{growth.FRONTS}: exponent=1.2; gsofa: exponent= | family=real matrices | label=G2_circuit",
        "3D grids | $n^{1.60}$ | $n^{1.00}$ | G2_circuit | not measured",
    ),
    # Of cuDSS the symbolic phase is drawn.
    ("growth", [of_cudss(3, 4, 5)], f"{growth.CUDSS}: status=ok | median=4 | low=3 | high=5", ""),
    ("growth", [of_cudss()], f"{growth.CUDSS}: status=not_measured | median=", ""),
    # A size alone has no exponent, and what failed is said.
    (
        "growth",
        [counted("gsofa", CIRCUIT, 1.0), failed(counted("etree_cpu.threads=1", CIRCUIT, 1.0), UNSUPPORTED)],
        "gsofa: exponent=",
        "etree_cpu, one core: unsupported on 1 | ! $n | not measured | Not measured there: "
        + ", ".join(sorted({*growth.CODES} - {"gsofa"})),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("figure", "some", "columns", "said"), ROWS)
def test_rows_of_a_figure_and_what_it_says(figure: str, some: Any, columns: str, said: str) -> None:
    frame = check(figure, some() if callable(some) else some, columns, said)
    assert figure != "speed" or len(frame) == 1
    if figure in ("fig5", "fig14", "fig15", "fig16", "fig20") and frame["ratio"].isna().all():
        assert {*outcomes(figure, frame, "performance" if figure == "fig5" else "")} == {"not run"}


BESIDE, NOT = "beside the print", "not reproduced"
SIX_OF_7 = "open: 6 of the 7 matrices that such a claim needs: geometric mean"
DIRECTED, SIX = "fill2_gpu_vs_cpu.mean", "gsofa_multi on six GPUs"
AT_1, AT_64 = "seconds at 1GB where it binds", "seconds at 64MB where it binds"
INSTEAD = (STAND_IN, "grid2d,60", "poisson3d,16", "random,1000,0.004", NEAR.id, FAR.id)
OF_HM_AND_G7 = "circuit,3000,seed=1,symmetry=0.05"
OF_BB_AND_LH = [measured(name, seconds, INSTEAD[3]) for name, seconds in (("gsofa", 3.2), (FIRST, 2.0))]
ENDS = (".largest", ".smallest")


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize(
    ("figure", "some", "as_if", "expected"),
    [
        ("fig10", TRIPLE, "", {"gpu.mean, seconds": f"{BESIDE}: 10x", "gpu.mean, TEPS": "open: 1 of the 7"}),
        ("fig10", halves(20.0), "", {DIRECTED: "reproduced: geometric mean 3x"}),
        ("fig10", halves(20.0, 6), "", {DIRECTED: f"{SIX_OF_7} 3x"}),
        ("fig10", halves(180.0), "", {DIRECTED: f"{NOT}: geometric mean 0.3333x"}),
        ("fig10", halves(180.0, 6), "", {DIRECTED: f"{SIX_OF_7} 0.3333x"}),
        # The paper sees no effect on BC.
        ("fig11", [GSOFA, GP], "", {".smallest": f"{NOT}: {50 / 1.01:.4g} of the print"}),
        # A limit of time ended the baseline's call.
        ("fig11", [STOPPED, GSOFA], "", {".smallest": f"{NOT}: > 247.9x (bcsstk18 (BC)), printed 1.01x"}),
        ("fig11", [GSOFA, KLU], "", {".mean, seconds of KLU": f"{BESIDE}: 10x ("}),
        ("fig11", growing(2.0), "", {".with_work": "reproduced: on 6 matrices"}),
        ("fig11", growing(0.5), "", {".with_work": f"{NOT}: on 6 matrices"}),
        ("fig11", growing(2.0, INSTEAD), "", {".with_work": f"not run | {BESIDE}: rank correlation +1.00"}),
        ("fig12", [GSOFA, *RANKS], "", {SIX: "not run", "one GPU": f"{BESIDE}: 1.5x ("}),
        ("fig12", RANKS, "", {"": "not run"}),
        ("fig12", on_six(5 / 1.2), "", {SIX: "reproduced: on 1 of 13 in 1 process: 1 of 1"}),
        ("fig12", on_six(0.5), "", {SIX: "other size: on 1 of 13 in 1 process: 0 of 1 within"}),
        ("fig12", on_six(50.0), "", {SIX: f"{NOT}: 0.1x ("}),
        (
            "table1", [OF_BC], "",
            {"matrices.order": NOT, "matrices.nnz": NOT, "fillins_per_nnz": "reproduced"},
        ),
        # The CPU decides that the frontier grows, and the GPU stands beside with the reason.
        ("fig4", lambda: in_frontiers(RISING), "", {".rises": "reproduced: 2 of 2, printed all"}),
        ("fig4", lambda: in_frontiers(RISING[::-1]), "", {".rises": f"{NOT}: 1 of 2, printed all"}),
        (
            "fig4", in_frontiers, "",
            {".rises": "open", "frontier, gsofa_cpu": "reproduced", "at most 512": f"{BESIDE}: 450x"},
        ),
        ("fig5", [measured(OFF, 2.0), case_of(ALL_ON)], "", {"": "not run"}),
        # Saving memory may cost time.
        ("fig5", space(1.05), "", {"similar_performance.mean": "reproduced: 0.9524 of the print"}),
        ("fig5", space(3.0), "", {"similar_performance.mean": f"{NOT}: 0.3333 of the print"}),
        # A small share is no effect where it is small without value ranges.
        *(
            ("fig14", ranges(*({"work": counting(reinit_share=s)} for s in shares)), "PR", {".reinit": is_it})
            for shares, is_it in (((0.22, 0.0008), "reproduced"), ((0.005, 0.0008), f"{NOT}: together"))
        ),
        # BC is none of BB and LH, and what stands in for both decides nothing.
        (
            "fig20", [GSOFA, measured(FIRST, 2.5), *OF_BB_AND_LH], "",
            {"named": f"open | {BESIDE}: 1 of 1", **dict.fromkeys(ENDS, f"not run | {BESIDE}: 60% (")},
        ),
        # One GPU is not 264; 5 GB binds nowhere.
        (
            "fig16", budgets(*SLOWER), "HM",
            {
                f"each, {AT_1}": f"{BESIDE}: 2x (", f"slower, {AT_1}": "open: 1 of the 4 matrices",
                f"slower, {AT_64}": f"{BESIDE}: 1 of 1", "5GB": "",
            },
        ),
        ("fig16", budgets(*SLOWER, **NO_QUEUE), "HM", {"": "not run"}),
        ("fig15", HM, "", {"": "not run"}),
        (
            "fig15", HM, "HM",
            {f"each, {AT_1}": "open: 1 across its edge: 1.5x (", f"all_gain, {AT_1}": "open: 1 of the 4"},
        ),
        # The paper's are read from counters; 1 of 13 is no mean.
        ("fig13", [COUNTED], "", {"hardware counters": "not run", "counted": f"{BESIDE}: 12.5% ("}),
        ("fig13", lambda: [counters()], "", {".mean, share of DRAM's peak, hard": "open: 0.5814 of"}),
        # Constants of our own data structures are shown and not judged.
        ("fig5", IN_WORDS, "", {"memory.reduction": Reason.CONSTANT}),
        ("table2", IN_WORDS, "", {"table2_space": Reason.CONSTANT}),
        ("table3", IN_WORDS, "", {"table3_queue_usage": Reason.CONSTANT}),
        ("fig14", gaining(3.0, 3.0, 3.0, 3.0), "", {".all_gain": "reproduced: on 4 of 13"}),
        ("fig14", gaining(3.0, 1.8, 3.0, 3.0), "", {".all_gain": f"{NOT}: on 4 of 13"}),
        # No machine here has 36 GPUs, and no mean is of both kinds.
        (
            "fig17", [*ON_GPUS, *IN_TURN], "",
            {
                "": BESIDE, "intra_node_mean, seconds, measured": f"{BESIDE}: 4x (",
                "intra_node_mean, seconds, simulated": f"{BESIDE}: 3x (",
            },
        ),
    ],
)  # fmt: skip
def test_what_a_figure_decides(figure: str, some: Any, as_if: str, expected: dict[str, str]) -> None:
    """as_if : the matrix that the records' own is taken for; expected : by what claims are called with
    what is compared, their outcomes, or the reasons of none, and what else a verdict with the last says"""
    frame = frame_of(figure, *(some() if callable(some) else some))
    if as_if:
        frame.loc[frame["case"].notna(), "abbr"] = as_if
    for claim, became in expected.items():
        found, (of_claim, _, more) = outcomes(figure, frame, claim), became.partition(": ")
        assert {*found} == {*filter(None, of_claim.split(" | "))}, claim
        assert not more or more in found[of_claim.split(" | ")[-1]], found


@pytest.mark.parametrize(
    ("figure", "some", "claim"),
    [("fig10", halves(20.0), DIRECTED), ("fig12", on_six(5 / 1.2), SIX), ("fig5", space(1.05), "similar")],
)
def test_a_time_of_one_process_is_open(figure: str, some: fakes.Given, claim: str) -> None:
    found = outcomes(figure, frame_of(figure, *some), claim)
    assert {*found} == {"open"} and "in 1 process: 1 process of 5: " in found["open"]


# ---- what is in no table


def test_growth_is_that_of_the_series_file() -> None:
    of_case = "BC: smallest=2 | largest=700 | ratio=350 | paper_matrix=BC | paper_ratio=1265 | first=0"
    said = "average frontier of a source | legend: gsofa_cpu: 350x (700 / 2); printed of BC: 1,265x"
    frame = check("fig4", [keep(BC, RISING)], of_case, said)
    assert len(frame) == 2000 and frame["last"].iloc[-1] == 4999
    assert (frame["first"].iloc[1:].to_numpy() == frame["last"].iloc[:-1].to_numpy() + 1).all()
    _, bins = read_bins(series_path("made-up", BC.name))
    assert np.array_equal(frame["frontier_mean"], bins["frontier_mean"])


def test_the_moving_average_keeps_the_mean_and_takes_out_the_spikes() -> None:
    frame = frame_of("fig4", keep(BC, 10.0 + 8.0 * (np.arange(2000) % 2)))
    assert frame["average"].mean() == pytest.approx(14, rel=1e-3)
    assert frame["average"].std() < 0.1 * frame["frontier_mean"].std()


def test_a_wide_whisker_does_not_stretch_the_axis_of_figure_21() -> None:
    wide = replace(LARGEST_CHUNK, seconds=[0.04, 4.0, 400.0])
    frame = check("fig21", [*CHUNKS, wide], "128: ratio=1.5; 256: ratio=2 | ratio_high=200", "2x")
    _, axes = module("fig21").EXHIBIT.picture(frame).axes
    low, high = axes.get_ylim()
    assert 0.3 < low < high < 3 and axes.get_yscale() == "linear"


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


def test_a_number_beside_a_row_is_of_its_own_input() -> None:
    rows = pd.DataFrame(product(("m", "n"), ("natural", "metis")), columns=["matrix", "preparation"])
    assert on(rows, rows.assign(number=range(4))[::-1])["number"].tolist() == [0, 1, 2, 3]


def test_rows_stand_in_the_order_of_the_papers_table_behind_what_they_stand_for() -> None:
    """Table 1 has stand-ins last. Figure 16 has one of the two matrices that a stand-in replaces."""
    matrices = {"far": CIRCUIT.id, "TT": STAND_IN, "PR": "pre2", "ST": "poisson3d,16", "BB": "bbmat"}
    order = [matrices[name] for name in ("BB", "ST", "PR", "TT", "far")]
    speeds = frame_of("fig10", *(measured("gsofa", 1.0, matrix) for matrix in matrices.values()))
    assert speeds["matrix"].tolist() == order and speeds["group"].tolist() == [0, 1, 2, 3, 4]
    table = frame_of("table1", *(measured("fill1_pruned", 1.0, matrix) for matrix in matrices.values()))
    assert table["matrix"].dropna().tolist() == [order[0], order[2], order[1], *order[3:]]
    assert table["abbr"].nunique() == 13
    of_two = (measured(name, 1.0, OF_HM_AND_G7) for name in (f"{BUDGET}=16GB", f"{BUDGET}=1GB"))
    assert frame_of("fig16", *of_two)["stand_in_for"].dropna().unique().tolist() == ["HM"]


@pytest.mark.parametrize(("abbr", "sources"), [("MK", 4096), ("AU", 512)])
def test_the_printed_ratios_are_of_six_words_a_vertex_and_source(abbr: str, sources: int) -> None:
    """docs/notes/figures.md: whatever else changes, the formula here is that of the paper's own figure."""
    row = printed_table("gsofa_table1_matrices").set_index("abbr").loc[abbr]
    auxiliary = WORD * PRINTED_WORDS.sum() * row["order"] * sources
    before = subject("gsofa", "fig5_auxiliary_memory")["before"]
    printed = before["max" if abbr == "MK" else "min"][abbr]
    assert int(auxiliary / (8 * row["order"] + 4 * row["nnz"])) == printed
