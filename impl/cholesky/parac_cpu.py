"""ParAC on CPU threads: vertices leave as soon as no earlier neighbour is left, in whichever order.

ParAC, Section 5.2 and Algorithm 3. Vertex i waits for `pending` edges to smaller vertices, sampled ones
included; who takes the last away puts it into the queue. Worker t takes the slots t, t + T, t + 2 T, ... of
the queue and spins until its slot is filled, so that all T workers have to run at once: none begins before
all are there. A column is written where a worker has room, reserved by an atomic add.

What orders memory: a worker writes the edges that it samples, then changes `pending` of its neighbours, by
one release a neighbour, first of those that it adds to: else a neighbour taken to 0 might be eliminated, and
take away an edge that has not been added yet. Whoever makes `pending` 0 has acquired every earlier change and
fills a slot of the queue, which the vertex's own worker acquires. A neighbour whose `pending` a step leaves
as it is (as many edges gained as lost) is not touched: it waits for one of the step's sampled edges then, and
so for a neighbour that is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import get_num_threads, njit, prange

from fillpath.errors import FillpathError, UnsupportedError
from fillpath.nouns import Array, Laplacian, Pattern, Preconditioner, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cholesky.elimination import HIGH, LOW, ONE, TWO, ZERO, merge, partner, stream
from impl.cholesky.store import (
    SCRATCH,
    edges,
    first_slots,
    gather,
    link,
    more_slots,
    new_scratch,
    new_store,
    put,
    write_column,
)
from impl.cpu.atomics import fetch_add, load
from impl.cpu.ordered import acquire, add, exchange, give_way, prefetch, release

# Slots of the store that a worker reserves at once.
BLOCK = 4096
# Looks at an empty slot before the first one that gives way to other threads.
SPINS = np.uint64(64)
# Looks after which a worker ends the run if nobody has eliminated a vertex meanwhile: some ten seconds.
PATIENCE = 2**24

# The same of a worker that waits for the others to begin: seconds.
ARRIVAL = np.uint64(2**20)

# Counters, a cache line apart: slots reserved, vertices in the queue, why the run ended early, workers there.
SLOTS, READY, ENDED, PRESENT = np.uint64(0), np.uint64(8), np.uint64(16), np.uint64(24)
COMPLETE, FULL, STALLED, ABSENT = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)
LINE = np.uint64(8)


class Shared(NamedTuple):
    """What workers share beside the store. queue : (n,) uint32, vertex + 1, 0 where a slot is not filled yet.
    state : (2 n,) uint32, of each vertex the edges that wait and `pending`. counters : (32,) uint64. waits :
    (8 T,) uint64, slots of the queue that were empty when a worker came to them. done : (8 T,) uint64, the
    vertices that each worker has eliminated; what became of them, in that order: starts, lengths, totals :
    (T, ceil(n / T)) uint64, uint32, float64, the slots of their columns and their entries of D."""

    queue: Array
    state: Array
    counters: Array
    waits: Array
    done: Array
    starts: Array
    lengths: Array
    totals: Array


class Samples(NamedTuple):
    """A worker's scratch beside `Scratch`, as long, uint32. changes : what `pending` of each neighbour gains,
    modulo 2^32. places : how many edges waited where each sampled one is to."""

    changes: Array
    places: Array


@implementation(stage="cholesky", paper="parac", section="5.2, Algorithm 3")
def parac_cpu(laplacian: Laplacian, *, seed: int = 0) -> tuple[Preconditioner, Work]:
    """ParAC on CPU threads: dependencies counted while the factor grows.

    laplacian, seed, result, fills : as ac_sequential has them; the factor is the same on any number of
    threads. Memory 12 bytes an entry of G more. Facts: `waits`, vertices that a worker had to wait for.
    Raises MemoryError beyond 2^32 entries, UnsupportedError where fewer threads run than were asked for,
    FillpathError where no worker gets on, as with a graph that is not symmetric.
    """
    threads, graph = get_num_threads(), edges(laplacian)
    slots = first_slots(laplacian, spare=threads * BLOCK)
    while True:
        with phase("initialise"):
            store, shared = new_store(laplacian, slots), _start(laplacian, threads)
        with phase("factorise"):
            _run(
                graph, np.uint64(seed % 2**64), store, shared, threads, np.uint64(BLOCK), np.uint64(PATIENCE)
            )
        ended = shared.counters[ENDED]
        if ended == STALLED:
            raise FillpathError(
                f"no vertex was eliminated while a worker looked {PATIENCE} times for its next: the graph is "
                "not symmetric"
            )
        if ended == ABSENT:
            raise UnsupportedError(
                f"{threads} workers wait for each other and do not run at once: ask for fewer threads, or "
                "see what limits them (OMP_THREAD_LIMIT, OMP_DYNAMIC)"
            )
        if ended == COMPLETE:
            break
        slots = more_slots(slots)
    with phase("assemble"):
        starts, lengths, diagonal = _by_vertex(shared)
        indptr = np.zeros(laplacian.n + 1, np.int64)
        np.cumsum(lengths, out=indptr[1:])
        rows, values = _assemble(store, starts, indptr.view(np.uint64), threads)
    pattern = Pattern(indptr, rows.view(np.int32))
    facts = {"waits": float(shared.waits.sum())}
    work = Work(fills=pattern.nnz - laplacian.pattern.nnz // 2, facts=facts)
    return Preconditioner(pattern, values, diagonal), work


def _start(laplacian: Laplacian, threads: int) -> Shared:
    """Every vertex with what it waits for, and those that wait for nothing in the queue."""
    n = laplacian.n
    state = np.zeros(2 * n, np.uint32)
    _count_earlier(*edges(laplacian)[:2], state)
    ready = np.flatnonzero(state[1::2] == 0)
    queue, counters = np.zeros(n, np.uint32), np.zeros(32, np.uint64)
    queue[: len(ready)] = ready + 1
    counters[READY] = len(ready)
    waits, done = np.zeros(8 * threads, np.uint64), np.zeros(8 * threads, np.uint64)
    shape = (threads, -(-n // threads))
    columns = np.empty(shape, np.uint64), np.empty(shape, np.uint32), np.empty(shape)
    return Shared(queue, state, counters, waits, done, *columns)


@njit(cache=True, parallel=True, nogil=True)
def _count_earlier(indptr, indices, state):
    """`pending` of every vertex: its edges to smaller ones."""
    for vertex in prange(len(indptr) - 1):
        k = np.uint64(vertex)
        earlier = np.uint32(0)
        for p in range(indptr[k], indptr[k + ONE]):
            earlier += np.uint32(indices[p] < k)
        state[TWO * k + ONE] = earlier


@njit(cache=True, parallel=True, nogil=True)
def _run(graph, seed, store, shared, threads, block, patience):
    for worker in prange(threads):
        _work(graph, seed, store, shared, np.uint64(worker), np.uint64(threads), block, patience)


@njit
def _work(graph, seed, store, shared, worker, threads, block, patience):
    """One worker: eliminate the vertices of its slots, until there are none or the run ends."""
    if not _all_present(shared, threads):
        return
    scratch, samples = new_scratch(SCRATCH), _new_samples(SCRATCH)
    at = end = eliminated = ZERO
    for slot in range(worker, np.uint64(len(shared.queue)), threads):
        entry = acquire(shared.queue, slot)
        if entry == 0:
            shared.waits[LINE * worker] += ONE
            entry = _await(shared, slot, patience)
            if entry == 0:
                return
        _look_ahead(graph, store, shared, slot, threads)
        k = np.uint64(entry) - ONE
        waiting = np.uint64(shared.state[TWO * k])
        count = gather(graph, k, waiting, store, scratch)
        if count > np.uint64(len(scratch.tags)):
            scratch, samples = new_scratch(TWO * count), _new_samples(TWO * count)
            count = gather(graph, k, waiting, store, scratch)
        m = merge(scratch.tags, scratch.weights, count, scratch.spare_tags, scratch.spare_weights)
        if at + m > end:
            length = max(m, block)
            at = add(shared.counters, SLOTS, length)
            end = at + length
            if end > np.uint64(len(store.rows)):
                release(shared.counters, ENDED, FULL)
                return
        total = 0.0
        if m > ZERO:
            total = write_column(scratch, m, store, at, shared.state)
            _sample(stream(seed, k), scratch, m, samples, shared.state)
            _hang(scratch, m, samples, store, at)
            if not _settle(shared, scratch, m, samples):
                return
        shared.starts[worker, eliminated] = at
        shared.lengths[worker, eliminated] = m
        shared.totals[worker, eliminated] = total
        at += m
        eliminated += ONE
        release(shared.done, LINE * worker, eliminated)


@njit
def _all_present(shared, threads):
    """Whether all workers run at once; if not, the run has ended."""
    add(shared.counters, PRESENT, ONE)
    looks = ZERO
    while acquire(shared.counters, PRESENT) < threads:
        if acquire(shared.counters, ENDED) != COMPLETE:
            return False
        give_way()
        looks += ONE
        if looks > ARRIVAL:
            release(shared.counters, ENDED, ABSENT)
            return False
    return True


@njit
def _new_samples(length):
    return Samples(np.empty(length, np.uint32), np.empty(length, np.uint32))


@njit
def _await(shared, slot, patience):
    """The entry of a slot of the queue, once it is there; 0 where the run ends before."""
    looks = before = ZERO
    while True:
        entry = acquire(shared.queue, slot)
        if entry != 0 or acquire(shared.counters, ENDED) != COMPLETE:
            return entry
        looks += ONE
        if looks > SPINS:
            give_way()
        if looks > patience:
            eliminated = ZERO
            for worker in range(ZERO, np.uint64(len(shared.done)), LINE):
                eliminated += acquire(shared.done, worker) + ONE
            if eliminated == before:
                release(shared.counters, ENDED, STALLED)
                return entry
            looks, before = ZERO, eliminated


# What is called for every vertex is put in place: handing over so many arrays takes a sixth of the time.
@njit(inline="always")
def _look_ahead(graph, store, shared, slot, threads):
    """Bring near what the worker's next vertices need, as far as they are known."""
    n = np.uint64(len(shared.queue))
    if slot + TWO * threads < n:
        later = np.uint64(load(shared.queue, slot + TWO * threads))
        if later > ZERO:
            prefetch(graph.indptr, later)
            prefetch(shared.state, TWO * (later - ONE))
            prefetch(store.places, TWO * store.width * (later - ONE))
    if slot + threads < n:
        following = np.uint64(load(shared.queue, slot + threads))
        if following > ZERO:
            first = graph.indptr[following - ONE]
            prefetch(graph.indices, first)
            prefetch(graph.weights, first)


