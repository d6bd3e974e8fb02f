"""The rounds of a night: base and commits in turn, case by case, until each case is decided.

A turn is one process of one case at each commit. The next round has the opposite order, so that a drift of
the machine favours no commit. The first rounds measure matrix by matrix, so that a night that runs out of
time has whole results of some matrices. Later rounds measure undecided cases. Fresh rounds confirm alarms.
"""

import sys
import time
from collections.abc import Collection, Iterable, Mapping
from itertools import takewhile

import numpy as np

from benchmarks.runs.checkouts import Process
from benchmarks.runs.exact import conditions
from benchmarks.runs.night_rule import FEWEST, FIRST, FRESH, MOST, Judgement, is_undecided, judge
from benchmarks.runs.rounds import by_matrix
from fillpath.case import Case
from fillpath.record import UNTRIED, Record, Status

# The records of a case in a night, by commit, base first, in the order of processes.
Course = dict[str, list[Record]]


def paired(course: Course, base: str, commit: str) -> tuple[float, ...]:
    """Return the difference of log seconds of each round; none unless all rounds can be compared.

    A round can be compared if both records have a result, of the same input, device, driver and host.
    """
    rounds = zip(course.get(base, ()), course.get(commit, ()), strict=False)
    pairs = list(takewhile(lambda pair: not {r.status for r in pair} & {*UNTRIED}, rounds))
    if any(a.median is None or b.median is None or _where(a) != _where(b) for a, b in pairs):
        return ()
    return tuple(float(np.log((b.median or np.nan) / (a.median or np.nan))) for a, b in pairs)


class Turns:
    """The measuring of a night.

    workers : by commit, the base first and the tip last
    deadline : Unix time, no turn begins after it
    urgent : cases whose matrices come first
    both : whether a case that may have become faster takes as many rounds as one that may be slower
    """

    def __init__(
        self, workers: Mapping[str, Process], deadline: float, urgent: Collection[str], both: bool = False
    ) -> None:
        self._workers, self._deadline, self.both = workers, deadline, both
        self.commits = tuple(workers)
        self.base, self.tip = self.commits[0], self.commits[-1]
        # Cases that missed a turn.
        self.late: set[str] = set()
        self.judgements: dict[str, Judgement] = {}
        cases = sorted(workers[self.tip].cases, key=lambda case: case not in urgent)
        self.courses: dict[str, Course] = {case: {commit: [] for commit in workers} for case in cases}

    def measure(self, regressed: Collection[str]) -> None:
        """Measure every case until it is decided, and judge those that can be compared.

        regressed : cases with a known regression; FEWEST rounds show whether it ended
        """
        for cases in by_matrix([Case.parse(case) for case in self.courses]):
            names = [case.name for case in cases]
            print(f"fillpath: {len(names)} cases of {cases[0].matrix}", file=sys.stderr)
            for process in range(FIRST):
                self._round(names, process)
        names = [case for case in self.courses if len(self._differences(case)) == FIRST]
        for count in range(FIRST, MOST):
            left = [case for case in names if self._needs_round(case, count, regressed)]
            if not left:
                break
            print(f"fillpath: {len(left)} cases undecided after {count} rounds", file=sys.stderr)
            self._round(left, count)
        self.judgements = judge({case: row for case in names if (row := self._differences(case))})
        self.judgements |= self._confirmed()

    def _confirmed(self) -> dict[str, Judgement]:
        """Measure the cases that alarm in fresh rounds, and judge them by these alone.

        The rounds before chose the alarms among all cases, and so exaggerate. A case whose time is up before
        its last fresh round keeps its alarm.
        """
        judged = self.judgements.items()
        alarms = [case for case, each in judged if each.is_slower or (self.both and each.is_faster)]
        for count in range(MOST, MOST + FRESH):
            self._round(alarms, count)
        fresh = {case: self._differences(case)[MOST:] for case in alarms}
        return judge({case: row for case, row in fresh.items() if len(row) == FRESH})

    def _needs_round(self, case: str, count: int, regressed: Collection[str]) -> bool:
        row = self._differences(case)
        known = case in regressed and count < FEWEST
        undecided = any(is_undecided(sign * np.array(row)) for sign in ((1, -1) if self.both else (1,)))
        return len(row) == count and (known or undecided)

    def _differences(self, case: str) -> tuple[float, ...]:
        return paired(self.courses[case], self.base, self.tip) if self.base != self.tip else ()

    def _round(self, cases: Iterable[str], process: int) -> None:
        for case in cases:
            if time.time() < self._deadline:
                self._turn(case, process)
            else:
                self.late.add(case)

    def _turn(self, case: str, process: int) -> None:
        """Measure a process at each commit, unless the base's or the tip's failed or missed a turn before."""
        course = self.courses[case]
        ends = course[self.base], course[self.tip]
        if any(len(records) < process or any(r.median is None for r in records) for records in ends):
            return
        for commit in list(self._workers)[:: -1 if process % 2 else 1]:
            record = self._workers[commit].measure(case, process)
            if record is not None:
                course[commit].append(record)


def _where(record: Record) -> tuple[object, ...]:
    """Return what two records must share for a difference of seconds to be one of code."""
    return *conditions(record), record.driver, record.host, record.status is Status.OK
