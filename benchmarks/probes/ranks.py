"""One measurement on the ranks of MPI: a record as `measure` writes them, of a case with the option `ranks`.

    mpirun -n 4 python -m fillpath ranks symbolic.fill2_multi.ranks=4@grid2d,60.metis
    mpirun -n 2 python -m fillpath ranks symbolic.gsofa_multi.gpus=2.ranks=2@bcsstk18.metis

Rank 0 prepares the matrix, holds results against the reference, reads the clock and writes the record; a
sample is the time from a barrier of all ranks to its own result. On a host each rank has `gpus` GPUs to
itself, by its number there, and an equal part of the cores that the host's ranks may run on, unless the case
says how many threads; Open MPI binds each of two ranks to a core, unless it is called with `--bind-to none`.
A rank that fails ends them all, and nothing is recorded; time limits are mpirun's (`--timeout`).

Longer than two screens: which rank does what, and which waits for it, has to be read in one place.
"""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from benchmarks.engine import operands, run
from benchmarks.engine.gate import verify
from benchmarks.engine.inputs import make_ready
from benchmarks.engine.limits import Limits
from benchmarks.engine.machine import introduce, machine
from benchmarks.engine.measure import store_outcome
from benchmarks.engine.places import Place, place
from benchmarks.engine.reference import load_reference, reference_path
from benchmarks.engine.worker import MOST_SAMPLES, SECONDS_SAMPLED, counted
from fillpath.case import Case
from fillpath.errors import FillpathError, UnavailableError, UnknownNameError
from fillpath.nouns import Pattern, Prepared
from fillpath.phase import PhaseClock, recording
from fillpath.record import Record, Status, Verified
from fillpath.registry import Implementation, load_all, lookup
from impl.cpu.ranks import rank_of, world
from impl.cuda.peers import device_count


def measure_or_abort(name: str) -> Record | None:
    """As `measure_on_ranks`; a rank that fails says why, and ends the other ranks, which wait for it."""
    try:
        return measure_on_ranks(name)
    except Exception:
        if "mpi4py.MPI" in sys.modules:
            _abort()
        raise


def measure_on_ranks(name: str) -> Record | None:
    """Measure the case of that name; every rank has to call it. Returns the record on rank 0.

    Raises UnknownNameError for a case without ranks, UnavailableError where MPI has other than so many.
    """
    load_all()
    case = Case.parse(name)
    implementation = lookup(case.stage, case.implementation)
    case = replace(case, options=implementation.canonical(dict(case.options)))
    ranks = implementation.values(dict(case.options)).get("ranks", 1)
    if ranks == 1:
        raise UnknownNameError(f"case {name}: measured on one process, by `fillpath run`; set option ranks")
    communicator = world(ranks)
    local = communicator.Split_type(_shared())
    _take_share(case, implementation, local)
    if rank_of(communicator) == 0:
        introduce()
    prepared = make_ready(case, Limits(), run.alone()) if rank_of(communicator) == 0 else None
    pattern = communicator.bcast(_arrays(prepared))
    where = place(implementation.device)
    noun = where.bring(Pattern(*pattern))
    arguments = operands.arguments(implementation, dict(case.options), case.seed, case.gpus)

    def call() -> Any:
        return implementation.function(noun, **arguments)

    return _measured(case, implementation, prepared, communicator, where, call)


def _measured(
    case: Case,
    implementation: Implementation,
    prepared: Prepared | None,
    communicator: Any,
    where: Place,
    call: Callable[[], Any],
) -> Record | None:
    check = _check(case, implementation, prepared, where)
    verified = check(where.rehearse(call)[0])
    if not communicator.bcast(verified is None or verified.passes):
        return _stored(case, implementation, prepared, status=Status.WRONG, verified=verified)
    seconds, phases, outcome = _samples(communicator, where, call)
    verified = check(outcome[0])
    right = verified is None or verified.passes
    if not right or prepared is None:
        return _stored(case, implementation, prepared, status=Status.WRONG, verified=verified)
    return _stored(
        case,
        implementation,
        prepared,
        status=Status.OK,
        verified=verified,
        seconds=seconds,
        phases=phases,
        work=counted(outcome[1]),
        peak_memory=where.peak_memory(),
        **where.state(),
    )


