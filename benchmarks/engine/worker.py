"""The worker process of one measurement: loads, verifies, samples, and reports each step at once.

`workers` starts it, with a pipe for its reports and the modules that it imports, or `template` forks it. It
writes no record: its supervisor does, whatever becomes of it. `mpirun` is the same for one of several ranks.

    python -m benchmarks.engine.worker REPORTS SUPERVISOR MODULE...

Standard input has two lines, for instance:

    {"task": "prepare", "case": "symbolic.fill1@HB+bcsstk18.metis", "reference": true, "threads": 8}
    go                                                     when a measurement may take samples
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from benchmarks.engine.follow import die_with
from fillpath.errors import FillpathError, UnavailableError
from impl.cuda.device import is_out_of_memory

if TYPE_CHECKING:
    from benchmarks.engine.benchmark import Context
    from benchmarks.engine.crew import Alone
    from benchmarks.engine.energy import Meter
    from benchmarks.engine.limits import Sampling
    from benchmarks.engine.places import Host
    from fillpath.case import Case

Report = Callable[..., None]


def main() -> None:
    reports, supervisor, *modules = sys.argv[1:]
    die_first(int(supervisor))
    os.write(int(reports), b"\n")
    import_early(modules)
    serve(int(reports))


def serve(reports: int) -> None:
    """Read the job and do it. reports : the pipe, as a file descriptor."""
    job = json.loads(sys.stdin.readline())
    with os.fdopen(reports, "w") as pipe:
        write = reports_to(pipe)

        def report(event: str, **values: Any) -> None:
            write(event, **values)
            if event == "sampling":
                sys.stdin.readline()

        reported(report, lambda: TASKS[job["task"]](job, report))


def reports_to(pipe: IO[str]) -> Report:
    """Return a function that writes each report at once, as a line of JSON."""
    return lambda event, **values: print(json.dumps({"event": event, **values}), file=pipe, flush=True)


def reported(report: Report, work: Callable[[], None]) -> bool:
    """Do the work, and report how it failed. Returns whether it did not."""
    try:
        work()
    except MemoryError as error:
        report("failed", status="out_of_memory", reason=f"MemoryError: {error}")
    except FillpathError as error:
        report("failed", status=error.status, reason=str(error))
    except Exception as error:
        # After an error of a kernel's, nothing works any more on the device: the worker ends here.
        traceback.print_exc()
        status = "out_of_memory" if is_out_of_memory(error) else "error"
        report("failed", status=status, reason=f"{type(error).__name__}: {error}")
    else:
        return True
    return False


def die_first(parent: int) -> None:
    """Have the kernel kill this process when its parent dies, and pick it first when memory runs out."""
    die_with(parent)
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def import_early(modules: Sequence[str]) -> None:
    """Import the modules early. Errors are ignored: the job imports them again and reports."""
    for name in modules:
        with contextlib.suppress(Exception):
            importlib.import_module(name)


def _prepare(job: Mapping[str, Any], report: Report) -> None:
    """Make and cache the prepared matrix of a case, and its reference if the job asks for it."""
    from benchmarks.engine.reference import reference
    from fetch.prepare import prepare
    from fillpath.case import Case

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
    from benchmarks.engine.benchmark import benchmark_of, verify
    from benchmarks.engine.crew import Alone
    from benchmarks.engine.energy import metered
    from benchmarks.engine.limits import Sampling
    from fillpath.case import Case
    from fillpath.registry import lookup
    from fillpath.series import write_series
    from impl.cuda import transfer

    crew = crew or Alone()
    importlib.import_module(job["module"])
    case = Case.parse(job["case"])
    implementation, benchmark = lookup(case.stage, case.implementation), benchmark_of(case.stage)
    crew.take_share(job["threads"], implementation.device, case.gpus)
    context, where, call = brought(case, Path(job["prepared"]), crew)

    def passes(result: Any, work: Any) -> bool:
        if context is None:
            return bool(crew.share(None))
        verdict = verify(case.stage, result, context, where.fetch)
        report("verified", **asdict(verdict), replaced=int((work.facts or {}).get("small_pivots", 0)))
        return bool(crew.share(verdict.passes))

    # From here on, what goes wrong is the implementation's doing.
    report("began")
    with _peers_library(implementation.peer):
        first = where.rehearse(call)
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

    path : of the prepared matrix. Raises as `operands.stored_context`.
    """
    from benchmarks.engine import operands
    from benchmarks.engine.places import place
    from fillpath.registry import lookup

    implementation, options = lookup(case.stage, case.implementation), dict(case.options)
    context = operands.stored_context(path, implementation, options, case.seed) if crew.first else None
    where = place(implementation.device)
    noun = where.bring(crew.share(None if context is None else operands.operand(implementation, context)))
    arguments = operands.arguments(implementation, options, case.seed, case.gpus)
    return context, where, lambda: implementation.function(noun, **arguments)


@contextlib.contextmanager
def _peers_library(names: tuple[str, ...]) -> Iterator[None]:
    """Raise UnavailableError where a peer's library lacks something, such as a BLAS."""
    from fillpath.peers import peer_of

    try:
        yield
    except OSError as error:
        peer = peer_of(names)
        if peer is None:
            raise
        raise UnavailableError(f"{peer.title} cannot be loaded: {error}") from error


def _sample(
    call: Callable[[], Any], sampling: Sampling, where: Host, meter: Meter, report: Report, crew: Alone
) -> tuple[Any, float | None]:
    """Take samples. Returns the last result, and joules per sample."""
    from fillpath.phase import PhaseClock, recording

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


TASKS: Mapping[str, Callable[[Mapping[str, Any], Report], None]] = {"measure": measure, "prepare": _prepare}


if __name__ == "__main__":
    main()
