"""A stage of a run: its cases are measured here, one after another, and asv's series gets their medians.

asv starts a process per case, which takes longer than many cases; so only its discovery and its pages are its
own work. Its series in results/asv are made of stored records: a run that is killed loses no measurement.
"""

from __future__ import annotations

import functools
import math
import sys
from collections import Counter
from collections.abc import Collection, Sequence

from benchmarks.engine import machine, run
from benchmarks.engine.measure import store_unavailable
from benchmarks.engine.run import Run
from benchmarks.runs import asv_process
from benchmarks.runs.asv_exact import Counts, counts_of, exact_rows
from benchmarks.runs.asv_results import LISTED, Commit, Row, Values, add_rows, has_row
from benchmarks.runs.cases import suite_cases
from benchmarks.runs.launch import die_with_parent
from benchmarks.runs.night_commits import git
from benchmarks.runs.outstanding import outstanding
from benchmarks.runs.rounds import by_input, input_of, measure_rounds, stays
from fillpath.case import Case
from fillpath.errors import ConfigError, DiskFullError
from fillpath.host import machine_name
from fillpath.paths import ROOT, results
from fillpath.processes import Rounds, number, of_run
from fillpath.record import read_records, record_path
from fillpath.registry import Implementation, lookup
from fillpath.settings import settings


def case_names(stage: str) -> list[str]:
    """The cases of a stage that the settings choose and this machine can run: asv's parameters."""
    return [case.name for case in _runnable(suite_cases(settings(), stage))]


def median_seconds(name: str) -> float:
    """Measure the case, unless its record stands, for an `asv run` by hand. Returns the median of its seconds
    over its processes; nan, which asv takes as skipped, unless its status is ok.

    Raises DiskFullError: what was not measured for that reason has no record.
    """
    die_with_parent()
    case, within = Case.parse(name), _run()
    for _ in measure_rounds([case], settings().rounds, settings().fresh, within):
        pass
    median = _median(case, within)
    return math.nan if median is None else median


def run_stage(stage: str, kernels: Counts) -> None:
    """Measure what is outstanding of a stage, with one line per case on stderr. From a clean tree the medians
    join asv's series of this commit.

    kernels : what needs no clock of the stage's kernels, for asv's series

    Raises DiskFullError where a case was refused for want of space, AirspeedError as `described`; ConfigError
    where the records of a case are damaged, once all others are measured.
    """
    within, commit = _run(), _clean_commit()
    damage = {case: _damage(case) for case in suite_cases(settings(), stage)}
    cases = [case for case, error in damage.items() if error is None]
    left = outstanding(cases, within)
    _store_unavailable(cases, left, within)
    cases = _runnable(cases)
    _measure(stage, cases, _runnable(left), within)
    for error in filter(None, damage.values()):
        raise error
    medians = _medians(cases, within)
    if commit and not _has_row(stage, commit, medians):
        _add_rows(stage, commit, medians, kernels)


def is_done(stage: str) -> bool:
    """Whether `run_stage` would find nothing to measure and nothing to write."""
    within, cases = _run(), suite_cases(settings(), stage)
    if outstanding(cases, within):
        return False
    commit = _clean_commit()
    return not commit or _has_row(stage, commit, _medians(_runnable(cases), within))


def publish() -> None:
    """Write asv's pages to reports/site/asv; none where there is no series or no repository."""
    commit, _ = machine.git_state()
    if commit is None or not (results() / "asv" / LISTED).is_file():
        print("asv: no series yet (a clean commit's run starts one), no pages", file=sys.stderr)
        return
    asv_process.write_configuration(results() / "asv")
    asv_process.call("publish", "publish", "--no-pull")


def _run() -> Run:
    return run.current() or run.alone()


def _clean_commit() -> str:
    """The commit whose code this is; empty in a changed tree, and without a repository."""
    commit, dirty = machine.git_state()
    return commit if commit and not dirty else ""