def _samples(
    communicator: Any, where: Place, call: Callable[[], Any]
) -> tuple[list[float], dict[str, list[float]], Any]:
    """(seconds, seconds of each phase, the last outcome), rank 0's. All ranks sample as long as it does."""
    timed = where.sampled(call)
    where.begin()
    seconds: list[float] = []
    phases: dict[str, list[float]] = {}
    outcome = (None, None)
    while communicator.bcast(_wants_more(seconds)):
        # The memory of a result is free before the next call asks for its own.
        outcome = (None, None)
        communicator.Barrier()
        with recording(PhaseClock(where.synchronise)) as clock:
            start = time.perf_counter()
            outcome = timed()
            seconds.append(time.perf_counter() - start)
        for name, elapsed in clock.seconds.items():
            phases.setdefault(name, []).append(elapsed)
    return seconds, phases, outcome


def _wants_more(seconds: Sequence[float]) -> bool:
    """By the worker's rule."""
    return len(seconds) < MOST_SAMPLES and sum(seconds) < SECONDS_SAMPLED


def _check(
    case: Case, implementation: Implementation, prepared: Prepared | None, where: Place
) -> Callable[[Any], Verified | None]:
    """What holds a result against the reference, on rank 0; elsewhere it says None."""
    if prepared is None:
        return lambda result: None
    reference = load_reference(reference_path(prepared.hash))
    context = operands.context(prepared, reference, implementation, dict(case.options), case.seed)
    return lambda result: verify(case.stage, result, context, where.fetch)


def _stored(
    case: Case, implementation: Implementation, prepared: Prepared | None, **outcome: Any
) -> Record | None:
    if prepared is None:
        return None
    return store_outcome(case, implementation, prepared, run.alone(), **outcome)


def _take_share(case: Case, implementation: Implementation, local: Any) -> None:
    """This rank's GPUs and threads of its host. local : the communicator of the host's ranks."""
    import numba

    _unbind(local)
    # Of a rank that was bound when it began Numba has no more threads than it saw cores then.
    part = max(1, machine().cores // int(local.Get_size()))
    most: int = numba.config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
    if case.threads > most:
        raise UnavailableError(f"{case.threads} threads, and a rank here can start {most}")
    numba.set_num_threads(case.threads or min(part, most))
    if implementation.device == "gpu":
        import cupy

        each, number, there = max(1, case.gpus), int(local.Get_rank()), device_count()
        if (number + 1) * each > there:
            raise UnavailableError(f"rank {number} of its host, gpus={each}, and it sees {there}")
        cupy.cuda.Device(number * each).use()


def _unbind(local: Any) -> None:
    """Let each rank run where any of its host's may: a record's cores are those of all of them."""
    cores: set[int] = set().union(*local.allgather(os.sched_getaffinity(0)))
    os.sched_setaffinity(0, cores)
    there = os.cpu_count() or len(cores)
    if rank_of(local) == 0 and len(cores) < there:
        bound = f"its {local.Get_size()} ranks are bound to {len(cores)} of this host's {there} cores"
        print(f"ranks: {bound} (mpirun --bind-to none, if it was mpirun that bound them)", file=sys.stderr)


def _arrays(prepared: Prepared | None) -> Any:
    return None if prepared is None else (prepared.pattern.indptr, prepared.pattern.indices)


def _shared() -> Any:
    from mpi4py import MPI

    return MPI.COMM_TYPE_SHARED


def _abort() -> None:
    """End all ranks, after saying what is being handled."""
    error = sys.exception()
    if isinstance(error, FillpathError):
        print(f"fillpath: {error}", file=sys.stderr)
    else:
        traceback.print_exc()
    sys.stderr.flush()
    sys.modules["mpi4py.MPI"].COMM_WORLD.Abort(1)
