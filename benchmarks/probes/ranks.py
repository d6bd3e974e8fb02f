"""One measurement on ranks of MPI that were started by hand, on several hosts too: a record as of `measure`.

    mpirun -n 4 python -m fillpath ranks symbolic.fill2_multi.ranks=4@grid2d,60.metis
    mpirun -n 2 python -m fillpath ranks symbolic.gsofa_multi.gpus=2.ranks=2@bcsstk18.metis

On one host `fillpath run` starts the ranks of a case itself. Here rank 0 prepares the matrix and writes the
record. A rank that fails ends them all, and nothing is recorded; time limits are mpirun's (`--timeout`). Each
rank has its part of its host's cores, however mpirun bound it.
"""

from __future__ import annotations

import sys
import traceback
from dataclasses import replace
from typing import Any

from benchmarks.engine import run
from benchmarks.engine.crew import Ranks
from benchmarks.engine.inputs import make_ready
from benchmarks.engine.limits import Limits
from benchmarks.engine.machine import introduce
from benchmarks.engine.measure import job_of, ranks_of, store_outcome
from benchmarks.engine.outcome import Outcome
from benchmarks.engine.worker import measure
from fillpath.case import Case
from fillpath.errors import FillpathError, UnknownNameError
from fillpath.record import Record
from fillpath.registry import load_all, lookup


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
    ranks = ranks_of(case, implementation)
    if ranks == 1:
        raise UnknownNameError(f"case {name}: measured on one process, by `fillpath run`; set option ranks")
    crew = Ranks(ranks)
    outcome = Outcome()

    def report(event: str, **values: Any) -> None:
        if crew.first:
            outcome.take({"event": event, **values})

    if not crew.first:
        measure(crew.share(None), report, crew)
        return None
    introduce()
    prepared = make_ready(case, Limits(), run.alone())
    # How many ranks share a host, and its cores, only they know.
    job = {**job_of(case, implementation, prepared, Limits()), "threads": case.threads}
    measure(crew.share(job), report, crew)
    return store_outcome(case, implementation, prepared, run.alone(), outcome)


def _abort() -> None:
    """End all ranks, after saying what is being handled."""
    error = sys.exception()
    if isinstance(error, FillpathError):
        print(f"fillpath: {error}", file=sys.stderr)
    else:
        traceback.print_exc()
    sys.stderr.flush()
    sys.modules["mpi4py.MPI"].COMM_WORLD.Abort(1)
