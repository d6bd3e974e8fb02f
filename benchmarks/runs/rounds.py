"""Rounds of processes: cases in turn, each in a first process, then each in a second, and so on.

Cases that are compared are measured close together, so that a slow machine slows all of them. A round is one
process of each case. A run that was killed resumes the round that it was in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.engine.measure import measure
from benchmarks.engine.run import Run
from benchmarks.runs.layout import limits_of, processes_of
from fillpath.case import Case
from fillpath.processes import number
from fillpath.record import Record, Status
from fillpath.settings import settings


def measure_rounds(cases: Sequence[Case], count: int, fresh: bool, within: Run) -> Iterator[Record]:
    """Yield the records of each round, as they are made.

    A case leaves after a failure, where another run's record is reused, and when it has its processes.

    count : of processes, of each case
    """
    left = list(cases)
    for process in range(count):
        staying = []
        for case in left:
            whole = rounds_of(case, count)
            limits = limits_of(case, settings())
            record = measure(case, limits, fresh=fresh, within=within, process=process, processes=whole)
            yield record
            if stays(case, record, count, within):
                staying.append(case)
        left = staying


def stays(case: Case, record: Record, count: int, within: Run) -> bool:
    """Return whether the case is in the next round too, by its record of this round."""
    goes_on = record.status is Status.OK and record.run_id == within.id
    return goes_on and number(record) + 1 < rounds_of(case, count)


def by_input(cases: Sequence[Case]) -> list[list[Case]]:
    """Return the cases by input: those of one input are measured in turn."""
    inputs: dict[tuple[str, str, int], list[Case]] = {}
    for case in cases:
        inputs.setdefault(input_of(case), []).append(case)
    return list(inputs.values())


def rounds_of(case: Case, count: int) -> int:
    """Return in how many of `count` rounds the case is measured."""
    return min(count, processes_of(case, settings())) if count == settings().rounds else count


def input_of(case: Case) -> tuple[str, str, int]:
    """Return the prepared matrix of a case: matrix, preparation and seed."""
    return case.matrix, case.preparation.name, case.seed
