"""ParAC's tables and figures, from made records. All numbers are made up."""

import importlib
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from benchmarks.runs.cases import drawn_cases, figure_cases
from benchmarks.runs.experiments import experiments
from fetch import catalogue
from fillpath.case import Case
from fillpath.record import Record, Status
from fillpath.settings import SUITES, Settings
from reports.claims.verdict import Reason, Verdict, outcome_label
from reports.facts.claims import find_claim
from reports.facts.naming import label, names_of, printed_label
from reports.facts.printed import abbreviations
from reports.facts.records import Records
from reports.parac import breakeven, fig3, fig4, orderings, seeds, table1, table2, table3
from reports.verbs import ENDS
from tests.reports_fakes import (
    check,
    in_five_processes,
    made_frame,
    planted,
    record_of,
    shown_frame,
    told,
    unavailable,
)

OWN, STAND_IN = "ecology1", "road,20000"
ENTRIES = catalogue.entries()
# Enough for a share of all to be more than a half.
FIVE = ("ecology1", "apache2", "parabolic_fem", "G3_circuit", "belgium_osm")
PHASES = ("factor", "analysis", "solve")
MULTIGRID = ("amgx", "hypre", "pyamg")
ELSEWHERE, LATER = {"host": "2" * 16}, {"run_id": "run-2"}


def measured(name: str, seconds: float, matrix: str, ordering: str, facts: Any, **changes: Any) -> Record:
    made = {"machine": "box", "threads_used": 16, **changes}
    record = record_of(f"{name}@{matrix}.{ordering}", seconds, facts, **made)
    return replace(record, prepared={**(record.prepared or {}), "nnz": catalogue.lookup(matrix).nnz})


def solved(name: str, parts: Any = (0.1, 0.1, 0.2), matrix: str = OWN, **changes: Any) -> Record:
    """An ok record, whose factor, analysis and solve take so many seconds, in so many `steps`."""
    facts = {"iterations": changes.pop("steps", 40.0), "residual": 8e-7, "nnz_factor": 3e6}
    phases, given = dict(zip(PHASES, parts, strict=True)), "natural" if name.startswith(MULTIGRID) else "nnz"
    ordering = changes.pop("ordering", given)
    return measured(f"laplacian.{name}", sum(parts), matrix, ordering, facts, phases=phases, **changes)


def factorised(name: str, seconds: float, matrix: str = OWN, ordering: str = "nnz", **facts: Any) -> Record:
    """An ok record of a factor."""
    known = {"height_classical": 1000.0, "height_actual": 50.0, "critical_path": 70.0, "nnz_l": 1000.0}
    return measured(f"cholesky.{name}", seconds, matrix, ordering, known | {"nnz_g": 1200.0} | facts)


def failing(record: Record, status: Status = Status.TIMEOUT) -> Record:
    return replace(record, status=status, seconds=[], phases={}, work=None)


MODULAR = "product=modular.ranks=16"


def by_ranks(**totals: float) -> list[Record]:
    """ParAC's 0.4 s on 16 threads, and HYPRE's by ranks: r1=0.8 is of one, rcm16 of 16 in another order."""
    names = {"r1": "hypre", "rcm16": f"hypre.order=rcm.{MODULAR}", "modular16": f"hypre.{MODULAR}"}
    variants = [(names.get(name, f"hypre.ranks={name[1:]}"), s / 2) for name, s in totals.items()]
    return [solved("parac_cpu"), *(solved(name, (s, 0.0, s), threads_used=1) for name, s in variants)]


TABLE3 = {
    "parac_gpu": (0.02, 0.01, 0.05),
    "parac_gpu.triangular=cusparse": (0.02, 0.1, 0.08),
    "ic0_gpu": (0.51, 0.01, 0.78),
    "ic0_gpu.policy=levels": (0.01, 0.01, 0.58),
    "ic0_gpu.triangular=own": (0.01, 0.01, 0.14),
    "ic0_gpu.policy=levels.triangular=own": (0.02, 0.01, 0.14),
    "ic0_gpu.tail=2048.triangular=own": (0.01, 0.02, 0.07),
}


