"""ParAC on CPU threads: a vertex is eliminated as soon as it has no smaller neighbour left, in any order.

ParAC, Section 5.2 and Algorithm 3. Vertex i waits for `pending` edges to smaller vertices, sampled ones
included. In the paper all ready vertices go through one queue, whose slots are assigned in turn. Here only
the vertices that a worker hands to idle workers, or that its own ring cannot hold, go through it. The
vertices that are ready at the start are divided into shares; a worker takes batches, from its own share
first. The worker that removes the last edge a vertex waits for keeps the vertex in its own ring, unless
another worker is idle. An idle worker has reserved a slot of the queue and spins until it is filled. All T
workers therefore have to run at once, and none begins before all are present. A column is written wherever
the worker has room, which it reserves by an atomic add.

Memory order. A step first adds edges to its neighbours, then writes the edges that it samples, then removes
edges from neighbours, by a release. Adding comes first, because a neighbour whose count reaches 0 may be
eliminated at once and would then remove an edge that has not been added yet. The worker that brings `pending`
to 0 has acquired every earlier change. It either eliminates the vertex itself or fills a slot of the queue,
which another worker acquires. Adding needs no release. A neighbour that gains as many edges as it loses is
not touched. It waits for a sampled edge, and so for another neighbour, which the step releases.

    path = from_edges(3, np.array([0, 1]), np.array([1, 2]), np.array([1.0, 3.0]))
    factor, work = parac_cpu(path, seed=0)
    factor.pattern.indices, factor.values, factor.diagonal    # [1, 2], [-1, -1], [1, 3, 0]
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
    BEFORE_ENDS,
    SCRATCH,
    UNDERFLOW,
    WORDS,
    Store,
    edges,
    first_later,
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
from impl.cpu.ordered import acquire, add, exchange, give_way, prefetch, prefetch_to_write, release

# Slots of the store that a worker reserves at a time.
BLOCK = 4096
# Attempts to read an empty slot before the first one that yields to other threads.
SPINS = np.uint64(64)
# Attempts after which a worker ends the run if no vertex was eliminated in the meantime: ten seconds or more.
# A vertex with many entries takes long, so PATIENCE_ENTRIES entries of W add an attempt.
PATIENCE = 2**24
PATIENCE_ENTRIES = 4
# Attempts of a worker that waits for the others to begin: seconds.
ARRIVAL = np.uint64(2**23)

# Slots of the queue in one square, whose rows and columns are exchanged: 16 of 4 bytes fill a cache line.
SIDE = np.uint64(16)
SPREAD = SIDE * SIDE
# Vertices that a worker takes from a share at a time, and the capacity of a ring, a power of two.
BATCH, RING = np.uint64(16), np.uint64(256)
# How many vertices ahead of the current one a worker looks, to prefetch what they need.
AHEAD = np.uint64(3)
# How many columns ahead are prefetched while columns are copied to their places.
COLUMNS_AHEAD = np.uint64(12)

# Counters, two cache lines apart, as processors fetch lines in pairs. They count reserved slots of the store,
# slots of the queue filled and taken, and vertices eliminated (as reported by idle workers). The others are
# the reason why the run ended, and the workers present.
LINE = np.uint64(16)
SLOTS, READY, TAKEN = np.uint64(0), np.uint64(16), np.uint64(17)
ELIMINATED, ENDED, PRESENT = np.uint64(32), np.uint64(48), np.uint64(64)
COMPLETE, FULL, STALLED, ABSENT, FAILED = (np.uint64(why) for why in (1, 2, 3, 4, 5))


class Shared(NamedTuple):
    """The arrays that workers share, apart from the store, whose records hold the state of each vertex.

    columns : (n,) uint64, start << 32 | length of each column, once it is written
    diagonal : (n,) float64
    first : (n,) uint32, vertices that are ready at the start, each share's from the share's begin on
    shares : (16 T,) uint64, per share: the next place to take, and the end
    queue : uint32, vertex + 1, or 0 if the slot is not filled yet
    counters : (80,) uint64
    waits : (16 T,) uint64, slots of the queue that were empty when a worker came to them
    done : (16 T,) uint64, vertices eliminated by each worker
    """

    columns: Array
    diagonal: Array
    first: Array
    shares: Array
    queue: Array
    counters: Array
    waits: Array
    done: Array


class Samples(NamedTuple):
    """A worker's second scratch, of the same length as `Scratch`.

    changes : uint64, per neighbour: edges gained to smaller vertices << 32 | edges gained to larger vertices
    bases : uint32, the number of edges that waited there before
    homes : uint32, per sampled edge: its smaller end, as a neighbour's position
    ranks : uint32, per sampled edge: how many edges of this step wait there before it
    """

    changes: Array
    bases: Array
    homes: Array
    ranks: Array


@implementation(stage="cholesky", paper="parac", section="5.2, Algorithm 3")
def parac_cpu(laplacian: Laplacian, *, seed: int = 0) -> tuple[Preconditioner, Work]:
    """Run ParAC on CPU threads: count dependencies while the factor grows.

    laplacian, seed : as in ac_sequential

    Result and fills as in ac_sequential: the factor is the same on any number of threads. Memory: 12 bytes
    per entry of G more. Facts: `waits`, vertices that a worker had to wait for. Raises MemoryError beyond
    2^32 entries; UnsupportedError if fewer threads run than were asked for. A worker that ends early, or no
    progress, as with an asymmetric graph, raises FillpathError.
    """
    threads, graph = get_num_threads(), edges(laplacian)
    slots = first_slots(laplacian, spare=threads * BLOCK)
    patience = np.uint64(PATIENCE + laplacian.pattern.nnz // PATIENCE_ENTRIES)
    while True:
        with phase("initialise"):
            store = new_store(laplacian, slots)
            shared = _start(laplacian, store, threads)
        with phase("factorise"):
            _run(graph, np.uint64(seed % 2**64), store, shared, threads, np.uint64(BLOCK), patience)
        ended = shared.counters[ENDED]
        if ended == STALLED:
            raise FillpathError(
                f"no vertex was eliminated while a worker looked {patience} times for its next: the graph is "
                "not symmetric"
            )
        if ended == ABSENT:
            raise UnsupportedError(
                f"{threads} workers wait for each other and do not run at once: ask for fewer threads, or "
                "see what limits them (OMP_THREAD_LIMIT, OMP_DYNAMIC)"
            )
        if ended == FAILED:
            raise FillpathError(
                f"a worker ended early: it had no memory for a vertex's edges, or {UNDERFLOW}"
            )
        if ended == COMPLETE:
            break
        # Free this attempt's arrays before the next ones are allocated.
        del store, shared
        slots = more_slots(slots)
    with phase("assemble"):
        pattern, values = _assembled(store, shared.columns, threads)
    facts = {"waits": float(shared.waits.sum())}
    work = Work(fills=pattern.nnz - laplacian.pattern.nnz // 2, facts=facts)
    return Preconditioner(pattern, values, shared.diagonal), work


def _start(laplacian: Laplacian, store: Store, threads: int) -> Shared:
    """Return the state of every vertex, and the shares of those that are ready at the start."""
    n = laplacian.n
    # A worker that waits has taken a slot beyond the n slots that can be filled.
    queue = np.zeros(SPREAD * (1 + (n + threads) // SPREAD), np.uint32)
    shares, waits, done = (np.zeros(LINE * threads, np.uint64) for _ in range(3))
    shared = Shared(
        np.zeros(n, np.uint64), np.zeros(n), np.empty(n, np.uint32), shares, queue, np.zeros(80, np.uint64),
        waits, done,
    )  # fmt: skip
    _begin(edges(laplacian), store, shared.first, shares, threads)
    return shared


@njit
def _first_of(share, shares, n):
    return np.uint64(share) * n // np.uint64(shares)


@njit(cache=True, parallel=True, nogil=True)
def _begin(graph, store, first, shares, threads):
    for share in prange(threads):
        _begin_share(graph, store, first, shares, np.uint64(share), np.uint64(threads))


@njit
def _begin_share(graph, store, first, shares, share, threads):
    """Write the records of a share's vertices, with their edges to later ones; list the ready vertices."""
    n = np.uint64(len(first))
    last = _first_of(share, threads, n)
    shares[LINE * share] = last
    for k in range(last, _first_of(share + ONE, threads, n)):
        later = first_later(graph, k)
        earlier, waiting = later - graph.indptr[k], graph.indptr[k + ONE] - later
        kept = min(waiting, store.width)
        for p in range(kept):
            put(store, k, p, np.uint64(graph.indices[later + p]), graph.weights[later + p])
        store.records[_state(store, k)] = earlier << HIGH | kept
        store.record_ends[_left(store, k)] = waiting - kept
        first[last] = k  # The next vertex overwrites k if k is not ready.
        last += np.uint64(earlier == ZERO)
    shares[LINE * share + ONE] = last


