"""A stage of a run: its cases are measured one after another, and asv gets the numbers of a clean commit."""

from __future__ import annotations

import functools
import math
import sys
from collections import Counter
from collections.abc import Collection, Sequence

from benchmarks.engine import machine, run
from benchmarks.engine.measure import store_unavailable
from benchmarks.engine.run import Run
from benchmarks.runs import airspeed
from benchmarks.runs.cases import suite_cases
from benchmarks.runs.launch import die_with_parent
from benchmarks.runs.rounds import by_input, input_of, measure_rounds, outstanding, stays
from fillpath.case import Case
from fillpath.errors import ConfigError, DiskFullError
from fillpath.host import machine_name
from fillpath.processes import Rounds, number, of_run
from fillpath.record import Record, read_records, record_path
from fillpath.registry import Implementation, lookup
from fillpath.settings import settings


def case_names(stage: str) -> list[str]:
    """Return the names of the cases that the settings choose and this machine can run: asv's parameters."""
    return [case.name for case in _runnable(suite_cases(settings(), stage))]


def median_seconds(name: str) -> float:
    """Measure a case for an `asv run` by hand, unless it is done.

    Return the median of its processes in seconds; nan, which asv takes as skipped, unless the status is ok.
    Raises DiskFullError: a case that was refused for want of space has no record.
    """
    die_with_parent()
    case, within = Case.parse(name), _run()
    for _ in measure_rounds([case], settings().rounds, settings().fresh, within):
        pass
    records = _measured(case, within)
    return Rounds.of(records).median if records else math.nan


def run_stage(stage: str) -> None:
    """Measure the cases of a stage that are not done, with one line per case on stderr.

    Raises DiskFullError where a case was refused for want of space; ConfigError where the records of a case
    are damaged, once all others are measured.
    """
    within, damage = _run(), {}
    cases = suite_cases(settings(), stage)
    for case in cases:
        try:
            _records(case)
        except ConfigError as error:
            damage[case] = error
    cases = [case for case in cases if case not in damage]
    left = outstanding(cases, within)
    _store_unavailable(cases, left, within)
    _measure(stage, _runnable(cases), _runnable(left), within)
    for case in damage:
        raise damage[case]
    if commit := _clean_commit():
        airspeed.add_rows(commit, _rows(stage, cases, within))


def is_done(stage: str) -> bool:
    """Tell whether `run_stage` would measure nothing and write nothing."""
    within, cases = _run(), suite_cases(settings(), stage)
    if outstanding(cases, within):
        return False
    commit = _clean_commit()
    return not commit or airspeed.has_rows(commit, _rows(stage, cases, within))


def _run() -> Run:
    return run.current() or run.alone()


def _clean_commit() -> str:
    """Return the commit whose code this is; empty in a changed tree, and without a repository."""
    commit, dirty = machine.git_state()
    return commit if commit and not dirty else ""


def _store_unavailable(cases: Sequence[Case], left: Collection[Case], within: Run) -> None:
    """Print why cases cannot run here, and store the reason of the cases that are left."""
    lacks = {case: lack for case in cases if (lack := _lack(lookup(case.stage, case.implementation)))}
    git_state = machine.git_state()
    for case in lacks.keys() & left:
        store_unavailable(case, lacks[case], within, git_state)
    for lack, count in Counter(lacks.values()).items():
        print(f"{count} cases are unavailable: {lack}", file=sys.stderr)


def _measure(stage: str, cases: Sequence[Case], left: Sequence[Case], within: Run) -> None:
    """Measure the cases that are left, those of one input in rounds, and print what becomes of each."""
    done, count = len(cases) - len(left), settings().rounds
    if done:
        print(f"{done} of {len(cases)} {stage} cases are done", file=sys.stderr)
    try:
        for of_input in by_input(left):
            begun = 0
            for record in measure_rounds(of_input, count, settings().fresh, within):
                case = Case.parse(record.case)
                if record.run_id == within.id and number(record) > begun:
                    begun = number(record)
                    matrix, preparation, _ = input_of(case)
                    _print(done, cases, f"process {begun + 1} of {count} on {matrix}.{preparation}")
                if not stays(case, record, count, within):
                    done += 1
                    records, why_not = _measured(case, within), record.reason.partition("\n")[0]
                    shown = f"{Rounds.of(records).median:.4g} s" if records else why_not
                    _print(done, cases, f"{record.status:<13} {record.case}  {shown}")
    except DiskFullError as error:
        raise DiskFullError(
            f"{done} of {len(cases)} {stage} cases are done and stored, the next was refused: {error}"
        ) from error


def _print(done: int, cases: Sequence[Case], text: str) -> None:
    print(f"[{done}/{len(cases)}] {text}", file=sys.stderr, flush=True)


def _rows(stage: str, cases: Sequence[Case], within: Run) -> list[airspeed.Row]:
    """Return asv's rows of the stage, none where no case of it can run here."""
    measured = {case.name: _measured(case, within) for case in _runnable(cases)}
    return airspeed.rows_of(stage, measured) if measured else []


def _measured(case: Case, within: Run) -> Sequence[Record]:
    """Return the current records of a case's processes; none unless the status is ok.

    A run that measures afresh and is past its limit may find another run's records: they are not its own.
    """
    processes = of_run(_records(case))
    foreign = settings().fresh and processes[-1].run_id != within.id
    return () if foreign or processes[-1].median is None else processes


def _records(case: Case) -> list[Record]:
    return read_records(record_path(machine_name(), case.name))


def _runnable(cases: Sequence[Case]) -> list[Case]:
    return [case for case in cases if not _lack(lookup(case.stage, case.implementation))]


@functools.cache
def _lack(implementation: Implementation) -> str:
    """Return why an implementation cannot run here, empty where it can: many cases ask for few of them."""
    available, reason = implementation.available()
    return "" if available else reason
