"""airspeed velocity's part: one call per stage, its series in results/asv/, its pages under reports/site/.

What asv saved is merged, normalised, into results/asv/<machine>/. Its parameters are case names and its
numbers come from `measure`: a call that is lost costs a few seconds.
"""

from __future__ import annotations

import functools
import math
import re
import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.engine import machine, run
from benchmarks.engine.run import Run
from benchmarks.runs import asv_process, asv_progress
from benchmarks.runs.asv_exact import Counts, add_series, counts_of
from benchmarks.runs.asv_results import merge
from benchmarks.runs.asv_rows import has_row, save_row
from benchmarks.runs.cases import suite_cases
from benchmarks.runs.launch import die_with_parent
from benchmarks.runs.outstanding import is_settled, outstanding, record_unavailable
from benchmarks.runs.rounds import input_of, measure_rounds, rounds_of
from fillpath.case import Case
from fillpath.errors import DiskFullError, FillpathError
from fillpath.host import machine_name, node_lock
from fillpath.lock import exclusive
from fillpath.paths import WORK, results
from fillpath.processes import Rounds, number, of_run
from fillpath.record import Record, Status, read_records, record_path
from fillpath.registry import Implementation, lookup
from fillpath.settings import PROGRESS, settings


class AirspeedError(FillpathError):
    """asv did not report every case it was given."""


def case_names(stage: str) -> list[str]:
    """The cases of a stage that the settings choose and this machine can run: asv's parameters."""
    return [case.name for case in suite_cases(settings(), stage) if _can_run(case)]


def median_seconds(case: str) -> float:
    """The median of the case's seconds over its processes; nan, which asv takes as skipped, unless its status
    is ok.

    The first case of an input has all cases of that input measured, in rounds, and reported as they are done;
    the others then have their records.

    Raises DiskFullError: what was not measured for that reason has no record.
    """
    die_with_parent()
    parsed, within = Case.parse(case), run.current() or run.alone()
    cases = _of_one_input(parsed)
    try:
        if cases[0] == parsed:
            _measured(cases, within)
        record = _measured([parsed], within)
    except DiskFullError as error:
        asv_progress.say_refused(case, error)
        raise
    _report(record)
    # Past its limit a run that measures afresh is given what stands of another.
    foreign = settings().fresh and record.run_id != within.id
    return math.nan if record.median is None or foreign else _median(record)


def _measured(cases: Sequence[Case], within: Run) -> Record:
    """Measure cases of one input in turn. Returns the last record."""
    count, begun = settings().rounds, 0
    for record in measure_rounds(cases, count, settings().fresh, within):
        goes_on = record.status is Status.OK and record.run_id == within.id
        whole = rounds_of(Case.parse(record.case), count)
        if goes_on and begun < number(record) < whole:
            begun = number(record)
            asv_progress.say_round(begun, count, record)
        # What failed or was not measured now is reported when its own turn shows what stands.
        if goes_on and number(record) == whole - 1:
            _report(record)
    return record


def _of_one_input(case: Case) -> list[Case]:
    """The cases that are measured in turn with this one, in the order of asv's parameters."""
    cases = suite_cases(settings(), case.stage)
    return [other for other in cases if input_of(other) == input_of(case) and _can_run(other)]


def _median(record: Record) -> float:
    """The median of the processes that stand with this record."""
    return Rounds.of(of_run(read_records(record_path(record.machine, record.case)))).median


def _stored_median(case: Case) -> float | None:
    """Of the processes of the case's last record; None unless its status is ok."""
    processes = of_run(read_records(record_path(machine_name(), case.name)))
    return Rounds.of(processes).median if processes[-1].median is not None else None


def run_stage(stage: str, kernels: Counts) -> None:
    """Measure the cases of a stage under asv, with one line per case on stderr; cases that cannot run here
    get their records at once.

    kernels : what needs no clock of the stage's kernels, for asv's series

    Raises AirspeedError where asv ended before all cases had a record, DiskFullError where a case was refused
    for want of space. From a clean tree the medians join asv's series of this commit, and what needs no clock
    with them; otherwise only the records are written.
    """
    within = run.current() or run.alone()
    cases = _runnable(stage, within)
    commit, dirty = machine.git_state()
    kept = commit if not dirty else None
    seconds = _seconds_of(stage)
    if not outstanding(cases, within):
        if cases:
            print(f"all {len(cases)} {stage} cases stand", file=sys.stderr)
        if kept is None or _keep_row(kept, seconds, cases, kernels):
            return
    saved = [] if kept is None else ["--set-commit-hash", kept]
    bench = rf"^{re.escape(seconds)}\("
    log = WORK / "logs" / f"asv-{stage}.log"
    asv_process.write_configuration()
    with exclusive(node_lock("asv")):
        shutil.rmtree(asv_process.SCRATCH / "results", ignore_errors=True)
        arguments = ["run", "--machine", machine_name(), "--bench", bench, "--show-stderr", *saved]
        reported, refusal = _run_asv(arguments, log, WORK / "logs" / f"progress-{stage}", len(cases))
        if kept is not None:
            _keep_series(kept, seconds, cases, kernels)
    done = f"{reported} of {len(cases)} {stage} cases"
    if refusal:
        raise DiskFullError(f"{done} are done and stored, the next was refused: {refusal}")
    if reported < len(cases):
        raise AirspeedError(f"asv reported {done}; its log: {log}\n{asv_process.tail(log)}")