def scaled(seconds: dict[int, float], ordering: str = "nnz", matrix: str = OWN) -> list[Record]:
    return [factorised(f"parac_cpu.threads={t}", s, matrix, ordering) for t, s in seconds.items()]


def sped_up(matrices: Any, speed_ups: Any, ordering: str = "nnz", exact: bool = False) -> list[Record]:
    """Records of one and of 16 threads by matrix. exact : without differences between samples."""
    pairs = zip(matrices, speed_ups, strict=True)
    records = [r for matrix, by in pairs for r in scaled({1: 8.0, 16: 8.0 / by}, ordering, matrix)]
    return [replace(r, seconds=[r.median or 0.0] * 3) for r in records] if exact else records


# Of AMD, nnz-sort and random, with a classical height of 1000: the actual height, the critical path,
# entries of the factor, milliseconds.
AS_PRINTED = {"amd": (500, 600, 1000, 9), "nnz": (50, 70, 1100, 2), "random": (60, 80, 1150, 3)}


def by_orderings(matrices: Any = FIVE[:4], changes: Any = (), **numbers: Any) -> list[Record]:
    """Matrices whose orderings have these numbers, else as printed; changes of the random one's records."""
    records = [
        factorised("parac_gpu", 1e-3 * ms, matrix, ordering, height_actual=tall, critical_path=path, nnz_g=g)
        for matrix in matrices
        for ordering, (tall, path, g, ms) in {**AS_PRINTED, **numbers}.items()
    ]
    return [replace(r, **dict(changes)) if ".random" in r.case else r for r in records]


def by_time(*totals: float) -> list[Record]:
    """Both codes by orderings, in these seconds."""
    by = dict(zip(AS_PRINTED, totals, strict=True))
    return [*in_orderings("parac_cpu", by), *in_orderings("parac_gpu", by)]


def both(*amg: float, **of_ict: str) -> list[Record]:
    return [OURS, solved("pyamg", amg), solved("ict", **of_ict)]


def in_orderings(name: str, totals: dict[str, float], **changes: Any) -> list[Record]:
    """Five matrices, of each ordering so many seconds, of which the solve is a half."""
    parts = {ordering: (s / 4, s / 4, s / 2) for ordering, s in totals.items()}
    pairs = [(matrix, *each) for matrix in FIVE for each in parts.items()]
    return [solved(name, own, matrix, ordering=each, **changes) for matrix, each, own in pairs]


def with_solves(*samples: float) -> list[Record]:
    """Orderings whose solves have such samples, times their median."""
    records = in_orderings("parac_cpu", {"amd": 1.0, "nnz": 2.0, "random": 3.0})
    solves = [[r.phases["solve"][1] * s for s in samples] for r in records]
    return [replace(r, phases=r.phases | {"solve": s}) for r, s in zip(records, solves, strict=True)]


def right_hand_sides(**counts: int) -> list[Record]:
    """Iterations of five matrices for b at random and for b = L x, but for these of the latter."""
    known = {"parac_cpu": (40, 32), "ict": (90, 30), "parac_gpu": (40, 20), "ic0_gpu": (120, 10)}
    ours = [(n, count) for n, (count, _) in known.items()]
    ours += [(f"{n}.rhs=product", counts.get(n, count)) for n, (_, count) in known.items()]
    return [solved(name, matrix=m, steps=float(n)) for m in FIVE for name, n in ours]


def by_seeds(factor: float) -> list[Record]:
    """Three seeds of one run, the second that much slower, and one of another run, three times as slow."""
    known = {"": (1.0, "1"), ".seed=1": (factor, "1"), ".seed=2": (1.0, "1"), ".seed=3": (3.0, "0")}
    return [
        solved(f"parac_cpu{seed}", (by, by, by), m, steps=40 * min(by, factor), run_id=run)
        for m in FIVE[:4]
        for seed, (by, run) in known.items()
    ]


