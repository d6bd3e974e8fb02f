"""The measuring of a night: base and commits in turn, case by case, round by round, until each is decided.

A turn is one process of one case at each commit, one after the other, in the next round in the opposite
order, so that a drift of the machine favours neither. The first rounds go input by input, so that a night
that runs out of time has whole results of what it came to; later ones go over the cases left undecided.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, takewhile

import numpy as np

from benchmarks.runs.exact import conditions
from benchmarks.runs.night_noise import FIRST, Floats, Noise
from benchmarks.runs.night_rule import MOST, Decided, decide, estimate, interval, p_values
from benchmarks.runs.night_worker import Worker
from benchmarks.runs.rounds import input_of
from fillpath.case import Case
from fillpath.record import Record, Status

# What says nothing of a commit.
SILENT = frozenset((Status.NOT_RUN, Status.UNAVAILABLE))
# A standing regression is measured so often at least: for its end to be seen, not only its beginning.
OF_STANDING = 8


@dataclass
class Course:
    """What a night has of a case: by commit, base first, each process's record in order."""

    case: str
    records: dict[str, list[Record]] = field(default_factory=dict)

    def differences(self, base: str, commit: str) -> tuple[float, ...]:
        """Of log seconds, by round, as far as both were measured; none unless each of these has a result, of
        the same input, device and host."""
        rounds = zip(self.records.get(base, ()), self.records.get(commit, ()), strict=False)
        pairs = list(takewhile(lambda pair: not {r.status for r in pair} & SILENT, rounds))
        if not pairs or any(a.median is None or b.median is None or _where(a) != _where(b) for a, b in pairs):
            return ()
        return tuple(float(np.log((b.median or np.nan) / (a.median or np.nan))) for a, b in pairs)


@dataclass(frozen=True)
class Judgement:
    """What the rule says of a case that was compared.

    differences : of base and tip, by round
    factor : by which its seconds changed, without what single rounds have far off
    alarm : whether the tip is slower
    low, high : interval of the factor
    gain : p-value of the hypothesis that it is no faster
    """

    differences: tuple[float, ...]
    factor: float
    alarm: bool
    low: float
    high: float
    gain: float


class Turns:
    """A night's measuring.

    workers : of each commit, the base's first
    deadline : Unix time, after which no turn begins
    before_others : cases whose inputs come first
    """

    def __init__(
        self,
        workers: Mapping[str, Worker],
        deadline: float = float("inf"),
        before_others: Collection[str] = (),
    ) -> None:
        self._workers, self._deadline = workers, deadline
        # Cases of which a turn was left out.
        self.late: set[str] = set()
        self.base, self.tip = next(iter(workers)), list(workers)[-1]
        cases = sorted(workers[self.tip].cases, key=lambda case: case not in before_others)
        self.courses = {case: Course(case, {commit: [] for commit in workers}) for case in cases}

    def first(self) -> None:
        """The rounds of every case."""
        for number, (_, cases) in enumerate(_by_input(self.courses), start=1):
            names = list(cases)
            _tell(f"input {number}, {len(names)} cases: {names[0].partition('@')[2]}")
            for process in range(FIRST):
                self._round(names, process)

    def judge(self, past: Mapping[str, Sequence[float]], standing: Collection[str]) -> dict[str, Judgement]:
        """Further rounds of those undecided, and what the rule says of each case that can be compared.

        past : differences of earlier nights, by case
        standing : cases with a regression
        """
        names = [case for case in self.courses if len(self._of(case)) == FIRST]
        if self.base == self.tip or not names:
            return {}
        noise = Noise.joined([Noise.of(np.asarray(past.get(case, ()))) for case in names])
        noise = noise.widened(self._table(names, FIRST))
        decided = Decided.nothing((len(names),))
        for count in range(FIRST, MOST + 1):
            complete = np.array([len(self._of(case)) == count for case in names])
            decided = Decided(decided.alarms, decided.undecided & complete)
            decided = decide(self._table(names, count), noise, decided)
            left = [c for c, undecided in zip(names, decided.undecided, strict=True) if undecided]
            again = [c for c in standing if c in names and c not in left] if count < OF_STANDING else []
            if not left and not again:
                break
            _tell(f"{len(left)} cases undecided after {count} rounds")
            self._round([*left, *again], count)
        return {
            case: _judgement(self._of(case), bool(decided.alarms[place]), noise.only(place))
            for place, case in enumerate(names)
            if self._of(case)
        }

    def _of(self, case: str) -> tuple[float, ...]:
        return self.courses[case].differences(self.base, self.tip)

    def _table(self, names: Sequence[str], count: int) -> Floats:
        """The differences of these cases, with 0 in place of pairs that were not measured."""
        rows = [self._of(case)[:count] for case in names]
        return np.array([[*row, *[0.0] * (count - len(row))] for row in rows])

    def _round(self, cases: Iterable[str], process: int) -> None:
        for case in cases:
            if time.time() < self._deadline:
                self._turn(self.courses[case], process)
            else:
                self.late.add(case)

    def _turn(self, course: Course, process: int) -> None:
        """One process at each commit; none of a case whose base or tip failed before, or missed a turn."""
        ends = [course.records[commit] for commit in (self.base, self.tip)]
        if any(len(records) < process or any(r.median is None for r in records) for records in ends):
            return
        commits = list(self._workers) if process % 2 == 0 else list(self._workers)[::-1]
        for commit in commits:
            record = self._workers[commit].measure(course.case, process)
            if record is not None:
                course.records[commit].append(record)


def _judgement(differences: tuple[float, ...], alarm: bool, noise: Noise) -> Judgement:
    row = np.array([differences])
    learned = noise.learned(row)
    low, high = (float(np.exp(end[0])) for end in interval(row, learned))
    factor = float(np.exp(estimate(row, learned)[0]))
    return Judgement(differences, factor, alarm, low, high, float(p_values(-row, learned)[0]))


def _by_input(cases: Iterable[str]) -> Iterable[tuple[object, Iterable[str]]]:
    """In the order of each input's first case."""
    order: dict[object, int] = {}
    places = {case: order.setdefault(input_of(Case.parse(case)), len(order)) for case in cases}
    return groupby(sorted(places, key=places.__getitem__), key=places.__getitem__)


def _where(record: Record) -> tuple[object, ...]:
    """What two records have to have in common for a difference of their seconds to be one of code."""
    return *conditions(record), record.driver, record.host, record.status is Status.OK


def _tell(line: str) -> None:
    print(f"fillpath: {line}", file=sys.stderr, flush=True)
