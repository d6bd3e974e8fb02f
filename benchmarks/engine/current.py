"""Records of a case: a blank one, which stored one today's code can reuse, and which one figures show.

Figures show the current record: the last line of the case's file, with the other processes of its run.

    blank = blank_record(case, within)
    reusable_record(case, prepared.hash, Limits()) or store(replace(blank, seconds=[0.5]))
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime

from benchmarks.engine import machine
from benchmarks.engine.limits import Limits
from benchmarks.engine.run import Run
from fillpath import host
from fillpath.case import Case
from fillpath.hardware import hardware, host_facts, identity
from fillpath.lock import exclusive
from fillpath.processes import number, of_run
from fillpath.record import UNTRIED, Record, Status, read_records, record_key, record_path, write_records
from fillpath.registry import lookup


def key_of(case: Case, prepared_hash: str, versions: Mapping[str, str] | None = None) -> str:
    """Return the key of today's code for this input on this machine.

    prepared_hash : str, of the prepared matrix, empty before there is one
    versions : of libraries, by peer or package, where it was measured; None: as installed here
    """
    source_hash = lookup(case.stage, case.implementation).source_hash(versions)
    return record_key(case.name, prepared_hash, source_hash, host.machine_name())


def threads_of(case: Case) -> int:
    """Return the number of threads that the case runs on here."""
    return case.threads or machine.cores()


def blank_record(
    case: Case, within: Run, process: int = 0, git_state: tuple[str | None, bool | None] | None = None
) -> Record:
    """Return the record of a process of the case before anything is known of its input.

    git_state : of `machine.git_state`, None to ask now
    """
    commit, dirty = git_state or machine.git_state()
    parts = {name: value for name, value in asdict(case).items() if name != "options"}
    return Record(
        case=case.name,
        parts={**parts, "options": dict(case.options), "preparation": case.preparation.name},
        key=key_of(case, ""),
        status=Status.ERROR,
        reason="",
        run_id=within.id,
        process=process,
        started_at=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%f}Z",
        machine=host.machine_name(),
        host=identity(),
        host_facts=host_facts(),
        host_cpu=hardware().cpu,
        versions=machine.versions(),
        commit=commit,
        dirty=dirty,
    )


def reusable_record(
    case: Case,
    prepared_hash: str,
    limits: Limits,
    processes: int = 1,
    *,
    run_id: str = "",
    process: int = 0,
    fresh: bool = False,
) -> Record | None:
    """Return the record that `measure` reuses for this input, None where it has to measure.

    The record is the run's own of that process. Otherwise, unless `fresh`, it is the newest of any run with
    enough processes of the case, or with a failure.
    """
    key = key_of(case, prepared_hash)
    found = [record for record in _measured_here(case) if record.key == key and is_reusable(record, limits)]
    record = _of_run(found, run_id, process, processes)
    if record is not None or fresh:
        return record
    return next((record for record in found if _is_whole(record, found, processes)), None)


def decisive_record(case: Case, run_id: str = "") -> Record | None:
    """Return the newest result of today's code, ok or its own failure, on any input; of that run first."""
    current = [
        record
        for record in _measured_here(case)
        if not is_outweighed(record) and record.key == key_of(case, (record.prepared or {}).get("hash", ""))
    ]
    return min(current, key=lambda record: record.run_id != run_id, default=None)


def store(record: Record) -> Record:
    """Add the record to its case's file, and drop earlier records of its key that measured nothing.

    The record becomes current, unless it is a timeout or a kill and an ok record of the same key exists.
    """
    machine.write_facts()
    path = record_path(record.machine, record.case)
    with exclusive(path.parent.parent / ".lock"):
        others = [r for r in read_records(path) if r.key != record.key or _is_worth_keeping(r)]
        ok = [r for r in others if r.key == record.key and r.status is Status.OK]
        last = ok[-1:] if is_outweighed(record) else []
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


def is_reusable(record: Record, limits: Limits) -> bool:
    """Return whether the record of a process answers for another process under these limits."""
    if not _is_worth_keeping(record) or (record.verified is not None and record.verified.by_norms):
        return False
    if record.status is Status.TIMEOUT:
        return limits.seconds <= (record.limit_seconds or 0.0)
    if record.status is Status.OUT_OF_MEMORY:
        return machine.memory_limit() <= 1.1 * (record.memory_limit or 0)
    if record.status is not Status.OK:
        return True
    return not limits.sampling.wants_more(len(record.seconds), sum(record.seconds))


def _of_run(found: Sequence[Record], run_id: str, process: int, processes: int) -> Record | None:
    """Return the record that a run has of a process of the case on this input.

    A failure ends the case in its run and is returned for every process, unless an ok record outweighs it.
    Another host's records count only where the case is whole there: processes of two hosts do not pool.
    """
    found = [record for record in found if record.run_id == run_id]
    of_run = [r for r in found if r.host == identity() or _is_whole(r, found, processes)]
    ok = [record for record in of_run if record.status is Status.OK]
    failed = [record for record in of_run if record.status is not Status.OK]
    if failed:
        return ok[0] if ok and is_outweighed(failed[0]) else failed[0]
    return next((record for record in ok if number(record) == process), None)


def _is_whole(record: Record, records: Sequence[Record], processes: int) -> bool:
    """Tell whether the record's run has enough processes of the case on its host, or one that failed."""
    of_run = [other for other in records if (other.run_id, other.host) == (record.run_id, record.host)]
    failed = any(other.status is not Status.OK for other in of_run)
    return failed or len({number(other) for other in of_run}) >= processes


def _is_worth_keeping(record: Record) -> bool:
    return record.status not in UNTRIED and record.conclusive


def is_outweighed(record: Record) -> bool:
    """Tell whether an earlier ok record outweighs this one: limits and kills disprove nothing, crashes do."""
    return not _is_worth_keeping(record) or record.status in (Status.TIMEOUT, Status.OUT_OF_MEMORY)