OURS, ICT = solved("parac_cpu"), solved("ict", (0.1, 0.1, 1.0))
# A search for a threshold, which is in no part.
SEARCHED = replace(ICT, phases={**ICT.phases, "threshold": [9.0] * 3}, seconds=[10.0] * 3)
ON_CPU = [OURS, SEARCHED, solved("pyamg", (0.3, 0.0, 0.06))]
ON_GPU = [solved(name, parts) for name, parts in TABLE3.items()]
SPSV, _, LEVELS = ON_GPU[1:4]
ON_TWO: dict[str, Any] = {"threads_used": 2}
STAND_INS = [factorised("parac_cpu.threads=1", 1.0, m) for m in ("grid2d,1000,laplacian", STAND_IN)]
QUALITY = [solved("ac_sequential"), OURS, solved("parac_gpu", steps=41.0)]
TWO_ORDERINGS = [*scaled({1: 8.0, 16: 1.0}), *scaled({1: 8.0, 16: 0.25}, "amd")]
AMD, NNZ = in_orderings("parac_cpu", {"amd": 2.0}), {"nnz": 1.0}
EXCEPTIONS = ("com-LiveJournal", "coAuthorsDBLP")
BOTH = (*FIVE, *EXCEPTIONS)
IN_TWO = [*sped_up(BOTH, [5.0] * 7, exact=True), *sped_up(BOTH, [20.0] * 7, "amd", exact=True)]
# From few nonzeros per row to many.
DENSER = ("belgium_osm", "venturiLevel3", "ecology1", "parabolic_fem", "com-LiveJournal")


def frame_of(module: Any, *records: Record) -> pd.DataFrame:
    return made_frame(module.EXHIBIT, records)


def verdicts(module: Any, *records: Record, beside: bool = False) -> dict[str, Verdict]:
    """What became of each claim, by its name; or the last number that stands beside its print."""
    found = module.EXHIBIT.verdicts(frame_of(module, *records))
    return {v.claim.rpartition(".")[2]: v for v in found if (v.reason is Reason.BESIDE) is beside}


def became(verdict: Verdict) -> str:
    return outcome_label(verdict.outcome, verdict.reason or "")


def test_the_printed_tables_say_what_the_claims_say() -> None:
    """The counts of matrices in config/claims/ follow from the printed seconds."""
    own, other = catalogue.lookup("poisson3d,243,aniso_x"), catalogue.lookup("poisson3d,24,aniso")
    assert label(own.id, own, "parac") == printed_label("anisotropic 3D poisson", "parac")
    twin = next(entry for entry in ENTRIES if entry.stands_for == ("rma10",))
    assert label(twin.id, twin, "parac") == twin.name, "the paper does not print rma10"
    row = pd.DataFrame({"matrix": [other.id], "fills": 1.0, "nnz": 1.0, "structural_symmetry": 1.0})
    assert names_of(row, [other], "parac")["stand_in_for"].item() == "anisotropic 3D poisson"
    assert len(abbreviations("parac")) == 15
    cpu, gpu = frame_of(table2, OURS).set_index("abbr"), frame_of(table3, SPSV).set_index("abbr")
    assert set(cpu.index) == set(gpu.index) == set(abbreviations("parac").values())
    ours = cpu["paper_parac_cpu_factor"] + cpu["paper_parac_cpu_after"]
    ratios = (cpu["paper_ratio"], cpu["paper_ict_after"] / ours, cpu["paper_hypre_ratio"])
    assert [(ratio > 1).sum() for ratio in ratios] == [14, 12, 2]
    for name, ratio in (("ic0", gpu["paper_ratio"]), ("amgx", gpu["paper_amgx_ratio"].dropna())):
        assert find_claim(f"parac.table3_gpu.below_{name}").count == ((ratio > 1).sum(), len(ratio))
    assert find_claim("parac.table3_gpu.over_ic0").by_matrix == pytest.approx(gpu["paper_ratio"].to_dict())


