"""Hardware against hardware: the same cases on several machines, side by side.

A ratio is the first machine's seconds over another's: above 1 the other is the faster. Only cases that every
machine has solved, of the very same input, are in a mean; the others are listed, each with its reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd

from fillpath.case import Case
from fillpath.errors import UnknownNameError
from fillpath.record import Record, Status, interval
from reports.facts.records import Records
from reports.shapes.bars import seconds, times

HARDWARE = (
    "Threads are all cores where a case says nothing else, so that a CPU's ratio is that of whole machines."
)
EVERYTHING = "all"


@dataclass(frozen=True)
class Pair:
    """One case on the first machine and on another. seconds : medians of the first and of the other. ratio :
    the first's over the other's; low, high : what the two intervals allow. other_sources : one of the two was
    measured with sources of its implementation that are not today's."""

    case: str
    machine: str
    seconds: tuple[float, float]
    ratio: float
    low: float
    high: float
    other_sources: bool


@dataclass(frozen=True)
class Mean:
    """The geometric mean of the ratios of a group of cases. group : a stage's implementation, a stage, or
    `all`. low, high : the geometric means of the pairs' ends. n : cases."""

    group: str
    machine: str
    ratio: float
    low: float
    high: float
    n: int


@dataclass(frozen=True)
class LeftOut:
    """A case that is in no mean. reason : of the first machine that has no comparable result."""

    case: str
    machine: str
    reason: str


@dataclass(frozen=True)
class Curve:
    """A Dolan-More performance profile of a machine on a group's cases: of the cases that every machine has
    tried, the share that it solves within `within` times the best machine's seconds. failed : of the n cases
    those without a result there, which hold the curve below 1 for ever."""

    group: str
    machine: str
    within: tuple[float, ...]
    share: tuple[float, ...]
    failed: int
    n: int


@dataclass(frozen=True)
class Comparison:
    """Machines against the first of them."""

    machines: tuple[str, ...]
    pairs: tuple[Pair, ...]
    means: tuple[Mean, ...]
    left_out: tuple[LeftOut, ...]
    profiles: tuple[Curve, ...]

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    def text(self) -> str:
        """For people: the cases side by side, the means, what is left out."""
        first, *others = self.machines
        lines = [
            f"seconds of {first} over those of {', '.join(others)}: above 1, {first} is slower. {HARDWARE}"
        ]
        lines += [
            "",
            *_columns([_pair_row(pair, first) for pair in self.pairs], ("case", "seconds", "ratio")),
        ]
        lines += ["", "geometric means over the cases that all have solved:"]
        lines += _columns([_mean_row(mean) for mean in self.means], ("group", "machine", "ratio", "cases"))
        lines += ["", f"in no mean: {len(self.left_out)} cases"]
        lines += [f"  {left.case}: {left.machine}: {left.reason}" for left in self.left_out]
        lines += ["", "solved of the cases that all have tried:"]
        lines += [f"  {c.group}, {c.machine}: {c.n - c.failed} of {c.n}" for c in self.profiles]
        return "\n".join(lines)


def compare(machines: Sequence[str], records: Records) -> Comparison:
    """Hold the others against the first. Raises UnknownNameError for fewer than two, or one named twice."""
    if len(set(machines)) != len(machines) or len(machines) < 2:
        raise UnknownNameError(f"compare {' '.join(machines)}: name two machines or more, each once")
    found = {name: {r.case: r for r in records.rows if r.machine == name} for name in machines}
    cases = sorted({case for own in found.values() for case in own}, key=_place)
    reasons = {case: _why_not(case, machines, found) for case in cases}
    common = [case for case in cases if reasons[case] is None]
    current = _current(records, common)
    pairs = [_pair(case, found[machines[0]][case], found[other][case], current)
             for other in machines[1:] for case in common]  # fmt: skip
    left_out = [LeftOut(case, *reason) for case, reason in reasons.items() if reason is not None]
    return Comparison(
        tuple(machines), tuple(pairs), tuple(_means(pairs)), tuple(left_out),
        tuple(_profiles(machines, found, cases)),
    )  # fmt: skip


def performance_profile(group: str, seconds_of: Mapping[str, Sequence[float | None]]) -> list[Curve]:
    """The profile of each solver. seconds_of : of each, its seconds case by case, None where it failed."""
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


