"""How long an implementation takes for so much work, from this machine's own records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from benchmarks.checks.residuals import RESIDUAL
from fillpath.case import Case
from fillpath.record import Record, Status
from fillpath.stages import stage_of

# What a time may be proportional to: edges of fill2, entries of F, updates (edges of fill1, which are nearly
# those of gilbert_peierls); entries of the matrix in the stages on graphs, which know nothing of F.
PREDICTORS = ("edges", "filled", "updates", "entries")
LEAST_SECONDS = 2e-3
_COUNTED_BY = {"fill2_cpu": "edges", "fill1": "updates", "gilbert_peierls": "updates"}

Amounts = Mapping[str, float]
Kind = tuple[str, str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True)
class Rate:
    """seconds : for each unit of the predictor. spread : standard deviation of the logarithms of what the
    records say. records : how many of them count, 0 for an assumed rate."""

    predictor: str
    seconds: float
    spread: float
    records: int

    def of(self, amounts: Amounts) -> float:
        """Predicted seconds of one call."""
        return self.seconds * amounts[self.predictor]


# Until this machine has records of its own: seen on two cores of a shared server, of 2 to 4 GHz.
ASSUMED: Mapping[Kind, Rate] = {
    ("symbolic", "fill1", ()): Rate("updates", 1.4e-9, 0.0, 0),
    ("symbolic", "fill1_pruned", ()): Rate("filled", 1.5e-8, 0.0, 0),
    ("symbolic", "gilbert_peierls", ()): Rate("updates", 6e-10, 0.0, 0),
}


def kind_of(case: Case) -> Kind:
    """What has a rate: an implementation with its options."""
    return case.stage, case.implementation, case.options


def rates(records: Iterable[Record]) -> dict[Kind, Rate]:
    """The rate of all that has an ok record on a matrix whose work is known from other records, and those
    that are assumed without one.

    Only the longer half of an implementation's records counts, and none below LEAST_SECONDS: in the others
    fixed costs hide the rate.
    """
    proven = [record for record in records if record.status is Status.OK and record.prepared is not None]
    known = _known_amounts(proven)
    grouped: dict[Kind, list[tuple[float, Amounts]]] = {}
    for record in proven:
        kind = kind_of(Case.parse(record.case))
        if (record.median or 0.0) >= LEAST_SECONDS:
            entries = (record.prepared or {})["nnz"]
            amounts = graph_amounts(entries) if _on_graph(record) else known[_input(record)]
            grouped.setdefault(kind, []).append((record.median or 0.0, amounts))
    found = {kind: _rate(sorted(timed, key=lambda pair: pair[0])) for kind, timed in grouped.items()}
    return {**ASSUMED, **{kind: rate for kind, rate in found.items() if rate is not None}}


def graph_amounts(entries: int) -> Amounts:
    """What is known of a matrix whose graph is factorised."""
    return {"entries": float(entries)}


def _on_graph(record: Record) -> bool:
    return stage_of(Case.parse(record.case).stage).on_graph


def _known_amounts(records: list[Record]) -> dict[str, dict[str, float]]:
    """What is known of each prepared input, by its hash."""
    known: dict[str, dict[str, float]] = {}
    for record in records:
        if _on_graph(record):
            continue
        amounts = known.setdefault(_input(record), {})
        work, prepared = record.work or {}, record.prepared or {}
        if work.get("fills") is not None and not _is_of_a_peer(record):
            amounts["filled"] = float((work["fills"] or 0) + prepared["nnz"])
        name = _COUNTED_BY.get(record.parts["implementation"])
        if name is not None and work.get("edges"):
            amounts[name] = float(work["edges"] or 0)
    return known


def _is_of_a_peer(record: Record) -> bool:
    """A whole factorisation was not held against F, and stores what it likes."""
    return record.verified is not None and record.verified.method == RESIDUAL


def _rate(timed: list[tuple[float, Amounts]]) -> Rate | None:
    """By the predictor that explains the records best, of those that the most records know."""
    longer = timed[len(timed) // 2 :]
    candidates = [rate for name in PREDICTORS if (rate := _fitted(name, longer)) is not None]
    return min(candidates, key=lambda rate: (-rate.records, rate.spread), default=None)


def _fitted(name: str, timed: list[tuple[float, Amounts]]) -> Rate | None:
    ratios = [seconds / amounts[name] for seconds, amounts in timed if amounts.get(name)]
    if not ratios:
        return None
    return Rate(name, float(np.median(ratios)), float(np.std(np.log(ratios))), len(ratios))


def _input(record: Record) -> str:
    return str((record.prepared or {}).get("hash", ""))
