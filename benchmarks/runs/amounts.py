"""How much work a matrix is: entries of F, edges of fill2, updates of the factorisation.

Known from records, forecast from the pattern (benchmarks/runs/costs.py), or, of a matrix that is not here,
taken from what a paper prints of its fill, or from the fill of measured matrices of its kind.
"""

from __future__ import annotations

import csv
import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from benchmarks.checks.residuals import BACKWARD
from fetch.catalogue import Entry
from fillpath.case import Case, Preparation
from fillpath.paths import CONFIG
from fillpath.record import Record
from fillpath.stages import stage_of

Amounts = Mapping[str, float]

_COUNTED_BY = {"fill2_cpu": "edges", "fill1": "updates", "gilbert_peierls": "updates"}
# Of n rows whose F has m entries: updates over m^2 / 4n, which they are at least where all rows are alike,
# and edges of fill2 over (m / 2) (nnz / n). Medians of the 22 and 24 inputs of results/ that have both
# counted; standard deviations of the logarithms 0.5 and 0.6.
UPDATES_OF_F, EDGES_OF_F = 2.4, 6.4
# How F grows by kind of matrix, beside a factor that the measured ones of the kind give.
_SOLID = (
    "3D grid", "structural", "computational fluid dynamics", "finite elements (3D)", "electromagnetics",
    "structural (pattern only)", "thermal", "directed weighted graph", "social network",
)  # fmt: skip
_FLAT = (
    "2D grid", "mesh", "road network", "road-like graph", "Delaunay triangulation", "geometric graph",
    "weighted planar graph", "power network",
)  # fmt: skip
# Without a measured matrix of the kind: medians of results/.
_FACTORS = {"solid": 15.0, "flat": 5.0, "other": 6.0}


@dataclass(frozen=True)
class Forecast:
    """The work on a prepared matrix.

    amounts : by name
    source : `measured`, `sampled`, `printed`, `assumed` (of its kind), or `graph` where F is of no account
    spread : standard deviation of the logarithm of F's entries
    """

    amounts: Amounts
    source: str
    spread: float = 0.0


def completed(order: float, entries: float, filled: float, counted: Amounts | None = None) -> Amounts:
    """All amounts, of which the counted ones are known."""
    return {
        "order": order,
        "entries": entries,
        "filled": filled,
        "updates": UPDATES_OF_F * filled**2 / (4 * max(order, 1.0)),
        "edges": EDGES_OF_F * filled / 2 * entries / max(order, 1.0),
        **(counted or {}),
    }


def graph_amounts(record: Record) -> Amounts:
    """The amounts of work on a record's matrix whose graph is factorised."""
    prepared = record.prepared or {}
    return {"entries": float(prepared["nnz"]), "order": float(prepared.get("n", 0))}


def input_of(record: Record) -> str:
    """The prepared input of a record, by its hash."""
    return str((record.prepared or {}).get("hash", ""))


def amounts_of_inputs(records: Iterable[Record]) -> dict[str, Amounts]:
    """The amounts of work on each prepared input whose F some record has counted, by its hash."""
    counted: dict[str, dict[str, float]] = {}
    shapes: dict[str, tuple[float, float]] = {}
    for record in records:
        if record.prepared is None or stage_of(Case.parse(record.case).stage).on_graph:
            continue
        amounts = counted.setdefault(input_of(record), {})
        work, prepared = record.work or {}, record.prepared
        shapes[input_of(record)] = (float(prepared["n"]), float(prepared["nnz"]))
        if work.get("fills") is not None and not _is_of_a_peer(record):
            amounts["filled"] = float((work["fills"] or 0) + prepared["nnz"])
        name = _COUNTED_BY.get(record.parts["implementation"])
        if name is not None and work.get("edges"):
            amounts[name] = float(work["edges"] or 0)
    return {key: _whole(*shapes[key], amounts) for key, amounts in counted.items()}


