"""Choose each machine's best case of every problem and input."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

import numpy as np

from fillpath.processes import Rounds, Samples
from fillpath.record import Record
from reports.facts.records import Records
from reports.pages import best_pools
from reports.pages.best import (
    COPIED,
    RESIDENT,
    Achieved,
    Answer,
    Best,
    BestMean,
    NotPooled,
    Unanswered,
    ratio_of,
)
from reports.pages.best_pools import PROBLEMS, Question

SPANS: Mapping[str, Samples] = {RESIDENT: attrgetter("samples"), COPIED: best_pools.with_copies}
HOUR = 3600.0
# The records of each machine that answer a question.
Pool = Mapping[str, Sequence[Record]]


@dataclass(frozen=True)
class _Time:
    """One record's time."""

    record: Record
    rounds: Rounds


def best_of(machines: Sequence[str], records: Records, prices: Mapping[str, float]) -> Best:
    """What each machine achieves. prices : of a machine's hour."""
    asked = [record for record in records.rows if record.machine in machines]
    pools = _pools(asked)
    answers = [
        Answer(question.stage, question.label, span, achieved)
        for question, pool in pools.items()
        for span in SPANS
        if (achieved := _achieved(machines, pool, span, records, prices))
    ]
    return Best(
        answers=tuple(answers),
        means=tuple(_means(machines, answers)),
        unanswered=tuple(
            Unanswered(question.stage, question.label, name, _why(name, pool, asked))
            for question, pool in pools.items()
            for name in machines
            if name not in pool
        ),
        not_pooled=tuple(NotPooled(*key, count) for key, count in sorted(_not_pooled(asked).items())),
    )


def _pools(asked: Sequence[Record]) -> dict[Question, Pool]:
    """The records that answer each question, by machine, in the order of problems and inputs."""
    pools: dict[Question, dict[str, list[Record]]] = {}
    for record in sorted(asked, key=lambda record: len(record.case)):
        question = best_pools.question(record)
        if question is not None and not best_pools.unlike(record):
            pools.setdefault(question, {}).setdefault(record.machine, []).append(record)
    ordered = sorted(pools, key=lambda question: (list(PROBLEMS).index(question.stage), question.label))
    return {question: pools[question] for question in ordered}


def _not_pooled(asked: Sequence[Record]) -> Counter[tuple[str, str]]:
    solved = [record for record in asked if best_pools.question(record) is not None]
    return Counter((record.machine, reason) for record in solved if (reason := best_pools.unlike(record)))


def _achieved(
    machines: Sequence[str],
    pool: Pool,
    span: str,
    records: Records,
    prices: Mapping[str, float],
) -> tuple[Achieved, ...]:
    """By each machine, empty unless all have solved it."""
    times = [_least(pool.get(name, ()), span, records) for name in machines]
    known = [time for time in times if time is not None]
    return tuple(_of(time, prices) for time in known) if len(known) == len(machines) else ()


def _least(candidates: Sequence[Record], span: str, records: Records) -> _Time | None:
    timed = [record for record in candidates if SPANS[span](record)]
    times = [_Time(record, records.rounds(record, SPANS[span])) for record in timed]
    return min(times, key=lambda time: time.rounds.median, default=None)


def _of(time: _Time, prices: Mapping[str, float]) -> Achieved:
    record, seconds = time.record, time.rounds.median
    low, high = time.rounds.interval
    price = prices.get(record.machine)
    return Achieved(
        machine=record.machine,
        case=record.case,
        seconds=seconds,
        low=low,
        high=high,
        processes=len(time.rounds.numbers),
        device=record.device,
        cores=best_pools.cores(record),
        joules=best_pools.joules(record),
        cost=None if price is None else price * seconds / HOUR,
    )


def _means(machines: Sequence[str], answers: Sequence[Answer]) -> list[BestMean]:
    groups: dict[tuple[str, str], list[Answer]] = {}
    for answer in answers:
        groups.setdefault((answer.problem, answer.span), []).append(answer)
    return [
        _mean(*group, place, members)
        for group, members in groups.items()
        for place in range(1, len(machines))
    ]


def _mean(problem: str, span: str, place: int, answers: Sequence[Answer]) -> BestMean:
    pairs = [(answer.achieved[0], answer.achieved[place]) for answer in answers]
    logs = np.log([ratio_of(first, other) for first, other in pairs])
    ratio, low, high = np.exp(logs.mean(axis=0)).tolist()
    costs = [(first.cost, other.cost) for first, other in pairs]
    dear = [first / other for first, other in costs if first and other]
    return BestMean(
        problem=problem,
        span=span,
        machine=pairs[0][1].machine,
        ratio=ratio,
        low=low,
        high=high,
        n=len(pairs),
        first_faster=int((logs[:, 2] < 0).sum()),
        other_faster=int((logs[:, 1] > 0).sum()),
        cost=float(np.exp(np.mean(np.log(dear)))) if len(dear) == len(pairs) else None,
    )


def _why(machine: str, pool: Pool, asked: Sequence[Record]) -> str:
    """Why a machine has no time: by its records of the inputs that others solved."""
    inputs = {best_pools.input_name(record) for solved in pool.values() for record in solved}
    tried = [r for r in asked if r.machine == machine and best_pools.input_name(r) in inputs]
    reasons = [best_pools.failure(r) or best_pools.unlike(r) or "records of other inputs only" for r in tried]
    # What was tried and failed says more than what cannot be tried there.
    return min(reasons, key=lambda reason: reason.startswith("unavailable"), default="no record")
