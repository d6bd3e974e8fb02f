"""The tasks of a worker: prepare the matrix of a case, or measure the case."""

import importlib
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from benchmarks.engine import operands
from benchmarks.engine.benchmark import Context, benchmark_of, noun_hash
from benchmarks.engine.crew import Alone
from benchmarks.engine.energy import Meter, metered
from benchmarks.engine.limits import Sampling
from benchmarks.engine.places import Gpu, Host
from benchmarks.engine.reference import reference
from fetch.prepare import load_prepared, prepare
from fillpath.case import Case
from fillpath.errors import FillpathError, UnavailableError
from fillpath.peers import peer_of
from fillpath.phase import PhaseClock, recording
from fillpath.record import Verified
from fillpath.registry import lookup
from fillpath.series import write_series
from fillpath.stages import stage_of
from impl.cuda import transfer

Report = Callable[..., None]


def _prepare(job: Mapping[str, Any], report: Report) -> None:
    """Make and cache the prepared matrix of a case, and its reference if the job asks for it."""
    case = Case.parse(job["case"])
    prepared = prepare(case.matrix, case.preparation, case.seed)
    if job["reference"]:
        reference(prepared)
    report("done")


def measure(job: Mapping[str, Any], report: Report, crew: Alone | None = None) -> None:
    """Measure a case with all of the crew, each of whom calls this; alone without a crew.

    job : from `benchmarks.engine.measure.job_of`
    report : takes the reports of the first of the crew; at "sampling" it returns when samples may begin
    """
    crew = crew or Alone()
    importlib.import_module(job["module"])
    case = Case.parse(job["case"])
    implementation, benchmark = lookup(case.stage, case.implementation), benchmark_of(case.stage)
    crew.take_share(job["threads"], implementation.device, case.gpus)
    context, where, call = brought(case, Path(job["prepared"]), crew)

    checked: dict[Any, Verified] = {}

    def passes(result: Any, work: Any) -> bool:
        if context is None:
            return bool(crew.share(None))
        if not where.intact():
            raise FillpathError(f"{case.implementation} changed its input, which the gate reads too")
        evidence = benchmark.evidence(result, context, where.fetch)
        # The last result is checked unless it is the first again, byte for byte.
        known = noun_hash(evidence)
        verdict = checked[known] = checked.get(known) or benchmark.check(evidence, context)
        report("verified", **asdict(verdict), replaced=int((work.facts or {}).get("small_pivots", 0)))
        return bool(crew.share(verdict.passes))

    # From here on, what goes wrong is the implementation's doing.
    report("began")
    first = _rehearsed(where, call, implementation.peer)
    report("returned")
    if not passes(*first):
        return
    del first
    # Whatever else runs for this measurement stops first.
    report("sampling")
    where.begin()
    with metered(implementation.device, max(1, case.gpus)) as meter:
        (last, work), joules = _sample(call, Sampling(**job["sampling"]), where, meter, report, crew)
    energy = None if joules is None else [joules]
    state = {"peak_memory": where.peak_memory(), "energy": energy, **where.state()}
    if passes(last, work) and context is not None:
        least = benchmark.least_bytes(last, context)
        report("sampled", **state, work=counted(work), bytes=least)
        # The rest may take long, or more memory. Nothing of the above is lost then.
        fetched = "to_host" in where.transfers
        report("moved", transfers=where.transfers)
        report("counted", facts=benchmark.facts(where.fetch, last, context))
        series = transfer.on_host(work.series)
        report("complete", series=write_series(Path(job["series"]), series, context.prepared.pattern.n))
        if not fetched:
            # The gate has looked at the result where it is. Its way to the host is measured all the same, but
            # last: where the host has no memory for it, only these seconds are missing.
            where.transfers.clear()
            where.fetch(benchmark.answer(last, context))
            report("moved", transfers=where.transfers)
        report("done")


def brought(case: Case, path: Path, crew: Alone) -> tuple[Context | None, Host, Callable[[], Any]]:
    """Bring a case's input to where it is used. Return the first rank's context, the place and the call.

    path : of the prepared matrix. Raises as `operands.context`.
    """
    implementation, options = lookup(case.stage, case.implementation), dict(case.options)
    context = noun = None
    if crew.first:
        prepared = load_prepared(path)
        made = reference(prepared) if stage_of(case.stage).refers else None
        context = operands.context(prepared, made, implementation, options, case.seed)
        noun = operands.operand(implementation, context)
    where = Gpu() if implementation.device == "gpu" else Host()
    noun = where.bring(crew.share(noun))
    arguments = operands.arguments(implementation, options, case.seed, case.gpus)
    return context, where, lambda: implementation.function(noun, **arguments)


def _rehearsed(where: Host, call: Callable[[], Any], peers: tuple[str, ...]) -> Any:
    """Return the first result. Raises UnavailableError where a peer's library lacks, for instance, a BLAS."""
    try:
        return where.rehearse(call)
    except OSError as error:
        peer = peer_of(peers)
        if peer is None:
            raise
        raise UnavailableError(f"{peer.title} cannot be loaded: {error}") from error


def _sample(
    call: Callable[[], Any], sampling: Sampling, where: Host, meter: Meter, report: Report, crew: Alone
) -> tuple[Any, float | None]:
    """Take samples. Returns the last result, and joules per sample."""
    timed = where.sampled(call)
    count, spent, outcome = 0, 0.0, (None, None)
    while crew.share(sampling.wants_more(count, spent)):
        # The memory of a result is free before the next call asks for its own.
        outcome = (None, None)
        crew.barrier()
        with recording(PhaseClock(where.synchronise)) as clock:
            start = time.perf_counter()
            outcome = timed()
            elapsed = time.perf_counter() - start
        meter.advance()
        report("sample", seconds=elapsed, phases=clock.seconds, kernel_seconds=where.kernel_seconds())
        count, spent = count + 1, spent + elapsed
    return outcome, meter.per_sample(count, spent)


def counted(work: Any) -> dict[str, Any]:
    """Return `Work` as a record holds it, without its series."""
    scalars = {f.name: getattr(work, f.name) for f in fields(work) if f.name not in ("series", "facts")}
    numbers = {name: None if value is None else int(value) for name, value in scalars.items()}
    facts = None if work.facts is None else {name: float(value) for name, value in work.facts.items()}
    return {**numbers, "facts": facts}


TASKS: Mapping[str, Callable[..., None]] = {"measure": measure, "prepare": _prepare}
