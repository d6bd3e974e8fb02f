"""fill2 on the CPU under GSoFA's source schedules, on MPI ranks or on simulated GPUs.

Z. Li and others, GSoFA, Section 5. Each worker of the schedule has its own sources and shares nothing with
the others but the input; results are gathered once. The workers of a rank, its virtual GPUs, run in turn,
each on all threads of the rank. Such workers would take as long as the slowest if they ran at once. This is a
simulation: it reproduces the balance of the schedule, but neither the speed nor the saturation of a GPU.

    filled, work = fill2_multi(pattern, virtual_gpus=2)
    work.facts["workers"]    # 2
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numba import get_num_threads, njit, prange
from numba.typed import List

from fillpath.errors import InputError
from fillpath.nouns import Counts, Filled, Pattern, Series, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cpu.bitset import clear, drain, empty_set, size
from impl.cpu.chunks import advance, new_chunks, release, room
from impl.cpu.ranks import Part, gathered, offsets, rank_of, world
from impl.symbolic.fill2_cpu import marks, reach
from impl.symbolic.gsofa_schedule import Schedule, schedule

# Order below which a single thread does all: starting a parallel loop would take as long.
SHORT = 1024


@implementation(stage="symbolic", paper="gsofa", section="5, Equation 1")
def fill2_multi(
    pattern: Pattern,
    *,
    virtual_gpus: int = 1,
    nodes: int = 1,
    ranks: int = 1,
    order: Literal["intra_node", "inter_node", "contiguous"] = "intra_node",
    maxsup: int = 128,
    output: Literal["pattern", "counts"] = "pattern",
) -> tuple[Filled | Counts, Work]:
    """Find the filled pattern by fill2 in GSoFA's schedules, on MPI ranks or simulated GPUs in turn.

    pattern : n x n, sorted, diagonal present
    virtual_gpus : int, GPUs of a node, run in turn
    nodes : int, nodes, also simulated in turn
    ranks : int, MPI ranks, one per node; `fillpath run --option ranks=4` starts them
    order : which worker takes which source, see `gsofa_schedule`
    maxsup : int, rows per chunk
    output : "pattern", or "counts", which stores no row of F

    Returns the filled pattern (n x n, rows sorted) or its row counts on rank 0 (other ranks return only their
    own rows of it), and the work. Edges are counted as in fill2_cpu. Facts:

    workers : how many there are
    load_balance : the most edges of a worker over the mean
    simulated : 1 if workers ran in turn

    Each worker is a phase, `gpu0` and so on. Raises InputError for nodes together with ranks, and whatever
    `world` and `schedule` raise.
    """
    communicator = world(ranks)
    if ranks > 1 and nodes > 1:
        raise InputError("option nodes: with ranks, each rank is a node")
    plan = schedule(pattern.n, max(nodes, ranks), virtual_gpus, maxsup, order)
    part = gathered(communicator, _own_rows(pattern, plan, rank_of(communicator), ranks, output == "pattern"))
    fills = part.lower + part.upper - np.diff(pattern.indptr)
    facts = {
        "workers": float(plan.workers),
        "load_balance": plan.imbalance(part.edges),
        "simulated": float(plan.workers > ranks),
    }
    series = Series(edges=part.edges, fills=fills)
    work = Work(edges=int(part.edges.sum()), fills=int(fills.sum()), series=series, facts=facts)
    return part.result(), work


def _own_rows(pattern: Pattern, plan: Schedule, rank: int, ranks: int, store: bool) -> Part:
    """Return the rows of a rank's workers; without MPI, of all workers."""
    n = pattern.n
    threads = get_num_threads() if n >= SHORT else 1
    indptr, indices = pattern.indptr.view(np.uint64), pattern.indices.view(np.uint32)
    own = plan.workers // ranks
    parts = [plan.part(worker) for worker in range(rank * own, (rank + 1) * own)]
    lower, upper, edges = (np.zeros(n, np.int64) for _ in range(3))
    kept = []
    for worker, sources in enumerate(parts):
        with phase(f"gpu{rank * own + worker}"):
            buffers = _traverse(indptr, indices, sources, threads, store, lower, upper, edges)
        kept.append(buffers)
    rows = np.sort(np.concatenate(parts))
    if not store:
        return Part(rows, lower, upper, edges, None)
    with phase("assemble"):
        starts = offsets(lower + upper)
        columns = np.empty(starts[-1], np.uint32)
        for sources, buffers in zip(parts, kept, strict=True):
            _assemble(buffers, sources, starts, columns)
    return Part(rows, lower, upper, edges, columns.view(np.int32))


@njit(cache=True, parallel=True, nogil=True)
def _traverse(indptr, indices, sources, threads, store, lower, upper, edges):
    """Return the rows of the sources, in chunks of each thread, if stored; write counts and edges."""
    buffers = List()
    for _ in range(threads):
        buffers.append(new_chunks())
    if threads == 1:
        buffers[0] = _share(indptr, indices, sources, store, lower, upper, edges)
        return buffers
    for thread in prange(threads):
        worker = np.int64(thread)
        buffers[worker] = _share(indptr, indices, sources[worker::threads], store, lower, upper, edges)
    return buffers


@njit(cache=True, nogil=True)
def _share(indptr, indices, sources, store, lower, upper, edges):
    n = np.uint64(len(indptr) - 1)
    words, summary = empty_set(np.int64(n))
    visited_by, stack = marks(n)
    chunks = new_chunks()
    used = np.uint64(0)
    for k in range(len(sources)):
        source = np.uint64(sources[k])
        below, examined = reach(indptr, indices, source, words, summary, visited_by, stack)
        edges[source] = examined
        wanted = size(words, summary)
        if store:
            used = room(chunks, used, wanted)
            used = drain(words, summary, chunks[-1], used)
        else:
            clear(words, summary)
        lower[source] = below
        upper[source] = np.int64(wanted) - below
    return chunks


@njit(cache=True, parallel=True, nogil=True)
def _assemble(buffers, sources, starts, columns):
    """Return the rows of the sources, in their final places. Each chunk is freed once its rows are copied."""
    threads = len(buffers)
    if threads == 1:
        _copy(buffers[0], sources, starts, columns)
        return
    for thread in prange(threads):
        worker = np.int64(thread)
        _copy(buffers[worker], sources[worker::threads], starts, columns)


@njit(nogil=True)
def _copy(chunks, sources, starts, columns):
    number, used = 0, np.uint64(0)
    for k in range(len(sources)):
        source = sources[k]
        length = np.uint64(starts[source + 1] - starts[source])
        number, used = advance(chunks, number, used, length)
        columns[starts[source] : starts[source + 1]] = chunks[number][used : used + length]
        used += length
    release(chunks, number)
