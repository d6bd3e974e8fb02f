"""Recomputes claims of the ledger from the raw records, by pandas and NumPy alone.

    python -m tests.recompute [results/h200/records]

prints a line per claim and kind of input. It shares no code with reports/: it reads records, names of cases,
config/matrices.csv and the tables of config/papers/ itself, and follows docs/claims.md, docs/figures.md and
docs/measuring.md (tests/recompute_processes.py).
"""

import json
import lzma
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import yaml

from tests.recompute_processes import (
    FIRM,
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
# What the numbers of a claim are of.
OWN, STAND_INS = "on the paper's own matrices", "on stand-ins"
# GSoFA's own input, in its authors' order; it takes the place of the same matrix in METIS's.
AS_RUN, BY_METIS = "bcsstk18_as_run", "bcsstk18"
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
    if len(ranks) < 5:
        return Number(-1.0, 0.0, 1.0)
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
    "times the card": lambda raw: 24 * raw["prepared"]["n"] ** 2 / raw["gpu"]["memory"],
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
        found = {matrix: self._found(matrix, by_variant) for matrix, by_variant in records.items()}
        numbers = {
            matrix: self._number({name: by_variant[name] for name in self.cases & by_variant.keys()}, tail)
            for matrix, by_variant in found.items()
        }
        rows = {matrix: number for matrix, number in numbers.items() if number}
        return rows | ({BY_METIS: rows.pop(AS_RUN)} if AS_RUN in rows else {})

    def _found(self, matrix: str, by_variant: Mapping[str, list[Raw]]) -> Mapping[str, list[Raw]]:
        """The records of a matrix: GLU3.0's figures order generated matrices by METIS, without a matching.

        Their diagonals have no zeros. An input in its authors' order takes the place of one in METIS's. Table
        2's nnz-sort is of the embedded suite alone, which has no number here."""
        if matrix == AS_RUN:
            return {
                name.replace("@natural", f"@{self.preparation}"): raws for name, raws in by_variant.items()
            }
        if self.preparation == "amd":
            return {name: raws for name, raws in by_variant.items() if not name.endswith("@nnz")}
        if "," not in matrix or self.preparation != "mc64+amd":
            return by_variant
        return {
            f"{name.removesuffix('@metis')}@mc64+amd": raws
            for name, raws in by_variant.items()
            if name.endswith("@metis")
        }

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
TABLE3 = f"{PEERS}|{SPSV}|{PARAC}|{OWN_SOLVES}|laplacian.amgx@natural"
MODULAR = ("product=modular.", "order=rcm.product=modular.")
HYPRE = "|".join(f"laplacian.hypre.{way}ranks=16@natural" for way in ("", *MODULAR))
MULTIGRID = [
    "pyamg",
    "hypre",
    "hypre.ranks=16",
    *(f"hypre.{way}ranks={n}" for way in MODULAR for n in (2, 4, 8, 16)),
]
TABLE2_CPU = "|".join(
    f"laplacian.{name}"
    for name in ("parac_cpu@nnz", "ict", "ict@nnz", *(f"{multigrid}@natural" for multigrid in MULTIGRID))
)
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
    "arrays": Measure("times the card", "metis", CORE, one_run=False),
    "arrays of chains": Measure("times the card", "auto+metis", CORE, one_run=False),
    "core_entries": Measure("entries", "metis", CORE, one_run=False),
    "end_to_end": Measure("seconds", "auto+metis", *END_TO_END, f"{SEQUENTIAL}|{ONE_CORE}|{BITS}|{DIRECT}"),
    "prefetched": Measure("seconds", "metis", f"{UNIFIED}.prefetch=true", CORE, OTHERWISE),
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


@cache
def catalogue() -> pd.DataFrame:
    return pd.read_csv(CONFIG / "matrices.csv", keep_default_na=False).set_index("id")


@cache
def table(name: str) -> pd.DataFrame:
    """A printed table, the first with such a name, by the ids of its matrices."""
    frame = pd.read_csv(min((CONFIG / "papers").glob(f"{name}.csv")))
    names = frame["collection_name" if "collection_name" in frame else "matrix"].str.rpartition("/")[2]
    variants = {"aniso": ",aniso_x", "contrast": ",checkered"}
    coefficients = names.str.extract("(aniso|contrast)", expand=False).map(variants).fillna("")
    return frame.set_index(names.where(~names.str.contains(" "), "poisson3d,243" + coefficients))


@cache
def declared(paper: str) -> dict[str, Any]:
    """The claims of a paper by subject, as its file has them."""
    found: dict[str, Any] = yaml.safe_load((CONFIG / "claims" / f"{paper}.yaml").read_text())
    return found


@cache
def stands_for(paper: str, matrix: str) -> set[str]:
    """The matrices that one stands in for; none for one that the paper has itself."""
    theirs = set(table(f"{paper}_table*").index)
    replaced = set(catalogue().at[matrix, "stands_for"].replace(AS_RUN, BY_METIS).split(";"))
    return set() if is_of(paper, matrix) else theirs & replaced


def is_of(paper: str, matrix: str) -> bool:
    """Whether the matrix is one of the paper's."""
    return paper in catalogue().at[matrix, "papers"].split(";")


class Part(NamedTuple):
    """An interval that is held against a print, and the ends of the band around that."""

    low: float
    high: float
    printed: float
    band: tuple[float, float]

    def side(self, neutral: float | None) -> int | None:
        """1 on the printed side of no effect, -1 on the other, 0 on both; None of a print without a side."""
        if neutral is None or abs(self.printed - neutral) <= 0.02 * abs(neutral) or np.isnan(self.printed):
            return None
        away = np.sign(self.printed - neutral) * (np.array([self.low, self.high]) - neutral)
        none = 0.005 * abs(neutral)
        return 1 if away.min() > none else -1 if away.max() <= none else 0

    @property
    def is_within(self) -> bool | None:
        """None across an edge of the band."""
        least, most = self.band
        slack = 1e-9 * max(abs(least), abs(most))
        if self.high < least - slack or self.low > most + slack:
            return False
        return True if least - slack <= self.low and self.high <= most + slack else None


@dataclass(frozen=True)
class Claim:
    """A line of CLAIMS. printed : a number, or one per matrix."""

    id: str
    aggregate: str
    measure: str
    printed: float | Mapping[str, float]
    matrices: tuple[str, ...]

    @classmethod
    def parse(cls, id: str, aggregate: str, measure: str, text: str, names: str = "-") -> "Claim":
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

    def field(self, name: str, otherwise: Any = None) -> Any:
        """What the claim's file says, of the claim or of its subject."""
        paper, subject, claim = self.id.split(".")
        of = declared(paper)[subject]
        return {**of, **of["claims"][claim]}.get(name, otherwise)

    def scopes(self, measured: Mapping[str, Rows]) -> Iterator[tuple[str, Rows]]:
        """The numbers that the claim is judged by, and those of stand-ins, which stand beside."""
        rows, paper = measured[self.measure.partition("~")[0]], self.id.partition(".")[0]
        ours = set(self.matrices) or {name for name in rows if is_of(paper, name)}
        own = {name: rows[name] for name in rows if name in ours}
        for_ = {name: stands_for(paper, name) for name in rows}
        instead = {name: rows[name] for name in rows if for_[name] & (set(self.matrices) or for_[name])}
        if self.field("subsets") == "regimes":
            large = {name for name, arrays in measured["arrays"].items() if arrays.value >= 1}
            instead = {name: row for name, row in instead.items() if name in large}
        if own:
            yield OWN, own
        if instead and self.aggregate != "equal":
            yield STAND_INS, instead

    def reduced(self, values: Iterable[float]) -> float:
        """The numbers of several matrices as one."""
        numbers = np.array(list(values))
        if self.aggregate in ("largest", "smallest"):
            return float(numbers.max() if self.aggregate == "largest" else numbers.min())
        arithmetic = self.aggregate in ("count", "equal")
        return float(numbers.mean() if arithmetic else np.exp(np.log(numbers).mean()))

    def recomputed(self, scope: str, rows: Rows, measured: Mapping[str, Rows]) -> dict[str, Any]:
        """What `fillpath claims --json` has under `measured`, and the outcome."""
        if self.aggregate == "count":
            rows = {name: Number(*(float(end > 1) for end in row[:3]), row[3]) for name, row in rows.items()}
        printed = self.printed
        if isinstance(printed, Mapping):
            same = scope == OWN and (self.aggregate in ("each", "equal") or not self._is_complete(rows))
            printed = self.reduced(printed[name] for name in (rows if same else printed))
        low, value, high = (self.reduced(number[end] for number in rows.values()) for end in range(3))
        if self.aggregate == "count" and not self._is_complete(rows):
            low, high = wilson(low, len(rows))[0], wilson(high, len(rows))[1]
        if self.aggregate == "trend":
            along = measured[self.measure.partition("~")[2]]
            low, value, high, _ = trend((along[name][1] for name in rows), (row[1] for row in rows.values()))
        own = scope == OWN
        return {
            "value": value, "low": low, "high": high, **({"printed": printed} if own else {}), "n": len(rows),
            "of": (len(self.matrices) or None) if own else None, "matrices": len(rows),
            "points": {name: row._asdict() for name, row in rows.items()},
            "processes": min(row.processes for row in rows.values()),
            "outcome": self.outcome(rows, (low, high, printed), measured) if own else "not judged",
        }  # fmt: skip

    def _is_complete(self, rows: Rows) -> bool:
        return bool(self.matrices) and set(self.matrices) <= rows.keys()

    def outcome(self, rows: Rows, whole: tuple[float, float, float], measured: Mapping[str, Rows]) -> str:
        """The outcome of the claim by the numbers of its own matrices.

        The second paper's arrays do not fit the card: on one that they fit, nothing is judged.
        """
        fits = self.field("subsets") == "regimes" and all(measured["arrays"][m].value < 1 for m in rows)
        if fits or self.field("not_comparable") or self.field("derived"):
            return "not judged"
        neutral = self.field("neutral", {"count": 0.5, "trend": 0.0}.get(self.aggregate, 1.0))
        parts = self._parts(rows, whole, neutral)
        within = [part.is_within for part in parts]
        sides = [side for part in parts if (side := part.side(neutral)) is not None]
        off, unclear = False in within or -1 in sides, None in within or 0 in sides
        if self._is_few(rows):
            universal = self.aggregate == "count" and self.field("printed") in ("all", "none")
            found = "not reproduced" if universal and off else "open"
        elif not off:
            found = "open" if unclear else "reproduced"
        elif self.aggregate in ("count", "equal") or 2 * sides.count(-1) >= len(sides):
            found = "not reproduced"
        else:
            found = "other size" if 2 * sides.count(1) > len(sides) else "open"
        is_time = self.field("time", self.field("kind") == "performance")
        hasty = is_time and min(row.processes for row in rows.values()) < FIRM
        return "open" if hasty else found

    def _parts(self, rows: Rows, whole: tuple[float, float, float], neutral: float | None) -> list[Part]:
        """The intervals that are held against a print: of each matrix, or of all together."""
        if self.aggregate == "range":
            ends = sorted(rows.values(), key=lambda row: row[1])
            least, most = (self._band(end, neutral) for end in self.field(self.field("printed")))
            first = self.field(self.field("printed"))[0]
            side = first if neutral is None or first > neutral else np.nan
            parts = [Part(row[0], row[2], side, (least[0], most[1])) for row in rows.values()]
            near = [
                Part(e[0], e[2], side, b) for e, b in zip((ends[0], ends[-1]), (least, most), strict=True)
            ]
            return [*parts, *near] if self._is_complete(rows) else parts
        if self.aggregate in ("each", "equal") and isinstance(self.printed, Mapping):
            each = [(*rows[name][:3:2], self.printed[name]) for name in rows]
        else:
            each = [whole]
        return [Part(low, high, printed, self._band(printed, neutral)) for low, high, printed in each]

    def _band(self, printed: float, neutral: float | None) -> tuple[float, float]:
        tolerance = self.field("tolerance")
        if tolerance is None:
            return -np.inf, np.inf
        allowed = tolerance * abs(printed - (neutral or 0.0))
        allowed = max(allowed, 0.02 * abs(neutral or 0.0)) if tolerance else 0.0
        return printed - allowed, printed + allowed

    def _is_few(self, rows: Rows) -> bool:
        """Whether there are too few matrices for what is claimed."""
        if self.aggregate in ("each", "equal") or self._is_complete(rows):
            return False
        least = {"count": 4, "trend": 5}.get(self.aggregate, 3)
        if self.aggregate == "geometric" and not isinstance(self.printed, Mapping):
            least = max(least, -(-len(self.matrices) // 2))
        return len(rows) < min(least, len(self.matrices) or least)


def recompute(folder: Path, tail: float = 0.025) -> dict[tuple[str, str], dict[str, Any]]:
    """The numbers of each claim and kind of input, from the records in a folder.

    tail : of each side, left out of an interval of several processes.
    """
    records = read(folder)
    measured = {name: measure.rows(records, tail) for name, measure in MEASURES.items()}
    # Either says whether the arrays, of n alone, pass the card.
    measured["arrays"] |= measured["arrays of chains"]
    claims = [Claim.parse(*line.split()) for line in CLAIMS.strip().splitlines()]
    kinds = ((claim, *scope) for claim in claims for scope in claim.scopes(measured))
    return {(claim.id, scope): claim.recomputed(scope, rows, measured) for claim, scope, rows in kinds}


if __name__ == "__main__":
    folder = Path(*sys.argv[1:]) if sys.argv[1:] else CONFIG.parent / "results" / "h200" / "records"
    for (claim, scope), of in recompute(folder).items():
        printed = f", printed {of['printed']:.4g}" if "printed" in of else ""
        print(f"{claim} {scope}: {of['outcome']}, {of['value']:.4g}{printed}, n {of['n']}")
