"""Coarsening: pairs of vertices become one vertex, by heavy edges or by a neighbour in common.

A graph is symmetric, without loops, its rows without repetitions.

starts : (n + 1,) int64
neighbours : (entries,) int32
weights : (entries,) int32, the number of edges of the finest graph in an edge
sizes : (n,) int32, the number of vertices of the finest graph in a vertex

Each thread takes a run of vertices. No result depends on the number of threads.

    starts, neighbours = np.array([0, 1, 3, 5, 6]), np.array([1, 0, 2, 1, 3, 2], np.int32)
    path = Graph(starts, neighbours, np.ones(6, np.int32), np.ones(4, np.int32))
    mate = matched(path, 2, 0, 1)
    mate, contracted(path, mate, 1)[0].sizes    # [-1, 2, 1, -1], [1, 2, 1]
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import prange

from impl.cpu.compiled import inner, int64, threaded

Array = npt.NDArray[Any]

# Zero, and the number of no vertex, typed as other arguments are: else calls are compiled twice.
NONE, NOBODY = int64(0), int64(-1)

_ROUNDS = 8
# Matching ends below this share of unmatched vertices, or of vertices matched in a round.
_LEFT, _WON = 0.03, 0.01
# Above this share of unmatched vertices, vertices with a neighbour in common are paired.
_TWO_STEPS = 0.05
# Vertices without neighbours are paired within blocks of this many vertices.
_BLOCK = 4096


class Graph(NamedTuple):
    """A graph of the V-cycle: see the head of this file."""

    starts: Array
    neighbours: Array
    weights: Array
    sizes: Array


@inner
def mixed(first: int, second: int) -> int:
    """Return a number in [0, 2**31) that looks random, of two numbers in that range."""
    word = np.uint64(first) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(second) * np.uint64(
        0xC2B2AE3D27D4EB4F
    )
    word = (word ^ (word >> np.uint64(32))) * np.uint64(0xBF58476D1CE4E5B9)
    return int64((word ^ (word >> np.uint64(29))) >> np.uint64(33))


@threaded
def matched(graph: Graph, most: int, seed: int, workers: int) -> Array:
    """Pair vertices: return (n,) int32, the other vertex of the pair, -1 without.

    most : int, the largest size of a pair

    Two vertices become a pair if each is the other's neighbour of largest weight over sizes. Vertices left
    after some rounds are paired if they share their heaviest neighbour.
    """
    n = len(graph.sizes)
    mate, choice = np.full(n, -1, np.int32), np.empty(n, np.int32)
    left = n
    for _ in range(_ROUNDS):
        if left <= _LEFT * n:
            break
        for worker in prange(workers):
            _propose(graph, mate, choice, int64(worker), workers, most, seed)
        won = 0
        for worker in prange(workers):
            won += _accept(mate, choice, int64(worker), workers)
        left -= won
        if won < _WON * n:
            break
    if left <= _TWO_STEPS * n:
        return mate
    for worker in prange(workers):
        _choose_centre(graph, mate, choice, int64(worker), workers, seed)
    for worker in prange(workers):
        _pair_around(graph, mate, choice, int64(worker), workers, most)
    for worker in prange(workers):
        _pair_lonely(graph, mate, int64(worker), workers, most)
    return mate


@inner
def _propose(
    graph: Graph, mate: Array, choice: Array, worker: int, workers: int, most: int, seed: int
) -> None:  # fmt: skip
    for v in range(len(mate) * worker // workers, len(mate) * (worker + 1) // workers):
        choice[v] = _dearest(graph, mate, v, most, seed) if mate[v] < 0 else -1


@inner
def _accept(mate: Array, choice: Array, worker: int, workers: int) -> int:
    won = 0
    for v in range(len(mate) * worker // workers, len(mate) * (worker + 1) // workers):
        if choice[v] >= 0 and choice[choice[v]] == v:
            mate[v] = choice[v]
            won += 1
    return won


@inner
def _dearest(graph: Graph, mate: Array, v: int, most: int, seed: int) -> int:
    """Return the free neighbour with the largest weight over both sizes, ties at random; -1 without."""
    best, value, drawn = -1, -1.0, -1
    for e in range(graph.starts[v], graph.starts[v + 1]):
        u = int64(graph.neighbours[e])
        if mate[u] >= 0 or graph.sizes[u] + graph.sizes[v] > most:
            continue
        worth = graph.weights[e] / (float(graph.sizes[u]) * float(graph.sizes[v]))
        if worth < value:
            continue
        tie = mixed(min(u, v), max(u, v) ^ seed)
        if worth > value or tie > drawn:
            best, value, drawn = u, worth, tie
    return best


@inner
def _choose_centre(graph: Graph, mate: Array, choice: Array, worker: int, workers: int, seed: int) -> None:
    """Choose each free vertex's neighbour along the heaviest edge, ties at random but the same for all."""
    for v in range(len(mate) * worker // workers, len(mate) * (worker + 1) // workers):
        choice[v], value, drawn = -1, -1, -1
        if mate[v] >= 0:
            continue
        for e in range(graph.starts[v], graph.starts[v + 1]):
            u, weight = int64(graph.neighbours[e]), graph.weights[e]
            tie = mixed(u, seed)
            if weight > value or (weight == value and tie > drawn):
                choice[v], value, drawn = u, weight, tie


@inner
def _pair_around(graph: Graph, mate: Array, choice: Array, worker: int, workers: int, most: int) -> None:
    for centre in range(len(mate) * worker // workers, len(mate) * (worker + 1) // workers):
        waiting = NOBODY
        for e in range(graph.starts[centre], graph.starts[centre + 1]):
            v = int64(graph.neighbours[e])
            if choice[v] == centre and mate[v] < 0:
                waiting = _offer(graph, mate, waiting, v, most)


@inner
def _pair_lonely(graph: Graph, mate: Array, worker: int, workers: int, most: int) -> None:
    """Pair vertices without neighbours within blocks, so that pairs do not depend on the threads."""
    waiting = NOBODY
    blocks = (len(mate) + _BLOCK - 1) // _BLOCK
    for v in range(
        blocks * worker // workers * _BLOCK, min(len(mate), blocks * (worker + 1) // workers * _BLOCK)
    ):
        if v % _BLOCK == 0:
            waiting = NOBODY
        if graph.starts[v] == graph.starts[v + 1]:
            waiting = _offer(graph, mate, waiting, v, most)


@inner
def _offer(graph: Graph, mate: Array, waiting: int, v: int, most: int) -> int:
    """Pair a vertex with the waiting vertex if both are small enough. Returns who waits now, -1 for none."""
    if waiting < 0:
        return v
    if graph.sizes[waiting] + graph.sizes[v] <= most:
        mate[waiting], mate[v] = v, waiting
        return NOBODY
    return v if graph.sizes[v] < graph.sizes[waiting] else waiting


@threaded
def contracted(graph: Graph, mate: Array, workers: int) -> tuple[Graph, Array, Array]:
    """Return the coarse graph, each vertex's coarse vertex, (n,) int32, and the pairs, (coarse n, 2) int32.

    A pair has -1 for no vertex. Each worker writes the rows of a run of coarse vertices where room is
    certain, and moves them once all lengths are known.
    """
    firsts, room = np.zeros(workers + 1, np.int64), np.zeros(workers + 1, np.int64)
    used = np.zeros(workers + 1, np.int64)
    for worker in prange(workers):
        _count_firsts(mate, int64(worker), workers, firsts)
    count = _sum_up(firsts)
    coarse, pairs = np.empty(len(mate), np.int32), np.empty((count, 2), np.int32)
    for worker in prange(workers):
        _number(mate, int64(worker), workers, firsts, coarse, pairs)
    for worker in prange(workers):
        _count_room(graph, pairs, int64(worker), workers, room)
    near, heavy = np.empty(_sum_up(room), np.int32), np.empty(room[workers], np.int32)
    sizes, starts = np.empty(count, np.int32), np.zeros(count + 1, np.int64)
    for worker in prange(workers):
        _write(graph, coarse, pairs, int64(worker), workers, room, near, heavy, sizes, starts, used)
    neighbours, weights = np.empty(_sum_up(used), np.int32), np.empty(used[workers], np.int32)
    for worker in prange(workers):
        _settle(int64(worker), workers, room, used, near, heavy, starts, neighbours, weights)
    return Graph(starts, neighbours, weights, sizes), coarse, pairs


@inner
def _sum_up(counts: Array) -> int:
    """Replace counts by their sums up to each. Returns the last."""
    for i in range(1, len(counts)):
        counts[i] += counts[i - 1]
    return int64(counts[-1])


@inner
def _count_firsts(mate: Array, worker: int, workers: int, firsts: Array) -> None:
    for v in range(len(mate) * worker // workers, len(mate) * (worker + 1) // workers):
        firsts[worker + 1] += mate[v] < 0 or v < mate[v]


@inner
def _number(mate: Array, worker: int, workers: int, firsts: Array, coarse: Array, pairs: Array) -> None:
    k = firsts[worker]
    for v in range(len(mate) * worker // workers, len(mate) * (worker + 1) // workers):
        if 0 <= mate[v] < v:
            continue
        coarse[v] = k
        if mate[v] >= 0:
            coarse[mate[v]] = k
        pairs[k, 0], pairs[k, 1] = v, mate[v]
        k += 1


@inner
def _degree(graph: Graph, v: int) -> int:
    return graph.starts[v + 1] - graph.starts[v] if v >= 0 else 0


@inner
def _count_room(graph: Graph, pairs: Array, worker: int, workers: int, room: Array) -> None:
    for k in range(len(pairs) * worker // workers, len(pairs) * (worker + 1) // workers):
        room[worker + 1] += _degree(graph, pairs[k, 0]) + _degree(graph, pairs[k, 1])


@inner
def _settle(
    worker: int, workers: int, room: Array, used: Array, near: Array, heavy: Array,
    starts: Array, neighbours: Array, weights: Array,
) -> None:  # fmt: skip
    """Move the rows of a worker to their final places."""
    count, shift = len(starts) - 1, room[worker] - used[worker]
    for k in range(count * worker // workers, count * (worker + 1) // workers):
        starts[k + 1] += used[worker]
    for e in range(used[worker], used[worker + 1]):
        neighbours[e], weights[e] = near[e + shift], heavy[e + shift]


@inner
def _write(
    graph: Graph, coarse: Array, pairs: Array, worker: int, workers: int, room: Array,
    near: Array, heavy: Array, sizes: Array, starts: Array, used: Array,
) -> None:  # fmt: skip
    """Write a worker's coarse rows; starts[k + 1] becomes row k's end, from the worker's first on."""
    begin, end = len(pairs) * worker // workers, len(pairs) * (worker + 1) // workers
    longest, at = NONE, room[worker]
    for k in range(begin, end):
        longest = max(longest, _degree(graph, pairs[k, 0]) + _degree(graph, pairs[k, 1]))
    places = table(longest)
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
                slot = slot_of(places, near, row, u)
                if places[slot] >= row:
                    heavy[places[slot]] += graph.weights[e]
                    continue
                places[slot] = at
                near[at], heavy[at] = u, graph.weights[e]
                at += 1
        starts[k + 1] = at - room[worker]
    used[worker + 1] = at - room[worker]


@inner
def table(most: int) -> Array:
    """Return an empty hash table for at most `most` entries."""
    bits = 1
    while 1 << bits <= 2 * most:
        bits += 1
    return np.full(1 << bits, -1, np.int64)


@inner
def slot_of(places: Array, near: Array, row: int, u: int) -> int:
    """Return the slot of u's place in `near`, or a free slot; places before the row count as free."""
    mask = len(places) - 1
    slot = (u * 0x9E3779B1) >> 7 & mask
    while places[slot] >= row and near[places[slot]] != u:
        slot = (slot + 1) & mask
    return slot
