"""How long an implementation takes for so much work, from a machine's own records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from benchmarks.runs.amounts import Amounts, amounts_of_inputs, graph_amounts, input_of
from fillpath import registry
from fillpath.case import Case
from fillpath.record import Record, Status
from fillpath.stages import stage_of

# What a time may be proportional to, beside a fixed cost: edges of fill2, entries of F, updates (edges of
# fill1, which are nearly those of gilbert_peierls), entries and rows of the matrix.
PREDICTORS = ("edges", "filled", "updates", "entries", "order")

# Stage, implementation, options; threads and GPUs that a case names stand among the options.
Kind = tuple[str, str, tuple[tuple[str, str], ...]]
Timed = tuple[float, Amounts]


@dataclass(frozen=True)
class Rate:
    """How long an implementation takes: a fixed cost, and so much for one unit of work.

    predictor : name of the amount of work that the seconds grow with
    seconds : per unit of the predictor
    spread : of the logarithms of seconds over those predicted by the other records, root of the mean square;
        0 of a single record
    records : number of records behind it, 0 for an assumed rate
    fixed : seconds whatever the work
    """

    predictor: str
    seconds: float
    spread: float
    records: int
    fixed: float = 0.0

    def of(self, amounts: Amounts) -> float:
        """Predicted seconds of one call."""
        return self.fixed + self.seconds * amounts[self.predictor]


# Used until this machine has records: measured on two cores of a shared server, 2 to 4 GHz.
ASSUMED: Mapping[Kind, Rate] = {
    ("preparation", "prepare", ()): Rate("entries", 4e-7, 0.0, 0),
    ("symbolic", "fill1", ()): Rate("updates", 1.4e-9, 0.0, 0),
    ("symbolic", "fill1_pruned", ()): Rate("filled", 1.5e-8, 0.0, 0),
    ("symbolic", "gilbert_peierls", ()): Rate("updates", 6e-10, 0.0, 0),
    ("symbolic", "bitfronts_cpu", ()): Rate("filled", 1.5e-8, 0.0, 0),
    ("numeric", "multifrontal_cpu", ()): Rate("updates", 1e-10, 0.0, 0),
}


@dataclass(frozen=True)
class Guess:
    """What a call is predicted to take.

    seconds : of one call
    source : `own`, `assumed`, or `borrowed from` what has records
    spread : of the rate behind it, of logarithms
    """

    seconds: float
    source: str
    spread: float


@dataclass(frozen=True)
class Check:
    """A measured call beside what the machine's other records predict of it, in seconds."""

    case: str
    measured: float
    predicted: float

    @property
    def factor(self) -> float:
        """By which the two differ, at least 1."""
        return max(self.measured, self.predicted) / max(min(self.measured, self.predicted), 1e-12)


def kind_of(case: Case) -> Kind:
    """What has a rate: an implementation with its options, on so many threads and GPUs."""
    counts = [(name, str(count)) for name in ("threads", "gpus") if (count := getattr(case, name))]
    return case.stage, case.implementation, tuple(sorted([*case.options, *counts]))


def timed_records(records: Iterable[Record]) -> dict[Kind, list[tuple[str, Timed]]]:
    """The case, the seconds and the amounts of work of every ok record, by kind."""
    proven = [record for record in records if record.status is Status.OK and record.prepared is not None]
    inputs = amounts_of_inputs(proven)
    grouped: dict[Kind, list[tuple[str, Timed]]] = {}
    for record in proven:
        case, median = Case.parse(record.case), record.median
        on_graph = stage_of(case.stage).on_graph
        amounts = graph_amounts(record) if on_graph else inputs.get(input_of(record), {})
        if median and amounts:
            grouped.setdefault(kind_of(case), []).append((record.case, (median, amounts)))
    return grouped


def rates(records: Iterable[Record]) -> dict[Kind, Rate]:
    """The rate of everything with an ok record, and the assumed rates of what has none."""
    grouped = timed_records(records)
    fitted = {kind: fit([pair for _, pair in timed]) for kind, timed in grouped.items()}
    return {**ASSUMED, **{kind: rate for kind, rate in fitted.items() if rate is not None}}