def frame_of(comparison: Comparison) -> pd.DataFrame:
    """A row a pair, as the CSV has it."""
    rows = [
        {**asdict(pair), "seconds": pair.seconds[1], "first_seconds": pair.seconds[0]}
        for pair in comparison.pairs
    ]
    columns = ["case", "machine", "first_seconds", "seconds", "ratio", "low", "high", "other_sources"]
    return pd.DataFrame(rows, columns=columns)


def _why_not(
    case: str, machines: Sequence[str], found: Mapping[str, Mapping[str, Record]]
) -> tuple[str, str] | None:
    """(machine, reason) of the first that has no result to compare; None where all have."""
    for name in machines:
        record = found[name].get(case)
        if record is None:
            return name, "no record"
        if record.status is not Status.OK:
            return (
                name,
                f"{str(record.status).replace('_', ' ')}{f': {record.reason}' if record.reason else ''}",
            )
        if record.suspect:
            return name, "suspect: faster than its bytes can be moved"
    stranger = _stranger([found[name].get(case) for name in machines])
    return (stranger, f"another input than {machines[0]}'s: its content differs") if stranger else None


def _stranger(records: Sequence[Record | None]) -> str | None:
    """The first machine whose input is not the first's; None where all that is known is one."""
    known = [(record.machine, record.prepared["hash"]) for record in records if record and record.prepared]
    return next((machine for machine, hash in known if hash != known[0][1]), None)


def _pair(case: str, first: Record, other: Record, current: Mapping[tuple[str, str], bool]) -> Pair:
    ours, theirs = float(np.median(first.seconds)), float(np.median(other.seconds))
    (low, high), (other_low, other_high) = interval(first.seconds), interval(other.seconds)
    stale = not (current[case, first.machine] and current[case, other.machine])
    return Pair(case, other.machine, (ours, theirs), ours / theirs, low / other_high, high / other_low, stale)


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


def _profiles(
    machines: Sequence[str], found: Mapping[str, Mapping[str, Record]], cases: Sequence[str]
) -> list[Curve]:
    """Of each stage and of all: on the cases of one input that every machine has tried."""
    rows = {case: [found[name].get(case) for name in machines] for case in cases}
    tried = [
        case
        for case in cases
        if all(map(_tried, rows[case])) and not any(map(_suspect, rows[case])) and not _stranger(rows[case])
    ]
    groups = {stage: [case for case in tried if _stage(case) == stage] for stage in map(_stage, tried)}
    return [
        curve
        for group, own in [*groups.items(), *([(EVERYTHING, tried)] if len(groups) > 1 else [])]
        for curve in performance_profile(
            group, {name: [found[name][case].median for case in own] for name in machines}
        )
    ]


def _tried(record: Record | None) -> bool:
    return record is not None and record.status not in (Status.UNAVAILABLE, Status.NOT_RUN)


def _suspect(record: Record | None) -> bool:
    return record is not None and record.suspect


def _place(case: str) -> tuple[str, str]:
    return _implementation(case), case


def _implementation(case: str) -> str:
    return case.partition("@")[0]


def _stage(case: str) -> str:
    return case.partition(".")[0]


def _pair_row(pair: Pair, first: str) -> tuple[str, str, str]:
    stale = ", other sources" if pair.other_sources else ""
    both = f"{seconds(pair.seconds[0])} {first}, {seconds(pair.seconds[1])} {pair.machine}"
    return pair.case, both, f"{times(pair.ratio)} ({times(pair.low)} to {times(pair.high)}){stale}"


def _mean_row(mean: Mean) -> tuple[str, str, str, str]:
    ends = f"{times(mean.ratio)} ({times(mean.low)} to {times(mean.high)})"
    return mean.group, mean.machine, ends, str(mean.n)


def _columns(rows: Sequence[tuple[str, ...]], heads: tuple[str, ...]) -> list[str]:
    whole = [heads, *rows]
    widths = [max(map(len, column)) for column in zip(*whole, strict=True)]
    return ["  ".join(f"{c:<{w}}" for c, w in zip(row, widths, strict=True)).rstrip() for row in whole]