def _whole(order: float, entries: float, counted: Amounts) -> Amounts:
    if "filled" not in counted or not order:
        return {"entries": entries, **counted}
    return completed(order, entries, counted["filled"], counted)


def _is_of_a_peer(record: Record) -> bool:
    """Whether it is a whole factorisation, which was not compared with F and may store more."""
    return record.verified is not None and record.verified.method in (BACKWARD, "relative residual")


class Catalogued:
    """What is known of the work on matrices without a pattern here: from records, in print, by their kind."""

    def __init__(self, records: Iterable[Record], kinds: Mapping[str, str]) -> None:
        """kinds : of matrices, by id."""
        by_hash = amounts_of_inputs(records := list(records))
        self._measured: dict[str, Amounts] = {}
        for record in records:
            amounts = by_hash.get(input_of(record), {}) if record.prepared else {}
            if "updates" in amounts and "filled" in amounts:
                self._measured[record.case.partition("@")[2]] = amounts
        self._families: dict[str, list[float]] = {}
        for name, amounts in self._measured.items():
            matrix = name.rpartition(".")[0]
            if matrix in kinds:
                family = family_of(kinds[matrix])
                factor = amounts["filled"] / growth(family, amounts["order"], amounts["entries"])
                self._families.setdefault(family, []).append(factor)

    def forecast(self, entry: Entry, preparation: Preparation) -> Forecast:
        """Of a catalogued matrix. One that was measured in another order or matching has about its F."""
        name = f"{entry.id}.{preparation.name}"
        if name in self._measured:
            return Forecast(self._measured[name], "measured")
        same = [amounts for each, amounts in self._measured.items() if each.rpartition(".")[0] == entry.id]
        order, entries = float(entry.order or 1), float(entry.nnz_with_zeros or 1)
        if same:
            filled = float(np.median([amounts["filled"] for amounts in same]))
            return Forecast(completed(order, entries, filled), "measured in another order", 0.5)
        if entry.name in printed_fill():
            return Forecast(completed(order, entries, entries * printed_fill()[entry.name]), "printed", 0.2)
        family = family_of(entry.kind)
        filled = max(entries, self._factor(family) * growth(family, order, entries))
        return Forecast(completed(order, entries, filled), "assumed", self.spread(family))

    def spread(self, family: str) -> float:
        """Of the logarithms of the measured factors of a family; 1 where fewer than three are known."""
        factors = self._families.get(family, [])
        return float(np.std(np.log(factors))) if len(factors) > 2 else 1.0

    def _factor(self, family: str) -> float:
        factors = self._families.get(family, [])
        return float(np.median(factors)) if len(factors) > 2 else _FACTORS[family]


def family_of(kind: str) -> str:
    """How the fill of a kind of matrix grows: as that of a body, a surface, or with its entries alone."""
    return "solid" if kind in _SOLID else "flat" if kind in _FLAT else "other"


def growth(family: str, order: float, entries: float) -> float:
    """Nested dissection's fill but for a factor: n^(4/3) of a body and n log n of a surface (George 1973;
    Lipton, Rose and Tarjan 1979); of others nothing is known, but that it is some multiple of the entries."""
    if family == "solid":
        return float(order ** (4 / 3))
    return float(order * np.log(max(order, 2.0))) if family == "flat" else entries


@functools.cache
def printed_fill() -> Mapping[str, float]:
    """Entries of F over those of A, by the collection's name, of the matrices whose fill a paper prints."""
    gsofa = _rows("gsofa_table1_matrices")
    fill = {row["collection_name"].rpartition("/")[2]: 1 + float(row["fillins_per_nnz"]) for row in gsofa}
    glu3 = _rows("glu3_table1_kernel_time")
    return {row["matrix"]: float(row["nnz_filled"]) / float(row["nz"]) for row in glu3} | fill


def _rows(table: str) -> list[dict[str, str]]:
    with (CONFIG / "papers" / f"{table}.csv").open(newline="") as handle:
        return list(csv.DictReader(handle))
