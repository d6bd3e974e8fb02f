"""What a prepared matrix will take: memory, disk, seconds per process.

The seconds of a call are work (benchmarks/runs/amounts.py) at a rate (benchmarks/runs/rates.py); here is what
surrounds it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from benchmarks.engine.reference import MOST_ENTRIES
from benchmarks.engine.sampling import Sampling
from benchmarks.runs.amounts import Amounts, Forecast, completed
from benchmarks.runs.rates import Kind, Rate, guess
from fillpath.case import Preparation
from fillpath.nouns import Pattern
from fillpath.registry import Device
from impl.symbolic.forecast import sample_sources

# Seconds of a process beside its calls, by its device: start, imports, report. With LOAD they are what lies
# between the starts of 1926 pairs of records of one run and input on an H200's host, less the calls: by a
# factor of 1.2 (cholesky) to 2.2 (symbolic, CPU), the standard deviation of the logarithms.
START_SECONDS: Mapping[Device, float] = {"cpu": 1.8, "gpu": 2.2}
# Seconds per entry and row of the matrix, to load it, and per entry of F, to verify two results.
LOAD_ENTRIES, LOAD_ROWS, VERIFY_SECONDS = 2e-7, 3e-6, 2e-9
# Seconds per entry to read or generate a matrix and order it: by METIS, and by anything else. Of 27 matrices
# of 10^6 to 10^8 entries, on two busy cores: within a factor of 3.
METIS_SECONDS, ORDER_SECONDS = 3e-6, 1.2e-6
# To take an archive of the collection apart, per entry.
PARSE_SECONDS = 1e-6
# Medians over the collection's archives with 20 000 entries or more; single ones differ by a factor of 4.
ARCHIVE_BYTES_AN_ENTRY = 2.3
MATRIX_BYTES_OF_ARCHIVE = 3.6
# Bytes of the interpreter and its libraries in a worker.
WORKER_BYTES = 190e6
# Bytes an entry of F in the largest process of a case of that stage: measured, of implementations on the CPU,
# on poisson3d,40 with METIS, of `solve` on poisson3d,32. Making the reference takes less than `symbolic`
# (but where bitfronts_cpu checks although its bits take more than F: see benchmarks/engine/reference.py).
_BYTES_OF_F = {"symbolic": 10, "supernodes": 10, "levels": 17, "solve": 33, "numeric": 51}

_REFERENCE: tuple[Kind, ...] = (("symbolic", "fill1_pruned", ()), ("symbolic", "bitfronts_cpu", ()))
_CHECKS_SMALL: tuple[Kind, ...] = (("symbolic", "gilbert_peierls", ()),)


def warm_up() -> None:
    """Have the kernels compiled before `forecast_work` runs them."""
    sample_sources(Pattern(np.arange(3), np.arange(2, dtype=np.int32)), 1)


def graph_work(order: float, entries: float) -> Forecast:
    """The work on a matrix whose graph is factorised, which has no F."""
    return Forecast({"order": order, "entries": entries}, "graph")


def forecast_work(pattern: Pattern) -> Forecast:
    """The work on a pattern."""
    sampled = sample_sources(pattern)
    counted = {"edges": float(sampled.edges), "updates": float(sampled.updates)}
    return Forecast(completed(pattern.n, pattern.nnz, float(sampled.filled), counted), "sampled", 0.1)


def process_seconds(call: float, device: Device, amounts: Amounts, sampling: Sampling) -> float:
    """Of a process that measures a case: start, loading, one warm-up, the samples, two verifications."""
    samples = min(sampling.most, math.ceil(sampling.seconds / max(call, 1e-9)))
    loading = LOAD_ENTRIES * amounts["entries"] + LOAD_ROWS * amounts.get("order", 0.0)
    verifying = VERIFY_SECONDS * amounts.get("filled", 0.0)
    return START_SECONDS[device] + loading + call * (1 + samples) + verifying


def preparing_seconds(entries: float, preparation: Preparation, generated: bool) -> float:
    """Of a process that prepares a matrix."""
    each = METIS_SECONDS if preparation.ordering == "metis" else ORDER_SECONDS
    return START_SECONDS["cpu"] + entries * (each + (0.0 if generated else PARSE_SECONDS))


def reference_seconds(amounts: Amounts, rates: Mapping[Kind, Rate]) -> float:
    """Of making a reference: factorisations, hashed and compared."""
    filled = amounts["filled"]
    kinds = _REFERENCE + (_CHECKS_SMALL if filled <= MOST_ENTRIES else ())
    calls = [made.seconds for kind in kinds if (made := guess(kind, amounts, rates)) is not None]
    return sum(calls) + len(kinds) * VERIFY_SECONDS * filled


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