def fit(timed: Sequence[Timed]) -> Rate | None:
    """By the predictor that says best of each record what the others predict, among those that the most
    records have; None without a record."""
    candidates = []
    for name in PREDICTORS:
        known = [(seconds, amounts[name]) for seconds, amounts in timed if amounts.get(name)]
        if known:
            logarithms = np.log([_left_out(known, i) / known[i][0] for i in range(len(known))])
            spread = float(np.sqrt(np.mean(logarithms**2)))
            fixed, each = _line(known)
            candidates.append(Rate(name, each, spread, len(known), fixed))
    return min(candidates, key=lambda rate: (-rate.records, rate.spread), default=None)


def _left_out(known: Sequence[tuple[float, float]], place: int) -> float:
    """What the others predict of one; itself where there is no other."""
    others = [*known[:place], *known[place + 1 :]] or list(known)
    fixed, each = _line(others)
    return fixed + each * known[place][1]


def _line(known: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Fixed seconds and seconds of a unit, of pairs of seconds and amounts: least squares of relative errors,
    neither below 0, then scaled so that the geometric mean of the errors is none. Of fewer than three there
    is no fixed part."""
    seconds, amounts = np.array(known).T
    columns = np.stack([np.ones(len(known)) if len(known) > 2 else np.zeros(len(known)), amounts])
    (fixed, each), _ = nnls((columns / seconds).T, np.ones(len(known)))
    shift = np.exp(np.mean(np.log(seconds / (fixed * columns[0] + each * amounts))))
    return float(shift * fixed), float(shift * each)


def guess(kind: Kind, amounts: Amounts, known: Mapping[Kind, Rate]) -> Guess | None:
    """What a call of that kind takes: by its own rate; else by that of the same implementation with the most
    options in common; else by its namesakes' on the same device (fill2_cpu of fill2_multi), or by all of its
    stage there, the geometric mean. None where nothing of the stage has a rate."""
    if kind in known:
        rate = known[kind]
        return Guess(rate.of(amounts), "own" if rate.records else "assumed", rate.spread)
    for others in _lenders(kind, known):
        usable = [other for other in others if known[other].predictor in amounts]
        if usable:
            seconds = np.exp(np.mean([np.log(max(known[k].of(amounts), 1e-9)) for k in usable]))
            names = dict.fromkeys(name_of(other) for other in usable)
            source = next(iter(names)) if len(names) == 1 else f"{len(names)} of its {kind[0]} stage"
            return Guess(float(seconds), f"borrowed from {source}", max(known[k].spread for k in usable))
    return None


def name_of(kind: Kind) -> str:
    """As an experiment writes it."""
    return ".".join([kind[1], *(f"{name}={value}" for name, value in kind[2])])


def _lenders(kind: Kind, known: Mapping[Kind, Rate]) -> list[list[Kind]]:
    """Whose rates stand in for that of a kind, the nearest first."""
    stage, name, options = kind
    family = [other for other in known if other[:2] == (stage, name)]
    near = min((len(set(options) ^ set(other[2])) for other in family), default=0)
    closest = [other for other in family if len(set(options) ^ set(other[2])) == near]
    device = _device(kind)
    siblings = [other for other in known if other[0] == stage and _device(other) == device]
    stem = name.partition("_")[0]
    return [closest, [other for other in siblings if other[1].partition("_")[0] == stem], siblings]


def _device(kind: Kind) -> str:
    return registry.lookup(kind[0], kind[1]).device


def checks(records: Iterable[Record]) -> list[Check]:
    """Each measured call beside what is predicted of it by the records of other inputs: of its own kind, or
    where it is the only one of that, of the kinds that lend theirs."""
    grouped = timed_records(records)
    whole = {kind: rate for kind, timed in grouped.items() if (rate := fit([pair for _, pair in timed]))}
    found = []
    for kind, timed in grouped.items():
        rate = whole[kind]
        known = [
            (name, seconds, amounts) for name, (seconds, amounts) in timed if amounts.get(rate.predictor)
        ]
        pairs = [(seconds, amounts[rate.predictor]) for _, seconds, amounts in known]
        lenders = {other: each for other, each in whole.items() if other != kind} if len(known) == 1 else {}
        for place, (name, seconds, amounts) in enumerate(known):
            lent = guess(kind, amounts, lenders) if lenders else None
            if len(known) > 1 or lent is not None:
                predicted = _left_out(pairs, place) if lent is None else lent.seconds
                found.append(Check(name, seconds, predicted))
    return found
