"""GSoFA's figures and tables, from made records. All numbers are made up."""

import importlib
import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from fetch import catalogue
from fillpath.case import Case
from fillpath.nouns import Series
from fillpath.record import Record, Status
from fillpath.series import read_bins, series_path, write_series
from reports.claims import judge as judging
from reports.facts.claims import subject
from reports.facts.printed import printed_table
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
BC = Case("symbolic", "gsofa_cpu", "bcsstk18", fakes.METIS, threads=1)
TT, OF_CIRCUIT, AT_NEAR, AT_FAR = (replace(BC, matrix=m) for m in ("twotone", STAND_IN, NEAR.id, FAR.id))
RISE_TO_90, RISING = np.arange(1.0, 90.0), np.concatenate([np.zeros(500), np.linspace(2.0, 700.0, 4500)])
TIMEOUT, WRONG, UNSUPPORTED, NO_MEMORY = map(Status, ("timeout", "wrong", "unsupported", "out_of_memory"))


# ---- builders


def keep(case: Case, frontier: Any = RISE_TO_90, **changes: Any) -> Record:
    """A record of that case whose series is on disk."""
    path = series_path("made-up", case.name)
    name = write_series(path, Series(frontier=frontier), len(frontier))
    return replace(fakes.made_record(case, 1), status=Status.OK, **{"series": name, **changes})


def counters(**changes: Any) -> Record:
    """A record whose counters are on disk."""
    return fakes.with_counts("counters", ON, **{"facts": COUNTS, **changes})


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


def budgets(**changes: Any) -> list[Record]:
    """Gsofa without a budget, which takes 3.08e9 bytes, and within budgets, slower where they are smaller."""
    seconds = {"": 1.0, "16GB": 1.0, "5GB": 1.1, "1GB": 2.0, "64MB": 5.0}
    names = {f"{BUDGET}={budget}" if budget else "gsofa": s for budget, s in seconds.items()}
    return [measured(name, s, STAND_IN, **changes) for name, s in names.items()]


def shares(without: float, with_them: float) -> list[Record]:
    """The share of reinitialisation without value ranges and with them."""
    pairs = ((NO_RANGES, without), (ON, with_them))
    return [replace(record, work=counting(reinit_share=share)) for record, share in pairs]


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
    calls = [[{"gpu_fault_groups": n + more} for more in (-10, 0, 60)] for n in (440, 200, 160)]
    pairs = zip(SHARED, calls, strict=True)
    return [fakes.with_counts("faults", record, own[1], repeats=own) for record, own in pairs]


def rows_only(code: str, seconds: float, matrix: str = "bcsstk18", edges: int = 100) -> Record:
    """A record of row counts."""
    name, _, more = code.partition(".")
    work = {"edges": edges, "fills": 7}
    return measured(f"{name}{OUTPUT}{'.' + more if more else ''}", seconds, matrix, work=work)


