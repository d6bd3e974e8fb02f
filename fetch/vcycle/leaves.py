"""The order inside parts that are not split: exact minimum degree on rows of bits.

A vertex's degree counts its neighbours outside the part too, the halo: they are eliminated later. So the
order is that of the whole graph's minimum degree, restricted to the part.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import prange

from fetch.compiled import compiled, threaded
from fetch.vcycle.coarsening import Graph

Array = npt.NDArray[Any]

# Longer parts, which only the depth of the tree can leave, keep their order.
_LONGEST = 2000


@threaded
def grouped(group: Array, groups: int, workers: int) -> tuple[Array, Array]:
    """(groups + 1,) int64, where each group begins; (n,) int32, the vertices by group, in their order inside
    each. group : (n,) int32"""
    n = len(group)
    counts = np.zeros((workers, groups), np.int64)
    for thread in prange(workers):
        worker = np.int64(thread)
        for v in range(n * worker // workers, n * (worker + 1) // workers):
            counts[worker, group[v]] += 1
    starts = np.zeros(groups + 1, np.int64)
    at = 0
    for g in range(groups):
        for worker in range(workers):
            at, counts[worker, g] = at + counts[worker, g], at
        starts[g + 1] = at
    vertices = np.empty(n, np.int32)
    for thread in prange(workers):
        worker = np.int64(thread)
        for v in range(n * worker // workers, n * (worker + 1) // workers):
            vertices[counts[worker, group[v]]] = v
            counts[worker, group[v]] += 1
    return starts, vertices


@threaded
def ordered(graph: Graph, order: Array, place: Array, bounds: Array, workers: int) -> None:
    """Order each part anew. order : (n,) int32, new position -> old index; place : (n,) its inverse
    before that; bounds : (parts, 2), from where to where each part stands"""
    for thread in prange(workers):
        worker = np.int64(thread)
        for i in range(worker, len(bounds), workers):
            if 2 < bounds[i, 1] - bounds[i, 0] <= _LONGEST:
                _order(graph, order, place, bounds[i, 0], bounds[i, 1])


@compiled
def _order(graph: Graph, order: Array, place: Array, begin: int, end: int) -> None:
    part = order[begin:end].copy()
    bits = _bits(graph, part, place, begin)
    m = len(part)
    degree = np.array([_ones(bits[i]) for i in range(m)])
    left = np.arange(m)
    for k in range(m):
        at = np.argmin(degree[left[: m - k]])
        pivot = left[at]
        left[at] = left[m - k - 1]
        order[begin + k] = part[pivot]
        _eliminate(bits, degree, left[: m - k - 1], pivot)


@compiled
def _eliminate(bits: Array, degree: Array, left: Array, pivot: int) -> None:
    """Join the rows of the pivot's neighbours with the pivot's, and take the pivot out."""
    row = bits[pivot]
    word, bit = pivot >> 6, np.uint64(1) << np.uint64(pivot & 63)
    row[word] &= ~bit
    for i in left:
        if bits[i, word] & bit:
            for w in range(len(row)):
                bits[i, w] |= row[w]
            bits[i, word] &= ~bit
            degree[i] = _ones(bits[i])


@compiled
def _bits(graph: Graph, part: Array, place: Array, begin: int) -> Array:
    """(m, words) uint64, the rows with the diagonal; the columns are the part's vertices, then the halo's."""
    m, room = len(part), 0
    for v in part:
        room += graph.starts[v + 1] - graph.starts[v]
    halo, count = np.empty(room, np.int32), 0
    for v in part:
        for e in range(graph.starts[v], graph.starts[v + 1]):
            if not 0 <= place[graph.neighbours[e]] - begin < m:
                halo[count] = graph.neighbours[e]
                count += 1
    halo = np.unique(halo[:count])
    bits = np.zeros((m, (m + len(halo) + 63) >> 6), np.uint64)
    for i in range(m):
        bits[i, i >> 6] |= np.uint64(1) << np.uint64(i & 63)
        for e in range(graph.starts[part[i]], graph.starts[part[i] + 1]):
            u = graph.neighbours[e]
            j = place[u] - begin
            if not 0 <= j < m:
                j = m + np.searchsorted(halo, u)
            bits[i, j >> 6] |= np.uint64(1) << np.uint64(j & 63)
    return bits


@compiled
def _ones(words: Array) -> int:
    """How many bits are set."""
    total = np.uint64(0)
    for word in words:
        word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
        word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
        word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        total += (word * np.uint64(0x0101010101010101)) >> np.uint64(56)
    return np.int64(total)