def is_done(stage: str, within: Run) -> bool:
    """Whether `run_stage` would find nothing to measure and nothing to write."""
    cases, reasons = _by_availability(stage)
    if not is_settled(cases, reasons, within):
        return False
    commit, dirty = machine.git_state()
    medians = {case.name: _stored_median(case) for case in cases}
    if commit is None or dirty or not medians:
        return True
    return has_row(results() / "asv", machine_name(), commit, _seconds_of(stage), medians)


def _runnable(stage: str, within: Run) -> list[Case]:
    """The cases that this machine can run; of the others it is recorded that it cannot, and why."""
    cases, reasons = _by_availability(stage)
    record_unavailable(reasons, within)
    for reason, count in Counter(reasons.values()).items():
        print(f"{count} cases are unavailable: {reason}", file=sys.stderr)
    return cases


def _by_availability(stage: str) -> tuple[list[Case], dict[Case, str]]:
    """The stage's cases that this machine can run, and why it cannot run the others."""
    cases = {case: _available(case) for case in suite_cases(settings(), stage)}
    reasons = {case: reason for case, (available, reason) in cases.items() if not available}
    return [case for case in cases if case not in reasons], reasons


def _seconds_of(stage: str) -> str:
    """The stage's benchmark, as asv names it."""
    return f"{stage}.{stage.capitalize()}.track_seconds"


def _keep_row(commit: str, seconds: str, cases: Sequence[Case], kernels: Counts) -> bool:
    """Add the stored medians to asv's series without starting asv, unless they are there; False where asv has
    to be started for that."""
    medians = {case.name: _stored_median(case) for case in cases}
    series, scratch = results() / "asv", asv_process.SCRATCH / "results"
    if not cases or has_row(series, machine_name(), commit, seconds, medians):
        return True
    with exclusive(node_lock("asv")):
        shutil.rmtree(scratch, ignore_errors=True)
        if not save_row(series, scratch, asv_process.facets(), commit, seconds, medians):
            return False
        _keep_series(commit, seconds, cases, kernels)
    return True


def _keep_series(commit: str, seconds: str, cases: Sequence[Case], kernels: Counts) -> None:
    """Merge what was saved, and what needs no clock with it, one node at a time: the list of benchmarks is
    one file for all machines."""
    counts = counts_of(machine_name(), [case.name for case in cases])
    add_series(asv_process.SCRATCH / "results", commit, seconds, counts, kernels)
    series = results() / "asv"
    with exclusive(series / ".lock"):
        merge(asv_process.SCRATCH / "results", series)


def publish() -> None:
    """Write asv's pages to reports/site/asv; none where there is no series or no repository."""
    commit, _ = machine.git_state()
    if commit is None or not (results() / "asv" / "benchmarks.json").is_file():
        print("asv: no series yet (a clean commit's run starts one), no pages", file=sys.stderr)
        return
    asv_process.write_configuration(results() / "asv")
    log = WORK / "logs" / "asv-publish.log"
    status = asv_process.start(["publish", "--no-pull"], log, {}).wait()
    if status:
        raise AirspeedError(
            f"asv publish ended with status {status}; its log: {log}\n{asv_process.tail(log)}"
        )


def _can_run(case: Case) -> bool:
    return _available(case)[0]


def _available(case: Case) -> tuple[bool, str]:
    return _asked(lookup(case.stage, case.implementation))


@functools.cache
def _asked(implementation: Implementation) -> tuple[bool, str]:
    """Whether it can run here, and why not: a stage has many cases of few implementations."""
    return implementation.available()


def _report(record: Record) -> None:
    asv_progress.say_result(record, None if record.median is None else _median(record))


def _run_asv(arguments: Sequence[str], log: Path, progress: Path, expected: int) -> tuple[int, str]:
    """Run asv: how many cases it reported, and why one was refused."""
    log.parent.mkdir(parents=True, exist_ok=True)
    progress.write_text("")
    process = asv_process.start(arguments, log, {PROGRESS: str(progress)})
    return asv_progress.pass_on(process, progress, expected)
