"""The worker process of one measurement: loads, verifies, samples, and reports each step at once.

Started by `measure` as `python -m benchmarks.engine.worker`, with the job as JSON on standard input and a
pipe for its reports. It writes no record: whatever becomes of it, its supervisor does.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fillpath.errors import FillpathError
from impl.cuda.device import is_out_of_memory

if TYPE_CHECKING:
    from benchmarks.engine.gate import Context
    from benchmarks.engine.places import Place
    from fillpath.registry import Implementation

PR_SET_PDEATHSIG = 1
# Samples of a case, unless it asks for a number: at most so many; beyond so many seconds at least so many.
MOST_SAMPLES = 10
LEAST_SAMPLES = 3
SECONDS_SAMPLED = 20.0

Report = Callable[..., None]


def main() -> None:
    job = json.loads(sys.stdin.readline())
    _die_with_the_supervisor(job["supervisor"])
    with os.fdopen(job["reports"], "w") as pipe:

        def report(event: str, **values: Any) -> None:
            pipe.write(json.dumps({"event": event, **values}) + "\n")
            pipe.flush()

        try:
            TASKS[job["task"]](job, report)
        except MemoryError as error:
            report("failed", status="out_of_memory", reason=f"MemoryError: {error}")
        except FillpathError as error:
            report("failed", status=error.status, reason=str(error))
        except Exception as error:
            # After an error of a kernel's, nothing works any more on the device: the worker ends here.
            traceback.print_exc()
            status = "out_of_memory" if is_out_of_memory(error) else "error"
            report("failed", status=status, reason=f"{type(error).__name__}: {error}")


def _die_with_the_supervisor(supervisor: int) -> None:
    """Have the kernel kill this process when its parent dies, and pick it first when memory runs out."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != supervisor:
        sys.exit("the supervisor died before the worker began")
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def _prepare(job: Mapping[str, Any], report: Report) -> None:
    """Make and cache a prepared matrix and its reference, if it is read, in a process that limits can end."""
    from benchmarks.engine.reference import reference
    from fetch.prepare import prepare
    from fillpath.case import Preparation

    prepared = prepare(job["matrix"], Preparation.parse(job["preparation"]), job["seed"])
    if job["reference"]:
        reference(prepared)
    report("done")


def _measure(job: Mapping[str, Any], report: Report) -> None:
    from benchmarks.engine import gate, given
    from benchmarks.engine.places import place
    from benchmarks.engine.series import write_series
    from fillpath.registry import lookup
    from impl.cuda import transfer

    gate.require(job["stage"])
    importlib.import_module(job["module"])
    implementation = lookup(job["stage"], job["implementation"])
    _set_threads(job["threads"])
    context = _context(job, implementation)
    where = place(implementation.device)
    taken = where.bring(given.taken(implementation, context))
    arguments = given.arguments(implementation, job["options"], job["seed"], job["gpus"])

    def call() -> Any:
        return implementation.function(taken, **arguments)

    def passes(result: Any) -> bool:
        verdict = gate.verify(job["stage"], where.fetch(given.answer(result, context)), context)
        report("verified", **asdict(verdict))
        return verdict.value <= verdict.bound

    # From here on, what goes wrong is the implementation's own doing.
    report("began")
    if not passes(where.rehearse(call)[0]):
        return
    where.begin()
    last, work = _sample(call, job["samples"], where, report)
    known = {"peak_memory": where.peak_memory(), **where.state()}
    if passes(last):
        known |= {"work": counted(work), "bytes": _moved(taken, last), "transfers": where.transfers}
        report("sampled", **known)
        # What follows may take long, or more memory, and loses nothing of the above.
        report("counted", facts=_depths(job["stage"], where, last, context))
        series = transfer.on_host(work.series)
        report("done", series=write_series(Path(job["series"]), series, context.prepared.pattern.n))


def _context(job: Mapping[str, Any], implementation: Implementation) -> Context:
    """What the implementation is given and what its results are held against."""
    from benchmarks.engine import given
    from benchmarks.engine.reference import load_reference
    from fetch.prepare import load_prepared

    prepared = load_prepared(Path(job["prepared"]))
    reference = load_reference(Path(job["reference"])) if job["reference"] else None
    if job["reference"] and reference is None:
        raise FillpathError("the reference vanished from the cache; run again")
    return given.context(prepared, reference, implementation, job["options"], job["seed"])


def _sample(call: Callable[[], Any], samples: int | None, where: Place, report: Report) -> Any:
    """Take `samples` samples, or by the rule of the constants above. Returns the last result."""
    from fillpath.phase import PhaseClock, recording

    timed = where.sampled(call)
    taken, spent, outcome = 0, 0.0, (None, None)
    while taken < (samples or MOST_SAMPLES) and (samples or taken < LEAST_SAMPLES or spent < SECONDS_SAMPLED):
        outcome = (None, None)
        with recording(PhaseClock(where.synchronise)) as clock:
            start = time.perf_counter()
            outcome = timed()
            elapsed = time.perf_counter() - start
        report("sample", seconds=elapsed, phases=clock.seconds, kernel_seconds=where.kernel_seconds())
        taken, spent = taken + 1, spent + elapsed
    return outcome


def _set_threads(threads: int) -> None:
    import numba

    numba.set_num_threads(threads)


def _depths(stage: str, where: Place, result: Any, context: Context) -> dict[str, float]:
    """Facts of ParAC's factor that no implementation needs itself, counted after the clock has stopped."""
    from benchmarks.checks.trees import depths

    if stage != "cholesky" or context.system is None:
        return {}
    return depths(context.system.laplacian, where.fetch(result))


def counted(work: Any) -> dict[str, Any]:
    """`Work` as a record holds it, without its series."""
    scalars = {f.name: getattr(work, f.name) for f in fields(work) if f.name not in ("series", "facts")}
    numbers = {name: None if value is None else int(value) for name, value in scalars.items()}
    facts = None if work.facts is None else {name: float(value) for name, value in work.facts.items()}
    return {**numbers, "facts": facts}


def _moved(taken: Any, result: Any) -> int:
    """Bytes that any implementation must at least read and write."""
    from fillpath.nouns import Assembled, Factor, Filled, Laplacian, Prepared, System, TwoWay

    read = _array_bytes(taken)
    if isinstance(taken, Prepared):
        read = _array_bytes(taken.pattern) + int(taken.values.nbytes)
    elif isinstance(taken, Filled):  # Its row counts: what else is read depends on them.
        read = int(taken.pattern.indptr.nbytes + taken.upper_start.nbytes)
    elif isinstance(taken, TwoWay):  # As above, of its columns.
        read = int(taken.columns.indptr.nbytes + taken.lower_start.nbytes)
    elif isinstance(taken, Assembled):
        read = int(taken.two_way.columns.indices.nbytes + taken.values.nbytes)
    elif isinstance(taken, Laplacian | System):  # Its edges alone: not everyone asks for the components.
        graph = taken if isinstance(taken, Laplacian) else taken.laplacian
        read = int(graph.pattern.indices.nbytes + graph.weights.nbytes)
    written = int(result.values.nbytes) if isinstance(result, Factor) else _array_bytes(result)
    return read + written


def _array_bytes(noun: Any) -> int:
    """Of all arrays of a noun, and of the nouns in it."""
    if is_dataclass(noun):
        return sum(_array_bytes(getattr(noun, f.name)) for f in fields(noun))
    return int(getattr(noun, "nbytes", 0))


TASKS: Mapping[str, Callable[[Mapping[str, Any], Report], None]] = {"measure": _measure, "prepare": _prepare}


if __name__ == "__main__":
    main()
