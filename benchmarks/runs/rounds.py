"""Rounds of processes: cases in turn, each in a first process, then each in a second, and so on.

Cases that are compared are measured close together, so that a slow phase of the machine slows all of them. A
round is one process of each case. A killed run resumes in its unfinished round.

    run_stage("levels")    # measures what is left of a stage, the cases of a matrix in rounds
    list(measure_rounds(cases, 5, fresh=False, within=run.alone()))    # records, as they are made
"""

import functools
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from benchmarks.engine import current, machine, run
from benchmarks.engine.follow import die_with_parent
from benchmarks.engine.measure import measure, require
from benchmarks.engine.reference import reference_path
from benchmarks.engine.run import Run
from benchmarks.runs.cases import limits_of, processes_of, suite_cases
from fetch.prepare import prepared_hash, prepared_path
from fillpath.case import Case, Preparation
from fillpath.errors import DiskFullError, FillpathError, InputError, UnavailableError
from fillpath.host import machine_name
from fillpath.processes import Rounds, number, of_run
from fillpath.record import Record, Status, read_records, record_path
from fillpath.registry import Implementation, lookup
from fillpath.settings import settings
from fillpath.stages import stage_of


def case_names(stage: str | None = None) -> list[str]:
    """Return the names of the cases (of a stage) that the settings choose and this machine can run."""
    return [case.name for case in _runnable(suite_cases(settings(), stage))]


def median_seconds(name: str) -> float:
    """Measure a case for an `asv run` by hand, unless it is done.

    Return the median of its processes in seconds; nan, which asv takes as skipped, unless the status is ok.
    Raises DiskFullError: a case that was refused for want of space has no record.
    """
    die_with_parent()
    case, within = Case.parse(name), run.current() or run.alone()
    list(measure_rounds([case], settings().rounds, settings().fresh, within))
    processes = of_run(read_records(record_path(machine_name(), name)))
    # A run that measures afresh and is past its limit finds another run's records.
    foreign = settings().fresh and processes[-1].run_id != within.id
    return math.nan if foreign or processes[-1].median is None else Rounds.of(processes).median


def run_stage(stage: str) -> None:
    """Measure the cases of a stage that are not done, with a line per process on stderr.

    Raises DiskFullError where a case was refused for want of space; InputError where the records of a case
    are damaged, once all others are measured.
    """
    within, cases, damage = run.current() or run.alone(), [], []
    for case in suite_cases(settings(), stage):
        try:
            read_records(record_path(machine_name(), case.name))
        except InputError as error:
            damage.append(error)
        else:
            cases.append(case)
    left, git_state = outstanding(cases, within), machine.git_state()
    for case in left:
        if lack := _lack(lookup(case.stage, case.implementation)):
            blank = current.blank_record(case, within, git_state=git_state)
            current.store(replace(blank, status=Status.UNAVAILABLE, reason=lack))
    _measure(stage, _runnable(cases), _runnable(left), within)
    if damage:
        more = f" (the first of {len(damage)} damaged cases)" if damage[1:] else ""
        raise InputError(f"{damage[0]}{more}")


def is_done(stage: str) -> bool:
    """Tell whether `run_stage` would measure nothing."""
    return not outstanding(suite_cases(settings(), stage), run.current() or run.alone())


def _measure(stage: str, cases: Sequence[Case], left: Sequence[Case], within: Run) -> None:
    """Measure the cases that are left, those of one matrix in rounds, and print what becomes of each."""
    done, count = len(cases) - len(left), settings().rounds
    if done:
        print(f"{done} of {len(cases)} {stage} cases are done", file=sys.stderr)
    try:
        for of_matrix in by_matrix(left):
            for record in measure_rounds(of_matrix, count, settings().fresh, within):
                done += not stays(Case.parse(record.case), record, count, within)
                print(f"[{done}/{len(cases)}] {line_of(record)}", file=sys.stderr, flush=True)
    except DiskFullError as error:
        raise DiskFullError(
            f"{done} of {len(cases)} {stage} cases are done and stored, the next was refused: {error}"
        ) from error


def line_of(record: Record) -> str:
    """Return `ok            symbolic.fill1@grid2d,8.metis  1.5 s, process 2`; without seconds, the reason."""
    shown = record.reason.partition("\n")[0] if record.median is None else f"{record.median:.4g} s"
    process = f", process {number(record) + 1}" if number(record) else ""
    return f"{record.status:<13} {record.case}  {shown}{process}"


def _runnable(cases: Sequence[Case]) -> list[Case]:
    return [case for case in cases if not _lack(lookup(case.stage, case.implementation))]


@functools.cache
def _lack(implementation: Implementation) -> str:
    """Return why an implementation cannot run here, empty where it can: many cases ask for few of them."""
    available, reason = implementation.available()
    return "" if available else reason


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
    except InputError:
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
        for place, case in enumerate(left, start=1):
            whole = rounds_of(case, count)
            record = measure(
                case, limits_of(case, settings()), fresh=fresh, within=within, process=process,
                processes=whole, followed=process + 1 < whole or place < len(left),
            )  # fmt: skip
            yield record
            if stays(case, record, count, within):
                staying.append(case)
        left = staying


def stays(case: Case, record: Record, count: int, within: Run) -> bool:
    """Tell whether the case is in the next round too, by its record of this round."""
    goes_on = record.status is Status.OK and record.run_id == within.id
    return goes_on and number(record) + 1 < rounds_of(case, count)


def by_matrix(cases: Sequence[Case]) -> list[list[Case]]:
    """Group the cases that are measured in turn with each other: those of one matrix and seed."""
    matrices: dict[tuple[str, int], list[Case]] = {}
    for case in cases:
        matrices.setdefault((case.matrix, case.seed), []).append(case)
    return list(matrices.values())


def rounds_of(case: Case, count: int) -> int:
    """Return the number of rounds, of `count`, in which the case is measured."""
    return min(count, processes_of(case, settings())) if count == settings().rounds else count
