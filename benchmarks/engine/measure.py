"""`measure`: the supervisor of one measurement. It writes the record, whatever becomes of the worker.

A caller needs the name of a case only:

    record = measure("symbolic.fill1@HB+bcsstk18.metis")
    record.status, record.median
"""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from benchmarks.engine import current, machine, run
from benchmarks.engine.advice import choices, followable
from benchmarks.engine.benchmark import benchmark_of
from benchmarks.engine.inputs import NotReadyError, make_ready
from benchmarks.engine.limits import Limits
from benchmarks.engine.mpirun import launcher
from benchmarks.engine.outcome import Outcome
from benchmarks.engine.process import LATE, Start, run_worker
from benchmarks.engine.reference import load_reference, reference_path
from fetch.prepare import prepared_path
from fillpath import LOG, host, paths, surroundings
from fillpath.case import Case
from fillpath.errors import FillpathError, UnavailableError
from fillpath.lock import exclusive
from fillpath.nouns import Prepared
from fillpath.record import Record, Status
from fillpath.registry import Device, Implementation, lookup
from fillpath.series import series_path
from fillpath.settings import without_login
from fillpath.stages import stage_of
from impl.cuda.peers import device_count

# No memory moves more, not even a GPU's cache: a median below the least bytes over this rate is marked as
# suspect.
BYTES_PER_SECOND: Mapping[Device, float] = {"cpu": 1e12, "gpu": 2e13}


def measure(
    case: Case | str,
    limits: Limits | None = None,
    *,
    fresh: bool = False,
    within: run.Run | None = None,
    process: int = 0,
    processes: int = 1,
    followed: bool = False,
) -> Record:
    """Measure a case in a worker process, or return a reusable record.

    case : or its name
    limits : None for the defaults of `Limits`
    fresh : measure again, unless the record is of the run `within`
    within : the run with the id and the deadline, None for a new run
    process : number of the process in its run, from 0
    processes : that another run needs to have of the case, so that its record is reused
    followed : whether other processes come next, for which workers start ahead

    Raises UnknownNameError for a case that names nothing, and DiskFullError before any work where a record
    might not fit. Raises ConfigError for another kind of machine, and as `surroundings.require_own`. Every
    other failure is the status of the record that is returned. It is stored, unless the matrix could not be
    had and a result of today's code exists.
    """
    surroundings.require_own()
    machine.write_facts()
    case, implementation = resolved(case)
    limits = limits or Limits()
    within = within or run.alone()
    blank = current.blank_record(case, within, process)
    for folder in (paths.results(), paths.cache()):
        paths.require_space(folder, 0)
    try:
        require(case, implementation)
    except UnavailableError as error:
        return _not_started(blank, Status.UNAVAILABLE, str(error))
    blank = replace(blank, **machine.accelerator(implementation.device))
    if within.remaining() <= 0:
        known = current.decisive_record(case, within.id)
        return current.make_last(known) if known is not None else _not_started(blank, Status.NOT_RUN, LATE)
    try:
        benchmark_of(case.stage)
        prepared = make_ready(case, limits, within)
    except Exception as error:  # A record whatever happens: finding or reading a matrix may fail in any way.
        return _without_input(blank, case, within, error, fresh)
    if stage_of(case.stage).on_values and prepared.provenance.field == "complex":
        reason = f"{case.matrix} has complex values; numeric work takes real ones only"
        return _not_started(blank, Status.UNSUPPORTED, reason, conclusive=False)
    stored = current.reusable_record(
        case, prepared.hash, limits, processes, run_id=within.id, process=process, fresh=fresh
    )
    if stored is not None:
        return current.make_last(stored)
    size = {"hash": prepared.hash, "n": prepared.pattern.n, "nnz": prepared.pattern.nnz}
    facts = {**size, **asdict(prepared.provenance)}
    key, threads = current.key_of(case, prepared.hash), current.threads_of(case)
    blank = replace(blank, key=key, prepared=facts, threads_used=threads)
    if lack := _lack(case, implementation, prepared):
        return _not_started(blank, Status.OUT_OF_MEMORY, lack, memory_limit=machine.memory_limit())
    with exclusive(host.node_lock("measurement")):
        start = _start(limits, implementation.device, processes, followed)
        outcome = run_worker(job_of(case, implementation, limits), limits.seconds, within, start)
        return current.store(_filled(blank, case, implementation, outcome))


def require(case: Case, implementation: Implementation) -> None:
    """Raise UnavailableError for what this machine lacks."""
    available, reason = implementation.available()
    if not available:
        raise UnavailableError(reason)
    cores, ranks = machine.cores(), ranks_of(case, implementation)
    for count, what in ((case.threads, "threads"), (ranks, "ranks")):
        if count > cores:
            # Taking turns on fewer cores, they would measure no machine.
            raise UnavailableError(f"{count} {what}, and this machine has {cores} cores")
    if ranks > 1:
        launcher(implementation.peer)
    gpus = ranks * max(1, case.gpus) if implementation.device == "gpu" else 1
    if gpus > 1 and (count := device_count()) < gpus:
        raise UnavailableError(f"{gpus} GPUs, and this machine has {count}")


