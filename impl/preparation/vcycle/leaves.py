"""The order inside parts that are not split: exact minimum degree on rows of bits.

A vertex's degree counts its neighbours outside the part too, the halo: they are eliminated later. So the
order is the whole graph's minimum degree order, restricted to the part.

    starts, neighbours = np.array([0, 1, 4, 5, 6]), np.array([1, 0, 2, 3, 1, 1], np.int32)
    star = Graph(starts, neighbours, np.ones(6, np.int32), np.ones(4, np.int32))
    order = np.arange(4, dtype=np.int32)
    ordered(star, order, order.copy(), np.array([[0, 4]]), 1)
    order    # [0, 3, 2, 1]
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import prange

from impl.cpu.compiled import inner, int64, threaded
from impl.preparation.vcycle.coarsening import NONE, Graph, slot_of, table

Array = npt.NDArray[Any]

# Longer parts keep their order; only the limit on the tree's depth leaves such parts.
_LONGEST = 2000


@threaded
def grouped(group: Array, groups: int, workers: int) -> tuple[Array, Array]:
    """Return where each group begins, (groups + 1,) int64, and the vertices by group, (n,) int32.

    Vertices keep their order inside each group. group : (n,) int32
    """
    counts = np.zeros((workers, groups), np.int64)
    for worker in prange(workers):
        _count(group, int64(worker), workers, counts)
    starts = _begins(counts)
    vertices = np.empty(len(group), np.int32)
    for worker in prange(workers):
        _place(group, int64(worker), workers, counts, vertices)
    return starts, vertices


@inner
def _count(group: Array, worker: int, workers: int, counts: Array) -> None:
    for v in range(len(group) * worker // workers, len(group) * (worker + 1) // workers):
        counts[worker, group[v]] += 1


@inner
def _begins(counts: Array) -> Array:
    """Return where each group begins. Counts become where each worker's share of a group begins."""
    workers, groups = counts.shape
    starts = np.zeros(groups + 1, np.int64)
    at = 0
    for g in range(groups):
        for worker in range(workers):
            at, counts[worker, g] = at + counts[worker, g], at
        starts[g + 1] = at
    return starts


@inner
def _place(group: Array, worker: int, workers: int, counts: Array, vertices: Array) -> None:
    for v in range(len(group) * worker // workers, len(group) * (worker + 1) // workers):
        vertices[counts[worker, group[v]]] = v
        counts[worker, group[v]] += 1


@threaded
def ordered(graph: Graph, order: Array, place: Array, bounds: Array, workers: int) -> None:
    """Order each part anew.

    order : (n,) int32, new position -> old index; place : (n,) int32, its inverse
    bounds : (parts, 2) int64, the first and last position of each part
    """
    for worker in prange(workers):
        _order_share(graph, order, place, bounds, int64(worker), workers)


@inner
def _order_share(graph: Graph, order: Array, place: Array, bounds: Array, worker: int, workers: int) -> None:
    for i in range(worker, len(bounds), workers):
        if 2 < bounds[i, 1] - bounds[i, 0] <= _LONGEST:
            _order(graph, order, place, bounds[i, 0], bounds[i, 1])


@inner
def _order(graph: Graph, order: Array, place: Array, begin: int, end: int) -> None:
    m = end - begin
    part, left, degree = np.empty(m, np.int32), np.empty(m, np.int32), np.empty(m, np.int64)
    for i in range(m):
        part[i], left[i] = order[begin + i], i
    bits = _bits(graph, part, place, begin)
    for i in range(m):
        degree[i] = _ones(bits, i)
    for k in range(m):
        at = 0
        for i in range(1, m - k):
            if degree[left[i]] < degree[left[at]]:
                at = i
        pivot = left[at]
        left[at] = left[m - k - 1]
        order[begin + k] = part[pivot]
        _eliminate(bits, degree, left, m - k - 1, pivot)


@inner
def _eliminate(bits: Array, degree: Array, left: Array, count: int, pivot: int) -> None:
    """Join the rows of the pivot's neighbours with the pivot's, and take the pivot out."""
    word, bit = pivot >> 6, np.uint64(1) << np.uint64(pivot & 63)
    bits[pivot, word] &= ~bit
    for k in range(count):
        i = int64(left[k])
        if bits[i, word] & bit:
            for w in range(bits.shape[1]):
                bits[i, w] |= bits[pivot, w]
            bits[i, word] &= ~bit
            degree[i] = _ones(bits, i)


@inner
def _bits(graph: Graph, part: Array, place: Array, begin: int) -> Array:
    """Return (m, words) uint64, rows with the diagonal; columns are the part's vertices, then the halo's."""
    m, room = len(part), NONE
    for i in range(m):
        room += graph.starts[part[i] + 1] - graph.starts[part[i]]
    columns, halo, count = np.empty(room, np.int32), np.empty(room, np.int32), 0
    places, at = table(room), 0
    for i in range(m):
        for e in range(graph.starts[part[i]], graph.starts[part[i] + 1]):
            u = graph.neighbours[e]
            columns[at] = place[u] - begin
            if not 0 <= columns[at] < m:
                slot = slot_of(places, halo, NONE, u)
                if places[slot] < 0:
                    places[slot], halo[count] = count, u
                    count += 1
                columns[at] = m + places[slot]
            at += 1
    bits = np.zeros((m, (m + count + 63) >> 6), np.uint64)
    at = 0
    for i in range(m):
        bits[i, i >> 6] |= np.uint64(1) << np.uint64(i & 63)
        for _ in range(graph.starts[part[i]], graph.starts[part[i] + 1]):
            bits[i, columns[at] >> 6] |= np.uint64(1) << np.uint64(columns[at] & 63)
            at += 1
    return bits


@inner
def _ones(bits: Array, i: int) -> int:
    total = np.uint64(0)
    for w in range(bits.shape[1]):
        word = bits[i, w]
        word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
        word = (word & np.uint64(0x3333333333333333)) + (
            (word >> np.uint64(2)) & np.uint64(0x3333333333333333)
        )
        word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        total += (word * np.uint64(0x0101010101010101)) >> np.uint64(56)
    return int64(total)
