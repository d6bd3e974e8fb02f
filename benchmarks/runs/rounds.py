"""Rounds of processes: cases in turn, each in a first process, then each in a second, and so on.

Cases that are compared are measured close together, so that a slow phase of the machine slows all of them. A
round is one process of each case. A killed run resumes in its unfinished round.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence

from benchmarks.engine import current
from benchmarks.engine.measure import measure, require
from benchmarks.engine.reference import reference_path
from benchmarks.engine.run import Run
from benchmarks.runs.cases import limits_of, processes_of
from fetch.prepare import prepared_hash, prepared_path
from fillpath.case import Case, Preparation
from fillpath.errors import ConfigError, FillpathError, UnavailableError
from fillpath.host import machine_name
from fillpath.processes import number, of_run
from fillpath.record import Record, Status, read_records, record_path
from fillpath.registry import lookup
from fillpath.settings import settings
from fillpath.stages import stage_of


def outstanding(cases: Sequence[Case], within: Run) -> list[Case]:
    """Return the cases that still have to be measured in this run.

    A case is done if its current record is the one that `measure` would return. Nothing is written, no
    process starts and no matrix is loaded. Without an answer, as with a damaged record, a case counts as
    outstanding.
    """
    hash_of = functools.cache(_input_hash)
    return [case for case in cases if not _is_done(case, within, hash_of)]


def _is_done(case: Case, within: Run, hash_of: Callable[[str, Preparation, int], str]) -> bool:
    try:
        records = read_records(record_path(machine_name(), case.name))
        require(case, lookup(case.stage, case.implementation))
    except UnavailableError as error:
        wanted = Status.UNAVAILABLE, str(error), current.key_of(case, "")
        return [(last.status, last.reason, last.key) for last in records[-1:]] == [wanted]
    except ConfigError:
        return False
    prepared = hash_of(case.matrix, case.preparation, case.seed) if records else ""
    if not prepared or (stage_of(case.stage).refers and not reference_path(prepared).is_file()):
        return False
    limits, fresh = limits_of(case, settings()), settings().fresh
    count = rounds_of(case, settings().rounds)
    record = current.reusable_record(
        case, prepared, limits, count, run_id=within.id, process=count - 1, fresh=fresh
    )
    return record is not None and record in of_run(records)


def _input_hash(matrix: str, preparation: Preparation, seed: int) -> str:
    """Return the hash of a prepared matrix; empty where the cache has none, or a damaged one."""
    try:
        return prepared_hash(prepared_path(matrix, preparation, seed))
    except FillpathError:
        return ""


def measure_rounds(cases: Sequence[Case], count: int, fresh: bool, within: Run) -> Iterator[Record]:
    """Yield the records of each round, as they are made.

    A case leaves after a failure, where another run's record is reused, and when it has its processes.

    count : int, processes of each case
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
    """Tell whether the case is in the next round too, by its record of this round."""
    goes_on = record.status is Status.OK and record.run_id == within.id
    return goes_on and number(record) + 1 < rounds_of(case, count)


def by_input(cases: Sequence[Case]) -> list[list[Case]]:
    """Group the cases that are measured in turn with each other: those of one prepared matrix."""
    inputs: dict[tuple[str, str, int], list[Case]] = {}
    for case in cases:
        inputs.setdefault((case.matrix, case.preparation.name, case.seed), []).append(case)
    return list(inputs.values())


def rounds_of(case: Case, count: int) -> int:
    """Return the number of rounds, of `count`, in which the case is measured."""
    return min(count, processes_of(case, settings())) if count == settings().rounds else count
