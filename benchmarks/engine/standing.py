"""Choose a case's current record: which stored records today's code can reuse, and which one figures show.

The current record is the last line of the case's file, with the other processes of its run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.engine import machine
from benchmarks.engine.limits import Limits
from fillpath import host
from fillpath.case import Case
from fillpath.hardware import identity
from fillpath.lock import exclusive
from fillpath.processes import number, of_run
from fillpath.record import UNTRIED, Record, Status, read_records, record_key, record_path, write_records
from fillpath.registry import lookup


def key_of(case: Case, prepared_hash: str) -> str:
    """Return the key of today's code for this input on this machine.

    prepared_hash : str, of the prepared matrix, empty before there is one
    """
    source_hash = lookup(case.stage, case.implementation).source_hash()
    return record_key(case.name, prepared_hash, source_hash, host.machine_name())


def threads_of(case: Case) -> int:
    """Return the number of threads that the case runs on here."""
    return case.threads or machine.machine().cores


def standing_record(
    case: Case, prepared_hash: str, limits: Limits, run_id: str, process: int, processes: int, fresh: bool
) -> Record | None:
    """Return the record that `measure` reuses for this input, None where it has to measure.

    The record is the run's own of that process, or, unless `fresh`, that of `settling_record`.
    """
    settled = _settled(case, prepared_hash, limits)
    record = _of_run(settled, run_id, process, processes)
    return record if record is not None or fresh else _settling(settled, processes)


def settling_record(case: Case, prepared_hash: str, limits: Limits, processes: int) -> Record | None:
    """Return the newest reusable record of any run with enough processes, or with a failure."""
    return _settling(_settled(case, prepared_hash, limits), processes)


def ok_record(case: Case, run_id: str) -> Record | None:
    """Return the newest ok record of today's code, whatever its input was; a record of that run first."""
    current = [
        record
        for record in _measured_here(case)
        if record.status is Status.OK and record.key == key_of(case, (record.prepared or {}).get("hash", ""))
    ]
    of_run = [record for record in current if record.run_id == run_id]
    return next(iter([*of_run, *current]), None)


def store(record: Record) -> Record:
    """Add the record to its case's file, and drop earlier records of its key that measured nothing.

    The record becomes current, unless it is a timeout or a kill and an ok record of the same key exists.
    """
    machine.write_facts()
    path = record_path(record.machine, record.case)
    with exclusive(path.parent.parent / ".lock"):
        others = [r for r in read_records(path) if r.key != record.key or _is_worth_keeping(r)]
        ok = [r for r in others if r.key == record.key and r.status is Status.OK]
        last = ok[-1:] if _says_less_than_ok(record) else []
        write_records(path, [*(r for r in others if r not in last), record, *last])
    return record


def make_last(record: Record) -> Record:
    """Make a stored record the current one, with the other processes of its run."""
    path = record_path(record.machine, record.case)
    with exclusive(path.parent.parent / ".lock"):
        records = read_records(path)
        if record not in of_run(records):
            write_records(path, [*(r for r in records if r != record), record])
    return record


def _measured_here(case: Case) -> Iterator[Record]:
    """Yield the case's records of this machine with today's threads and device, newest first."""
    device = machine.accelerator(lookup(case.stage, case.implementation).device)["device"]
    for record in reversed(read_records(record_path(host.machine_name(), case.name))):
        if record.threads_used == threads_of(case) and record.device == device:
            yield record


def _settled(case: Case, prepared_hash: str, limits: Limits) -> list[Record]:
    """Return the conclusive records of today's key that no limit lower than today's cut off, newest first."""
    key = key_of(case, prepared_hash)
    return [record for record in _measured_here(case) if record.key == key and is_reusable(record, limits)]


def is_reusable(record: Record, limits: Limits) -> bool:
    """Return whether the record of a process answers for another process under these limits."""
    if not _is_worth_keeping(record) or (record.verified is not None and record.verified.by_norms):
        return False
    if record.status is Status.TIMEOUT:
        return limits.seconds <= (record.limit_seconds or 0.0)
    if record.status is Status.OUT_OF_MEMORY:
        return limits.memory_limit() <= 1.1 * (record.memory_limit or 0)
    if record.status is not Status.OK:
        return True
    return not limits.sampling.wants_more(len(record.seconds), sum(record.seconds))


def _of_run(settled: Sequence[Record], run_id: str, process: int, processes: int) -> Record | None:
    """Return the record that a run has of a process of the case on this input.

    A failure ends the case in its run and is returned for every process, unless an ok record outweighs it.
    Another host's records count only where the case is whole there: processes of two hosts do not pool.
    """
    settled = [record for record in settled if record.run_id == run_id]
    of_run = [r for r in settled if r.host == identity() or _is_whole(r, settled, processes)]
    ok = [record for record in of_run if record.status is Status.OK]
    failed = [record for record in of_run if record.status is not Status.OK]
    if failed:
        return ok[0] if ok and _says_less_than_ok(failed[0]) else failed[0]
    return next((record for record in ok if number(record) == process), None)


def _settling(settled: Sequence[Record], processes: int) -> Record | None:
    return next((record for record in settled if _is_whole(record, settled, processes)), None)


def _is_whole(record: Record, records: Sequence[Record], processes: int) -> bool:
    """Tell whether the record's run has enough processes of the case on its host, or one that failed."""
    of_run = [other for other in records if (other.run_id, other.host) == (record.run_id, record.host)]
    failed = any(other.status is not Status.OK for other in of_run)
    return failed or len({number(other) for other in of_run}) >= processes


def _is_worth_keeping(record: Record) -> bool:
    return record.status not in UNTRIED and record.conclusive


def _says_less_than_ok(record: Record) -> bool:
    """Tell whether an earlier ok record outweighs this one: limits and kills disprove nothing, crashes do."""
    return not _is_worth_keeping(record) or record.status in (Status.TIMEOUT, Status.OUT_OF_MEMORY)
