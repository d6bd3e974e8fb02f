"""`measure`: the supervisor of one measurement. It writes the record, whatever becomes of the worker."""

from __future__ import annotations

import json
import math
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from benchmarks.engine import machine, run
from benchmarks.engine.reference import load_reference, reference_path
from benchmarks.engine.run import Run
from benchmarks.engine.series import series_path
from benchmarks.engine.worker import LEAST_SAMPLES
from fetch.prepare import load_prepared, prepared_path
from fillpath import host, paths
from fillpath.case import Case
from fillpath.errors import FillpathError, InputError
from fillpath.lock import exclusive
from fillpath.nouns import Prepared
from fillpath.record import Record, Status, Verified, read_records, record_key, record_path, write_records
from fillpath.registry import Device, Implementation, load_all, lookup
from fillpath.stages import stage_of
from impl.cuda.peers import device_count

# No memory moves more, not even a GPU's cache: a median below the least bytes over this rate is marked as
# suspect.
BYTES_PER_SECOND: Mapping[Device, float] = {"cpu": 1e12, "gpu": 2e13}
_NOTHING_MEASURED = (Status.NOT_RUN, Status.UNAVAILABLE)
_POLL_SECONDS = 0.05


@dataclass(frozen=True)
class Limits:
    """What a measurement may take. seconds : of the worker's whole life. memory : bytes resident, None: nine
    tenths of what is available when it starts. samples : exactly so many, None: by the worker's rule."""

    seconds: float = 600.0
    memory: int | None = None
    samples: int | None = None

    def memory_limit(self) -> int | None:
        available = machine.available_memory()
        return self.memory or (None if available is None else available * 9 // 10)


@dataclass
class _Outcome:
    """What the worker has reported so far."""

    status: Status = Status.ERROR
    reason: str = ""
    conclusive: bool = True
    began: bool = False
    done: bool = False
    seconds: list[float] = field(default_factory=list)
    phases: dict[str, list[float]] = field(default_factory=dict)
    kernel_seconds: list[float] = field(default_factory=list)
    verified: Verified | None = None
    work: dict[str, Any] | None = None
    peak_memory: int | None = None
    clocks: dict[str, int] | None = None
    throttle: list[str] | None = None
    bytes: int | None = None
    series: str | None = None


def measure(
    case: Case | str, limits: Limits | None = None, *, fresh: bool = False, within: Run | None = None
) -> Record:
    """Measure a case, or return the record that stands for its key.

    case : or its name. fresh : measure again, unless the record is of the run `within`. within : the run
    whose id and deadline hold; None: one of its own. Raises UnknownNameError for a case that names nothing,
    ConfigError for a kind of machine that this host is not of, DiskFullError before any work where a record
    might not fit any more; every other failure is the status of
    the record that is returned and stored.
    """
    load_all()
    machine.write_facts()
    case = Case.parse(case) if isinstance(case, str) else case
    implementation = lookup(case.stage, case.implementation)
    case = replace(case, options=implementation.canonical(dict(case.options)))
    implementation.arguments(dict(case.options))
    if case.gpus:
        implementation.option("gpus")
    limits = limits or Limits()
    within = within or run.alone()
    blank = _blank_record(case, implementation, within)
    for folder in (paths.results(), paths.cache()):
        paths.require_space(folder, 0)
    available, why_not = implementation.available()
    if not available:
        return _store(replace(blank, status=Status.UNAVAILABLE, reason=why_not))
    if case.threads > machine.machine().cores:
        # In turns on fewer cores they would take the time of no machine.
        reason = f"{case.threads} threads, and this machine has {machine.machine().cores} cores"
        return _store(replace(blank, status=Status.UNAVAILABLE, reason=reason))
    blank = replace(blank, **machine.accelerator(implementation.device))
    if case.gpus > 1 and (there := device_count()) < case.gpus:
        reason = f"{case.gpus} GPUs, and this machine has {there}"
        return _store(replace(blank, status=Status.UNAVAILABLE, reason=reason))
    if within.remaining() <= 0:
        return _stored_whatever_the_input(case, implementation) or _store(_late(blank))
    try:
        prepared = make_ready(case, limits, within)
    except NotReadyError as error:
        return _store(replace(blank, status=error.outcome, reason=str(error), conclusive=False))
    except Exception as error:  # A record whatever happens: finding or reading a matrix may fail in any way.
        status = _status_of(error)
        return _store(replace(blank, status=status, reason=_one_line(error), conclusive=False))
    if stage_of(case.stage).on_values and prepared.provenance.field == "complex":
        reason = f"{case.matrix} has complex values; numeric work takes real ones only"
        return _store(replace(blank, status=Status.UNSUPPORTED, reason=reason, conclusive=False))
    key = _key(case, implementation, prepared.hash)
    stored = _stored(case, key, limits)
    if stored is not None and (not fresh or stored.run_id == within.id):
        return _stand(stored)
    blank = replace(blank, key=key, prepared=_prepared_facts(prepared))
    with exclusive(host.node_lock("measurement")):
        return _store(_supervised(case, implementation, prepared, limits, blank, within.remaining()))


class NotReadyError(FillpathError):
    """A matrix could not be prepared within the limits. outcome : the status that this means for a case."""

    def __init__(self, outcome: Status, reason: str) -> None:
        super().__init__(reason)
        self.outcome = outcome


def store_outcome(
    case: Case, implementation: Implementation, prepared: Prepared, within: Run, **outcome: Any
) -> Record:
    """Store what another driver than `measure` found of a case, under the key that `measure` would give it.

    outcome : fields of the record.
    """
    blank = replace(
        _blank_record(case, implementation, within),
        key=_key(case, implementation, prepared.hash),
        prepared=_prepared_facts(prepared),
        threads_used=_threads(case),
        **machine.accelerator(implementation.device),
    )
    return _store(replace(blank, **outcome))


def make_ready(case: Case, limits: Limits, within: Run) -> Prepared:
    """The prepared matrix, it and its reference cached; what is missing is made in a process under limits.
    The stages on graphs have no reference.

    Raises NotReadyError, and what finding the matrix raises.
    """
    path = prepared_path(case.matrix, case.preparation, case.seed)
    referred = not stage_of(case.stage).on_graph
    found = _cached(path, referred)
    if found is not None:
        return found
    task = {"task": "prepare", "matrix": case.matrix, "preparation": case.preparation.name, "seed": case.seed}
    task["reference"] = referred
    seconds, memory = min(limits.seconds, within.remaining()), limits.memory_limit()
    outcome = _run_worker({**task, "threads": _threads(case)}, seconds, memory)
    if outcome.status is not Status.OK:
        raise NotReadyError(outcome.status, f"preparing {case.matrix}: {outcome.reason}")
    return load_prepared(path)


def _cached(path: Path, referred: bool) -> Prepared | None:
    if not path.is_file():
        return None
    try:
        prepared = load_prepared(path)
    except InputError:
        return None
    ready = not referred or load_reference(reference_path(prepared.hash)) is not None
    return prepared if ready else None


def _late(blank: Record) -> Record:
    return replace(blank, status=Status.NOT_RUN, reason="the time limit of this run was reached before")


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return text if isinstance(error, FillpathError) else f"{type(error).__name__}: {text}"


def _status_of(error: BaseException) -> Status:
    if isinstance(error, FillpathError):
        return Status(error.status)
    return Status.OUT_OF_MEMORY if isinstance(error, MemoryError) else Status.ERROR


def _supervised(
    case: Case,
    implementation: Implementation,
    prepared: Prepared,
    limits: Limits,
    blank: Record,
    remaining: float,
) -> Record:
    if remaining <= 0:
        return _late(blank)
    seconds = min(limits.seconds, remaining)
    memory = limits.memory_limit()
    outcome = _run_worker(_job(case, implementation, prepared, limits), seconds, memory)
    if outcome.status is Status.TIMEOUT and remaining < limits.seconds:
        outcome.status, outcome.reason = Status.NOT_RUN, "the time limit of this run cut it off"
    median = sorted(outcome.seconds)[len(outcome.seconds) // 2] if outcome.seconds else None
    rate = BYTES_PER_SECOND[implementation.device]
    too_fast = median is not None and outcome.bytes is not None and median < outcome.bytes / rate
    wrong = outcome.status is Status.WRONG
    return replace(
        blank,
        status=outcome.status,
        reason=outcome.reason,
        conclusive=outcome.conclusive,
        seconds=[] if wrong else outcome.seconds,
        phases={} if wrong else outcome.phases,
        kernel_seconds=None if wrong else outcome.kernel_seconds or None,
        verified=outcome.verified,
        work=outcome.work,
        peak_memory=outcome.peak_memory,
        clocks=outcome.clocks,
        throttle=outcome.throttle,
        suspect=too_fast,
        threads_used=_threads(case),
        limit_seconds=seconds,
        memory_limit=memory,
        series=outcome.series,
    )


def _blank_record(case: Case, implementation: Implementation, within: Run) -> Record:
    commit, dirty = machine.git_state()
    return Record(
        case=case.name,
        parts={
            **{k: v for k, v in asdict(case).items() if k != "options"},
            "options": dict(case.options),
            "preparation": case.preparation.name,
        },
        key=_key(case, implementation, ""),
        status=Status.ERROR,
        reason="",
        run_id=within.id,
        started_at=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%f}Z",
        machine=host.machine_name(),
        host=host.fingerprint(),
        host_cpu=machine.machine().cpu,
        versions=machine.versions(),
        commit=commit,
        dirty=dirty,
    )


def _prepared_facts(prepared: Prepared) -> dict[str, Any]:
    provenance = asdict(prepared.provenance)
    return {"hash": prepared.hash, "n": prepared.pattern.n, "nnz": prepared.pattern.nnz, **provenance}


def _key(case: Case, implementation: Implementation, prepared_hash: str) -> str:
    return record_key(case.name, prepared_hash, implementation.source_hash(), host.machine_name())


def settled(case: Case, prepared_hash: str, limits: Limits) -> Record | None:
    """The record that `measure` would return for this input rather than measure again."""
    return _stored(case, _key(case, lookup(case.stage, case.implementation), prepared_hash), limits)


def _stored(case: Case, key: str, limits: Limits) -> Record | None:
    """The newest record that settles this key: conclusive, and not cut off by a lower limit than today's."""
    for record in _measured_here(case):
        if record.key == key and _settles(record, limits):
            return record
    return None


def _stored_whatever_the_input(case: Case, implementation: Implementation) -> Record | None:
    """An ok record of today's sources: past the deadline not even the input's hash is worth its time."""
    for record in _measured_here(case):
        prepared_hash = (record.prepared or {}).get("hash", "")
        if record.status is Status.OK and record.key == _key(case, implementation, prepared_hash):
            return _stand(record)
    return None


def _measured_here(case: Case) -> Iterator[Record]:
    """The case's records of this machine, newest first, of as many cores as today and of the same device."""
    device = machine.accelerator(lookup(case.stage, case.implementation).device)["device"]
    for record in reversed(read_records(record_path(host.machine_name(), case.name))):
        if record.threads_used == _threads(case) and record.device == device:
            yield record


def _settles(record: Record, limits: Limits) -> bool:
    if record.status in _NOTHING_MEASURED or not record.conclusive:
        return False
    if record.status is Status.TIMEOUT:
        return limits.seconds <= (record.limit_seconds or 0.0)
    if record.status is Status.OUT_OF_MEMORY:
        return (limits.memory_limit() or 0) <= 1.1 * (record.memory_limit or 0)
    return record.status is not Status.OK or len(record.seconds) >= (limits.samples or LEAST_SAMPLES)


def _store(record: Record) -> Record:
    """Add the record to its case's file; what measured nothing under the same key before it is dropped.

    It stands, unless it says less than an ok record of the same key does.
    """
    machine.write_facts()
    path = record_path(record.machine, record.case)
    with exclusive(path.parent.parent / ".lock"):
        kept = [r for r in read_records(path) if r.key != record.key or _is_worth_keeping(r)]
        proven = [r for r in kept if r.key == record.key and r.status is Status.OK]
        standing = proven[-1:] if _says_less_than_ok(record) else []
        write_records(path, [*(r for r in kept if r not in standing), record, *standing])
    return record


def _stand(record: Record) -> Record:
    """Make a stored record the one that stands."""
    path = record_path(record.machine, record.case)
    with exclusive(path.parent.parent / ".lock"):
        present = read_records(path)
        if present[-1] != record:
            write_records(path, [*(r for r in present if r != record), record])
    return record


def _is_worth_keeping(record: Record) -> bool:
    return record.status not in _NOTHING_MEASURED and record.conclusive


def _says_less_than_ok(record: Record) -> bool:
    """Limits and kills say nothing against an earlier proof; a wrong result or a crash does."""
    return not _is_worth_keeping(record) or record.status in (Status.TIMEOUT, Status.OUT_OF_MEMORY)


def _threads(case: Case) -> int:
    return case.threads or machine.machine().cores


def _job(case: Case, implementation: Implementation, prepared: Prepared, limits: Limits) -> dict[str, Any]:
    return {
        "task": "measure",
        "stage": case.stage,
        "implementation": case.implementation,
        "module": implementation.module,
        "options": dict(case.options),
        "threads": _threads(case),
        "gpus": case.gpus,
        "prepared": str(prepared_path(case.matrix, case.preparation, case.seed)),
        "seed": case.seed,
        "reference": None if stage_of(case.stage).on_graph else str(reference_path(prepared.hash)),
        "series": str(series_path(host.machine_name(), case.name)),
        "samples": limits.samples,
    }


def _run_worker(job: dict[str, Any], seconds: float, memory: int | None) -> _Outcome:
    """Run the worker under both limits; returns what became of it, always."""
    outcome = _Outcome()
    oom_kills = machine.oom_kills()
    with tempfile.TemporaryFile("w+") as log:
        reading, writing = os.pipe()
        with os.fdopen(reading, "rb", buffering=0) as reports:
            worker = _start(job, writing, log)
            os.close(writing)
            try:
                _follow(worker, reports, outcome, seconds, memory)
            finally:
                worker.kill()
                worker.wait()
        if not outcome.done and not outcome.reason:
            _explain_death(outcome, worker.returncode, oom_kills, _tail(log))
    return outcome


def _start(job: dict[str, Any], writing: int, log: IO[str]) -> subprocess.Popen[str]:
    environment = {
        **os.environ,
        "NUMBA_NUM_THREADS": str(job["threads"]),
        "OMP_NUM_THREADS": str(job["threads"]),
        "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry),
    }
    worker = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.engine.worker"],
        stdin=subprocess.PIPE, stdout=log, stderr=log, text=True, env=environment, pass_fds=(writing,),
    )  # fmt: skip
    assert worker.stdin is not None
    try:
        worker.stdin.write(json.dumps({**job, "reports": writing, "supervisor": os.getpid()}) + "\n")
        worker.stdin.close()
    except BrokenPipeError:
        pass  # It died before it read its job: `_explain_death` says how.
    return worker


