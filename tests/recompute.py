"""Recomputes claims of the ledger from the raw records, by pandas and NumPy alone.

    python -m tests.recompute [results/h200/records]

prints a line per claim and kind of input. It shares no code with reports/: it reads records, names of cases,
config/matrices.csv and the tables of config/papers/ itself, and follows docs/claims.md, docs/figures.md and
docs/measuring.md (tests/recompute_processes.py).
"""

from __future__ import annotations

import json
import lzma
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tests.recompute_processes import (
    Number,
    Pool,
    Raw,
    Samples,
    number,
    of_one_run,
    on_one_host,
    over,
    ratio,
    representative,
    samples,
    standing,
)

CONFIG = Path(__file__).resolve().parents[1] / "config"
# What the gate held until November 2026.
BY_NORMS = ("relative residual", "||A - L U||_F / ||A||_F", "||b - L x|| / ||b||")
# By matrix.
Rows = dict[str, Number]
# Records by matrix and by variant with its preparation, in the order of the files.
Records = dict[str, dict[str, list[Raw]]]


def lines_by_case(folder: Path) -> dict[str, list[str]]:
    """The lines of each case's file, after those that the archive beside the folder holds."""
    archive = folder.parent / "earlier.jsonl.xz"
    superseded: dict[str, list[str]] = {}
    for line in lzma.decompress(archive.read_bytes()).decode().splitlines() if archive.is_file() else []:
        superseded.setdefault(json.loads(line)["case"], []).append(line)
    files = sorted(folder.glob("*.jsonl"))
    return {path.stem: [*superseded.get(path.stem, []), *path.read_text().splitlines()] for path in files}


def gated_anew(folder: Path) -> dict[str, str]:
    """The status by key of old records that today's gate has held."""
    file = folder.parent / "gate.csv"
    return dict(pd.read_csv(file).set_index("key")["status"]) if file.is_file() else {}


def read(folder: Path) -> Records:
    """The records of a folder."""
    records: Records = {}
    anew = gated_anew(folder)
    for lines in lines_by_case(folder).values():
        for raw in map(json.loads, lines):
            if (raw.get("verified") or {}).get("method") in BY_NORMS:
                raw["status"] = anew.get(raw["key"], raw["status"])
            variant, _, prepared = raw["case"].partition("@")
            matrix, _, preparation = prepared.rpartition(".")
            by_variant = records.setdefault(matrix, {})
            by_variant.setdefault(f"{variant}@{preparation}", []).append(raw)
    return records


