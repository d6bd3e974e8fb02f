"""The places where sampled edges wait for their vertex, and where the columns of G are written.

A sampled edge waits at its smaller end, in a place of that vertex's record. The places are adjacent, so that
gathering the edges touches few cache lines. An edge that finds no free place is linked into the vertex's
list, which begins at heads[vertex].

A record is one or more cache lines of eight words of 8 bytes. A line holds five places: five weights, then
five larger ends; its last four bytes are unused. The first place of the first line is for other state of the
vertex.

A column takes one slot per neighbour, one after the other. Slot p holds an entry of the column, rows[p] and
values[p]. It may also hold a link of a list: an edge that was sampled when the column was eliminated.

An edge in a link is next slot << 32 | larger end, then its weight. Unwritten pages take no memory.

    graph = from_edges(3, np.array([0, 1]), np.array([1, 2]), np.array([1.0, 3.0]))
    store, scratch = new_store(graph, first_slots(graph)), new_scratch(SCRATCH)
    put(store, ONE, ZERO, TWO, 0.5)  # An edge from vertex 1 to 2, of weight 0.5.
    count = gather(edges(graph), ONE, ONE, ONE, store, scratch)
    scratch.tags[:count] >> HIGH, scratch.weights[:count]    # [2, 2], [3, 0.5]: of the graph, of the store
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from fillpath.nouns import Array, Laplacian
from impl.cholesky.elimination import HIGH, ONE, TWO, ZERO, arrange
from impl.cpu.ordered import prefetch_to_write

# A link holds slot numbers of 32 bits.
MOST_SLOTS = 2**32 - 1
# Initial slots per edge, as the authors' CPU code has 5 entries of G per edge.
ROOM = 5
# Initial edges of a worker's scratch; it grows if a vertex has more.
SCRATCH = 256
# Per line of a record: places, words of 8 bytes, and half words before the larger ends.
PLACES, WORDS, BEFORE_ENDS = np.uint64(5), np.uint64(8), np.uint64(10)
# Sampled weights are shares of other weights, step after step.
UNDERFLOW = (
    "a sampled weight is too small for float64: the weights span too many orders of magnitude; scale them"
)


class Edges(NamedTuple):
    """The graph, as kernels read it.

    indptr : (n + 1,) uint64
    indices : (nnz,) uint32
    weights : (nnz,) float64
    """

    indptr: Array
    indices: Array
    weights: Array


class Store(NamedTuple):
    """The arrays of the store.

    rows : (slots,) uint32
    values : (slots,) float64
    heads : (n,) uint32
    records : (8 lines n,) uint64, aligned to cache lines; record_weights and record_ends are views of it
    links : (2 slots,) uint64; link_weights is its view as float64
    lines : uint64, per record
    width : uint64, edges that a record has places for
    """

    rows: Array
    values: Array
    heads: Array
    records: Array
    record_weights: Array
    record_ends: Array
    links: Array
    link_weights: Array
    lines: np.uint64
    width: np.uint64


class Scratch(NamedTuple):
    """The arrays that one worker sorts in, all of one length.

    tags, spare_tags : (length,) uint64
    weights, spare_weights, sums : (length,) float64
    """

    tags: Array
    weights: Array
    spare_tags: Array
    spare_weights: Array
    sums: Array


def edges(graph: Laplacian) -> Edges:
    """Return the arrays of a Laplacian on the host, not copied."""
    pattern = graph.pattern
    return Edges(pattern.indptr.view(np.uint64), pattern.indices.view(np.uint32), graph.weights)


def new_store(graph: Laplacian, slots: int) -> Store:
    """Return a store with this many slots, and with places for at least twice the mean degree per vertex."""
    lines = max(1, -(-2 * graph.pattern.nnz // (int(PLACES) * graph.n)))
    records, links = _aligned(int(WORDS) * lines * graph.n), np.empty(2 * slots, np.uint64)
    rows, values, heads = np.empty(slots, np.uint32), np.empty(slots), np.zeros(graph.n, np.uint32)
    parts = records.view(np.float64), records.view(np.uint32), links, links.view(np.float64)
    width = PLACES * np.uint64(lines) - ONE
    return Store(rows, values, heads, records, *parts, np.uint64(lines), width)


def _aligned(words: int) -> Array:
    """Return an uninitialised array of uint64 that begins at a cache line."""
    longer = np.empty(words + int(WORDS), np.uint64)
    skipped = -longer.ctypes.data % 64 // 8
    return longer[skipped : skipped + words]


def first_slots(graph: Laplacian, spare: int = 0) -> int:
    """Return the number of slots in the first attempt. spare : int, slots that workers may leave empty."""
    return min(MOST_SLOTS, ROOM * (graph.pattern.nnz // 2) + spare + 1)


def more_slots(slots: int) -> int:
    """Return the number of slots after an attempt with too few. Raises MemoryError beyond links' range."""
    if slots >= MOST_SLOTS:
        raise MemoryError(f"the factor has more than {MOST_SLOTS} entries, all that its lists count")
    return min(MOST_SLOTS, 2 * slots)