@njit(inline="always")
def _state(store, vertex):
    """Return where a record holds `pending` << 32 | the edges that wait there."""
    return WORDS * store.lines * vertex


@njit(inline="always")
def _left(store, vertex):
    """Return where a record holds how many of the graph's edges did not fit; they are the last of the row."""
    return TWO * WORDS * store.lines * vertex + BEFORE_ENDS


@njit(cache=True, parallel=True, nogil=True)
def _run(graph, seed, store, shared, threads, block, patience):
    for worker in prange(threads):
        _begin_work(graph, seed, store, shared, np.uint64(worker), np.uint64(threads), block, patience)


@njit
def _begin_work(graph, seed, store, shared, worker, threads, block, patience):
    """Run one worker; end the run if the worker fails, since others would wait for its vertices."""
    try:
        _work(graph, seed, store, shared, worker, threads, block, patience)
    except Exception:
        release(shared.counters, ENDED, FAILED)


@njit
def _work(graph, seed, store, shared, worker, threads, block, patience):
    """Eliminate the worker's vertices, and others that it finds, until none is left or the run ends."""
    if not _all_present(shared, threads):
        return
    scratch, samples, ring = new_scratch(SCRATCH), _new_samples(SCRATCH), np.empty(RING, np.uint32)
    at = end = eliminated = told = visited = oldest = newest = ZERO
    while True:
        while newest - oldest < AHEAD and visited < threads:
            taken = _take(shared, (worker + visited) % threads, ring, newest)
            newest += taken
            visited += np.uint64(taken == ZERO)
        if oldest == newest:
            entry = _await(shared, worker, eliminated - told, patience)
            told = eliminated
            if entry == 0:
                return
            k = np.uint64(entry) - ONE
        else:
            k = np.uint64(ring[oldest % RING])
            oldest += ONE
        _look_ahead(store, shared, ring, oldest, newest)
        waiting, given = store.records[_state(store, k)] & LOW, np.uint64(store.record_ends[_left(store, k)])
        count = gather(graph, k, given, waiting, store, scratch)
        if count > np.uint64(len(scratch.tags)):
            scratch, samples = new_scratch(TWO * count), _new_samples(TWO * count)
            count = gather(graph, k, given, waiting, store, scratch)
        m = merge(scratch.tags, scratch.weights, count, scratch.spare_tags, scratch.spare_weights)
        if at + m > end:
            length = max(m, block)
            at = add(shared.counters, SLOTS, length)
            end = at + length
            if end > np.uint64(len(store.rows)):
                release(shared.counters, ENDED, FULL)
                return
        shared.columns[k] = at << HIGH | m
        if m > ZERO:
            shared.diagonal[k] = write_column(scratch, m, store, at)
            _sample(stream(seed, k), scratch, m, samples)
            _add(store, scratch, m, samples)
            _hang(scratch, m, samples, store, at)
            ready = _take_away(store, scratch, m, samples)
            kept = min(ready, RING - (newest - oldest))
            for p in range(kept):
                # The first line of the record is already in the cache.
                prefetch(store.records, _state(store, scratch.spare_tags[p]) + WORDS)
                ring[(newest + p) % RING] = scratch.spare_tags[p]
            newest += kept
            if kept < ready and not _hand_over(shared, scratch.spare_tags, kept, ready):
                return
        at += m
        eliminated += ONE
        release(shared.done, LINE * worker, eliminated)
        idle = load(shared.counters, TAKEN) - load(shared.counters, READY)
        if np.int64(idle) > 0 and newest - oldest > ONE:
            given = min(idle, newest - oldest - ONE)
            for p in range(given):
                scratch.tags[p] = np.uint64(ring[(oldest + p) % RING])
            oldest += given
            if not _hand_over(shared, scratch.tags, ZERO, given):
                return
        if eliminated > np.uint64(len(shared.columns)):  # Some became ready twice.
            release(shared.counters, ENDED, STALLED)
            return


