"""How long an implementation takes for so much work, from this machine's own records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from fillpath.case import Case
from fillpath.record import Record, Status

# What a time may be proportional to: edges of fill2, entries of F, updates (edges of fill1).
PREDICTORS = ("edges", "filled", "updates")
_COUNTED_BY = {"fill2_cpu": "edges", "fill1": "updates"}

Amounts = Mapping[str, float]
Kind = tuple[str, str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True)
class Rate:
    """seconds : for each unit of the predictor. spread : standard deviation of the logarithms of what the
    records say. records : how many of them count."""

    predictor: str
    seconds: float
    spread: float
    records: int

    def of(self, amounts: Amounts) -> float:
        """Predicted seconds of one call."""
        return self.seconds * amounts[self.predictor]


def kind_of(case: Case) -> Kind:
    """What has a rate: an implementation with its options."""
    return case.stage, case.implementation, case.options


def rates(records: Iterable[Record]) -> dict[Kind, Rate]:
    """The rate of all that has an ok record on a matrix whose work is known from other records.

    Only the longer half of an implementation's records counts: in the others fixed costs hide the rate.
    """
    proven = [record for record in records if record.status is Status.OK and record.prepared is not None]
    known = _known_amounts(proven)
    grouped: dict[Kind, list[tuple[float, Amounts]]] = {}
    for record in proven:
        kind = kind_of(Case.parse(record.case))
        grouped.setdefault(kind, []).append((record.median or 0.0, known[_input(record)]))
    found = {kind: _rate(sorted(timed, key=lambda pair: pair[0])) for kind, timed in grouped.items()}
    return {kind: rate for kind, rate in found.items() if rate is not None}


def _known_amounts(records: list[Record]) -> dict[str, dict[str, float]]:
    """What is known of each prepared input, by its hash."""
    known: dict[str, dict[str, float]] = {}
    for record in records:
        amounts = known.setdefault(_input(record), {})
        work, prepared = record.work or {}, record.prepared or {}
        if work.get("fills") is not None:
            amounts["filled"] = float((work["fills"] or 0) + prepared["nnz"])
        name = _COUNTED_BY.get(record.parts["implementation"])
        if name is not None and work.get("edges"):
            amounts[name] = float(work["edges"] or 0)
    return known


def _rate(timed: list[tuple[float, Amounts]]) -> Rate | None:
    """By the predictor that explains the records best, of those that the most records know."""
    longer = timed[len(timed) // 2 :]
    candidates = [rate for name in PREDICTORS if (rate := _fitted(name, longer)) is not None]
    return min(candidates, key=lambda rate: (-rate.records, rate.spread), default=None)


def _fitted(name: str, timed: list[tuple[float, Amounts]]) -> Rate | None:
    ratios = [seconds / amounts[name] for seconds, amounts in timed if seconds and amounts.get(name)]
    if not ratios:
        return None
    return Rate(name, float(np.median(ratios)), float(np.std(np.log(ratios))), len(ratios))


def _input(record: Record) -> str:
    return str((record.prepared or {}).get("hash", ""))