def wilson(share: float, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share of n."""
    middle, scale = share + 1.96**2 / (2 * n), 1 + 1.96**2 / n
    half = 1.96 * np.sqrt(share * (1 - share) / n + 1.96**2 / (4 * n**2))
    return max(0.0, (middle - half) / scale), min(1.0, (middle + half) / scale)


def trend(along: Iterable[float], values: Iterable[float]) -> Number:
    """Spearman's rank correlation with Fisher's 95 % interval, whose variance is 1.06 / (n - 3)."""
    ranks = pd.DataFrame({"along": list(along), "value": list(values)}).rank()
    value, half = ranks["along"].corr(ranks["value"]), 1.96 * np.sqrt(1.06 / (len(ranks) - 3))
    low, high = np.tanh(np.arctanh(value) - half), np.tanh(np.arctanh(value) + half)
    return Number(float(low), float(value), float(high))


def solution(raw: Raw) -> list[float]:
    """Seconds of ichol(0)'s triangle, factor, analysis and conjugate gradients, added sample by sample."""
    names = [name for name in ("matrix", "factor", "analysis", "solve") if name in raw["phases"]]
    return [float(sum(parts)) for parts in zip(*(raw["phases"][name] for name in names), strict=True)]


TIMES: dict[str, Callable[[Raw], list[float] | None]] = {
    "seconds": lambda raw: raw["seconds"],
    "kernel seconds": lambda raw: raw["kernel_seconds"],
    "edges a second": lambda raw: raw["seconds"],
    "solution": solution,
}
COUNTS: dict[str, Callable[[Raw], float]] = {
    "entries": lambda raw: raw["prepared"]["entries"],
    "nonzeros": lambda raw: raw["prepared"]["entries"] - raw["prepared"]["explicit_zeros"],
    "symmetry": lambda raw: raw["prepared"]["structural_symmetry"],
    "edges": lambda raw: raw["work"]["edges"],
    "fill": lambda raw: raw["work"]["fills"] / raw["prepared"]["nnz"],
}


@dataclass(frozen=True)
class Measure:
    """Numbers of `top`, over those of `bottom` if there is one: of variants joined by `+` the sum, by `|` the
    fastest; `@` of another preparation. others : more of the figure, which weigh in the choice of the run.
    one_run : the figure is of ratios, which are of one run; else each case's last record stands.
    needed : that variant among the fastest without which there is no number."""

    of: str
    preparation: str
    top: str
    bottom: str = ""
    others: str = ""
    one_run: bool = True
    needed: str = ""

    def rows(self, records: Records, tail: float) -> Rows:
        """The numbers of all matrices whose records suffice."""
        numbers = {
            matrix: self._number({name: by_variant[name] for name in self.cases & by_variant.keys()}, tail)
            for matrix, by_variant in records.items()
        }
        return {matrix: number for matrix, number in numbers.items() if number}

    @property
    def cases(self) -> set[str]:
        """Every variant with its preparation."""
        names = "|".join([self.top, self.bottom, self.others]).replace("+", "|").split("|")
        return {self._prepared(name) for name in names if name}

    def _prepared(self, name: str) -> str:
        return name if "@" in name else f"{name}@{self.preparation}"

    def _number(self, cases: Mapping[str, list[Raw]], tail: float) -> Number | None:
        last = {name: standing(raws) for name, raws in cases.items()}
        pools = of_one_run(cases) if self.one_run else last
        top, bottom = (self._terms(names, pools) for names in (self.top, self.bottom))
        if not all([*top, *bottom]) or not on_one_host([*top, *bottom]):
            return None
        if self.of not in TIMES:
            value = self._counted(top) / (self._counted(bottom) if bottom else 1.0)
            return Number(value, value, value)
        if self.of == "edges a second":
            more = self._edges(*top) / self._edges(*bottom)
            low, value, high, processes = ratio(self._samples(*bottom), self._samples(*top), tail)
            return Number(more * low, more * value, more * high, processes)
        if len(top) == len(bottom) == 1:
            return ratio(self._samples(*top), self._samples(*bottom), tail)
        return over(self._sum(top, tail), self._sum(bottom, tail))

    def _terms(self, names: str, pools: Mapping[str, Pool]) -> list[Pool]:
        """What is added up; an empty pool for what was not measured."""
        return [self._fastest(term.split("|"), pools) for term in names.split("+") if term]

    def _fastest(self, names: Iterable[str], pools: Mapping[str, Pool]) -> Pool:
        names = [*names]
        there = [pool for name in names if (pool := pools.get(self._prepared(name)))]
        if self.needed in names and not pools.get(self._prepared(self.needed)):
            return []
        seconds = TIMES.get(self.of, solution)
        if len(there) < 2:
            return there[0] if there else []
        return min(there, key=lambda pool: number(samples(pool, seconds), 0.0).value)

    def _samples(self, pool: Pool) -> Samples:
        return samples(pool, TIMES[self.of])

    def _sum(self, terms: Iterable[Pool], tail: float) -> Number:
        numbers = [number(self._samples(pool), tail) for pool in terms]
        low, value, high = (sum(each[end] for each in numbers) for end in range(3))
        return Number(low, value, high, min(each.processes for each in numbers))

    def _edges(self, pool: Pool) -> float:
        return float(representative(pool)["work"]["edges"])

    def _counted(self, terms: Iterable[Pool]) -> float:
        return float(sum(map(self._count, map(representative, terms))))

    def _count(self, raw: Raw) -> float:
        return COUNTS[self.of](raw) if self.of in COUNTS else float(raw["work"]["facts"][self.of])


GSOFA, FILL2_GPU, FILL2_CPU = "symbolic.gsofa", "symbolic.fill2_gpu", "symbolic.fill2_cpu"
PRUNED, CORE, UNIFIED = "symbolic.fill1_pruned", "symbolic.out_of_core", "symbolic.unified_memory"
SEQUENTIAL = "symbolic.gilbert_peierls.threads=1"
BITS = "symbolic.bitfronts_gpu"
ONE_CORE = "|".join(f"symbolic.{of}.threads=1" for of in ("fill1_pruned", "etree_cpu", "fill1_supernodal"))
EXACT, RELAXED, KAHN = "levels.glu2", "levels.glu3_relaxed", "levels.kahn_gpu"
GLU2, GLU3, BATCHED = (f"numeric.{of}.static_pivoting=true" for of in ("glu2", "glu3", "glu3.batched=true"))
GRAPHS = "|".join(f"numeric.{of}.graph=true.static_pivoting=true" for of in ("glu2", "glu3"))
END_TO_END = f"{FILL2_CPU}+{RELAXED}+{GLU3}", f"{CORE}+{KAHN}+{GLU3}"
DIRECT = "solve.direct_gpu.static_pivoting=true"
PARAC, IC0 = "laplacian.parac_gpu", "laplacian.ic0_gpu"
ON_CPU = "|".join(f"laplacian.parac_cpu@{ordering}" for ordering in ("amd", "nnz", "random"))
SPSV, PEERS = f"{PARAC}.triangular=cusparse", f"{IC0}|{IC0}.policy=levels"
OWN_SOLVES = "|".join(f"{IC0}.{options}triangular=own" for options in ("", "policy=levels.", "tail=2048."))
FIG11 = f"{SEQUENTIAL}|{ONE_CORE}|symbolic.superlu_dist.threads=1|symbolic.klu.threads=1|{GSOFA}"
TABLE2 = f"{EXACT}|{EXACT}.search=closed|{RELAXED}|{KAHN}"
TABLE3 = f"{PEERS}|{SPSV}|{PARAC}|{OWN_SOLVES}|laplacian.amgx"
HYPRE = "laplacian.hypre.ranks=16|laplacian.hypre.order=rcm.ranks=16"
ON_SOME = [
    f"hypre{order}{ranks}"
    for order in ("", ".order=rcm")
    for ranks in ("", *(f".ranks={r}" for r in (2, 4, 8, 16)))
]
BY_AMD = [f"laplacian.{of}" for of in ("ict", "pyamg", *ON_SOME)]
TABLE2_CPU = "|".join([*BY_AMD, *(f"{name}@nnz" for name in ("laplacian.parac_cpu", *BY_AMD))])
OTHERWISE = f"{UNIFIED}|{UNIFIED}.keep=true.prefetch=true"


def either(names: str) -> str:
    """Variants joined by `|`, each prepared as the measure is or by metis alone."""
    return "|".join([names, *(f"{name}@metis" for name in names.split("|"))])


MEASURES = {
    **{of: Measure(of, "metis", PRUNED, one_run=False) for of in ("nonzeros", "symmetry", "fill")},
    "over_gpu": Measure("edges a second", "metis", GSOFA, FILL2_GPU, FILL2_CPU),
    "over_cpu": Measure("edges a second", "metis", GSOFA, FILL2_CPU, FILL2_GPU),
    "over_glu3": Measure("seconds", "metis", SEQUENTIAL, GSOFA, FIG11),
    "work": Measure("edges", "metis", GSOFA, others=FIG11),
    "fill_first": Measure("seconds", "metis", GSOFA, f"{GSOFA}.fill_first=true"),
    "core_entries": Measure("entries", "metis", CORE, one_run=False),
    "end_to_end": Measure("seconds", "auto+metis", *END_TO_END, f"{SEQUENTIAL}|{ONE_CORE}|{BITS}|{DIRECT}"),
    "prefetched": Measure("seconds", "metis", f"{UNIFIED}.prefetch=true", CORE, OTHERWISE),
    # The generated matrices of the embedded suite have no zeros on the diagonal, and are not matched.
    "kernels": Measure("kernel seconds", "mc64+amd", *map(either, (GLU2, GLU3, f"{BATCHED}|{GRAPHS}"))),
    "levelling": Measure("seconds", "mc64+amd", EXACT, RELAXED, TABLE2),
    "filled": Measure("filled", "mc64+amd", RELAXED, others=TABLE2),
    "exact": Measure("levels", "mc64+amd", f"{EXACT}|{EXACT}.search=closed", others=TABLE2),
    "ic0": Measure("solution", "nnz", PEERS, SPSV, TABLE3),
    "iterations": Measure("iterations", "nnz", PEERS, SPSV, TABLE3),
    "hypre": Measure("solution", "amd", HYPRE, "laplacian.parac_cpu", TABLE2_CPU),
    "hypre_iterations": Measure("iterations", "amd", HYPRE, others=f"laplacian.parac_cpu|{TABLE2_CPU}"),
    "ordered": Measure(
        "solution", "nnz", f"{PARAC}@amd|{PARAC}@random", PARAC, ON_CPU, needed=f"{PARAC}@amd"
    ),
}
# A claim, its aggregate, its measure (of a trend with what it goes along), what is printed (a number, 1 of
# `most` and `rises`, or columns of config/papers/), of which matrices, if not all: these, all but these, any.
CLAIMS = """
gsofa.table1_matrices.nnz             equal     nonzeros     gsofa_table1_matrices.nnz
gsofa.table1_matrices.symmetry        equal     symmetry     gsofa_table1_matrices.structural_symmetry
gsofa.table1_matrices.fillins_per_nnz equal     fill         gsofa_table1_matrices.fillins_per_nnz
gsofa.fig10_vs_fill2_gpu.mean         geometric over_gpu     13.01
gsofa.fig10_vs_fill2_gpu.largest      largest   over_gpu     30.41 rma10
gsofa.fig10_vs_fill2_gpu.smallest     smallest  over_gpu     3.70 stomach
gsofa.fig10_vs_fill2_cpu.mean         geometric over_cpu     33.06
gsofa.fig11_vs_glu3_symbolic.mean     geometric over_glu3    50.1
gsofa.fig11_vs_glu3_symbolic.smallest smallest  over_glu3    1.01 bcsstk18
gsofa.fig11_vs_glu3_symbolic.with_work trend  over_glu3~work 1 any
gsofa.fig20_fill_before_maxid.gains   count     fill_first   3/13
ooclu.table2_matrices.nnz             equal     core_entries ooclu_table2_matrices.nnz
ooclu.fig4_vs_modified_glu3.range     range     end_to_end   16.89
ooclu.fig6_symbolic_three_ways.range  range     prefetched   1.7 onetone2;rajat15;bbmat;mixtank_new;Goodwin_054;onetone1;windtunnel_evap3d
glu3.table1_kernel_time.geometric     geometric kernels      glu3_table1_kernel_time.speedup_over_glu2
glu3.table1_kernel_time.each          each      kernels      glu3_table1_kernel_time.speedup_over_glu2
glu3.table2_levelization.geometric    geometric levelling    glu3_table2_levelization.speedup
glu3.table2_levelization.each         each      levelling    glu3_table2_levelization.speedup
glu3.counts.filled                    equal     filled       glu3_table1_kernel_time.nnz_filled
glu3.counts.levels_exact              equal     exact        glu3_table2_levelization.levels_glu2
parac.table3_gpu.below_ic0            count     ic0          13/15
parac.table3_gpu.over_ic0             each      ic0          parac_table3_gpu.ic0_analysis_factor_ms+ic0_solve_ms/parac_total_ms
parac.table3_gpu.more_iterations      each      iterations   parac_table3_gpu.ic0_iter/parac_iter -GAP-road;europe_osm
parac.table2_cpu.below_hypre          count     hypre        2/15
parac.table2_cpu.over_hypre           each      hypre        parac_table2_cpu.hypre_setup_s+hypre_solve_s/parac_factor_s+parac_solve_s
parac.table2_cpu.hypre_iterations     equal     hypre_iterations parac_table2_cpu.hypre_iter
parac.orderings.gpu                   count     ordered      1 any
"""  # noqa: E501
FAMILIES = (
    "2D grid|3D grid|mesh|Delaunay triangulation|finite elements (3D)|structural|structural (pattern only)"
    "|thermal|electromagnetics|computational fluid dynamics|weighted planar graph",
    "road network|road-like graph",
    "social network|geometric graph",
)


@cache
def catalogue() -> pd.DataFrame:
    frame = pd.read_csv(CONFIG / "matrices.csv", keep_default_na=False).set_index("id")
    frame["family"] = [next((f for f in FAMILIES if kind in f.split("|")), kind) for kind in frame["kind"]]
    return frame.assign(density=pd.to_numeric(frame["nnz_with_zeros"]) / frame["order"])


@cache
def table(name: str) -> pd.DataFrame:
    """A printed table, the first with such a name, by the ids of its matrices."""
    frame = pd.read_csv(min((CONFIG / "papers").glob(f"{name}.csv")))
    names = frame["collection_name" if "collection_name" in frame else "matrix"].str.rpartition("/")[2]
    variants = {"aniso": ",aniso_x", "contrast": ",checkered"}
    coefficients = names.str.extract("(aniso|contrast)", expand=False).map(variants).fillna("")
    return frame.set_index(names.where(~names.str.contains(" "), "poisson3d,243" + coefficients))


@cache
def twins_of(matrix: str) -> set[str]:
    """The matrices that this one is a twin of."""
    rows = pd.read_csv(CONFIG / "twins.csv").query("within")
    return set(rows.loc[rows["nearest"] == matrix, "matrix"])


@cache
def nearest(paper: str, matrices: tuple[str, ...], matrix: str, fill: float, symmetry: float) -> str | None:
    """The matrix that a stand-in weighs for: one family of kinds, n within 10 times, nnz/n within 2 and,
    where any paper prints them, fill-ins over entries within 4 and symmetry within 0.25; of several that with
    the least product of the ratios.

    matrices : those of the claim, of all of the paper if it names none
    """
    one = catalogue().loc[matrix]
    if not one["stands_for"] or paper in one["papers"].split(";"):
        return None
    others = catalogue()[catalogue().index.isin(matrices or table(f"{paper}_table*").index)]
    printed = table("gsofa_table1_matrices").reindex(others.index)
    sizes = [one[name] / others[name] for name in ("order", "density")]
    ratios = pd.concat([*sizes, (fill / printed["fillins_per_nnz"]).fillna(1.0)], axis=1)
    factors = ratios.where(ratios >= 1, 1 / ratios)
    near = (factors <= [10, 2, 4]).all(axis=1) & (others["family"] == one["family"])
    near &= others.index.isin(one["stands_for"].split(";"))
    near &= ~(abs(symmetry - printed["structural_symmetry"]) > 0.25)
    return str(factors[near].prod(axis=1).idxmin()) if near.any() else None


@dataclass(frozen=True)
class Claim:
    """A line of CLAIMS. printed : a number, or one per matrix."""

    id: str
    aggregate: str
    measure: str
    printed: float | Mapping[str, float]
    matrices: tuple[str, ...]

    @classmethod
    def parse(cls, id: str, aggregate: str, measure: str, text: str, names: str = "-") -> Claim:
        matrices = [] if names == "any" else names.split(";")
        if names.startswith("-"):
            paper = id.partition(".")[0]
            matrices = [str(m) for m in table(f"{paper}_table*").index if m not in names[1:].split(";")]
        name, _, columns = text.partition(".")
        if not name[0].isalpha():
            return cls(id, aggregate, measure, float(Fraction(text)), tuple(matrices))
        top, _, bottom = columns.partition("/")
        below = table(name)[bottom.split("+")].sum(axis=1) if bottom else 1.0
        numbers = table(name)[top.split("+")].sum(axis=1) / below
        return cls(id, aggregate, measure, {str(m): float(x) for m, x in numbers.items()}, tuple(matrices))

    def nearest(self, matrix: str, measured: Mapping[str, Rows]) -> str | None:
        """The one of the claim's matrices, or of the paper's, that a stand-in weighs for."""
        paper = self.id.partition(".")[0]
        fill, symmetry = (measured[name].get(matrix, (np.nan,) * 3)[1] for name in ("fill", "symmetry"))
        return nearest(paper, self.matrices, matrix, fill, symmetry)

    def is_twin(self, matrix: str, measured: Mapping[str, Rows]) -> bool:
        """Whether it is a twin, in config/twins.csv, of the one that it weighs for."""
        return self.nearest(matrix, measured) in twins_of(matrix)

    def scopes(self, measured: Mapping[str, Rows]) -> Iterator[tuple[str, Rows]]:
        """What is judged together: numbers of the paper's matrices, of twins, of other stand-ins, for an
        extreme of all."""
        rows = measured[self.measure.partition("~")[0]]
        own = {name: number for name, number in rows.items() if name in self.matrices}
        instead = {name: rows[name] for name in rows if self.nearest(name, measured)}
        extreme = self.aggregate in ("largest", "smallest")
        if not self.matrices:
            yield "of all matrices, for the claim names none", rows
            return
        if own:
            yield "on the paper's own matrices", own
        if extreme and len(own) < len(rows):
            yield "of all matrices of the figure", rows
        if instead and not extreme and self.aggregate != "equal":
            twins = {name: row for name, row in instead.items() if self.is_twin(name, measured)}
            others = {name: row for name, row in instead.items() if name not in twins}
            parts = {"on twins": twins, "on stand-ins": others}
            yield from ((word, part) for word, part in parts.items() if part)

    def reduced(self, values: Iterable[float]) -> float:
        """The numbers of several matrices as one."""
        numbers = np.array(list(values))
        if self.aggregate in ("largest", "smallest"):
            return float(numbers.max() if self.aggregate == "largest" else numbers.min())
        arithmetic = self.aggregate in ("count", "equal")
        return float(numbers.mean() if arithmetic else np.exp(np.log(numbers).mean()))

    def recomputed(self, rows: Rows, measured: Mapping[str, Rows]) -> dict[str, Any]:
        """What `fillpath claims --json` has under `measured`."""
        if self.aggregate == "count":
            rows = {name: Number(*(float(end > 1) for end in row[:3]), row[3]) for name, row in rows.items()}
        nearest = {name: self.nearest(name, measured) for name in rows if self.matrices}
        instead = {name: matrix for name, matrix in nearest.items() if matrix}
        covered = [instead.get(name, name) for name in rows if name in self.matrices or name in instead]
        printed = self.printed
        if isinstance(printed, Mapping):
            printed = self.reduced(printed[name] for name in covered)
        low, value, high = (self.reduced(number[end] for number in rows.values()) for end in range(3))
        matrices, of = len(set(covered) & set(self.matrices)), len(self.matrices) or None
        if self.aggregate == "count" and matrices != of:
            low, high = wilson(low, len(rows))[0], wilson(high, len(rows))[1]
        if self.aggregate == "trend":
            along = measured[self.measure.partition("~")[2]]
            low, value, high, _ = trend((along[name][1] for name in rows), (row[1] for row in rows.values()))
        return {
            "value": value, "low": low, "high": high, "printed": printed, "n": len(rows), "of": of,
            "points": {name: row._asdict() for name, row in rows.items()}, "stands_for": instead,
            "distinct": len({instead.get(name, name) for name in rows}), "matrices": matrices,
            "processes": min(row.processes for row in rows.values()),
        }  # fmt: skip


def recompute(folder: Path, tail: float = 0.025) -> dict[tuple[str, str], dict[str, Any]]:
    """The numbers of each claim and kind of input, from the records in a folder.

    tail : of each side, left out of an interval of several processes.
    """
    records = read(folder)
    measured = {name: measure.rows(records, tail) for name, measure in MEASURES.items()}
    claims = [Claim.parse(*line.split()) for line in CLAIMS.strip().splitlines()]
    kinds = ((claim, *scope) for claim in claims for scope in claim.scopes(measured))
    return {(claim.id, scope): claim.recomputed(rows, measured) for claim, scope, rows in kinds}


if __name__ == "__main__":
    folder = Path(*sys.argv[1:]) if sys.argv[1:] else CONFIG.parent / "results" / "h200" / "records"
    for (claim, scope), of in recompute(folder).items():
        print(f"{claim} {scope}: {of['value']:.4g}, printed {of['printed']:.4g}, n {of['n']}")