@njit
def _all_present(shared, threads):
    """Return whether all workers run at once; if not, the run has ended."""
    add(shared.counters, PRESENT, ONE)
    looks = ZERO
    while acquire(shared.counters, PRESENT) < threads:
        if acquire(shared.counters, ENDED) != ZERO:
            return False
        give_way()
        looks += ONE
        if looks > ARRIVAL:
            release(shared.counters, ENDED, ABSENT)
            return False
    # If workers run one after the other, the last one finds that all have come, and that one has given up.
    return acquire(shared.counters, ENDED) == ZERO


@njit
def _new_samples(length):
    changes, bases = np.empty(length, np.uint64), np.empty(length, np.uint32)
    return Samples(changes, bases, np.empty(length, np.uint32), np.empty(length, np.uint32))


@njit
def _take(shared, share, ring, newest):
    """Append a batch of a share to the ring; return how many vertices there were."""
    at = add(shared.shares, LINE * share, BATCH)
    stop = shared.shares[LINE * share + ONE]
    taken = min(BATCH, stop - min(at, stop))
    for p in range(taken):
        ring[(newest + p) % RING] = shared.first[at + p]
    return taken


@njit
def _place(slot):
    """Return a slot's place in the queue, 16 elements apart: workers poll different cache lines."""
    return slot - slot % SPREAD + (slot % SIDE) * SIDE + slot % SPREAD // SIDE