@pytest.mark.parametrize(
    ("module", "ours", "theirs", "number"),
    [
        (table2, "parac_cpu", "pyamg", "pyamg_total"),
        (table2, "parac_cpu", f"hypre.order=rcm.{MODULAR}", "hypre_total"),
        (table3, "parac_gpu.triangular=cusparse", "amgx", "amgx_total"),
        (breakeven, "parac_cpu", "pyamg", "pyamg_each"),
    ],
)
def test_multigrid_in_a_matrixs_own_order_stands_beside_every_other_order(
    module: Any, ours: str, theirs: str, number: str
) -> None:
    records = [solved(ours, matrix=m, ordering=o) for m, o in ((OWN, "nnz"), (OWN, "amd"), (FIVE[1], "amd"))]
    records += [solved(theirs, (0.1, 0.1, 0.1 + 0.1 * place), m) for place, m in enumerate(FIVE[:3])]
    rows = frame_of(module, *records).dropna(subset=[number])
    assert set(zip(rows["matrix"], rows["preparation"], rows[number].rank(), strict=True)) == {
        (OWN, "nnz", 1.5), (OWN, "amd", 1.5), (FIVE[1], "amd", 3.0), (FIVE[2], "natural", 4.0)
    }  # fmt: skip


def test_experiments_have_what_their_figures_show() -> None:
    settings = table3.CODES.values()
    known = {"table1": {"parac_cpu", "parac_gpu"}, "table2": {"parac_cpu", "ict", "pyamg", "hypre"}}
    for suite in SUITES:
        for figure in {e.figure for e in experiments() if e.paper == "parac"}:
            cases = figure_cases("parac", figure, Settings(suite=suite))
            codes, names = {c.implementation for c in cases}, {c.name.partition("@")[0] for c in cases}
            assert cases and codes <= known.get(figure, codes), (suite, figure)
            assert figure != "table3" or names <= {f"laplacian.{name}" for each in settings for name in each}
            assert {case.preparation.matching for case in cases} == {"none"}
    tables = {case.matrix for case in figure_cases("parac", "table2", Settings(suite="papers"))}
    assert {
        entry.id for entry in ENTRIES if "parac" in entry.papers and catalogue.obtainable(entry)
    } <= tables
    threads = {case.threads for case in figure_cases("parac", "fig3", Settings())}
    assert threads == {1, 2}, "the embedded suite is for two cores"