def _follow(
    worker: subprocess.Popen[str], reports: IO[bytes], outcome: _Outcome, seconds: float, memory: int | None
) -> None:
    """Take in reports until the worker closes its pipe or passes a limit."""
    deadline = time.monotonic() + seconds
    pending = b""
    with selectors.DefaultSelector() as selector:
        selector.register(reports, selectors.EVENT_READ)
        while True:
            if selector.select(_POLL_SECONDS):
                chunk = reports.read(65536)
                if not chunk:
                    return
                *lines, pending = (pending + chunk).split(b"\n")
                for line in lines:
                    _take(outcome, json.loads(line))
                if outcome.done:
                    return
            resident = _resident_bytes(worker.pid)
            if memory is not None and resident > memory:
                outcome.status = Status.OUT_OF_MEMORY
                outcome.reason = f"used {resident / 2**30:.2f} GiB, the limit is {memory / 2**30:.2f} GiB"
                return
            if time.monotonic() > deadline:
                outcome.status, outcome.reason = Status.TIMEOUT, f"not done within {seconds:.4g} s"
                return


def _take(outcome: _Outcome, message: dict[str, Any]) -> None:
    if outcome.done:
        return
    event = message.pop("event")
    if event == "began":
        outcome.began = True
    elif event == "verified":
        # JSON has no NaN and no infinity; neither is below any bound.
        finite = message["value"] if math.isfinite(message["value"]) else sys.float_info.max
        verdict = Verified(**{**message, "value": finite})
        outcome.verified = verdict
        if not verdict.value <= verdict.bound:
            outcome.status, outcome.done = Status.WRONG, True
            outcome.reason = f"{verdict.method}: {verdict.value:g} where at most {verdict.bound:g} is right"
    elif event == "sample":
        outcome.seconds.append(message["seconds"])
        for name, spent in message["phases"].items():
            outcome.phases.setdefault(name, []).append(spent)
        if message["kernel_seconds"] is not None:
            outcome.kernel_seconds.append(message["kernel_seconds"])
    elif event == "sampled":
        outcome.work, outcome.peak_memory = message["work"], message["peak_memory"]
        outcome.bytes, outcome.clocks = message["bytes"], message["clocks"]
        outcome.throttle = message["throttle"]
        outcome.phases |= message["transfers"]
        _refuse_impossible(outcome)
    elif event == "counted" and message["facts"]:
        work = outcome.work or {}
        outcome.work = {**work, "facts": {**(work.get("facts") or {}), **message["facts"]}}
        _refuse_impossible(outcome)
    elif event == "failed":
        outcome.status, outcome.reason, outcome.done = Status(message["status"]), message["reason"], True
        outcome.conclusive = outcome.began
    elif event == "done":
        outcome.status, outcome.done, outcome.series = Status.OK, True, message.get("series")