def ranks_of(case: Case, implementation: Implementation) -> int:
    """Return the ranks of MPI that measure the case, 1 without MPI."""
    return int(implementation.values(dict(case.options)).get("ranks", 1))


def job_of(case: Case, implementation: Implementation, limits: Limits) -> dict[str, Any]:
    """Return the worker's job: to measure a prepared case. Ranks share this machine's cores."""
    ranks = ranks_of(case, implementation)
    return {
        "task": "measure",
        "case": case.name,
        "module": implementation.module,
        "device": implementation.device,
        "threads": case.threads or max(1, machine.cores() // ranks),
        "ranks": ranks,
        "peer": list(implementation.peer),
        "prepared": str(prepared_path(case.matrix, case.preparation, case.seed)),
        "series": str(series_path(host.machine_name(), case.name)),
        "sampling": asdict(limits.sampling),
    }


def resolved(case: Case | str) -> tuple[Case, Implementation]:
    """Return the case with canonical options, and its implementation. Raises UnknownNameError."""
    case = Case.parse(case) if isinstance(case, str) else case
    implementation = lookup(case.stage, case.implementation)
    if case.gpus:
        implementation.option("gpus")
    return replace(case, options=implementation.canonical(dict(case.options))), implementation


def least_bytes(case: Case, implementation: Implementation, filled: float) -> float:
    """Return the bytes of F's rows and values, which the case holds at some time whatever its implementation.

    Returns 0 where nothing is certain: graphs, counts, peers, and whole solutions, which may fill less.

    filled : float, entries of F, each with an int32 index, and in the numeric phase a value in float32
    """
    stage = stage_of(case.stage)
    counts = implementation.values(dict(case.options)).get("output") == "counts"
    if not stage.refers or counts or implementation.peer:
        return 0.0
    return filled * (8 if case.stage == "numeric" else 4)


def _lack(case: Case, implementation: Implementation, prepared: Prepared) -> str:
    """Return why the case cannot fit into memory, by its reference; empty where it may."""
    usable = machine.memory_limit()
    made = load_reference(reference_path(prepared.hash)) if stage_of(case.stage).refers else None
    if made is None:
        return ""
    card = (machine.accelerator(implementation.device)["gpu"] or {}).get("memory") or 0
    needed = least_bytes(case, implementation, made.counts.nnz)
    if needed <= usable + card:
        return ""
    least, entries = paths.bytes_text(int(needed)), made.counts.nnz
    of_card = f", and {paths.bytes_text(card)} of the GPU" if card else ""
    return (
        f"foreseen, not started: the {entries} entries of F take at least {least}; "
        f"{paths.bytes_text(usable)} may be used{of_card}"
    )


def _not_started(blank: Record, status: Status, reason: str, **more: Any) -> Record:
    return current.store(replace(blank, status=status, reason=reason, **more))


def _without_input(blank: Record, case: Case, within: run.Run, error: Exception, fresh: bool) -> Record:
    """Return the stored result of today's code; the failure without one or where `fresh` forbids to reuse it.

    A matrix that cannot be had hides no result. Any other failure is stored.
    """
    status, reason = _failure(error)
    failed = replace(blank, status=status, reason=reason, conclusive=False)
    if status is not Status.NOT_RUN or (stored := current.decisive_record(case, within.id)) is None:
        return current.store(failed)
    LOG.warning("%s: %s; the stored result stays current", case.name, reason)
    return failed if fresh else current.make_last(stored)


def _failure(error: Exception) -> tuple[Status, str]:
    """Return the status and the reason of a case whose input could not be had."""
    text = without_login(" ".join(str(error).split()))
    if isinstance(error, FillpathError):
        return Status(error.outcome if isinstance(error, NotReadyError) else error.status), text
    status = Status.OUT_OF_MEMORY if isinstance(error, MemoryError) else Status.ERROR
    return status, f"{type(error).__name__}: {text}"


def _start(limits: Limits, device: Device, processes: int, followed: bool) -> Start:
    """Return how a worker starts: processes that make an interval have to be independent."""
    if limits.forked and processes == 1 and device == "cpu":
        return "forked"
    return "followed" if followed else "alone"


def _filled(blank: Record, case: Case, implementation: Implementation, outcome: Outcome) -> Record:
    """Return the blank record with the worker's outcome, without seconds where the result is wrong."""
    reason = followable(outcome.reason, choices(blank.prepared or {}, implementation, dict(case.options)))
    taken = {"status": outcome.status, "conclusive": outcome.conclusive, **outcome.reported}
    if outcome.status is not Status.WRONG:
        kernels = outcome.kernel_seconds or None
        taken |= {"seconds": outcome.seconds, "phases": outcome.phases, "kernel_seconds": kernels}
    record = replace(blank, **taken, reason=reason)
    least = outcome.bytes / BYTES_PER_SECOND[implementation.device]
    return replace(record, suspect=record.median is not None and record.median < least)