@njit
def _hand_over(shared, vertices, first, stop):
    """Put vertices[first:stop] into the queue. Returns False, and ends the run, if they do not fit."""
    at = add(shared.counters, READY, stop - first)
    if at + stop - first > np.uint64(len(shared.columns)):  # Some became ready twice.
        release(shared.counters, ENDED, STALLED)
        return False
    for p in range(first, stop):
        release(shared.queue, _place(at + p - first), np.uint32(vertices[p] + ONE))
    return True


@njit
def _await(shared, worker, eliminated, patience):
    """Return the next slot's entry, once it is filled; 0 if the run ends first.

    eliminated : vertices eliminated since the last report; the worker with the run's last vertex ends the run
    """
    n = np.uint64(len(shared.columns))
    if eliminated > ZERO:
        total = add(shared.counters, ELIMINATED, eliminated) + eliminated
        if total >= n:
            release(shared.counters, ENDED, COMPLETE if total == n else STALLED)
            return np.uint32(0)
    place = _place(add(shared.counters, TAKEN, ONE))
    looks = before = ZERO
    while True:
        entry = acquire(shared.queue, place)
        if entry != 0 or acquire(shared.counters, ENDED) != ZERO:
            return entry
        shared.waits[LINE * worker] += np.uint64(looks == ZERO)
        looks += ONE
        if looks > SPINS:
            give_way()
        if looks > patience:
            others = ZERO
            for other in range(ZERO, np.uint64(len(shared.done)), LINE):
                others += acquire(shared.done, other) + ONE
            if others == before:
                release(shared.counters, ENDED, STALLED)
                return entry
            looks, before = ONE, others


# Inlined, as it is called for every vertex: passing its arrays takes a sixth of the time.
@njit(inline="always")
def _look_ahead(store, shared, ring, oldest, newest):
    """Prefetch what the worker's next vertices need, as far as they are known."""
    if oldest + ONE < newest:
        later = np.uint64(ring[(oldest + ONE) % RING])
        record = _state(store, later)
        prefetch(store.records, record)
        prefetch(store.records, record + WORDS)
        prefetch_to_write(shared.columns, later)
        prefetch_to_write(shared.diagonal, later)