@njit(inline="always")
def _sample(random, scratch, m, samples, state):
    """Step 6: every sampled edge in spare_tags, smaller end << 32 | larger, and spare_weights, the place that
    it is given, and how `pending` of each neighbour changes.

    Nothing is stored elsewhere meanwhile: an atomic operation waits for every store before it.
    """
    tags, weights, sums = scratch.tags, scratch.weights, scratch.sums
    total = sums[m - ONE]
    for q in range(m):
        samples.changes[q] = np.uint32(ZERO - (tags[q] & LOW))
    for q in range(ONE, m):
        s = partner(random, q, sums)
        one, other = tags[q] >> HIGH, tags[s] >> HIGH
        smaller, larger = min(one, other), max(one, other)
        scratch.spare_tags[q] = smaller << HIGH | larger
        scratch.spare_weights[q] = sums[q - ONE] / total * weights[q]
        samples.changes[q if larger == one else s] += np.uint32(1)
        samples.places[q] = fetch_add(state, TWO * smaller, np.uint32(1))


@njit(inline="always")
def _hang(scratch, m, samples, store, start):
    """Have the sampled edges wait at their smaller ends."""
    for q in range(ONE, m):
        smaller, larger = scratch.spare_tags[q] >> HIGH, scratch.spare_tags[q] & LOW
        place, weight = np.uint64(samples.places[q]), scratch.spare_weights[q]
        if place < store.width:
            put(store, smaller, place, larger, weight)
        else:
            slot = start + q
            link(store, slot, exchange(store.heads, smaller, np.uint32(slot)), larger, weight)