def _store_unavailable(cases: Sequence[Case], left: Collection[Case], within: Run) -> None:
    """Say which cases cannot run here, and store it of those that are left."""
    reasons = {case: reason for case in cases if (reason := _reason(case))}
    git_state = machine.git_state()
    for case in left:
        if case in reasons:
            store_unavailable(case, reasons[case], within, git_state)
    for reason, count in Counter(reasons.values()).items():
        print(f"{count} cases are unavailable: {reason}", file=sys.stderr)


def _measure(stage: str, cases: Sequence[Case], left: Sequence[Case], within: Run) -> None:
    """Measure what is left of the cases, those of one input in rounds, and say what becomes of each."""
    done, count = len(cases) - len(left), settings().rounds
    if done:
        print(f"{done} of {len(cases)} {stage} cases stand", file=sys.stderr)
    try:
        for of_input in by_input(left):
            begun = 0
            for record in measure_rounds(of_input, count, settings().fresh, within):
                case = Case.parse(record.case)
                if record.run_id == within.id and number(record) > begun:
                    begun = number(record)
                    matrix, preparation, _ = input_of(case)
                    _say(done, cases, f"process {begun + 1} of {count} on {matrix}.{preparation}")
                if not stays(case, record, count, within):
                    done += 1
                    median = None if record.median is None else _median(case, within)
                    shown = record.reason.partition("\n")[0] if median is None else f"{median:.4g} s"
                    _say(done, cases, f"{record.status:<13} {record.case}  {shown}")
    except DiskFullError as error:
        raise DiskFullError(
            f"{done} of {len(cases)} {stage} cases are done and stored, the next was refused: {error}"
        ) from error


def _damage(case: Case) -> ConfigError | None:
    """Say why the records of a case cannot be read."""
    try:
        read_records(record_path(machine_name(), case.name))
    except ConfigError as error:
        return error
    return None


def _say(done: int, cases: Sequence[Case], text: str) -> None:
    print(f"[{done}/{len(cases)}] {text}", file=sys.stderr, flush=True)


def _median(case: Case, within: Run) -> float | None:
    """The median of the processes that stand; None unless their status is ok. Past its limit a run that
    measures afresh is left with what stands of another, which is none of its own."""
    processes = of_run(read_records(record_path(machine_name(), case.name)))
    last = processes[-1]
    foreign = settings().fresh and last.run_id != within.id
    return None if last.median is None or foreign else Rounds.of(processes).median


def _medians(cases: Sequence[Case], within: Run) -> Values:
    return {case.name: _median(case, within) for case in cases}


def _has_row(stage: str, commit: str, medians: Values) -> bool:
    """Whether asv's series have the medians. Of a stage without a case that can run here there is no row."""
    series = results() / "asv"
    return not medians or has_row(series, machine_name(), commit, _seconds_of(stage), medians)


def _add_rows(stage: str, commit: str, medians: Values, kernels: Counts) -> None:
    """Add the medians, and what needs no clock, to asv's series of the commit."""
    series, name = results() / "asv", _seconds_of(stage)
    seconds = asv_process.described(name, series)
    counts = counts_of(machine_name(), [case for case, median in medians.items() if median is not None])
    rows = {name: Row(seconds, medians), **exact_rows(seconds, counts, kernels)}
    date = int(git(ROOT, "show", "--quiet", "--format=%at", commit)) * 1000
    add_rows(series, asv_process.facets(), Commit(commit, date), rows)


def _seconds_of(stage: str) -> str:
    """The stage's benchmark, as asv names it."""
    return f"{stage}.{stage.capitalize()}.track_seconds"


def _runnable(cases: Sequence[Case]) -> list[Case]:
    return [case for case in cases if not _reason(case)]


def _reason(case: Case) -> str:
    """Why the case cannot run here; empty where it can."""
    return _asked(lookup(case.stage, case.implementation))


@functools.cache
def _asked(implementation: Implementation) -> str:
    """Why it cannot run here: a stage has many cases of few implementations."""
    available, reason = implementation.available()
    return "" if available else reason
