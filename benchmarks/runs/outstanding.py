"""The one rule that decides whether a case is done: its last record is the one that `measure` would return.

No process is started to find out and no matrix is loaded: only the hash of a prepared matrix is read. A case
is outstanding where that does not suffice, as where a record is damaged; `measure` then decides.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from benchmarks.engine import standing
from benchmarks.engine.measure import require
from benchmarks.engine.reference import reference_path
from benchmarks.engine.run import Run
from benchmarks.runs.layout import limits_of
from benchmarks.runs.rounds import rounds_of
from fetch.prepare import prepared_hash, prepared_path
from fillpath import host
from fillpath.case import Case, Preparation
from fillpath.errors import ConfigError, FillpathError, UnavailableError
from fillpath.processes import of_run
from fillpath.record import Record, Status, read_records, record_path
from fillpath.registry import lookup
from fillpath.settings import settings
from fillpath.stages import stage_of


def outstanding(cases: Sequence[Case], within: Run) -> list[Case]:
    """Return the cases that are not done in this run. Nothing is written."""
    hash_of = functools.cache(_input_hash)
    return [case for case in cases if not _is_done(case, within, hash_of)]


def _is_done(case: Case, within: Run, hash_of: Callable[[str, Preparation, int], str]) -> bool:
    try:
        records = read_records(record_path(host.machine_name(), case.name))
    except ConfigError:
        return False
    if not records:
        return False
    try:
        require(case, lookup(case.stage, case.implementation))
    except UnavailableError as error:
        return _says_unavailable(records[-1], case, str(error))
    record = _standing_record(case, hash_of(case.matrix, case.preparation, case.seed), within)
    return record is not None and record in of_run(records)


def _standing_record(case: Case, prepared: str, within: Run) -> Record | None:
    if not prepared or (stage_of(case.stage).refers and not reference_path(prepared).is_file()):
        return None
    count, fresh = rounds_of(case, settings().rounds), settings().fresh
    limits = limits_of(case, settings())
    return standing.standing_record(case, prepared, limits, within.id, count - 1, count, fresh)


def _says_unavailable(record: Record, case: Case, reason: str) -> bool:
    """Whether the record gives this reason, and is of today's sources."""
    wanted = (Status.UNAVAILABLE, reason, standing.key_of(case, ""))
    return (record.status, record.reason, record.key) == wanted


def _input_hash(matrix: str, preparation: Preparation, seed: int) -> str:
    """Return the hash of the prepared matrix, empty where the cache has none or cannot tell."""
    try:
        return prepared_hash(prepared_path(matrix, preparation, seed))
    except FillpathError:
        return ""
