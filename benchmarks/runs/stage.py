"""A stage of a run: its cases are measured one after another."""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Sequence
from dataclasses import replace

from benchmarks.engine import machine, run
from benchmarks.engine.current import blank_record, store
from benchmarks.engine.follow import die_with_parent
from benchmarks.engine.run import Run
from benchmarks.runs.cases import suite_cases
from benchmarks.runs.rounds import by_input, measure_rounds, outstanding, stays
from fillpath.case import Case
from fillpath.errors import ConfigError, DiskFullError
from fillpath.host import machine_name
from fillpath.processes import Rounds, number, of_run
from fillpath.record import Record, Status, read_records, record_path
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
    processes = of_run(read_records(record_path(machine_name(), name)))
    return math.nan if processes[-1].median is None else Rounds.of(processes).median


def run_stage(stage: str) -> None:
    """Measure the cases of a stage that are not done, with a line per process on stderr.

    Raises DiskFullError where a case was refused for want of space; ConfigError where the records of a case
    are damaged, once all others are measured.
    """
    within, cases, damage = _run(), [], []
    for case in suite_cases(settings(), stage):
        try:
            read_records(record_path(machine_name(), case.name))
        except ConfigError as error:
            damage.append(error)
        else:
            cases.append(case)
    left, git_state = outstanding(cases, within), machine.git_state()
    for case in left:
        if lack := _lack(lookup(case.stage, case.implementation)):
            blank = blank_record(case, within, git_state=git_state)
            store(replace(blank, status=Status.UNAVAILABLE, reason=lack))
    _measure(stage, _runnable(cases), _runnable(left), within)
    if damage:
        more = f" (the first of {len(damage)} damaged cases)" if damage[1:] else ""
        raise ConfigError(f"{damage[0]}{more}")


def is_done(stage: str) -> bool:
    """Tell whether `run_stage` would measure nothing."""
    return not outstanding(suite_cases(settings(), stage), _run())


def _run() -> Run:
    return run.current() or run.alone()


def _measure(stage: str, cases: Sequence[Case], left: Sequence[Case], within: Run) -> None:
    """Measure the cases that are left, those of one input in rounds, and print what becomes of each."""
    done, count = len(cases) - len(left), settings().rounds
    if done:
        print(f"{done} of {len(cases)} {stage} cases are done", file=sys.stderr)
    try:
        for of_input in by_input(left):
            for record in measure_rounds(of_input, count, settings().fresh, within):
                done += not stays(Case.parse(record.case), record, count, within)
                print(f"[{done}/{len(cases)}] {_line(record)}", file=sys.stderr, flush=True)
    except DiskFullError as error:
        raise DiskFullError(
            f"{done} of {len(cases)} {stage} cases are done and stored, the next was refused: {error}"
        ) from error


def _line(record: Record) -> str:
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
