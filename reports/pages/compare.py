"""Hardware against hardware: the same cases on several machines, side by side.

A ratio is the first machine's seconds over another's: above 1 the other is the faster. Only cases that every
machine has solved, of the very same input, are in a mean; the others are listed, each with its reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from fillpath.case import Case
from fillpath.errors import UnknownNameError
from fillpath.record import Record, Status, interval
from reports.facts.records import Records
from reports.pages.comparison import Comparison, Curve, LeftOut, Mean, Pair

EVERYTHING = "all"
# The records of each machine by case.
ByMachine = Mapping[str, Mapping[str, Record]]


def compare(machines: Sequence[str], records: Records) -> Comparison:
    """Compare the other machines with the first.

    Raises UnknownNameError for fewer than two machines, or one named twice.
    """
    if len(set(machines)) != len(machines) or len(machines) < 2:
        raise UnknownNameError(f"compare {' '.join(machines)}: name two machines or more, each once")
    of = {name: {record.case: record for record in records.of_machine(name).rows} for name in machines}
    cases = sorted({case for rows in of.values() for case in rows}, key=lambda c: (_implementation(c), c))
    left_out = {case: left for case in cases if (left := _left_out(case, machines, of))}
    common = [case for case in cases if case not in left_out]
    current = _current(records, common)
    pairs = [
        _pair(case, of[machines[0]][case], of[other][case], current)
        for other in machines[1:]
        for case in common
    ]
    return Comparison(
        machines=tuple(machines),
        pairs=tuple(pairs),
        means=tuple(_means(pairs)),
        left_out=tuple(left_out.values()),
        profiles=tuple(_profiles(machines, of, cases)),
    )


def performance_profile(group: str, seconds_of: Mapping[str, Sequence[float | None]]) -> list[Curve]:
    """The profile of each solver.

    seconds_of : of each, its seconds case by case, None where it failed
    """
    names = list(seconds_of)
    table = np.array([[np.inf if s is None else s for s in seconds_of[name]] for name in names], dtype=float)
    best = table.min(axis=0)
    # Solved by none: a failure of each.
    ratios = np.divide(table, best, out=np.full_like(table, np.inf), where=np.isfinite(table))
    steps = np.unique(np.append(ratios[np.isfinite(ratios)], 1.0))
    n = table.shape[1]
    return [
        Curve(
            group, name, tuple(steps.tolist()), tuple((row <= step).sum().item() / n for step in steps),
            int((~np.isfinite(row)).sum()), n,
        )
        for name, row in zip(names, ratios, strict=True)
    ]  # fmt: skip


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
    if record.status is not Status.OK:
        status = str(record.status).replace("_", " ")
        return f"{status}: {record.reason}" if record.reason else status
    return "suspect: faster than its bytes can be moved" if record.suspect else ""


def _stranger(records: Sequence[Record | None]) -> str | None:
    """The first machine whose input is not the first's; None where all inputs that are recorded are one."""
    inputs = [(record.machine, record.prepared["hash"]) for record in records if record and record.prepared]
    return next((machine for machine, hash in inputs if hash != inputs[0][1]), None)


def _pair(case: str, first: Record, other: Record, current: Mapping[tuple[str, str], bool]) -> Pair:
    medians = float(np.median(first.seconds)), float(np.median(other.seconds))
    (low, high), (other_low, other_high) = interval(first.seconds), interval(other.seconds)
    return Pair(
        case=case,
        machine=other.machine,
        seconds=medians,
        ratio=medians[0] / medians[1],
        low=low / other_high,
        high=high / other_low,
        other_sources=not (current[case, first.machine] and current[case, other.machine]),
    )


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
        for group in (_implementation(pair.case), _stage(pair.case), EVERYTHING):
            groups.setdefault((group, pair.machine), []).append(pair)
    ordered = sorted(groups, key=lambda key: (key[1], key[0] == EVERYTHING, key[0]))
    return [_mean(*key, groups[key]) for key in ordered]


def _mean(group: str, machine: str, pairs: Sequence[Pair]) -> Mean:
    ends = [[getattr(pair, end) for pair in pairs] for end in ("ratio", "low", "high")]
    ratio, low, high = (float(np.exp(np.mean(np.log(values)))) for values in ends)
    return Mean(group, machine, ratio, low, high, len(pairs))


def _profiles(machines: Sequence[str], of: ByMachine, cases: Sequence[str]) -> list[Curve]:
    """Of each stage and of all: on the cases of one input that every machine has tried."""
    tried = [case for case in cases if _all_tried([of[name].get(case) for name in machines])]
    groups = {stage: [case for case in tried if _stage(case) == stage] for stage in map(_stage, tried)}
    if len(groups) > 1:
        groups[EVERYTHING] = tried
    return [
        curve
        for group, members in groups.items()
        for curve in performance_profile(
            group, {name: [of[name][case].median for case in members] for name in machines}
        )
    ]


def _all_tried(records: Sequence[Record | None]) -> bool:
    """Whether each machine tried the case, on one input, and none is suspect."""
    untried = (Status.UNAVAILABLE, Status.NOT_RUN)
    tried = all(r is not None and r.status not in untried and not r.suspect for r in records)
    return tried and _stranger(records) is None


def _implementation(case: str) -> str:
    return case.partition("@")[0]


def _stage(case: str) -> str:
    return case.partition(".")[0]