@njit(inline="always")
def _sample(random, scratch, m, samples):
    """Sample the edges of step 6, the places where they will wait, and what each neighbour gains.

    The edges are in spare_tags, smaller end << 32 | larger, and spare_weights. Nothing shared is written yet.
    """
    tags, weights, sums = scratch.tags, scratch.weights, scratch.sums
    total = sums[m - ONE]
    for q in range(m):
        samples.changes[q] = ZERO
    for q in range(ONE, m):
        s = partner(random, q, sums)
        one, other = tags[q] >> HIGH, tags[s] >> HIGH
        home, far = (q, s) if one < other else (s, q)
        scratch.spare_tags[q] = min(one, other) << HIGH | max(one, other)
        scratch.spare_weights[q] = sums[q - ONE] / total * weights[q]
        samples.homes[q], samples.ranks[q] = home, samples.changes[home] & LOW
        samples.changes[home] += ONE
        samples.changes[far] += ONE << HIGH


@njit(inline="always")
def _add(store, scratch, m, samples):
    """Raise `pending` of neighbours that gain more edges than they lose, and reserve places, at once."""
    for q in range(m):
        gained, lost = samples.changes[q] >> HIGH, scratch.tags[q] & LOW
        more = samples.changes[q] & LOW
        if gained > lost:
            more |= (gained - lost) << HIGH
        if more > ZERO:
            vertex = scratch.tags[q] >> HIGH
            samples.bases[q] = np.uint32(fetch_add(store.records, _state(store, vertex), more))


@njit(inline="always")
def _hang(scratch, m, samples, store, start):
    for q in range(ONE, m):
        smaller, larger = scratch.spare_tags[q] >> HIGH, scratch.spare_tags[q] & LOW
        place = np.uint64(samples.bases[samples.homes[q]]) + np.uint64(samples.ranks[q])
        weight = scratch.spare_weights[q]
        if place < store.width:
            put(store, smaller, place, larger, weight)
        else:
            slot = start + q
            link(store, slot, exchange(store.heads, smaller, np.uint32(slot)), larger, weight)


@njit(inline="always")
def _take_away(store, scratch, m, samples):
    """Lower `pending` of neighbours that lose more edges than they gain; return how many are ready now.

    The vertices that are ready are in spare_tags.
    """
    ready = ZERO
    for q in range(m):
        gained, lost = samples.changes[q] >> HIGH, scratch.tags[q] & LOW
        if gained < lost:
            vertex, change = scratch.tags[q] >> HIGH, (gained - lost) << HIGH
            scratch.spare_tags[ready] = vertex
            after = add(store.records, _state(store, vertex), change) + change
            ready += np.uint64(after >> HIGH == ZERO)
    return ready


def _assembled(store: Store, columns: Array, threads: int) -> tuple[Pattern, Array]:
    """Return the columns one after the other, in the order of their vertices, and their values."""
    begins = np.zeros(threads + 1, np.uint64)
    _add_up(columns, begins[1:], threads)
    np.cumsum(begins, out=begins)
    # NumPy's arrays ask for huge pages, Numba's do not.
    indptr, entries = np.empty(len(columns) + 1, np.uint64), int(begins[-1])
    rows, values = np.empty(entries, np.uint32), np.empty(entries)
    _assemble(store, columns, begins, indptr, rows, values, threads)
    return Pattern(indptr.view(np.int64), rows.view(np.int32)), values


@njit(cache=True, parallel=True, nogil=True)
def _add_up(columns, totals, threads):
    n = np.uint64(len(columns))
    for share in prange(threads):
        total = ZERO
        for k in range(_first_of(share, threads, n), _first_of(share + 1, threads, n)):
            total += columns[k] & LOW
        totals[share] = total


@njit(cache=True, parallel=True, nogil=True)
def _assemble(store, columns, begins, indptr, rows, values, threads):
    """Copy the columns of each share to their places, from the share's begin on."""
    n = np.uint64(len(columns))
    indptr[n] = begins[threads]
    for share in prange(threads):
        at = begins[share]
        for k in range(_first_of(share, threads, n), _first_of(share + 1, threads, n)):
            if k + COLUMNS_AHEAD < n:
                later = columns[k + COLUMNS_AHEAD] >> HIGH
                prefetch(store.rows, later)
                prefetch(store.values, later)
            indptr[k] = at
            start, length = columns[k] >> HIGH, columns[k] & LOW
            for p in range(length):
                rows[at + p] = store.rows[start + p]
                values[at + p] = store.values[start + p]
            at += length
