"""Coarsening: pairs of vertices become one vertex, by heavy edges or by a neighbour in common.

A graph is symmetric, without loops, its rows without repetitions.

starts : (n + 1,) int64
neighbours : (entries,) int32
weights : (entries,) int32, how many edges of the finest graph an edge stands for
sizes : (n,) int32, how many vertices of the finest graph a vertex stands for

A loop over vertices gives each thread a run of them. No result depends on the number of threads.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import prange

from fetch.compiled import compiled, threaded

Array = npt.NDArray[Any]

_ROUNDS = 8
# Matching ends below this share of vertices left, or of vertices won in a round.
_LEFT, _WON = 0.03, 0.01
# Above this share of vertices left, those with a neighbour in common are paired.
_TWO_STEPS = 0.05
# Vertices without neighbours are paired within blocks of this many vertices.
_BLOCK = 4096


class Graph(NamedTuple):
    """A graph of the V-cycle: see the head of this file."""

    starts: Array
    neighbours: Array
    weights: Array
    sizes: Array


@compiled
def mixed(first: int, second: int) -> int:
    """A number in [0, 2**31) that looks random, of two numbers in that range."""
    word = np.uint64(first) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(second) * np.uint64(0xC2B2AE3D27D4EB4F)
    word = (word ^ (word >> np.uint64(32))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.int64((word ^ (word >> np.uint64(29))) >> np.uint64(33))


@threaded
def matched(graph: Graph, most: int, seed: int) -> Array:
    """Pair vertices. (n,) int32, the other vertex of the pair, -1 without.

    most : the largest size of a pair

    Each vertex proposes to its dearest neighbour, and two that propose to each other are a pair. Those that
    are left over after some rounds are paired where they have a heaviest neighbour in common.
    """
    n = len(graph.sizes)
    mate = np.full(n, -1, np.int32)
    choice = np.empty(n, np.int32)
    left = n
    for _ in range(_ROUNDS):
        if left <= _LEFT * n:
            break
        for v in prange(n):
            choice[v] = _dearest(graph, mate, np.int64(v), most, seed) if mate[v] < 0 else -1
        won = 0
        for v in prange(n):
            if choice[v] >= 0 and choice[choice[v]] == v:
                mate[v] = choice[v]
                won += 1
        left -= won
        if won < _WON * n:
            break
    if left <= _TWO_STEPS * n:
        return mate
    for v in prange(n):
        choice[v] = _heaviest(graph, np.int64(v), seed) if mate[v] < 0 else -1
    for v in prange(n):
        _pair_around(graph, mate, choice, np.int64(v), most)
    for block in prange((n + _BLOCK - 1) // _BLOCK):
        _pair_lonely(graph, mate, np.int64(block) * _BLOCK, most)
    return mate


@compiled
def _dearest(graph: Graph, mate: Array, v: int, most: int, seed: int) -> int:
    """The free neighbour with the largest weight over both sizes, ties at random; -1 without."""
    best, value, drawn = -1, -1.0, -1
    for e in range(graph.starts[v], graph.starts[v + 1]):
        u = graph.neighbours[e]
        if mate[u] >= 0 or graph.sizes[u] + graph.sizes[v] > most:
            continue
        worth = graph.weights[e] / (float(graph.sizes[u]) * float(graph.sizes[v]))
        if worth < value:
            continue
        tie = mixed(min(u, v), max(u, v) ^ seed)
        if worth > value or tie > drawn:
            best, value, drawn = u, worth, tie
    return best


@compiled
def _heaviest(graph: Graph, v: int, seed: int) -> int:
    """The neighbour along the heaviest edge, ties at random but the same for all; -1 without."""
    best, value, drawn = -1, -1, -1
    for e in range(graph.starts[v], graph.starts[v + 1]):
        u, weight = graph.neighbours[e], graph.weights[e]
        tie = mixed(u, seed)
        if weight > value or (weight == value and tie > drawn):
            best, value, drawn = u, weight, tie
    return best


@compiled
def _pair_around(graph: Graph, mate: Array, choice: Array, centre: int, most: int) -> None:
    """Pair the free neighbours that chose the centre."""
    waiting = -1
    for e in range(graph.starts[centre], graph.starts[centre + 1]):
        v = graph.neighbours[e]
        if choice[v] == centre and mate[v] < 0:
            waiting = _offer(graph, mate, waiting, v, most)


@compiled
def _pair_lonely(graph: Graph, mate: Array, begin: int, most: int) -> None:
    """Pair the vertices of a block that have no neighbours."""
    waiting = -1
    for v in range(begin, min(len(mate), begin + _BLOCK)):
        if graph.starts[v] == graph.starts[v + 1]:
            waiting = _offer(graph, mate, waiting, v, most)


@compiled
def _offer(graph: Graph, mate: Array, waiting: int, v: int, most: int) -> int:
    """Pair a vertex with the waiting one if both are small enough. Returns who waits now, -1 for nobody."""
    if waiting < 0:
        return v
    if graph.sizes[waiting] + graph.sizes[v] <= most:
        mate[waiting], mate[v] = v, waiting
        return -1
    return v if graph.sizes[v] < graph.sizes[waiting] else waiting


@threaded
def contracted(graph: Graph, mate: Array, workers: int) -> tuple[Graph, Array, Array]:
    """The coarse graph; (n,) int32, each vertex's coarse vertex; (coarse n, 2) int32, the pairs, -1 for none."""
    n = len(mate)
    coarse = np.empty(n, np.int32)
    before = np.zeros(workers + 1, np.int64)
    for thread in prange(workers):
        worker = np.int64(thread)
        for v in range(n * worker // workers, n * (worker + 1) // workers):
            before[worker + 1] += mate[v] < 0 or v < mate[v]
    before = np.cumsum(before)
    count = before[workers]
    pairs = np.empty((count, 2), np.int32)
    for thread in prange(workers):
        worker = np.int64(thread)
        k = before[worker]
        for v in range(n * worker // workers, n * (worker + 1) // workers):
            if mate[v] < 0 or v < mate[v]:
                coarse[v] = k
                pairs[k, 0], pairs[k, 1] = v, mate[v]
                k += 1
    for v in prange(n):
        if 0 <= mate[v] < v:
            coarse[v] = coarse[mate[v]]
    # Each worker writes the rows of its coarse vertices one behind the other, where they have room for sure.
    room = np.zeros(workers + 1, np.int64)
    for thread in prange(workers):
        worker = np.int64(thread)
        for k in range(count * worker // workers, count * (worker + 1) // workers):
            room[worker + 1] += _degree(graph, pairs[k, 0]) + _degree(graph, pairs[k, 1])
    room = np.cumsum(room)
    near, heavy = np.empty(room[workers], np.int32), np.empty(room[workers], np.int32)
    sizes, starts = np.empty(count, np.int32), np.zeros(count + 1, np.int64)
    used = np.zeros(workers + 1, np.int64)
    for thread in prange(workers):
        worker = np.int64(thread)
        begin, end = count * worker // workers, count * (worker + 1) // workers
        used[worker + 1] = _rows(graph, coarse, pairs, begin, end, room[worker], near, heavy, sizes, starts)
    used = np.cumsum(used)
    neighbours, weights = np.empty(used[workers], np.int32), np.empty(used[workers], np.int32)
    for thread in prange(workers):
        worker = np.int64(thread)
        begin, end = count * worker // workers, count * (worker + 1) // workers
        for k in range(begin, end):
            starts[k + 1] += used[worker]
        length = used[worker + 1] - used[worker]
        neighbours[used[worker] : used[worker + 1]] = near[room[worker] : room[worker] + length]
        weights[used[worker] : used[worker + 1]] = heavy[room[worker] : room[worker] + length]
    return Graph(starts, neighbours, weights, sizes), coarse, pairs


@compiled
def _degree(graph: Graph, v: int) -> int:
    return graph.starts[v + 1] - graph.starts[v] if v >= 0 else 0


@compiled
def _rows(
    graph: Graph, coarse: Array, pairs: Array, begin: int, end: int, at: int,
    near: Array, heavy: Array, sizes: Array, starts: Array,
) -> int:  # fmt: skip
    """Write the rows of coarse vertices [begin, end) from `at` on. starts[k + 1] becomes the end of row k as
    seen from there. Returns the entries written."""
    first, longest = at, 1
    for k in range(begin, end):
        longest = max(longest, _degree(graph, pairs[k, 0]) + _degree(graph, pairs[k, 1]))
    bits = 1
    while 1 << bits < 2 * longest:
        bits += 1
    places = np.full(1 << bits, -1, np.int64)
    for k in range(begin, end):
        row = at
        sizes[k] = 0
        for member in range(2):
            v = pairs[k, member]
            if v < 0:
                continue
            sizes[k] += graph.sizes[v]
            for e in range(graph.starts[v], graph.starts[v + 1]):
                u = coarse[graph.neighbours[e]]
                if u == k:
                    continue
                slot = _slot(places, near, row, u)
                if places[slot] >= row:
                    heavy[places[slot]] += graph.weights[e]
                    continue
                places[slot] = at
                near[at], heavy[at] = u, graph.weights[e]
                at += 1
        starts[k + 1] = at - first
    return at - first


@compiled
def _slot(places: Array, near: Array, row: int, u: int) -> int:
    """Where a table, of places in `near`, has u or would have u. What is before the row counts as empty."""
    mask = len(places) - 1
    slot = (u * 0x9E3779B1) >> 7 & mask
    while places[slot] >= row and near[places[slot]] != u:
        slot = (slot + 1) & mask
    return slot
