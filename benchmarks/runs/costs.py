"""What a prepared matrix will take: memory, disk, seconds per case.

Times are within a factor of about two: work, which is forecast well, times a rate of this machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from benchmarks.engine import machine
from benchmarks.engine.reference import MOST_ENTRIES
from benchmarks.engine.worker import MOST_SAMPLES, SECONDS_SAMPLED
from benchmarks.runs.rates import Amounts, Kind, Rate, graph_amounts, kind_of
from fillpath.case import Case
from fillpath.nouns import Pattern
from fillpath.phase import PhaseClock, recording
from impl.symbolic.forecast import sample_sources

# Seconds for a worker to start, import and report (0.9 on two quiet cores), and for asv, per case.
START_SECONDS = 1.5
# Seconds per entry of F to verify a result on one core; each is verified twice.
VERIFY_SECONDS = 4e-9
# Medians over the collection's archives with 20 000 entries or more; single ones differ by a factor of 4.
ARCHIVE_BYTES_AN_ENTRY = 2.3
MATRIX_BYTES_OF_ARCHIVE = 3.6
# Bytes of the interpreter and its libraries in a worker.
WORKER_BYTES = 190e6
# Bytes an entry of F in the largest process of a case of that stage: measured, of implementations on the CPU,
# on poisson3d,40 with METIS, of `solve` on poisson3d,32. Making the reference takes less than `symbolic`
# (but where bitfronts_cpu checks although its bits take more than F: see benchmarks/engine/reference.py).
_BYTES_OF_F = {"symbolic": 10, "supernodes": 10, "levels": 17, "solve": 33, "numeric": 51}

_FILL2 = ("symbolic", "fill2_cpu", ())
_REFERENCE: tuple[Kind, ...] = (("symbolic", "fill1_pruned", ()), ("symbolic", "bitfronts_cpu", ()))
_CHECKS_SMALL: tuple[Kind, ...] = (("symbolic", "gilbert_peierls", ()),)


@dataclass(frozen=True)
class Effort:
    """What a prepared matrix will take.

    amounts : of each kind of work, by name
    fill2_seconds : of one call of fill2_cpu on one core
    memory : bytes of the largest process
    """

    amounts: Amounts
    fill2_seconds: float
    memory: int


def warm_up() -> None:
    """Have the kernels compiled before `forecast_work` times them."""
    sample_sources(Pattern(np.arange(3), np.arange(2, dtype=np.int32)), 1)


def graph_work(pattern: Pattern) -> Effort:
    """The work on a pattern whose graph is factorised, which is not forecast."""
    return Effort(graph_amounts(pattern.nnz), 0.0, graph_memory(pattern.n, pattern.nnz))


def forecast_work(pattern: Pattern, stages: Iterable[str]) -> Effort:
    """The work on a pattern in these stages. fill2_cpu's time is scaled up from its sample."""
    with recording(PhaseClock()) as clock:
        forecast = sample_sources(pattern)
    seconds = clock.seconds["sample"] * forecast.edges / max(1, forecast.sampled_edges)
    filled = {"edges": forecast.edges, "filled": forecast.filled, "updates": forecast.updates}
    amounts = {**graph_amounts(pattern.nnz), **filled}
    memory = run_memory(pattern.n, pattern.nnz, forecast.filled, stages)
    return Effort(amounts, seconds, memory)


def case_seconds(case: Case, work: Effort, rates: Mapping[Kind, Rate], processes: int) -> float | None:
    """Of a measurement, in each process: start, one warm-up, the samples, two verifications. None without a
    rate."""
    call = _call_seconds(kind_of(case), work, rates, case.threads)
    if call is None:
        return None
    samples = min(MOST_SAMPLES, math.ceil(SECONDS_SAMPLED / max(call, 1e-9)))
    verifying = 2 * VERIFY_SECONDS * work.amounts.get("filled", 0.0)
    return processes * (START_SECONDS + call * (1 + samples) + verifying)


def reference_seconds(work: Effort, rates: Mapping[Kind, Rate]) -> float | None:
    """Of making a reference: factorisations, hashed and compared. None without their rates."""
    filled = work.amounts["filled"]
    kinds = _REFERENCE + (_CHECKS_SMALL if filled <= MOST_ENTRIES else ())
    calls = [_call_seconds(kind, work, rates) for kind in kinds]
    rated = [call for call in calls if call is not None]
    if len(rated) < len(calls):
        return None
    return START_SECONDS + sum(rated) + len(kinds) * VERIFY_SECONDS * filled


def _call_seconds(kind: Kind, work: Effort, rates: Mapping[Kind, Rate], threads: int = 0) -> float | None:
    """Of one call. fill2_cpu's come from its sample on this matrix, which has its cache misses, shared evenly
    among its threads."""
    if kind == _FILL2:
        return work.fill2_seconds / (threads or machine.machine().cores)
    return rates[kind].of(work.amounts) if kind in rates else None


def run_memory(n: int, nnz: int, filled: float, stages: Iterable[str]) -> int:
    """Bytes of the largest process of a run on a matrix with cases of these stages.

    On six inputs from 1e7 to 6e8 entries of F measured peaks lie between 36 % below this, of references, and
    6 % above, of left_looking.
    """
    bytes_of_f = max((_BYTES_OF_F[stage] for stage in stages if stage in _BYTES_OF_F), default=0)
    return int(max(WORKER_BYTES + bytes_of_f * filled + 50 * nnz + 60 * n, preparing_memory(n, nnz)))


def graph_memory(n: int, nnz: int) -> int:
    """Bytes of the largest process of a run on a matrix whose graph is factorised: the prepared matrix and
    its Laplacian (32 an entry), the edges that wait (32), two factors of 2 entries an entry (2 x 24), and
    some vectors."""
    return int(max(WORKER_BYTES + 112 * nnz + 200 * n, preparing_memory(n, nnz)))


def preparing_memory(n: int, nnz: int) -> int:
    """Bytes to read, order and permute a matrix: triplets, two CSR matrices, METIS's graph."""
    return int(120e6 + 100 * nnz + 250 * n)


def prepared_bytes(n: int, nnz: int) -> int:
    """Of the artefact: indptr 8 (n + 1), indices 4 and values 8 an entry, two permutations of 4 and two
    scalings of 8 a row."""
    return 12 * nnz + 32 * n + 4096


def reference_bytes(n: int) -> int:
    """Of the artefact: two counts and a hash of 8 bytes per row."""
    return 24 * n + 2048


def archive_bytes_of(entries: int) -> int:
    """Of an archive, guessed."""
    return int(entries * ARCHIVE_BYTES_AN_ENTRY)


def matrix_bytes_of(archive: int) -> int:
    """Of the .mtx file in an archive of so many bytes, guessed."""
    return int(archive * MATRIX_BYTES_OF_ARCHIVE)
