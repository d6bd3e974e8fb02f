"""GSoFA's traversal on CPU threads: the specification of the kernel, testable without a GPU.

Z. Li and others, GSoFA: Scalable Sparse Symbolic LU Factorization on GPUs, Section 4, Figure 6 and Section 6.
No figure uses it as a baseline. A round takes #C sources. Its iterations expand one queue of (vertex, source
slot) entries for all of them. Threads share entries, maxId and fill through atomics, as in the paper.

The paper is silent or misprinted in places. Here fill starts below every id, and is the source for the
source's own row (line 5 prints 0). The first frontiers are the vertices v, not src (line 6). Each thread
writes the next queue through a small buffer, so that one atomic makes room for many entries. A thread that
finds the queue full stops; the queue is copied out, and the thread continues in the middle of the row.

    pattern = Pattern(np.array([0, 3, 5, 7]), np.array([0, 1, 2, 0, 1, 0, 2], np.int32))
    filled, work = gsofa_cpu(pattern, fill_first=True)
    filled.pattern.nnz, work.fills    # 9, 2
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numba import get_num_threads, njit, prange

from fillpath.errors import MemoryBudgetError, UnknownNameError
from fillpath.nouns import Array, Counts, Filled, Pattern, Series, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cpu.atomics import fetch_add, fetch_max, fetch_min, load
from impl.cpu.memory import reserve
from impl.symbolic.gsofa_space import Space, Split, ValueRanges, plan

# The initial value of maxId: the largest uint32.
MAXID_TOP = 2**32 - 1
# Bytes of maxId and fill that the default #C uses at a time.
CACHE = 32 * 2**20
# Fewer entries are expanded by a single thread. Starting a parallel loop takes as long as some hundred
# entries, and ending it takes far longer if another process occupies a core.
SHORT_QUEUE = 4096
# With fewer words of fill a single thread gathers the rows of a round.
SHORT_SCAN = np.uint64(2**16)

BUFFER = np.uint64(64)
HALF = np.uint64(32)
GRAB = np.uint64(16)
ZERO = np.uint64(0)
ONE = np.uint64(1)
THIRTY_TWO = np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)
# Places in `shared`, in different cache lines: next entry to take, entries in the next queue.
HEAD, TAIL = np.uint64(0), np.uint64(8)
# Places in `stats`, per source and thread.
ENTRIES, EDGES, LOWER, UPPER = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(3)


class Round(NamedTuple):
    """The arrays of a round; source = first + slot.

    fill : (sources n,) uint32
    maxid : (sources stride,) uint32
    current, following : (entries,) uint64, the two queues
    base : uint64, the value of vertex 0 in the round's range
    """

    indptr: Array
    indices: Array
    fill: Array
    maxid: Array
    current: Array
    following: Array
    first: np.uint64
    stride: np.uint64
    base: np.uint64
    bubble_removal: bool
    fill_first: bool
    external: bool


class Crew(NamedTuple):
    """The state of the threads in a round.

    shared : (16,) uint64
    cursors : (threads, 8) uint64, one cache line per row: next entry, end of the entries taken, place in the
        entry's row, entries in the buffer
    buffers : (threads, 64) uint64
    stats : (threads, sources, 4) uint64
    last : (sources,) uint64, the last iteration in which the source had a frontier
    """

    shared: Array
    cursors: Array
    buffers: Array
    stats: Array
    last: Array


@implementation(stage="symbolic", paper="gsofa", section="4, Figure 6")
def gsofa_cpu(
    pattern: Pattern,
    *,
    maxid_ranges: bool = True,
    bubble_removal: bool = True,
    fill_first: bool = False,
    dynamic_space: bool = True,
    external_frontiers: bool = True,
    sources: int | None = None,
    memory_budget: int | None = None,
    output: Literal["pattern", "counts"] = "pattern",
) -> tuple[Filled | Counts, Work]:
    """Find the filled pattern by fine-grained multi-source traversal, on CPU threads.

    pattern : n x n, sorted, diagonal present
    maxid_ranges : bool, initialise maxId every floor((2^32 - 1) / n) rounds, not in each
    bubble_removal : bool, maxId only for vertices below the round's last source, fill alone for the others
    fill_first : bool, skip vertices already filled before looking at maxId (line 9.5)
    dynamic_space : bool, in each round, queues take what maxId and fill leave of the pool; if false, each
        source has its share of n entries
    external_frontiers : bool, copy a full queue out to a growing list, expanded after the resident queue. If
        false, run fewer sources at a time
    sources : int, #C, the number of sources that run at a time
    memory_budget : int, bytes of the pool (fill, maxId, queues); None is 24 n per source (Table 2)
    output : "pattern", or "counts", which leaves the columns out

    Default #C: the authors' largest power of two <= 2^31 / (6 n), never above n / 2. Here it is also limited
    so that maxId and fill (8 n bytes per source) stay within 32 MiB of cache.

    The pool, 96 MiB by default if the matrix is large enough, may be many times larger than the output.

    Returns the filled pattern (n x n, rows sorted) or its row counts, and the work. It has edges as defined
    in Work (they depend on scheduling), fills, and series by source. Its peak_memory is the pool and the list
    of external frontiers. Raises MemoryBudgetError, before anything is allocated, if one source does not fit
    into the budget. Without external frontiers it is raised too if one source alone fills the queue. Raises
    UnknownNameError if sources < 1.
    """
    if sources is not None and sources < 1:
        raise UnknownNameError(f"option sources={sources}: expected 1 or more")
    space = plan(
        pattern.n,
        min(sources or _concurrent(pattern.n), max(1, pattern.n)),
        memory_budget,
        bubble_removal=bubble_removal,
        dynamic=dynamic_space,
        external=external_frontiers,
    )
    traversal = _Traversal(pattern, space, maxid_ranges, fill_first, external_frontiers, output == "pattern")
    first, limit = 0, space.most
    while first < pattern.n:
        split = space.split(first, limit)
        done = traversal.round(first, split)
        first += split.sources if done else 0
        limit = limit if done else split.sources // 2
    return traversal.result()


def _concurrent(n: int) -> int:
    fitting = max(1, min(2**31 // max(1, 6 * n), n // 2, CACHE // max(1, 8 * n)))
    return 1 << (fitting.bit_length() - 1)


class _Traversal:
    """The pool, the value ranges, and the results of the rounds so far."""

    def __init__(
        self, pattern: Pattern, space: Space, reuse: bool, fill_first: bool, external: bool, columns: bool
    ) -> None:
        n = pattern.n
        self.pattern, self.space, self.threads = pattern, space, get_num_threads()
        self.reuse, self.fill_first, self.external, self.columns = reuse, fill_first, external, columns
        self.ranges = ValueRanges(n, MAXID_TOP)
        # 64-bit, as queue entries are. fill starts from 0; maxId is initialised later, where it begins.
        self.pool = np.zeros(space.words // 2, np.uint64)
        self.totals = np.zeros((n, 4), np.int64)
        self.frontier = np.zeros(n)
        self.rows: list[Array] = [np.empty(0, np.uint32)]
        self.outside = 0

    def round(self, first: int, split: Split) -> bool:
        """Run the sources from `first` on. Returns False, with all marks undone, if the queue overflowed.

        Raises MemoryBudgetError if there is no smaller round.
        """
        work = self._start(first, split)
        crew = _crew(self.threads, split.sources)
        with phase("traverse"):
            outside, complete = _traverse(work, crew, SHORT_QUEUE)
        if not complete:
            self._give_up(first, split)
            return False
        self.outside = max(self.outside, int(outside))
        stop = first + split.sources
        self.totals[first:stop] = crew.stats.sum(axis=0, dtype=np.uint64)
        self.frontier[first:stop] = self.totals[first:stop, ENTRIES] / np.maximum(crew.last, 1)
        if self.columns:
            with phase("assemble"):
                self.rows.append(_gather(work.fill, self.pattern.n, first, self._rows_end(first, stop)))
        return True

    def result(self) -> tuple[Filled | Counts, Work]:
        lengths = np.diff(self.pattern.indptr)
        lower, upper = self.totals[:, LOWER].copy(), self.totals[:, UPPER].copy()
        fills = lower + upper - lengths
        series = Series(self.frontier, self.totals[:, EDGES].copy(), fills)
        work = Work(
            edges=int(self.totals[:, EDGES].sum()),
            fills=int(fills.sum()),
            peak_memory=self.pool.nbytes + self.outside,
            series=series,
        )
        if not self.columns:
            return Counts(lower, upper), work
        with phase("assemble"):
            indptr = _offsets(lower + upper)
            indices = np.concatenate(self.rows).view(np.int32)
        return Filled(Pattern(indptr, indices), indptr[:-1] + lower), work

    def _start(self, first: int, split: Split) -> Round:
        """Set up the round's arrays in the pool, with maxId initialised where needed."""
        words = self.pool.view(np.uint32)
        last = split.maxid + split.sources * split.stride
        self.ranges, stale = self.ranges.next(split.maxid, last, self.reuse)
        with phase("initialise"):
            for start, stop in stale:
                words[start:stop] = MAXID_TOP
        queues = self.pool[split.queues // 2 :]
        return Round(
            self.pattern.indptr.view(np.uint64),
            self.pattern.indices.view(np.uint32),
            words[: split.sources * self.pattern.n],
            words[split.maxid : last],
            queues[: split.entries],
            queues[split.entries : 2 * split.entries],
            np.uint64(first),
            np.uint64(split.stride),
            np.uint64(self.ranges.base),
            self.space.bubble_removal,
            self.fill_first,
            self.external,
        )

    def _give_up(self, first: int, split: Split) -> None:
        """Undo the fill marks of the round's sources."""
        if split.sources == 1:
            raise MemoryBudgetError(
                f"source {first} needs more than {split.entries} queue entries, all that {self.pool.nbytes} "
                "bytes hold: allow external_frontiers, or give more memory_budget or sources"
            )
        self.pool.view(np.uint32)[: split.sources * self.pattern.n] = 0

    def _rows_end(self, first: int, stop: int) -> Array:
        return _offsets(self.totals[first:stop, LOWER] + self.totals[first:stop, UPPER])


def _offsets(lengths: Array) -> Array:
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def _crew(threads: int, sources: int) -> Crew:
    return Crew(
        shared=np.zeros(16, np.uint64),
        cursors=np.zeros((threads, 8), np.uint64),
        buffers=np.empty((threads, int(BUFFER)), np.uint64),
        stats=np.zeros((threads, sources, 4), np.uint64),
        last=np.zeros(sources, np.uint64),
    )


@njit(cache=True, nogil=True)
def _traverse(work, crew, short):
    """Traverse from all sources of the round.

    Returns (bytes of the external lists, whether no entry was refused). Iteration 0 expands the sources
    themselves. Each iteration works first on the resident queue, then on entries that were copied out while
    that queue was written.
    """
    current, following = work.current, work.following
    capacity = np.uint64(len(current))
    leaving, left = np.empty(0, np.uint64), ZERO
    waiting, taken = leaving, ZERO
    sources = np.uint64(len(crew.last))
    outside = 0
    for start in range(ZERO, sources, capacity):
        length = _load_sources(current, work.first, start, min(sources, start + capacity))
        leaving, left, complete = _expand(work, crew, current, length, following, leaving, left, ZERO, short)
        if not complete:
            return outside, False
    iteration = ZERO
    while crew.shared[TAIL] > ZERO or left > ZERO:
        iteration += ONE
        current, following = following, current
        length, crew.shared[TAIL] = crew.shared[TAIL], ZERO
        waiting, leaving, held, left, taken = leaving, waiting, left, ZERO, ZERO
        while length > ZERO or taken < held:
            if length == ZERO:
                length = min(capacity, held - taken)
                current[:length] = waiting[taken : taken + length]
                taken += length
            leaving, left, complete = _expand(
                work, crew, current, length, following, leaving, left, iteration, short
            )
            if not complete:
                return outside, False
            length = ZERO
        outside = max(outside, 8 * (len(waiting) + len(leaving)))
    return outside, True


@njit
def _load_sources(queue, first, start, stop):
    """Fill the queue with the sources of the slots start to stop - 1. Returns how many there are."""
    for slot in range(start, stop):
        queue[slot - start] = (slot << THIRTY_TWO) | (first + slot)
    return stop - start


@njit
def _expand(work, crew, current, length, following, leaving, left, iteration, short):
    """Expand current[:length] into `following`, which is copied out to leaving[left:] whenever it is full.

    Returns (leaving, left, whether all was expanded: without external frontiers a full queue ends it).
    """
    capacity = np.uint64(len(following))
    crew.shared[HEAD] = ZERO
    pending = True
    while pending:
        _run_all(work, crew, current, length, following, iteration, length >= short)
        # Threads that found no room have increased the tail too.
        tail = crew.shared[TAIL] = min(crew.shared[TAIL], capacity)
        pending = _pending(crew.cursors)
        if pending and not work.external:
            return leaving, left, False
        if pending:
            leaving = reserve(leaving, left, left + tail)
            leaving[left : left + tail] = following[:tail]
            left += tail
            crew.shared[TAIL] = ZERO
    return leaving, left, True


@njit
def _pending(cursors):
    """Return whether a thread stopped at a full queue, with entries still to expand or in its buffer."""
    for worker in range(np.uint64(len(cursors))):
        if cursors[worker, 0] < cursors[worker, 1] or cursors[worker, 3] > ZERO:
            return True
    return False


@njit(cache=True, parallel=True, nogil=True)
def _run_all(work, crew, current, length, following, iteration, parallel):
    """Run every thread until it ends or stops, in parallel or one after the other."""
    threads = len(crew.cursors)
    if parallel:
        for worker in prange(threads):
            _run(work, crew, np.uint64(worker), current, length, following, iteration)
    else:
        for worker in range(threads):
            _run(work, crew, np.uint64(worker), current, length, following, iteration)


@njit
def _run(work, crew, worker, current, length, following, iteration):
    """Run one thread: take entries until none are left, or until `following` and the buffer are full."""
    cursor, buffer = crew.cursors[worker], crew.buffers[worker]
    stats = crew.stats[worker]
    position, end, place, used = cursor[0], cursor[1], cursor[2], cursor[3]
    while True:
        if used > HALF:
            used = _flush(buffer, used, following, crew.shared)
        if used > HALF:
            break
        if position == end:
            position = fetch_add(crew.shared, HEAD, GRAB)
            end = min(position + GRAB, length)
            place = ZERO
        if position >= length:
            position = end
            break
        vertex, slot = current[position] & LOW, current[position] >> THIRTY_TWO
        begin, stop = work.indptr[vertex], work.indptr[vertex + ONE]
        piece = min(stop, begin + place + (BUFFER - used))
        if vertex == work.first + slot:
            used = _start_row(work, slot, begin + place, piece, buffer, used, stats)
        else:
            if place == ZERO:
                stats[slot, ENTRIES] += ONE
                stats[slot, EDGES] += stop - begin
                crew.last[slot] = iteration
            used = _examine(work, vertex, slot, begin + place, piece, buffer, used, stats)
        place = piece - begin
        if piece == stop:
            position += ONE
            place = ZERO
    used = _flush(buffer, used, following, crew.shared)
    cursor[0], cursor[1], cursor[2], cursor[3] = position, end, place, used


@njit(inline="always")
def _flush(buffer, used, queue, shared):
    """Append the buffer to the queue as far as it has room; return how many entries stay in the buffer."""
    capacity = np.uint64(len(queue))
    at = min(fetch_add(shared, TAIL, used), capacity)
    room = min(used, capacity - at)
    for k in range(room):
        queue[at + k] = buffer[k]
    for k in range(room, used):
        buffer[k - room] = buffer[k]
    return used - room


@njit(inline="always")
def _start_row(work, slot, begin, stop, buffer, used, stats):
    """Run lines 4 to 6 of Figure 6 for a part of the source's own row, on which no other thread works."""
    n = np.uint64(len(work.indptr)) - ONE
    source = work.first + slot
    for p in range(begin, stop):
        vertex = np.uint64(work.indices[p])
        work.fill[slot * n + vertex] = source + ONE
        if vertex < source or not work.bubble_removal:
            work.maxid[slot * work.stride + vertex] = work.base
        stats[slot, LOWER if vertex < source else UPPER] += ONE
        if vertex < source:
            buffer[used] = (slot << THIRTY_TWO) | vertex
            used += ONE
    return used


@njit(inline="always")
def _examine(work, frontier, slot, begin, stop, buffer, used, stats):
    """Run lines 8 to 16 of Figure 6 for a part of the frontier's row; return the entries in the buffer."""
    n = np.uint64(len(work.indptr)) - ONE
    source = work.first + slot
    fill, maxid = slot * n, slot * work.stride
    mark = np.uint32(source + ONE)
    through = max(frontier, np.uint64(load(work.maxid, maxid + frontier)) - work.base)
    value = np.uint32(work.base + through)
    for p in range(begin, stop):
        vertex = np.uint64(work.indices[p])
        if work.fill_first and load(work.fill, fill + vertex) == mark:
            continue
        has_maxid = vertex < source or not work.bubble_removal
        if has_maxid and not _lower(work.maxid, maxid + vertex, value):
            continue
        if vertex > through:
            if not _mark(work.fill, fill + vertex, mark):
                continue
            stats[slot, LOWER if vertex < source else UPPER] += ONE
        if vertex < source:
            buffer[used] = (slot << THIRTY_TWO) | vertex
            used += ONE
    return used


@njit(inline="always")
def _lower(maxid, at, value):
    """Lower a value by atomicMin, if a plain load shows it to be larger; return whether it was lowered."""
    return load(maxid, at) > value and fetch_min(maxid, at, value) > value


@njit(inline="always")
def _mark(fill, at, mark):
    """Do an atomicMax; return whether this thread is the first to mark the vertex for the source."""
    return load(fill, at) != mark and fetch_max(fill, at, mark) != mark


@njit(cache=True, parallel=True, nogil=True)
def _gather(fill, n, first, offsets):
    """Return the columns of the round's rows in turn, ascending. offsets : (sources + 1,) int64."""
    out = np.empty(offsets[-1], np.uint32)
    sources = len(offsets) - 1
    if np.uint64(len(fill)) < SHORT_SCAN:
        for slot in range(sources):
            _gather_row(fill, n, first, offsets, out, slot)
    else:
        for slot in prange(sources):
            _gather_row(fill, n, first, offsets, out, np.int64(slot))
    return out


@njit
def _gather_row(fill, n, first, offsets, out, slot):
    flags = fill[slot * n : (slot + 1) * n]
    mark = np.uint32(first + slot + 1)
    position, end = np.uint64(offsets[slot]), np.uint64(offsets[slot + 1])
    vertex = ZERO
    while position < end and vertex < np.uint64(n):
        out[position] = vertex
        position += np.uint64(flags[vertex] == mark)
        vertex += ONE