def _refuse_impossible(outcome: _Outcome) -> None:
    impossible = _impossible(outcome.work or {"facts": None})
    if impossible:
        outcome.status, outcome.work, outcome.done = Status.ERROR, None, True
        outcome.reason = f"its work has {', '.join(impossible)}"


def _impossible(work: dict[str, Any]) -> list[str]:
    """What no count can be: below zero, or no number."""
    counts = [(name, value) for name, value in work.items() if name != "facts" and value is not None]
    counts += (work["facts"] or {}).items()
    negative = [f"negative {name}" for name, value in counts if value < 0]
    infinite = [f"no finite {name}" for name, value in counts if not (value < 0 or math.isfinite(value))]
    return negative + infinite


def _explain_death(outcome: _Outcome, code: int, oom_kills: int | None, tail: str) -> None:
    """Why a worker ended without a last report. What came from outside does not settle the case."""
    if code >= 0:
        outcome.conclusive = outcome.began
        outcome.reason = f"the worker ended early with exit status {code}: {tail}"
        return
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    if code == -signal.SIGKILL and oom_kills is not None and (machine.oom_kills() or 0) > oom_kills:
        outcome.status, outcome.reason = Status.OUT_OF_MEMORY, "the kernel killed the worker for memory"
    elif -code in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        outcome.reason, outcome.conclusive = f"killed from outside by {name}", False
    else:
        outcome.reason = f"crashed with {name}{': ' if tail else ''}{tail}"


def _resident_bytes(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def _tail(log: IO[str]) -> str:
    log.seek(0)
    lines = [line.strip() for line in log.read().splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""
