"""Where sampled edges wait for their vertex, and where the columns of G are written.

A column takes one slot a neighbour, one after the other. Slot p holds an entry of the column, rows[p] and
values[p], and may hold an edge that was sampled when the column was eliminated: it hangs on the list of its
smaller end, links[2 p] = next slot << 32 | larger end, and link_weights[2 p + 1] its weight. Slot 0 ends a
list. So a slot is 28 bytes, and a list takes one cache line an edge.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from fillpath.nouns import Array, Laplacian
from impl.cholesky.elimination import HIGH, ONE, TWO, ZERO, arrange

# A link counts slots in 32 bits.
MOST_SLOTS = 2**32 - 1
# Slots an edge that are tried first, as the authors' code has 5 entries of G an edge on the CPU.
ROOM = 5


class Store(NamedTuple):
    """rows : (slots,) uint32. values : (slots,) float64. links : (2 slots,) uint64; link_weights : the same
    memory as float64."""

    rows: Array
    values: Array
    links: Array
    link_weights: Array


class Edges(NamedTuple):
    """The graph, as kernels read it. indptr : (n + 1,) uint64. indices : (nnz,) uint32. weights : float64."""

    indptr: Array
    indices: Array
    weights: Array


def edges(graph: Laplacian) -> Edges:
    """The arrays of a Laplacian on the host, shared."""
    pattern = graph.pattern
    return Edges(pattern.indptr.view(np.uint64), pattern.indices.view(np.uint32), graph.weights)


def new_store(slots: int) -> Store:
    """An unwritten store; what is not written takes no memory."""
    links = np.empty(2 * slots, np.uint64)
    return Store(np.empty(slots, np.uint32), np.empty(slots), links, links.view(np.float64))


def first_slots(graph: Laplacian) -> int:
    """How many slots are tried first."""
    return min(MOST_SLOTS, ROOM * (graph.pattern.nnz // 2) + graph.n + 1)


def more_slots(slots: int) -> int:
    """How many are tried where so many were too few. Raises MemoryError where links count no more."""
    if slots >= MOST_SLOTS:
        raise MemoryError(f"the factor has more than {MOST_SLOTS} entries, all that its lists count")
    return min(MOST_SLOTS, 2 * slots)


class Scratch(NamedTuple):
    """What one worker sorts in, all of one length: tags, spare_tags (length,) uint64; weights, spare_weights,
    sums (length,) float64."""

    tags: Array
    weights: Array
    spare_tags: Array
    spare_weights: Array
    sums: Array


@njit
def new_scratch(length):
    """Scratch for vertices with so many edges to later ones."""
    tags, weights = np.empty(length, np.uint64), np.empty(length)
    return Scratch(tags, weights, np.empty(length, np.uint64), np.empty(length), np.empty(length))


@njit
def gather(edges, k, head, store, scratch):
    """The edges of vertex k to later ones in tags and weights, in no order. Returns how many there are: where
    they are more than the scratch is long, the rest is left out.

    head : the first slot of the list of sampled ones.
    """
    room = np.uint64(len(scratch.tags))
    count = ZERO
    p = edges.indptr[k + ONE]
    while p > edges.indptr[k] and np.uint64(edges.indices[p - ONE]) > k:
        p -= ONE
        if count < room:
            scratch.tags[count] = np.uint64(edges.indices[p]) << HIGH | ONE
            scratch.weights[count] = edges.weights[p]
        count += ONE
    slot = np.uint64(head)
    while slot != ZERO:
        link = store.links[TWO * slot]
        if count < room:
            scratch.tags[count] = link << HIGH | ONE
            scratch.weights[count] = store.link_weights[TWO * slot + ONE]
        count += ONE
        slot = link >> HIGH
    return count


@njit
def write_column(scratch, m, store, start):
    """Steps 3 to 5: the m > 0 merged neighbours as a column from slot `start` on, then arranged and scanned.
    Returns l, the column's entry of D."""
    for q in range(m):
        store.rows[start + q] = scratch.tags[q] >> HIGH
        store.values[start + q] = scratch.weights[q]
    arrange(scratch.tags, scratch.weights, m, scratch.spare_tags, scratch.spare_weights, scratch.sums)
    total = scratch.sums[m - ONE]
    for q in range(m):
        store.values[start + q] = -(store.values[start + q] / total)
    return total


@njit
def link(store, slot, following, larger, weight):
    """Write a sampled edge into its slot. following : the slot that its list goes on with."""
    store.links[TWO * slot] = np.uint64(following) << HIGH | larger
    store.link_weights[TWO * slot + ONE] = weight
