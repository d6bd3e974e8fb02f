"""Of which run a figure of ratios shows records: of each matrix and machine of one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from fillpath.case import Case
from fillpath.record import Record, Status
from fillpath.settings import PROCESSES

# By case an ok record of it.
Run = Mapping[str, Record]
# The processes that are one with a record.
Pool = Callable[[Record], Sequence[Record]]


def records_of_one_run(
    records: Iterable[Record], cases: Sequence[Case], pool: Pool
) -> dict[tuple[str, str], Record]:
    """By case and machine: of the cases of each matrix and machine the records of the run in which most of
    them were ok, the newest of several; of runs of the same keys, such as a night's after a figure's, the one
    with more processes.

    records : of any cases and machines, the last one of a run and case stands for it.
    """
    inputs = {case.name: case.matrix for case in cases}
    runs: dict[tuple[str, str], dict[str, dict[str, Record]]] = defaultdict(lambda: defaultdict(dict))
    for record in records:
        if record.case in inputs and record.status is Status.OK:
            runs[inputs[record.case], record.machine][record.run_id][record.case] = record
    return {
        (record.case, record.machine): record
        for by_id in runs.values()
        for record in _chosen(list(by_id.values()), pool).values()
    }


def _chosen(runs: Sequence[Run], pool: Pool) -> Run:
    keys = _keys(max(runs, key=_most_and_newest))
    alike = [run for run in runs if _keys(run) == keys]
    return max(alike, key=lambda run: (_processes(run, pool), _most_and_newest(run)))


def _processes(run: Run, pool: Pool) -> int:
    """In which each case was measured at least, up to what a firm verdict needs."""
    return min(PROCESSES, *(len(pool(record)) for record in run.values()))


def _keys(run: Run) -> dict[str, str]:
    return {case: record.key for case, record in run.items()}


def _most_and_newest(run: Run) -> tuple[int, str]:
    return len(run), max(str(record.started_at) for record in run.values())