# Of a machine that cannot run it.
ABSENT = replace(unavailable(Case.parse(f"laplacian.hypre.ranks=16@{OWN}.natural"), 1), machine="box")
REASONS = {"FEW": "not judged (needs what is not here)", "NOT_RUN": "not judged (not run)"}
CASES = r"""
table2: *ON_CPU => ecology1: ratio=3 | solve_ratio=2.5 | amg_ratio=0.9 | paper_ratio=14.1304348
    says \nprinted, 0.06, 1.09, 42 | 3x | 14.1x | , not run, | ! timeout
    claims below_ichol: open => claims over_ichol: other size => claims below_hypre: NOT_RUN
# HYPRE is taken on as many ranks as ParAC has threads, else on those that take least, of ParAC's run, without
# what cannot run, in the faster order. Multigrid's order is the matrix's own.
table2: *by_ranks(r1=0.2, r2=0.1, r16=0.8) => ecology1 hypre_: ranks=16 | least=16 | ratio=2
table2: *by_ranks(r1=0.2, r2=0.1, r8=0.3) => ecology1 hypre_: ranks=2 | least=2 | ratio=0.25
table2: *by_ranks(r1=0.2), solved("hypre.ranks=2", run_id="run-2")
    ecology1 hypre_: ranks=1 | least=1 | ratio=0.5
table2: *by_ranks(r2=0.8), ABSENT => ecology1 hypre_: ranks=2 | least=2 | ratio=2
table2: *by_ranks(r1=0.9, r16=0.8, rcm16=0.4) => ecology1 hypre_: ranks=16 | least=16 | ratio=1
table2: *by_ranks(r16=0.8, rcm16=0.9, modular16=0.4) => ecology1 hypre_: ranks=16 | least=16 | ratio=1
table2: *by_ranks(r1=0.9, r16=0.8, rcm16=1.2) => ecology1 hypre_: ranks=16 | least=16 | ratio=2
table2: *by_ranks(r2=0.8) => says 2x | ranks: 2; threads of ParAC: 16
table2: *by_ranks(), failing(solved("hypre"), Status.WRONG) => says , wrong,
table2: *by_ranks(r1=0.8) => claims over_hypre below_hypre: FEW => claims hypre_iterations: not reproduced
table2: *by_ranks(r16=0.8) => claims below_hypre: open => claims hypre_iterations: not reproduced
table2: OURS, solved("pyamg", **LATER) => ecology1: amg_pair=two_runs
table2: *(solved(name, **ON_TWO) for name in ("parac_cpu", "ict"))
    claims below_ichol over_ichol below_ichol_solve: FEW => claims iterations: reproduced
table2: OURS, solved("ict") => claims below_ichol over_ichol: open => claims iterations: reproduced
table2: OURS, solved("ict", (0.02, 0.02, 0.04)) => claims over_ichol: not reproduced
table3: *ON_GPU => ecology1: mixed_ratio=7.5 | setup_ratio=1 | paper_ratio=7.05580192
    says ecology1, 20, 80, 40, 20, 580, 40, 200, 600, 80, 100, 3x, 1.25x, not run | , 246, 1.51x
    says both sides 3x (1 of 1 above 1) | alone 0.5x (0 of 1 above 1). AmgX | 600 | 1,146 | 7.06x
    claims over_ic0: other size => claims below_amgx: NOT_RUN
table3: *ON_GPU[1:3], replace(LEVELS, run_id="run-2") => ecology1: ratio=6.5
table3: SPSV, replace(LEVELS, run_id="run-2") => ecology1: pair=two_runs | ratio=
table3: *ON_GPU, solved("amgx") => says 2x | (0 of 1 above 1). AmgX: the matrix
    claims below_amgx over_amgx amgx_iterations: FEW
table1: *scaled({1: 1.0}) => says ecology1, 1,000,000 =, 4,996,000 =, 1,000, 1,200\nprinted, 1,000 | = equal
# What is printed of a stand-in's matrix is shown, and not judged.
table1: *STAND_INS => says \nprinted of belgium_osm, 1,441,295 | Stand-ins decide nothing.
    claims order nnz: NOT_RUN
fig3: *TWO_ORDERINGS, *scaled({16: 1.0}, "amd", "apache2") => says \napache2\n | 8x | 32x
fig3: *scaled({1: 8.0}), failing(scaled({16: 8.0})[0])
    says ecology1: timeout | No cases with more threads
# A mean of 10x that no matrix has is none, and what is far above 10x is not about that.
fig3: *sped_up(FIVE, (10.0, 8.0, 12.0, 9.0, 11.0), exact=True) => claims tenfold: reproduced
fig3: *sped_up(FIVE, (2.0, 3.0, 4.0, 5.0, 6.0), exact=True) => claims tenfold: not reproduced
fig3: *sped_up(FIVE, (20.0, 30.0, 40.0, 15.0, 16.0), exact=True) => claims tenfold: not reproduced
fig3: *sped_up(FIVE, (10.0, 10.0, 10.0, 2.0, 30.0), exact=True) => claims tenfold: open
fig3: *sped_up(FIVE, (1.5, 66.0, 1.5, 66.0, 13.0), exact=True) => claims tenfold: not reproduced
# The geometric mean of the orderings, without the matrix that is said not to scale.
fig3: *IN_TWO => claims tenfold: reproduced
# From 7.5x to 13x.
fig3: *sped_up(FIVE, [10.0] * 5) => claims tenfold: open
fig3: *sped_up(EXCEPTIONS, (4.0, 13.3)) => claims livejournal: reproduced
fig3: *sped_up(EXCEPTIONS, (13.3, 4.0)) => claims livejournal: not reproduced
fig3: *sped_up(EXCEPTIONS[1:], (4.0,)) => claims livejournal: NOT_RUN
fig3: *sped_up(DENSER, (32, 16, 8, 4, 2)) => claims density: reproduced
fig3: *sped_up(DENSER, (2, 4, 8, 16, 32)) => claims density: not reproduced
# A matrix with a single thread's seconds alone has no speed-up, and four are too few.
fig3: *sped_up(DENSER, (32, 16, 8, 4, 2))[:-1] => claims density: open
fig4: factorised("parac_gpu", 0.01) => ecology1: fill=2.4 | shrinks=20 | median=0.01
fig4: failing(factorised("parac_gpu", 1.0)), *scaled({1: 1.0}) => ecology1: median=1
fig4: *scaled({1: 1.0}) => says actual e-tree\nheight (log) | critical path of a
# Each fault leaves the other claims reproduced; a lower tree of AMD touches more of them.
fig4: *by_orderings() => claims lower amd_less amd_path amd_slowest fill: reproduced
fig4: *by_orderings(amd=(900, 950, 1000, 9)) => claims lower: not reproduced => claims fill: reproduced
fig4: *by_orderings(nnz=(300, 320, 1100, 2)) => claims amd_less: not reproduced
    claims lower amd_path amd_slowest fill: reproduced
fig4: *by_orderings(random=(60, 700, 1150, 3)) => claims amd_path: not reproduced
    claims lower amd_less amd_slowest fill: reproduced
fig4: *by_orderings(random=(60, 80, 1150, 12)) => claims amd_slowest: not reproduced
    claims lower amd_less amd_path fill: reproduced
fig4: *by_orderings(random=(60, 80, 1500, 3)) => claims fill: not reproduced
    claims lower amd_less amd_path amd_slowest: reproduced
fig4: *by_orderings(changes=LATER) => claims amd_slowest: NOT_RUN
fig4: *by_orderings(changes=ELSEWHERE) => claims amd_slowest: NOT_RUN
fig4: *(r for r in by_orderings() if ".random" not in r.case) => claims amd_slowest: NOT_RUN
fig4: *by_orderings(FIVE[:3]) => claims fill: open
fig4: *by_orderings([OWN], random=(60, 80, 1500, 3)) => claims fill: not reproduced
orderings: *with_solves(0.3, 1.0, 3.0)[:1] => ecology1: solve_low=0.15 | solve_high=1.5
orderings: *by_time(1.0, 2.0, 3.0) => claims cpu cpu_solve: reproduced => claims gpu gpu_amd: not reproduced
orderings: *by_time(2.0, 1.0, 3.0) => claims gpu: reproduced => claims cpu cpu_solve gpu_amd: not reproduced
orderings: *by_time(3.0, 2.0, 1.0) => claims gpu_amd: reproduced => claims cpu cpu_solve gpu: not reproduced
orderings: *in_orderings("parac_cpu", {"amd": 1.0, "nnz": 2.0}, **ON_TWO) => claims cpu: FEW
orderings: *with_solves(1.0, 1.0, 1.0) => claims cpu_solve: reproduced
orderings: *with_solves(0.3, 1.0, 3.0) => claims cpu_solve: open
orderings: *AMD, *in_orderings("parac_cpu", NNZ) => claims cpu: not reproduced
orderings: *AMD, *in_orderings("parac_cpu", NNZ, **LATER) => claims cpu: NOT_RUN
orderings: *AMD, *in_orderings("parac_cpu", NNZ, **ELSEWHERE) => claims cpu: NOT_RUN
rhs: *right_hand_sides() => claims ichol less_sensitive: reproduced
    says \n40\n32\n1.25x | \n90\n30\n3x | legend: ParAC, b at random; ParAC, b = L x
rhs: *right_hand_sides(ict=85, ic0_gpu=119) => claims ichol less_sensitive: not reproduced
rhs: *right_hand_sides(parac_gpu=3) => claims ichol: reproduced => claims less_sensitive: not reproduced
rhs: solved("parac_cpu.rhs=product"), OURS, ICT, failing(solved("ict.rhs=product")) => says \ntimeout\n
seeds: *by_seeds(1.1) => claims iterations: reproduced
seeds: *by_seeds(1.5) => claims iterations: not reproduced
breakeven: *both(1.2, 0.0, 0.1, **LATER) => says , -, up to 10, -
breakeven: *both(0.1, 0.0, 0.1, **ELSEWHERE) => says , -, none, -
breakeven: *both(1.2, 0.0, 0.3) => says , any number, -
breakeven: OURS, failing(ICT) => says , timeout, | , not run,
quality: *QUALITY => says , 40, 40, 41, 3,000,000, | 1 of 2 parallel factors have the sequential one's
"""


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize(("figure", "given", "expected"), planted(CASES))
def test_what_is_planted_is_shown_and_judged(figure: str, given: str, expected: list[str]) -> None:
    module, records = importlib.import_module(f"reports.parac.{figure}"), eval(f"[{given}]", globals())
    frame = frame_of(module, *records)
    claims = [each for each in expected if each.startswith("claims ")]
    check(module.EXHIBIT, frame, records, [each for each in expected if each not in claims])
    judged = module.EXHIBIT.verdicts(frame) if claims else []
    found = {v.claim.rpartition(".")[2]: v for v in judged if v.reason is not Reason.BESIDE}
    for names, _, outcome in (each.removeprefix("claims ").partition(": ") for each in claims):
        own = [found[name] for name in names.split()]
        assert {became(verdict) for verdict in own} == {REASONS.get(outcome, outcome)}, (names, own)
        # A matrix counts once, whatever its orderings, devices or exceptions.
        assert all(verdict.n == verdict.matrices <= len(FIVE) for verdict in own)


