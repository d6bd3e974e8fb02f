"""Hardware against hardware: what each machine achieves at best, then the same cases side by side.

A ratio is the first machine's seconds over another's: above 1 the other is the faster. Only cases that every
machine has solved, of the very same input, are in a mean; the others are listed, each with its reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from fillpath.case import Case
from fillpath.errors import UnknownNameError
from fillpath.record import Record
from reports.facts.records import Records
from reports.pages import best_pools
from reports.pages.best_choice import best_of
from reports.pages.comparison import Comparison, LeftOut, Mean, Pair

EVERYTHING = "all"
# The records of each machine by case.
ByMachine = Mapping[str, Mapping[str, Record]]


def compare(
    machines: Sequence[str], records: Records, prices: Mapping[str, float] | None = None
) -> Comparison:
    """Compare the other machines with the first.

    prices : of an hour of those machines that have one

    Raises UnknownNameError for fewer than two machines, one named twice, and a price of another.
    """
    prices = prices or {}
    for name in prices:
        if name not in machines:
            raise UnknownNameError(f"price of {name}: expected one of {', '.join(machines)}")
    if len(set(machines)) != len(machines) or len(machines) < 2:
        raise UnknownNameError(f"compare {' '.join(machines)}: name two machines or more, each once")
    of = {name: {record.case: record for record in records.of_machine(name).rows} for name in machines}
    cases = sorted({case for rows in of.values() for case in rows}, key=lambda c: (c.partition("@")[0], c))
    left_out = {case: left for case in cases if (left := _left_out(case, machines, of))}
    common = [case for case in cases if case not in left_out]
    current = _current(records, common)
    pairs = [
        _pair(of[machines[0]][case], of[other][case], records, current)
        for other in machines[1:]
        for case in common
    ]
    return Comparison(
        machines=tuple(machines),
        best=best_of(machines, records, prices),
        pairs=tuple(pairs),
        means=tuple(_means(pairs)),
        scaled=tuple(_means([scaled for pair in pairs if (scaled := _at_equal_cores(pair))])),
        left_out=tuple(left_out.values()),
        prices=prices,
    )


def _left_out(case: str, machines: Sequence[str], of: ByMachine) -> LeftOut | None:
    """Why the case is in no mean: the first machine without a result to compare. None where it is in one."""
    for name in machines:
        if reason := _no_result(of[name].get(case)):
            return LeftOut(case, name, reason)
    stranger = _stranger([of[name].get(case) for name in machines])
    if stranger is None:
        return None
    return LeftOut(case, stranger, f"another input than {machines[0]}'s: its content differs")


def _no_result(record: Record | None) -> str:
    """Why a record cannot be compared; empty where it can."""
    if record is None:
        return "no record"
    return best_pools.failure(record) or (best_pools.SUSPECT if record.suspect else "")


def _stranger(records: Sequence[Record | None]) -> str | None:
    """The first machine whose input is not the first's; None where all inputs that are recorded are one."""
    inputs = [(record.machine, record.prepared["hash"]) for record in records if record and record.prepared]
    return next((machine for machine, hash in inputs if hash != inputs[0][1]), None)


def _pair(first: Record, other: Record, records: Records, current: Mapping[tuple[str, str], bool]) -> Pair:
    rounds, other_rounds = records.rounds(first), records.rounds(other)
    (low, high), (other_low, other_high) = rounds.interval, other_rounds.interval
    ratio, cores = rounds.median / other_rounds.median, (best_pools.cores(first), best_pools.cores(other))
    return Pair(
        case=first.case,
        machine=other.machine,
        seconds=(rounds.median, other_rounds.median),
        ratio=ratio,
        low=low / other_high,
        high=high / other_low,
        equal_cores=ratio * cores[0] / cores[1] if cores[0] and cores[1] else None,
        joules=(best_pools.joules(first), best_pools.joules(other)),
        other_sources=not all(current[record.case, record.machine] for record in (first, other)),
    )


def _at_equal_cores(pair: Pair) -> Pair | None:
    """The pair with its ratio at equal cores; None where there is none."""
    if pair.equal_cores is None:
        return None
    factor = pair.equal_cores / pair.ratio
    return replace(pair, ratio=pair.equal_cores, low=factor * pair.low, high=factor * pair.high)


def _current(records: Records, cases: Sequence[str]) -> Mapping[tuple[str, str], bool]:
    """Whether each record of these cases is of today's sources, by case and machine."""
    rows = records.frame([Case.parse(case) for case in cases])
    return {
        (case, machine): current is not pd.NA and bool(current)
        for case, machine, current in zip(rows["case"], rows["machine"], rows["current"], strict=True)
    }


def _means(pairs: Sequence[Pair]) -> list[Mean]:
    """Of each implementation, of each stage, of all; of each machine."""
    groups: dict[tuple[str, str], list[Pair]] = {}
    for pair in pairs:
        for group in _groups(pair.case):
            groups.setdefault((group, pair.machine), []).append(pair)
    ordered = sorted(groups, key=lambda key: (key[1], key[0] == EVERYTHING, key[0]))
    return [_mean(*key, groups[key]) for key in ordered]


def _mean(group: str, machine: str, pairs: Sequence[Pair]) -> Mean:
    ends = [[getattr(pair, end) for pair in pairs] for end in ("ratio", "low", "high")]
    ratio, low, high = (float(np.exp(np.mean(np.log(values)))) for values in ends)
    return Mean(group, machine, ratio, low, high, len(pairs))


def _groups(case: str) -> tuple[str, ...]:
    """The groups that a case counts in: its implementation, its stage, and all.

    With fewer threads than a machine has it says nothing of the machine, so that its stage is a group apart.
    Of several draws of random numbers the first one counts.
    """
    parsed, implementation = Case.parse(case), case.partition("@")[0]
    if parsed.seed:
        return ()
    if parsed.threads and not best_pools.is_sequential(best_pools.implementation_of(parsed)):
        return implementation, f"{parsed.stage}.threads={parsed.threads}"
    return implementation, parsed.stage, EVERYTHING
