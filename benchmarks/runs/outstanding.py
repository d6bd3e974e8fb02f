"""Which cases have still to be measured, in one pass over what is stored.

No process is started for it and no matrix is loaded: of a prepared matrix its hash alone is read. What cannot
be said so, as where a record is damaged, is for `measure` to say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.engine import machine, standing
from benchmarks.engine.measure import require, store_unavailable
from benchmarks.engine.reference import reference_path
from benchmarks.engine.run import Run
from benchmarks.runs.layout import limits_of
from benchmarks.runs.rounds import rounds_of
from fetch.prepare import prepared_hash, prepared_path
from fillpath import host
from fillpath.case import Case
from fillpath.errors import FillpathError, UnavailableError
from fillpath.processes import of_run
from fillpath.record import Record, Status, read_records, record_path
from fillpath.registry import lookup
from fillpath.settings import settings
from fillpath.stages import stage_of


def outstanding(cases: Sequence[Case], within: Run) -> list[Case]:
    """The cases that have no record yet that `measure` would return for their last process in this run.

    A record that stands, but is not the last of its file, is made the last.
    """
    standing_records = _standing(cases, within)
    for record in standing_records.values():
        if record is not None:
            standing.make_last(record)
    return [case for case, record in standing_records.items() if record is None]


def is_settled(cases: Sequence[Case], reasons: Mapping[Case, str], within: Run) -> bool:
    """Whether each case's last record is the one that `measure` would return, or says why it cannot run here.
    Nothing is written.

    reasons : why a case cannot run here, by case; it need not be among the cases
    """
    if not all(_is_known_unavailable(case, reason) for case, reason in reasons.items()):
        return False
    return all(
        record is not None and record in of_run(read_records(_path(case)))
        for case, record in _standing(cases, within).items()
    )


def record_unavailable(reasons: Mapping[Case, str], within: Run) -> None:
    """Store a record of each case that cannot run here, unless its last record says the same.

    reasons : why it cannot, by case.
    """
    git_state = machine.git_state()
    for case, reason in reasons.items():
        if not _is_known_unavailable(case, reason):
            store_unavailable(case, reason, within, git_state)


def _path(case: Case) -> Path:
    return record_path(host.machine_name(), case.name)


def _standing(cases: Sequence[Case], within: Run) -> dict[Case, Record | None]:
    """The record that stands, by case."""
    inputs = {(case.matrix, case.preparation, case.seed): case for case in cases if _path(case).is_file()}
    hashes = {key: _input_hash(case) for key, case in inputs.items()}
    return {
        case: _standing_record(case, hashes.get((case.matrix, case.preparation, case.seed), ""), within)
        for case in cases
    }


def _standing_record(case: Case, input_hash: str, within: Run) -> Record | None:
    try:
        require(case, lookup(case.stage, case.implementation))
    except UnavailableError as error:
        return read_records(_path(case))[-1] if _is_known_unavailable(case, str(error)) else None
    if not input_hash or not (stage_of(case.stage).on_graph or reference_path(input_hash).is_file()):
        return None
    count, fresh = rounds_of(case, settings().rounds), settings().fresh
    limits = limits_of(case, settings())
    return standing.standing_record(case, input_hash, limits, within.id, count - 1, count, fresh)


def _is_known_unavailable(case: Case, reason: str) -> bool:
    """Whether the case's last record says so, of today's sources."""
    last = read_records(_path(case))[-1:]
    wanted = (Status.UNAVAILABLE, reason, standing.key_of(case, ""))
    return [(record.status, record.reason, record.key) for record in last] == [wanted]


def _input_hash(case: Case) -> str:
    """That of its prepared matrix; empty where the cache has none, or where that cannot be said."""
    try:
        return prepared_hash(prepared_path(case.matrix, case.preparation, case.seed))
    except FillpathError:
        return ""