def test_what_is_printed_of_stand_ins_is_in_the_picture_alone() -> None:
    frame = frame_of(table1, *STAND_INS)
    assert len(frame) == 17 and frame.loc[frame["case"].notna(), "paper_n"].isna().all()
    assert not verdicts(table1, *STAND_INS, beside=True)
    assert verdicts(table3, *ON_GPU)["over_ic0"].factor == pytest.approx(3 * 162.36 / (10.58 + 1135))
    number = verdicts(fig3, *sped_up(EXCEPTIONS, (4.0, 13.3)), beside=True)["livejournal"]
    assert number.basis.endswith(", on stand-ins") and number.numbers == "1 of 1"


@pytest.mark.parametrize(("module", "name"), [(table1, ""), (table2, "parac_cpu"), (table3, "parac_gpu")])
def test_rows_of_a_table_are_in_the_order_of_the_print_below_them(module: Any, name: str) -> None:
    """A stand-in of several matrices stands behind the nearest of its kind, whose print it is shown with."""
    matrices = ("G2_circuit", "G3_circuit", "apache2", OWN, "parabolic_fem")
    records = [solved(name, matrix=m) if name else factorised("parac_cpu", 1.0, m) for m in matrices]
    frame = frame_of(module, *records).dropna(subset="matrix")
    assert frame["label"].tolist() == ["parabolic_fem", OWN, "apache2", "G3_circuit", "G2_circuit"]
    assert frame["printed_of"].dropna().tolist() == ["G3_circuit"]
    # Of a matrix they are in the order of their orderings.
    frame = frame_of(fig4, factorised("parac_gpu", 0.01), *scaled({1: 2.0}, "amd"), *scaled({1: 1.0}))
    codes = frame.groupby("preparation", sort=False)["implementation"].agg("".join)
    assert [*codes.items()] == [("amd", "parac_cpu"), ("nnz", "parac_gpu")]


