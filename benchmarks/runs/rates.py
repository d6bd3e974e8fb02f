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
    """How long an implementation takes for one unit of work.

    predictor : name of the amount of work that the seconds are proportional to
    seconds : per unit of the predictor
    spread : standard deviation of the logarithms of the records' rates
    records : number of records behind it, 0 for an assumed rate
    """

    predictor: str
    seconds: float
    spread: float
    records: int

    def of(self, amounts: Amounts) -> float:
        """Predicted seconds of one call."""
        return self.seconds * amounts[self.predictor]


# Used until this machine has records: measured on two cores of a shared server, 2 to 4 GHz.
ASSUMED: Mapping[Kind, Rate] = {
    ("symbolic", "fill1", ()): Rate("updates", 1.4e-9, 0.0, 0),
    ("symbolic", "fill1_pruned", ()): Rate("filled", 1.5e-8, 0.0, 0),
    ("symbolic", "gilbert_peierls", ()): Rate("updates", 6e-10, 0.0, 0),
    ("symbolic", "bitfronts_cpu", ()): Rate("filled", 1.5e-8, 0.0, 0),
}


def kind_of(case: Case) -> Kind:
    """What has a rate: an implementation with its options."""
    return case.stage, case.implementation, case.options


def rates(records: Iterable[Record]) -> dict[Kind, Rate]:
    """The rate of everything with an ok record on a matrix whose work other records say, and the assumed
    rates of what has none.

    Only the longer half of an implementation's records counts, and none below LEAST_SECONDS: in the others
    fixed costs hide the rate.
    """
    proven = [record for record in records if record.status is Status.OK and record.prepared is not None]
    inputs = _amounts_of_inputs(proven)
    grouped: dict[Kind, list[tuple[float, Amounts]]] = {}
    for record in proven:
        kind = kind_of(Case.parse(record.case))
        if (record.median or 0.0) >= LEAST_SECONDS:
            entries = (record.prepared or {})["nnz"]
            amounts = graph_amounts(entries) if _on_graph(record) else inputs[_input(record)]
            grouped.setdefault(kind, []).append((record.median or 0.0, amounts))
    fitted = {kind: _rate(sorted(timed, key=lambda pair: pair[0])) for kind, timed in grouped.items()}
    return {**ASSUMED, **{kind: rate for kind, rate in fitted.items() if rate is not None}}


def graph_amounts(entries: int) -> Amounts:
    """The amounts of work on a matrix whose graph is factorised."""
    return {"entries": float(entries)}


def _on_graph(record: Record) -> bool:
    return stage_of(Case.parse(record.case).stage).on_graph


def _amounts_of_inputs(records: list[Record]) -> dict[str, dict[str, float]]:
    """The amounts of work on each prepared input, by its hash."""
    inputs: dict[str, dict[str, float]] = {}
    for record in records:
        if _on_graph(record):
            continue
        amounts = inputs.setdefault(_input(record), {})
        work, prepared = record.work or {}, record.prepared or {}
        if work.get("fills") is not None and not _is_of_a_peer(record):
            amounts["filled"] = float((work["fills"] or 0) + prepared["nnz"])
        name = _COUNTED_BY.get(record.parts["implementation"])
        if name is not None and work.get("edges"):
            amounts[name] = float(work["edges"] or 0)
    return inputs


def _is_of_a_peer(record: Record) -> bool:
    """Whether it is a whole factorisation, which was not compared with F and may store more."""
    return record.verified is not None and record.verified.method == RESIDUAL


def _rate(timed: list[tuple[float, Amounts]]) -> Rate | None:
    """By the predictor that explains the records best, among those that the most records have."""
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