@njit(inline="always")
def _settle(shared, scratch, m, samples):
    """Change `pending` of the neighbours and put those that wait for nothing more into the queue. False where
    they do not fit into it, which ends the run."""
    ready = ZERO
    for q in range(m):
        change = samples.changes[q]
        if np.int32(change) > 0:
            add(shared.state, TWO * (scratch.tags[q] >> HIGH) + ONE, change)
    for q in range(m):
        change = samples.changes[q]
        if np.int32(change) < 0:
            vertex = scratch.tags[q] >> HIGH
            if np.uint32(add(shared.state, TWO * vertex + ONE, change) + change) == 0:
                scratch.spare_tags[ready] = vertex
                ready += ONE
    if ready == ZERO:
        return True
    at = add(shared.counters, READY, ready)
    if at + ready > np.uint64(len(shared.queue)):  # A vertex became ready twice.
        release(shared.counters, ENDED, STALLED)
        return False
    for p in range(ready):
        release(shared.queue, at + p, np.uint32(scratch.spare_tags[p] + ONE))
    return True


@njit(cache=True, nogil=True)
def _by_vertex(shared):
    """(starts, lengths, diagonal), each (n,): where a vertex's column stands and its entry of D."""
    n, threads = len(shared.queue), len(shared.starts)
    starts, lengths, diagonal = np.empty(n, np.uint64), np.empty(n, np.uint32), np.empty(n)
    for slot in range(n):
        k = shared.queue[slot] - 1
        place = slot % threads, slot // threads
        starts[k] = shared.starts[place]
        lengths[k] = shared.lengths[place]
        diagonal[k] = shared.totals[place]
    return starts, lengths, diagonal


@njit(cache=True, parallel=True, nogil=True)
def _assemble(store, starts, indptr, threads):
    """Rows and values by columns in their order."""
    n = np.uint64(len(starts))
    rows, values = np.empty(indptr[n], np.uint32), np.empty(indptr[n])
    share = n // np.uint64(threads) + ONE
    for worker in prange(threads):
        first = np.uint64(worker) * share
        for k in range(min(n, first), min(n, first + share)):
            for p in range(indptr[k], indptr[k + ONE]):
                rows[p] = store.rows[starts[k] + p - indptr[k]]
                values[p] = store.values[starts[k] + p - indptr[k]]
    return rows, values
