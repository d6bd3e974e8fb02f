"""The first split of parts: several tries a part, each on a copy of the part."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import prange

from impl.cpu.compiled import inner, int64, threaded
from impl.preparation.vcycle.coarsening import Graph, mixed
from impl.preparation.vcycle.halves import Halves, grow, improve, restart
from impl.preparation.vcycle.tree import SEPARATOR, Tree, cost

Array = npt.NDArray[Any]

_PASSES = 2


@threaded
def tried(
    graph: Graph, label: Array, local: Array, members: Array, bounds: Array, order: Array,
    tries: int, seed: int, workers: int,
) -> tuple[Array, Array]:  # fmt: skip
    """Split each part several times; return (tries, members) uint8, 0 to 2, and (parts, tries) costs.

    members, bounds : (k,) int32, (parts, 2) int64; part i is members[bounds[i, 0] : bounds[i, 1]]
    local : (n,) int32, room
    order : (parts,) the largest part first
    """
    found = np.empty((tries, len(members)), np.uint8)
    costs = np.empty((len(bounds), tries))
    # With many parts, all tries of a part are one task, which copies the part once.
    together = tries if len(bounds) >= 4 * workers else 1
    for worker in prange(workers):
        _number(members, bounds, local, int64(worker), workers)
    for worker in prange(workers):
        for task in range(int64(worker), len(bounds) * tries // together, workers):
            i, first = order[task * together // tries], task * together % tries
            _try(graph, label, local, members, bounds[i], first, first + together, seed, found, costs[i])
    return found, costs


@inner
def _number(members: Array, bounds: Array, local: Array, worker: int, workers: int) -> None:
    for i in range(worker, len(bounds), workers):
        for at in range(bounds[i, 0], bounds[i, 1]):
            local[members[at]] = at - bounds[i, 0]


@inner
def _try(
    graph: Graph, label: Array, local: Array, members: Array, bounds: Array,
    first: int, last: int, seed: int, found: Array, costs: Array,
) -> None:  # fmt: skip
    """Make the tries [first, last) of one part."""
    part = members[bounds[0] : bounds[1]]
    halves = _copied(graph, label, local, part)
    for attempt in range(first, last):
        drawn = mixed(seed + attempt, int64(label[part[0]]))
        restart(halves, drawn)
        grow(halves, drawn)
        for _ in range(_PASSES):
            if not improve(halves):
                break
        for i in range(len(part)):
            found[attempt, bounds[0] + i] = halves.place[i]
        costs[attempt] = cost(halves.weights)


@inner
def _copied(graph: Graph, label: Array, local: Array, part: Array) -> Halves:
    m, room = len(part), 0
    for v in part:
        room += graph.starts[v + 1] - graph.starts[v]
    starts, neighbours, sizes = np.zeros(m + 1, np.uint32), np.empty(room, np.uint32), np.empty(m, np.int32)
    at = 0
    for i in range(m):
        v = part[i]
        sizes[i] = graph.sizes[v]
        for e in range(graph.starts[v], graph.starts[v + 1]):
            u = graph.neighbours[e]
            if label[u] == label[v]:
                neighbours[at] = local[u]
                at += 1
        starts[i + 1] = at
    place, pulled, tie = np.empty(m, np.uint8), np.empty((m, 2), np.int32), np.empty(m, np.int32)
    front, position, worth = np.empty(m, np.uint32), np.empty(m, np.uint32), np.empty((2, m), np.int64)
    locked, weights = np.empty(m, np.bool_), np.empty(4, np.int64)
    return Halves(starts, neighbours[:at], sizes, place, pulled, front, position, worth, tie, locked, weights)


@threaded
def settled(
    graph: Graph, label: Array, tree: Tree, follow: Array, nodes: Array,
    members: Array, bounds: Array, found: Array, costs: Array, workers: int,
) -> Array:  # fmt: skip
    """Take the best try of each part; return (parts, 2, 2) int64, the bounds of both halves.

    Members of a part are sorted by half 0, half 1, separator; labels, weights and chains are updated.

    nodes : (parts,) the node of each part, which has children now
    """
    halves = np.empty((len(nodes), 2, 2), np.int64)
    for worker in prange(workers):
        for i in range(int64(worker), len(nodes), workers):
            _settle(graph, label, tree, follow, nodes[i], members, bounds[i], found, costs[i], halves[i])
    return halves


@inner
def _settle(
    graph: Graph, label: Array, tree: Tree, follow: Array, node: int,
    members: Array, bounds: Array, found: Array, costs: Array, halves: Array,
) -> None:  # fmt: skip
    best, at = 0, bounds[0]
    for attempt in range(len(costs)):
        if costs[attempt] < costs[best]:
            best = attempt
    vertices = members[bounds[0] : bounds[1]].copy()
    for where in range(3):
        new = 2 * node + 1 if where == SEPARATOR else 2 * int64(tree.child[node, where])
        if where < SEPARATOR:
            halves[where, 0] = at
        for j in range(len(vertices)):
            if found[best, bounds[0] + j] != where:
                continue
            v = vertices[j]
            members[at] = v
            at += 1
            label[v] = new
            tree.weights[node, where] += graph.sizes[v]
            if where == SEPARATOR:
                follow[v] = tree.first[node]
                tree.first[node] = v
        if where < SEPARATOR:
            halves[where, 1] = at
