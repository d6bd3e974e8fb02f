"""Rounds of processes: cases in turn, each in a first process, then each in a second, and so on.

What is compared is measured close together, so that what slows the machine for a while slows all of it. A
round is one process of each case; a run that was killed goes on with the round that it was in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.engine.measure import measure
from benchmarks.engine.run import Run
from fillpath.case import Case
from fillpath.record import Record, Status


def measure_rounds(cases: Sequence[Case], count: int, fresh: bool, within: Run) -> Iterator[Record]:
    """The records of each round, as they are made. A case leaves after a failure, and where another run's
    record stands.

    count : of processes, of each case
    """
    left = list(cases)
    for process in range(count):
        staying = []
        for case in left:
            record = measure(case, fresh=fresh, within=within, process=process, processes=count)
            yield record
            if record.status is Status.OK and record.run_id == within.id:
                staying.append(case)
        left = staying


def input_of(case: Case) -> tuple[str, str, int]:
    """What cases have in common that are measured in turn: the prepared matrix."""
    return case.matrix, case.preparation.name, case.seed
