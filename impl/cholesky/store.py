"""Where sampled edges wait for their vertex, and where the columns of G are written.

A sampled edge waits at its smaller end, in one of `width` places that each vertex has in `places`: they lie
side by side, so that gathering them takes few cache lines. Where they are full, it hangs on the list of the
vertex, which begins at heads[vertex].

A column takes one slot a neighbour, one after the other. Slot p holds an entry of the column, rows[p] and
values[p], and may hold a link of a list: an edge that was sampled when the column was eliminated.

An edge in a place is larger end << 32 | 1, then its weight; one in a link is next slot << 32 | larger end,
then its weight. What is not written takes no memory.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from fillpath.nouns import Array, Laplacian
from impl.cholesky.elimination import HIGH, ONE, TWO, arrange
from impl.cpu.ordered import prefetch_to_write

# A link counts slots in 32 bits.
MOST_SLOTS = 2**32 - 1
# Slots an edge that are tried first, as the authors' code has 5 entries of G an edge on the CPU.
ROOM = 5
# Edges that a worker's scratch holds at first: it grows where a vertex has more.
SCRATCH = 256


class Edges(NamedTuple):
    """The graph, as kernels read it. indptr : (n + 1,) uint64. indices : (nnz,) uint32. weights : float64."""

    indptr: Array
    indices: Array
    weights: Array


class Store(NamedTuple):
    """rows : (slots,) uint32. values : (slots,) float64. heads : (n,) uint32. places : (2 width n,) uint64,
    links : (2 slots,) uint64, both also as float64. width : uint64."""

    rows: Array
    values: Array
    heads: Array
    places: Array
    place_weights: Array
    links: Array
    link_weights: Array
    width: np.uint64


class Scratch(NamedTuple):
    """What one worker sorts in, all of one length: tags, spare_tags (length,) uint64; weights, spare_weights,
    sums (length,) float64."""

    tags: Array
    weights: Array
    spare_tags: Array
    spare_weights: Array
    sums: Array


def edges(graph: Laplacian) -> Edges:
    """The arrays of a Laplacian on the host, shared."""
    pattern = graph.pattern
    return Edges(pattern.indptr.view(np.uint64), pattern.indices.view(np.uint32), graph.weights)


def new_store(graph: Laplacian, slots: int) -> Store:
    """A store of so many slots, and of twice the mean degree, rounded to fours, as places of a vertex."""
    width = 4 * max(1, (graph.pattern.nnz + graph.n) // (2 * graph.n))
    places, links = np.empty(2 * width * graph.n, np.uint64), np.empty(2 * slots, np.uint64)
    rows, values, heads = np.empty(slots, np.uint32), np.empty(slots), np.zeros(graph.n, np.uint32)
    weights = places.view(np.float64), links.view(np.float64)
    return Store(rows, values, heads, places, weights[0], links, weights[1], np.uint64(width))


def first_slots(graph: Laplacian, spare: int = 0) -> int:
    """How many slots are tried first. spare : that workers may leave empty."""
    return min(MOST_SLOTS, ROOM * (graph.pattern.nnz // 2) + spare + 1)


def more_slots(slots: int) -> int:
    """How many are tried where so many were too few. Raises MemoryError where links count no more."""
    if slots >= MOST_SLOTS:
        raise MemoryError(f"the factor has more than {MOST_SLOTS} entries, all that its lists count")
    return min(MOST_SLOTS, 2 * slots)


@njit
def new_scratch(length):
    """Scratch for vertices with so many edges to later ones."""
    tags, weights = np.empty(length, np.uint64), np.empty(length)
    return Scratch(tags, weights, np.empty(length, np.uint64), np.empty(length), np.empty(length))


@njit
def gather(edges, k, waiting, store, scratch):
    """The edges of vertex k to later ones into tags and weights, in no order. Returns how many there are:
    where they are more than the scratch is long, nothing is gathered.

    waiting : how many sampled ones wait.
    """
    start, stop = edges.indptr[k], edges.indptr[k + ONE]
    while stop > start and np.uint64(edges.indices[stop - ONE]) > k:
        stop -= ONE
    given = edges.indptr[k + ONE] - stop
    if given + waiting > np.uint64(len(scratch.tags)):
        return given + waiting
    for p in range(given):
        scratch.tags[p] = np.uint64(edges.indices[stop + p]) << HIGH | ONE
        scratch.weights[p] = edges.weights[stop + p]
    count = given
    first = store.width * k
    for place in range(first, first + min(waiting, store.width)):
        scratch.tags[count] = store.places[TWO * place]
        scratch.weights[count] = store.place_weights[TWO * place + ONE]
        count += ONE
    slot = np.uint64(store.heads[k])
    while count < given + waiting:
        link = store.links[TWO * slot]
        scratch.tags[count] = link << HIGH | ONE
        scratch.weights[count] = store.link_weights[TWO * slot + ONE]
        slot = link >> HIGH
        count += ONE
    return count


@njit
def write_column(scratch, m, store, start, state):
    """Steps 3 to 5: the m > 0 neighbours of spare_tags and spare_weights as a column from slot `start` on,
    then arranged in tags and weights and scanned. Returns l, the column's entry of D.

    state : a word a vertex, which sampling will want of the neighbours.
    """
    for q in range(m):
        neighbour = scratch.spare_tags[q] >> HIGH
        prefetch_to_write(state, neighbour)
        prefetch_to_write(store.places, TWO * store.width * neighbour)
        store.rows[start + q] = neighbour
        store.values[start + q] = scratch.spare_weights[q]
    arrange(scratch.spare_tags, scratch.spare_weights, m, scratch.tags, scratch.weights, scratch.sums)
    total = scratch.sums[m - ONE]
    for q in range(m):
        store.values[start + q] = -(store.values[start + q] / total)
    return total


@njit
def put(store, vertex, place, larger, weight):
    """Have a sampled edge wait in a place of its smaller end."""
    at = TWO * (store.width * vertex + place)
    store.places[at] = larger << HIGH | ONE
    store.place_weights[at + ONE] = weight


@njit
def link(store, slot, following, larger, weight):
    """Have it wait in a link. following : the slot that the list goes on with."""
    store.links[TWO * slot] = np.uint64(following) << HIGH | larger
    store.link_weights[TWO * slot + ONE] = weight