def test_fig3_leaves_out_more_threads_than_cores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FILLPATH_RESULTS", str(tmp_path))
    cores = tmp_path / "box" / "machine.json"
    cores.parent.mkdir()
    cores.write_text(json.dumps({"cores": 16}))
    records = scaled({1: 8.0, 4: 2.0, 16: 0.5, 32: 0.1})
    frame = frame_of(fig3, *records)
    assert frame["ratio"].tolist()[2:] == pytest.approx([16, float("nan")], nan_ok=True)
    assert frame["pair"].iloc[3] == fig3.TOO_MANY and frame.loc[frame["most"], "threads"].tolist() == [16]
    whole = told(fig3.EXHIBIT, frame, records)
    assert "\n16x\n" in whole and "1 cases with more threads" in whole
    assert verdicts(fig3, *records)["tenfold"].numbers.startswith("0 of 1")
    cores.write_text(json.dumps({"cores": 4}))
    few = verdicts(fig3, *records)["tenfold"]
    assert (became(few), few.why) == (REASONS["FEW"], "fewer than 16 threads") and few.basis.endswith(
        ", 4 threads"
    )


def test_fig3_tells_many_matrices_apart() -> None:
    matrices = (*FIVE, "delaunay_n24", "venturiLevel3", "GAP-road", "europe_osm", "ecology2")
    figure = fig3.EXHIBIT.picture(frame_of(fig3, *sped_up(matrices, [8.0] * 10)))
    lines = [line for axes in figure.axes for line, *_ in axes.containers]
    assert len({(line.get_color(), line.get_marker()) for line in lines}) == len(matrices)