@njit
def new_scratch(length):
    """Return scratch for vertices with up to `length` edges to later ones."""
    tags, weights = np.empty(length, np.uint64), np.empty(length)
    return Scratch(tags, weights, np.empty(length, np.uint64), np.empty(length), np.empty(length))


@njit
def gather(edges, k, given, waiting, store, scratch):
    """Write the edges of vertex k to later vertices to tags and weights, unordered, and return their number.

    If the scratch holds fewer, nothing is gathered.

    given : the number of its edges in the graph, the last of its row
    waiting : the number of its edges in the store
    """
    if given + waiting > np.uint64(len(scratch.tags)):
        return given + waiting
    if given > ZERO:
        first = edges.indptr[k + ONE] - given
        for p in range(given):
            scratch.tags[p] = np.uint64(edges.indices[first + p]) << HIGH | ONE
            scratch.weights[p] = edges.weights[first + p]
    count = given
    for place in range(min(waiting, store.width)):
        line, lane = _at(store, k, place)
        scratch.tags[count] = np.uint64(store.record_ends[TWO * line + BEFORE_ENDS + lane]) << HIGH | ONE
        scratch.weights[count] = store.record_weights[line + lane]
        count += ONE
    if waiting > store.width:
        slot = np.uint64(store.heads[k])
        while count < given + waiting:
            link = store.links[TWO * slot]
            scratch.tags[count] = link << HIGH | ONE
            scratch.weights[count] = store.link_weights[TWO * slot + ONE]
            slot = link >> HIGH
            count += ONE
    return count


@njit(inline="always")
def first_later(edges, k):
    """Return where the edges of vertex k to later vertices begin: they are the last of its row."""
    start, later = edges.indptr[k], edges.indptr[k + ONE]
    while later > start and np.uint64(edges.indices[later - ONE]) > k:
        later -= ONE
    return later


@njit
def write_column(scratch, m, store, start):
    """Write the m > 0 neighbours as a column from slot `start` on, then arrange them: steps 3 to 5.

    The neighbours come from spare_tags and spare_weights; they are arranged in tags and weights, and scanned.
    Returns l, the column's entry of D.
    """
    for q in range(m):
        neighbour = scratch.spare_tags[q] >> HIGH
        prefetch_to_write(store.records, WORDS * store.lines * neighbour)
        store.rows[start + q] = neighbour
        store.values[start + q] = scratch.spare_weights[q]
    arrange(scratch.spare_tags, scratch.spare_weights, m, scratch.tags, scratch.weights, scratch.sums)
    total = scratch.sums[m - ONE]
    for q in range(m):
        store.values[start + q] = -(store.values[start + q] / total)
    return total


@njit(inline="always")
def _at(store, vertex, place):
    """Return the first word of a place's line, and the position of the place in that line."""
    line = (place + ONE) // PLACES
    return WORDS * (store.lines * vertex + line), place + ONE - PLACES * line


@njit
def put(store, vertex, place, larger, weight):
    """Store an edge in a place of its smaller end."""
    line, lane = _at(store, vertex, place)
    store.record_weights[line + lane] = weight
    store.record_ends[TWO * line + BEFORE_ENDS + lane] = larger


@njit
def link(store, slot, following, larger, weight):
    """Store an edge in a link. following : uint64, the next slot of the list."""
    store.links[TWO * slot] = np.uint64(following) << HIGH | larger
    store.link_weights[TWO * slot + ONE] = weight