def counted(code: str, matrix: Made, seconds: float) -> Record:
    """A record of row counts, with as many entries of L + U as n to the power 1.5."""
    n, record = matrix.order or 1, rows_only(code, seconds, matrix.id)
    # A tenth of the diagonal was added.
    sizes = {"n": n, "nnz": n, "entries": n - n // 10, "diagonal_added": n // 10}
    work = {"edges": 1, "fills": round(n**1.5) - n}
    return replace(record, prepared={**(record.prepared or {}), **sizes}, work=work)


def on_grids() -> list[Record]:
    """Codes on all grids, in seconds that grow with n to these powers."""
    powers = {"bitfronts_gpu": 1.6, "bitfronts_gpu.path=fronts": 1.2, "etree_cpu.threads=1": 1.0}
    every = product(GRIDS, powers.items())
    return [counted(code, grid, 1e-9 * (grid.order or 1) ** power) for grid, (code, power) in every]


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
COUNTED = measured("gsofa", 2.0, work={**counting(), "bytes": 10**12}, gpu={"peak_bytes_per_second": 4e12})
OFF, OUTPUT = f"gsofa.{fakes.SPACE_OFF}.rule=published", ".output=counts"
ALL_ON = "gsofa.queue_fraction=8.rule=published"
LESS = counting(bytes_queue=0.0, bytes_maxid=1.16e9, bytes_fill=8e7)
USED = counting(queue_mean=0.0011, queue_peak=0.25)
OFF_AND_ON = [measured(name, 2.0, m) for m in ("bcsstk18", STAND_IN) for name in (OFF, "gsofa")]
PATHS = {"gsofa": 2.0, "fill1_pruned.threads=1": 4.0, "etree_cpu.threads=1": 1.0, "bitfronts_gpu": 2e-4}
PATHS |= {"bitfronts_gpu.path=fronts": 0.02}
INSTEAD = (STAND_IN, "grid2d,60", "poisson3d,16", "random,1000,0.004", NEAR.id, FAR.id)
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


def outcomes(figure: str, frame: pd.DataFrame, claim: str = "") -> dict[str, str]:
    """By outcome, or the reason of none, what else verdicts say, of claims that are called so, with what is
    compared."""
    verdicts = [v for v in module(figure).EXHIBIT.verdicts(frame) if claim in f"{v.claim}, {v.basis}"]
    assert all((v.outcome == "not judged") == (v.reason is not None) for v in verdicts)
    return {str(v.reason or v.outcome): f"{v.factor or 0:.4g} of the print, {v.text}" for v in verdicts}


CASES = r"""
# A series that is not there is a panel that says why.
fig4: keep(BC, RISING, series=None), OF_CIRCUIT => says its record names no series
fig4: keep(BC, RISING, series="series/gone.npz"), OF_CIRCUIT => says in series/gone.npz
fig4: failed(keep(BC, RISING), reason="over 60 s"), OF_CIRCUIT => says timeout: over 60 s
fig4: failed(keep(BC, RISING), WRONG, "3 rows differ") => says wrong: 3 rows differ
fig4: keep(BC, np.zeros(40)) => BC: frontier_mean= | ratio= => says no source has a frontier
# A panel for each of the paper's matrices, or for one that stands in.
fig4: *map(keep, (AT_FAR, AT_NEAR, OF_CIRCUIT, BC))
    says bcsstk18 (BC) | onetone2, stand-in: TT | printed of TT: 6,230x | of 4 measured
fig4: *map(keep, (AT_FAR, AT_NEAR, BC, TT)) => says twotone (TT)
fig4: *map(keep, (BC, AT_FAR)) => says fpga_dcop_01, stand-in: TT
# The CPU decides that the frontier grows, and the GPU stands beside with the reason.
fig4: *in_frontiers(RISING) => claim .rises -> reproduced: 2 of 2, printed all
fig4: *in_frontiers(RISING[::-1]) => claim .rises -> not reproduced: 1 of 2, printed all
fig4: *in_frontiers() => claim .rises -> open
    claim frontier, gsofa_cpu -> reproduced
    claim at most 512 -> beside the print: 450x
# Ratios in seconds and in TEPS, whose interval runs the other way.
fig10: *TRIPLE
    gsofa fill2_: gpu_ratio=10 | cpu_ratio=30 | gpu_teps=25 | cpu_teps=75 | gpu_teps_low=18.75
    fill2_cpu: fill2_cpu_pair=
    fill2_gpu: fill2_cpu_teps=3 | teps=5e6 | teps_low=4166666.67 | teps_high=5555555.56
    says 10x | 25x | 30x | 75x | 3x | ! its ratios are bounds
    claim gpu.mean, seconds -> beside the print: 10x
    claim gpu.mean, TEPS -> open: 1 of the 7
# The geometric mean of 10 and 40, and the print of RM, beside the paper's own matrix alone.
fig10: *TRIPLE, *OF_RM, measured("gsofa", 2.0, STAND_IN)
    RM: fill2_cpu_paper=97.11; BC: fill2_cpu_paper=; circuit:4000: fill2_cpu_paper=
    says 20x in seconds (mean of 2) | 97.1x | 30.4x
fig10: *TRIPLE, measured("gsofa", 2.0, STAND_IN), measured("fill2_gpu", 8.0, STAND_IN)
    says in seconds (mean of 2, 1 the paper's) | (mean of 1)
# A case without a record is of the machine, and a name below.
fig10: TRIPLE[2], case_of("gsofa"), case_of("gsofa", "poisson3d,16,aniso")
    gsofa: machine=h200 | status=not_run | fill2_cpu_pair=not_run
    says Not measured: poisson3d:16:aniso.
# A twin is called one, and what is none stays a stand-in.
fig10: measured("gsofa", 1.0, TWIN.id), measured("gsofa", 1.0, SIMILAR.id)
    twin of RM: stand_in_for=RM | abbr=; bcsstk32: stand_in_for=AU | abbr=
    says below: twin of RM; bcsstk32 stand-in: AU
fig10: TRIPLE[0], rerun(TRIPLE[1]) => gsofa: fill2_gpu_pair=two_runs => says two runs
# A code that was stopped has the edges of the other.
fig10: *TRIPLE[:2], failed(TRIPLE[2], after=595.0)
    gsofa fill2_cpu_: pair=> 248x | teps= | teps_low=619.791667
    says > 248x | its ratios are bounds
fig10: failed(TRIPLE[0]), *TRIPLE[1:] => gsofa: fill2_cpu_pair=timeout => says timeout
fig10: failed(TRIPLE[0], Status.UNAVAILABLE), *TRIPLE[1:] => says ! unavailable | ! its ratios are bounds
fig10: *halves(20.0) => claim fill2_gpu_vs_cpu.mean -> reproduced: geometric mean 3x
fig10: *halves(20.0, 6)
    claim fill2_gpu_vs_cpu.mean -> open: 6 of the 7 matrices that such a claim needs: geometric mean 3x
fig10: *halves(180.0) => claim fill2_gpu_vs_cpu.mean -> not reproduced: geometric mean 0.3333x
fig10: *halves(180.0, 6)
    claim fill2_gpu_vs_cpu.mean -> open: 6 of the 7 matrices that such a claim needs: geometric mean 0.3333x
# A peer without a record has no line.
fig11: *GOOD, TREE, GP
    gsofa gilbert_peierls_: ratio=50 | ratio_low=37.5 | paper=1.01
    superlu_dist: gilbert_peierls_paper= | median=9
    says 50x | 1.5x e | 1.01x | printed mean 50.1x, 1.01x (BC) to 171.1x (BB) | ! gsofa over klu
fig11: GSOFA, KLU => gsofa klu_: ratio=10 | pair=ok
    says gsofa over klu (factor - refactor), not in the paper: 10x
    claim .mean, seconds of KLU -> beside the print: 10x (
# A record does not say, or the search for the pattern comes to nothing.
fig11: GSOFA, of_phases("klu", 9, factor=30.0)
    klu: status=not_measured; gsofa: klu_ratio= => says ! its ratios are bounds
fig11: GSOFA, of_phases("klu", 9, factor=10.0, refactor=10.0)
    klu: status=not_measured; gsofa: klu_ratio= => says ! its ratios are bounds
# Noise larger than a difference of phases leaves none.
fig11: GSOFA, replace(KLU, phases=KLU.phases | {"refactor": [28.0] * 3})
    klu: status=not_measured; gsofa: klu_ratio= => says ! its ratios are bounds
# What cannot be paired has no speedup.
fig11: failed(GP), GSOFA => gsofa gilbert_peierls_: pair=gilbert_peierls timeout | NONE => says ! 50x
fig11: GP, failed(GSOFA, NO_MEMORY)
    gsofa gilbert_peierls_: pair=out_of_memory | NONE => says out of memory | ! 50x
fig11: GP, rerun(GSOFA) => gsofa gilbert_peierls_: pair=two_runs | NONE
    says two runs | ! out of memory | ! 50x
fig11: GSOFA => gsofa gilbert_peierls_: pair=gilbert_peierls not_run | NONE => says ! its ratios are bounds
# The paper sees no effect on BC.
fig11: GSOFA, GP => claim .smallest -> not reproduced: 49.5 of the print
# A limit of time ended a call: of the baseline, of gsofa.
fig11: STOPPED, GSOFA => gsofa gilbert_peierls_: pair=> 248x | ratio= | ratio_low=247.916667 | ratio_high=
    says > 248x | > 595 s | its ratios are bounds
    claim .smallest -> not reproduced: > 247.9x (bcsstk18 (BC)), printed 1.01x
fig11: GP, failed(GSOFA, after=595.0)
    gsofa gilbert_peierls_: pair=< 0.202x | ratio= | ratio_low= | ratio_high=0.201680672 => says < 0.202x
# The good sequential code is the fastest of the run, which may be a peer's; on it is no bound.
fig11: *GOOD, TREE => gsofa sequential_: code=etree_cpu | untimed= | ratio=1.5 | ratio_low=1.125
    says superlu_dist (etree + symbolic), one core
fig11: *GOOD, sequential("etree_cpu", 5.0)
    gsofa sequential_: code=fill1_pruned | untimed= | ratio=2 | ratio_low=1.5
fig11: *GOOD, failed(TREE, UNSUPPORTED)
    gsofa sequential_: code=fill1_pruned | untimed= | ratio=2 | ratio_low=1.5
fig11: *GOOD => gsofa sequential_: code=fill1_pruned | untimed=etree_cpu | ratio=2 | ratio_low=1.5
fig11: *GOOD, failed(TREE)
    gsofa sequential_: code=fill1_pruned | untimed=etree_cpu | ratio=2 | ratio_low=1.5
fig11: *GOOD, rerun(TREE)
    gsofa sequential_: code=fill1_pruned | untimed=etree_cpu | ratio=2 | ratio_low=1.5
fig11: GSOFA, PEER, NODES
    gsofa sequential_: code=superlu_dist | untimed=fill1_pruned, etree_cpu | ratio=4.5 | ratio_low=3.375
fig11: GSOFA, failed(PRUNED, after=595.0) => says ! Good sequential code
    gsofa sequential_: code= | untimed=fill1_pruned, etree_cpu, fill1_supernodal, superlu_dist
    gsofa sequential_: ratio= | ratio_low= | pair=fill1_pruned timeout
fig11: *GOOD, TREE, *(replace(r, case=r.case.replace("bcsstk18", "rma10")) for r in GOOD)
    says (fill1_pruned (p) on 1, etree_cpu (e) on 1; no time of etree_cpu on 1 of 2)
fig11: *growing(2.0) => claim .with_work -> reproduced: on 6 matrices
fig11: *growing(0.5) => claim .with_work -> not reproduced: on 6 matrices
fig11: *growing(2.0, INSTEAD) => claim .with_work -> not run | beside the print: rank correlation +1.00
fig12: *GOOD, *RANKS => 1: ratio=4 | best=0; 4: ratio=1.5 | ratio_low=1.125 | best=1
    says 1.5x (4) | 2x p | 1.2x | HM 1.3x mean 5x G7 10.9x | BC 1.2x | BB 0.625x | EP 0.357x | G7 0.625x |
      LH 0.971x | MK 0.385x | RM 0.5x | AU 0.0725x | DI 0.0885x | HM 0.0518x | PR 0.149x | ST 0.135x |
      TT 0.312x | ! six GPUs 1
fig12: GSOFA, rerun(RANKS[0]) => 1: pair=two_runs
# Ranks that a host cannot have are said, and what failed is a slot.
fig12: GSOFA, RANKS[0], failed(RANKS[1], WRONG), *IDLE
    1: best=1 | pair=ok; 2: best=0 | pair=wrong; 8: pair=unavailable
    says Unavailable on 4, 8 ranks: 2 cores. | wrong | ! unavailable
# Without a GPU there are seconds, and no ratio.
fig12: RANKS[0], PRUNED, TREE => etree_cpu: ratio=; 1: pair=gsofa not_run => says ! over gsofa on one
fig12: *on_six(5 / 1.2) => 2: six_ratio=1.2 => says six GPUs
    claim gsofa_multi on six GPUs -> reproduced: on 1 of 13 in 1 process: 1 of 1
fig12: *on_six(0.5) => claim gsofa_multi on six GPUs -> other size: on 1 of 13 in 1 process: 0 of 1 within
fig12: *on_six(50.0) => claim gsofa_multi on six GPUs -> not reproduced: 0.1x (
fig12: GSOFA, *RANKS => claim gsofa_multi on six GPUs -> not run
    claim one GPU -> beside the print: 1.5x (
fig12: *RANKS => claim -> not run
table1: OF_BC, failed(measured("fill1_pruned", 1.0, "rma10"), NO_MEMORY)
    BC: fillins_per_nnz=6 | paper_fillins_per_nnz=6.52; RM: status=out_of_memory | fillins_per_nnz=
    says 0 of 1 measured matrices are
table1: SYMMETRIC, measured("fill1_pruned", 1.0, "onetone2"), measured("fill1_pruned", 1.0, STAND_IN)
    BC: structural_symmetry=0.4951 | nnz_per_row=7.131; ST: status=not_run | fills=
    circuit:4000: structural_symmetry= | abbr= | stand_in_for=PR, TT
    says bcsstk18 (BC) | 0.50 | printed, 11,948, 149,090, 1.00 | printed of TT, 120,750 | Not measured:
table1: OF_BC => claim matrices.order -> not reproduced => claim matrices.nnz -> not reproduced
    claim fillins_per_nnz -> reproduced
# Without a record the print stands alone.
fig13: *() => says Nothing was measured here.
    says printed: V100, peak 900 GB/s 43% 47% 40% | below: below: mean; AU, the most; the least legend:
fig14: *() => says printed: V100 1.14x 1.5x 1.02x | 22% 0.082% | below: below: mean; LH; BB; PR legend:
fig15: *() => says printed: one V100 1.2x 1.2x 1.7x | over with below: AU; DI; HM; PR; ST; TT legend:
fig16: *() => says printed: 264 V100, budgets per GPU 1.9x 1.9x
    says over within 16GB below: AU; DI; HM; PR; ST; TT legend:
fig20: *() => says printed: one V100 gains gains +5.5% -4.6% | first, % below: BB; LH; BC; ST legend:
# A ratio and two shares beside what is printed; what was not measured has no place.
fig14: ON, NO_RANGES
    BC: pair=ok | ratio=1.5 | ratio_low=1.125 | ratio_high=2 | reinit_without=0.2 | reinit_with=0.001
    BB: status=not_run | paper_speedup=1.02; LH: paper_speedup=1.5
    PR: paper_reinit_without=0.22 | paper_reinit_with=0.00082
    says 1.5x | 20% | 0.1% | 1.14x | 1.02x | 22% | 0.082% | measured on h200 (NVIDIA H200) |
      below: bcsstk18 (BC) legend:
# A record without the share has its ratio.
fig14: replace(NO_RANGES, work=counting(reinit_share=None)), ON => BC: ratio=1.5 => says 1.5x | not measured
fig14: replace(NO_RANGES, status=TIMEOUT), ON => BC: ratio= => says timeout | no number
fig14: NO_RANGES, replace(ON, status=NO_MEMORY)
    BC: ratio= => says with value ranges out of memory | no number
fig14: NO_RANGES, rerun(ON) => BC: ratio= => says two runs | no number
fig14: NO_RANGES, measured("gsofa", 2.0, STAND_IN) => BC: ratio= => says with value ranges not run | no number
fig14: replace(NO_RANGES, work=counting(concurrent_sources=None)), ON
    BC: ratio= => says not measured | no number
fig14: replace(NO_RANGES, work=counting(concurrent_sources=8.0)), ON
    BC: ratio= => says other concurrency | no number
fig14: replace(NO_RANGES, work=None), ON => BC: ratio= => says not measured | no number
# A small share is no effect where it is small without value ranges.
fig14 as PR: *shares(0.22, 0.0008) => claim .reinit -> reproduced
fig14 as PR: *shares(0.005, 0.0008) => claim .reinit -> not reproduced: together
fig14: *gaining(3.0, 3.0, 3.0, 3.0) => claim .all_gain -> reproduced: on 4 of 13
fig14: *gaining(3.0, 1.8, 3.0, 3.0) => claim .all_gain -> not reproduced: on 4 of 13
# The gain has the paper's sign.
fig20: GSOFA, measured(FIRST, 2.5), measured("gsofa", 3.2, STAND_IN), measured(FIRST, 2.0, STAND_IN)
    BC: gain=-20 | fill=140.232786; circuit:4000: gain=60; BB: paper_gain=5.5; LH: paper_gain=-4.6
    says +60% | -20% | +5.5% | -4.6% | gains
# BC is none of BB and LH, and what stands in for both decides nothing.
fig20: GSOFA, measured(FIRST, 2.5), measured("gsofa", 3.2, INSTEAD[3]), measured(FIRST, 2.0, INSTEAD[3])
    claim named -> open | beside the print: 1 of 1
    claim .largest -> not run | beside the print: 60% (
    claim .smallest -> not run | beside the print: 60% (
# A budget is held against 16 GB and says whether it binds.
fig16: *budgets()
    5GB: ratio=1.1 | binds=0 | unlimited_bytes=3.08e9; 1GB: ratio=2 | binds=1; 64MB: ratio=5 | binds=1
    HM: paper_ratio=3.3 => says 1.1x | 2x | 5x | 3.3x | below: AU; DI; HM; PR; ST; TT
fig16: *budgets(work=counting(bytes_queue=None))
    5GB: binds=; 1GB: binds=; 64MB: binds= => says does not bind
# One GPU is not 264; 5 GB binds nowhere.
fig16 as HM: *budgets()
    claim each, seconds at 1GB where it binds -> beside the print: 2x (
    claim slower, seconds at 1GB where it binds -> open: 1 of the 4 matrices
    claim slower, seconds at 64MB where it binds -> beside the print: 1 of 1
    claim 5GB ->
fig16 as HM: *budgets(work=counting(bytes_queue=None)) => claim -> not run
# Dynamic space is compared within one budget.
fig15: *HM, measured(f"{BUDGET}=64MB", 4.0), measured(f"{STATIC}=64MB", 1.0, status=NO_MEMORY)
    1GB: ratio=1.5; 64MB: pair=out_of_memory; HM: paper_ratio=1.7
    says 1.5x | out of memory | below: AU; DI; HM; PR; ST; TT
fig15: *HM => claim -> not run
fig15 as HM: *HM => claim each, seconds at 1GB where it binds -> open: 1 across its edge: 1.5x (
    claim all_gain, seconds at 1GB where it binds -> open: 1 of the 4
# What was counted takes the card's peak. The paper's are read from counters; 1 of 13 is no mean.
fig13: COUNTED => BC: how=counted | share_of_peak=0.125 => says 12% | counted, not read
    claim hardware counters -> not run => claim counted -> beside the print: 12.5% (
fig13: replace(COUNTED, gpu=None) => BC: told=ok | share_of_peak= => says not measured
fig13: ON => BC: told=not_measured | dram_bytes= => says not measured | ! through L2
# Counters have seconds of their own.
fig13: counters()
    BC: how=hardware counters | dram_bytes_per_s=1.2e12 | l2_bytes_per_s=4e12 | share_of_peak=0.25
    says 25% | 40% | 43% | 47% | 1,200 | 4,000 | 422 | log axis | Bytes: hardware counters | through L2
    claim .mean, share of DRAM's peak, hard -> open: 0.5814 of
# Those of other sources, damaged ones, and those without what went through L2.
fig13: counters(key="0" * 64) => BC: told=not_measured | dram_bytes= => says not measured
fig13: counters(text="{") => BC: told=not_measured => says not measured
fig13: counters(facts={**COUNTS, "l2_bytes": None})
    BC: told=ok => says legend: through DRAM Measured | ! through L2
# Sources are dealt out to GPUs by seconds, in turn by those of the slowest worker; BC has no print.
fig17: *ON_GPUS
    inter_node over contiguous: ratio=2 | paper=; intra_node over inter_node: ratio=4
    intra_node over contiguous: ratio=8
    says measured: 2 GPUs on h200 (NVIDIA H200) 2x 8x | inter: drops inter: drops inter: drops |
      1.6x 5.28x 4.3x
fig17: *IN_TURN
    inter_node over contiguous: ratio=2 | median=3; intra_node over inter_node: ratio=3 | median=1
    intra_node over contiguous: ratio=6 | median=1
    says simulated: 6 nodes of 6, by gsofa in turn on h200 (NVIDIA H200) 2x 6x
# No machine here has 36 GPUs, and no mean is of both kinds.
fig17: *ON_GPUS, *IN_TURN => claim -> beside the print
    claim intra_node_mean, seconds, measured -> beside the print: 4x (
    claim intra_node_mean, seconds, simulated -> beside the print: 3x (
# Faults are read beside their record, and their absence is said.
fig18: *SHARED => advice: pair=not_measured; separation: pair=not_measured; both: ratio=
fig18: *with_faults()
    advice: ratio=2.2 | ratio_low=1.65384615 | ratio_high=2.63157895; separation: fewer=20
    both: left_low=0.3 | left=0.363636364 | left_high=0.511627907; LH: paper=6.66666667; AU: paper=10.3
    says 45% | 36%
# Nodes are held against one and 33. A panel tells of fill2 only where it is drawn.
fig19: *OF_FILL2
    fill2_multi.nodes=44.virtual_gpus=6: ratio=33 | efficiency=0.75 | from_33=1.5 | by=fill2 | simulated=1
    says nodes of 6, by fill2 in turn on h200 (NVIDIA H200) 22x 33x | 31x 24.9x 21.5x 21.5x 16.1x 16.1x |
      ! GPUs on
fig19: *OF_FILL2[::2] => fill2_multi.nodes=44.virtual_gpus=6: ratio=33 | from_33=
fig19: *OF_GPUS, *OF_FILL2 => gsofa_multi.gpus=4: ratio=3.2 | efficiency=0.8 | simulated=0
    says measured: GPUs on h200 (NVIDIA H200) 1.6x 3.2x simulated: nodes of 6, by fill2 in turn on h200
      (NVIDIA H200) 22x 33x
fig19: *OF_GPUS => says measured: GPUs on h200 (NVIDIA H200) 1.6x 3.2x | 31x | ! by fill2
fig21: *CHUNKS, LARGEST_CHUNK
    says measured: 4 GPUs on h200 (NVIDIA H200) 1.5x 2x | 1.04x | 1.13x | 1.6x
# Memory is comparable across runs, seconds are not.
fig5: measured(OFF, 2.0), measured(ALL_ON, 2.0, work=LESS, run_id="run-2"), GSOFA
    BC: before=5133.33333 | after=2066.66667 | reduction=2.48387097 | both=ok | table2=20.48
    BC: pair=two_runs | ratio= => says 5,133x | 2,067x | 2.48x | 20.5x | 3,121x | 36x | 801x | 9x | 4x
fig5: measured(OFF, 2.0, work=counting(bytes_fill=None)), measured(ALL_ON, 2.0)
    BC: both=not_measured | reduction=; MK: paper_before=3121 | paper_after=801 => says not measured
fig5: measured(OFF, 2.0), case_of(ALL_ON) => BC: both=not_run => claim -> not run
# Saving memory may cost time.
fig5: *space(1.05) => claim similar_performance.mean -> reproduced: 0.9524 of the print
fig5: *space(3.0) => claim similar_performance.mean -> not reproduced: 0.3333 of the print
# A row per structure, from the least to the most of the matrices.
table2: *OFF_AND_ON, measured(ALL_ON, 2.0, work=counting(bytes_queue=0.0)), measured(ALL_ON, 2.0, STAND_IN)
    all off: words_queue=292.96875 | words_sum=1503.90625 | printed_sum=6
    says newTracker, 4, 293, 0 to 293, | maxId, 1, | fill, 1, | sum, 6, 1.5e+03, | of 2 matrices
table2: LACKING => all off: told=not_measured => says sum, 6, not measured
table3: LACKING, failed(measured(OFF, 2.0, STAND_IN), WRONG)
    says bcsstk18 (BC), 0.1, not measured | circuit:4000, wrong, wrong
# The print is of the matrix that is stood in for.
table3: measured(OFF, 2.0, STAND_IN, work=USED), measured(ALL_ON, 1.0, STAND_IN) => AU: told=not_run
    circuit:4000: average_usage_percent=0.11 | peak_usage_percent=25 | small_peak_usage_percent=20
    says circuit:4000, 0.11, 25, | printed of PR, 0.11, 25, | Not measured: Hamrle3 (HM)
# Constants of our own data structures are shown and not judged.
fig5: *IN_WORDS => claim memory.reduction -> a constant of our own data structures
table2: *IN_WORDS => claim table2_space -> a constant of our own data structures
table3: *IN_WORDS => claim table3_queue_usage -> a constant of our own data structures
# Row counts are held against gsofa in the same run.
speed: rows_only("gsofa", 2.0, edges=300), rows_only("fill2_gpu", 6.0), rerun(rows_only("fill1_pruned", 1.0))
    BC: edges_ratio=3 | fills=7 | fill2_gpu_ratio=3 | fill2_gpu_pair=ok | fill1_pruned_ratio=
    BC: fill1_pruned_pair=two_runs | sequential_ratio= | sequential_pair=two_runs
    says 2,000.000 | 6,000.000 | 1,000.000 | 3x | -
# Trees and fronts stand beside the traversals, each path by itself.
speed: *(rows_only(*each) for each in PATHS.items())
    BC: sequential_code=etree_cpu | sequential_ratio=0.5
    BC bitfronts_gpu_: ratio=1e-4 | fronts_ratio=1e-2 => says 0.200 | 20.000 | 0.5x, e | 0.0001x | not run
# A code that was not run is no row of its own.
speed: rows_only("gsofa", 2.0), case_of(f"fill2_gpu{OUTPUT}")
    BC: machine=h200 | status_fill2_gpu=not_run | edges_ratio=
# A circuit that was not generated has no exponent.
growth: *on_grids(), counted("gsofa", REAL, 1.0)
    bitfronts_gpu: exponent=1.6 | family=3D grids; etree_cpu: exponent=1
    bitfronts_gpu, by fronts: exponent=1.2; gsofa: exponent= | family=real matrices | label=G2_circuit
    says 3D grids | $n^{1.60}$ | $n^{1.00}$ | G2_circuit | not measured
# Of cuDSS the symbolic phase is drawn.
growth: of_cudss(3, 4, 5) => cuDSS, symbolic phase: status=ok | median=4 | low=3 | high=5
growth: of_cudss() => cuDSS, symbolic phase: status=not_measured | median=
# A size alone has no exponent, and what failed is said.
growth: counted("gsofa", CIRCUIT, 1.0), failed(counted("etree_cpu.threads=1", CIRCUIT, 1.0), UNSUPPORTED)
    gsofa: exponent= => says etree_cpu, one core: unsupported on 1 | ! $n | not measured
    says Not measured there: bitfronts_cpu, bitfronts_gpu, bitfronts_gpu, by fronts, cuDSS, symbolic phase,
      etree_cpu, fill1_pruned, fill1_supernodal, fill2_gpu
# A time of one process decides nothing.
fig10 as measured: *halves(20.0) => claim fill2_gpu_vs_cpu.mean -> open: in 1 process: 1 process of 5:
fig12 as measured: *on_six(5 / 1.2) => claim gsofa_multi on six GPUs -> open: in 1 process: 1 process of 5:
fig5 as measured: *space(1.05) => claim similar -> open: in 1 process: 1 process of 5:
"""


@pytest.mark.parametrize(("figure", "given", "expected"), fakes.planted(CASES))
def test_what_is_planted_is_shown_and_judged(
    figure: str, given: str, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`fig14 as PR`: claims are judged as if records were of that matrix; `as measured`: of one process."""
    figure, _, as_if = figure.partition(" as ")
    if as_if != "measured":
        monkeypatch.setattr(judging, "PROCESSES", 1)
    some = eval(f"[{given}]", globals())
    claims = [each for each in expected if each.startswith("claim ")]
    shown, frame = [each for each in expected if each not in claims], frame_of(figure, *some)
    fakes.check(module(figure).EXHIBIT, frame, some, shown)
    assert figure != "speed" or len(frame) == 1
    if shown and figure in ("fig5", "fig14", "fig15", "fig16", "fig20") and frame["ratio"].isna().all():
        assert {*outcomes(figure, frame, "performance" if figure == "fig5" else "")} == {"not run"}
    if as_if.isupper():
        frame.loc[frame["case"].notna(), "abbr"] = as_if
    for each in claims:
        name, became = (part.strip() for part in each.removeprefix("claim").split("->", 1))
        found, (of_claim, _, more) = outcomes(figure, frame, name), became.partition(": ")
        assert {*found} == {*filter(None, of_claim.split(" | "))}, name
        assert found or frame.isin([name]).any(axis=None), f"no verdict and no row has {name}"
        assert not more or more in found[of_claim.split(" | ")[-1]], found


# ---- what is in no table


def test_growth_is_that_of_the_series_file() -> None:
    of_case = "BC: smallest=2 | largest=700 | ratio=350 | paper_matrix=BC | paper_ratio=1265 | first=0"
    said = "average frontier of a source | legend: gsofa_cpu: 350x (700 / 2); printed of BC: 1,265x"
    frame = frame_of("fig4", *(some := [keep(BC, RISING)]))
    fakes.check(module("fig4").EXHIBIT, frame, some, [of_case, f"says {said}"])
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
    frame = frame_of("fig21", *CHUNKS, wide)
    expected = ["128: ratio=1.5; 256: ratio=2 | ratio_high=200", "says 2x"]
    fakes.check(module("fig21").EXHIBIT, frame, [*CHUNKS, wide], expected)
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
    of_two = (
        measured(name, 1.0, "circuit,3000,seed=1,symmetry=0.05")
        for name in (f"{BUDGET}=16GB", f"{BUDGET}=1GB")
    )
    assert frame_of("fig16", *of_two)["stand_in_for"].dropna().unique().tolist() == ["HM"]


@pytest.mark.parametrize(("abbr", "sources"), [("MK", 4096), ("AU", 512)])
def test_the_printed_ratios_are_of_six_words_a_vertex_and_source(abbr: str, sources: int) -> None:
    """docs/notes/figures.md: whatever else changes, the formula here is that of the paper's own figure."""
    row = printed_table("gsofa_table1_matrices").set_index("abbr").loc[abbr]
    auxiliary = WORD * PRINTED_WORDS.sum() * row["order"] * sources
    before = subject("gsofa", "fig5_auxiliary_memory")["before"]
    printed = before["max" if abbr == "MK" else "min"][abbr]
    assert int(auxiliary / (8 * row["order"] + 4 * row["nnz"])) == printed