def test_seeds_are_found_beside_the_figures_cases() -> None:
    """Seconds are over those of one run: what another run took says nothing."""
    steps = {"": 40.0, ".seed=1": 41.0, ".seed=2": 42.0, ".seed=10": 50.0}
    found = [solved(f"parac_cpu{seed}", matrix="poisson3d,24", steps=count) for seed, count in steps.items()]
    records = Records((*found, solved("parac_cpu.seed=1", matrix=STAND_IN)))
    cases = drawn_cases("parac", "seeds", {record.case for record in records.rows})
    frame = shown_frame(seeds.EXHIBIT, records, ENTRIES, cases)
    assert frame.loc[frame["status"] == "ok", "seed"].tolist() == [0, 1, 2, 10]
    assert set(frame.loc[frame["status"] == "ok", "label"]) == {"poisson3d:24"}
    whole = told(seeds.EXHIBIT, frame, found)
    assert "40 to 50\nof 4" in whole and "1.00\nof 4" in whole
    assert frame_of(seeds, *by_seeds(1.5))["relative"].unique().tolist() == pytest.approx([1.0, 1.5])


TOTALS = {"amd": 1.0, "nnz": 2.0, "random": 3.0}


def steady(records: list[Record]) -> list[Record]:
    """Without differences between samples: what is left are those between processes."""
    phases = [{name: [samples[1]] * 3 for name, samples in r.phases.items()} for r in records]
    pairs = zip(records, phases, strict=True)
    return [replace(r, seconds=[r.seconds[1]] * 3, phases=parts, host="1" * 16) for r, parts in pairs]


@pytest.mark.parametrize(
    ("module", "records", "claim", "above", "outcome"),
    [
        (table2, [ICT, OURS], "below_ichol_solve", 1.0, "open"),
        (table3, ON_GPU, "setup", 0.0, "open"),
        (orderings, in_orderings("parac_cpu", TOTALS), "cpu", 1.0, "reproduced"),
        (orderings, in_orderings("parac_cpu", TOTALS), "cpu_solve", 1.0, "reproduced"),
        (orderings, in_orderings("parac_gpu", TOTALS), "gpu", 0.0, "not reproduced"),
        (fig4, by_orderings(), "amd_slowest", 1.0, "reproduced"),
    ],
)
def test_what_slows_a_round_is_in_no_ratio_and_five_processes_decide(
    module: Any, records: list[Record], claim: str, above: float, outcome: str
) -> None:
    """Rounds differ by a factor of 16, so that ends of unpaired intervals would."""
    five, exhibit = in_five_processes(steady(records)), module.EXHIBIT
    frame = shown_frame(exhibit, five, ENTRIES, [Case.parse(record.case) for record in five.rows])
    (verdict,) = [v for v in exhibit.verdicts(frame) if v.claim.endswith(f".{claim}") and v.n]
    assert verdict.outcome == outcome and (verdict.points["processes"] == 5).all()
    assert (verdict.points[["low", "high"]] == above).all(axis=None)
    held = find_claim(verdict.claim).held[0]
    judged = exhibit.subsets[held.subsets](frame)[0].rows if held.subsets else frame
    ratios = judged[[held.column + end for end in ENDS]].dropna(how="all").to_numpy(float)
    assert len(ratios) == verdict.n and ratios == pytest.approx(ratios[:, [0, 0, 0]])
    # The same of one process decides nothing.
    alone = verdicts(module, *steady(records))[claim]
    assert (alone.outcome, alone.processes) == ("open", 1)
    assert alone.why == ("1 process of 5" if outcome != "open" else verdict.why)
