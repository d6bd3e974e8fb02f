"""Splitting parts for the first time: several tries a part, each a grown half that is then improved.

A try works on a copy of its part. The improvement is Fiduccia and Mattheyses's, of a vertex separator: a
vertex leaves the separator for one side, and its neighbours on the other side come in.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import prange

from impl.cpu.compiled import inner, int64, threaded
from impl.preparation.vcycle.coarsening import NONE, Graph, mixed
from impl.preparation.vcycle.tree import BALANCE, SEPARATOR, Tree, cost

Array = npt.NDArray[Any]

_PASSES = 2
# A pass ends after this many moves without a better separator.
_PATIENCE = 50
# A growing half stops at this share of the part.
_GROWN = 0.54
# Of two moves with one gain: towards the lighter side, else at random.
_GAIN, _LIGHTER, _RANDOM = 4096, 1200, 127
_NEVER = -(1 << 60)


class Halves(NamedTuple):
    """A part cut in two.

    starts, neighbours, sizes : the part as a graph
    place : (m,) uint8, 0 or 1 for the halves, 2 for the separator
    pulled : (m, 2) int32, of a vertex in the separator: the sizes of its neighbours in either half
    front : (m,) uint32, the separator's vertices, in any order
    position : (m,) uint32, where in `front`
    worth : (2, m) int64, by position: what the move to either half is worth
    tie : (m,) int32, random
    locked : (m,) bool, of a vertex that moves no more
    weights : (4,) int64, the sizes of both halves and the separator, and how many `front` has
    """

    starts: Array
    neighbours: Array
    sizes: Array
    place: Array
    pulled: Array
    front: Array
    position: Array
    worth: Array
    tie: Array
    locked: Array
    weights: Array


@threaded
def tried(
    graph: Graph, label: Array, local: Array, members: Array, bounds: Array, order: Array,
    tries: int, seed: int, workers: int,
) -> tuple[Array, Array]:  # fmt: skip
    """Split each part several times. (tries, members) uint8, 0, 1 or 2; (parts, tries) float64, the costs.

    members, bounds : part i is members[bounds[i, 0] : bounds[i, 1]], of one label
    local : (n,) int32, room
    order : (parts,) the largest part first
    """
    found = np.empty((tries, len(members)), np.uint8)
    costs = np.empty((len(bounds), tries))
    # With many parts, all tries of a part are one task: the part is then copied once.
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
        _restart(halves, drawn)
        _grow(halves, drawn)
        for _ in range(_PASSES):
            if not _improve(halves):
                break
        for i in range(len(part)):
            found[attempt, bounds[0] + i] = halves.place[i]
        costs[attempt] = cost(halves.weights)


@inner
def _copied(graph: Graph, label: Array, local: Array, part: Array) -> Halves:
    """A part as a graph, not cut yet."""
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


@inner
def _restart(halves: Halves, drawn: int) -> None:
    """Put all of a part into half 1."""
    halves.place[:] = 1
    halves.locked[:] = False
    halves.weights[:] = 0
    for v in range(len(halves.tie)):
        halves.weights[1] += halves.sizes[v]
        halves.tie[v] = mixed(drawn, v) & _RANDOM


@inner
def _value(halves: Halves, v: int) -> None:
    """Set what the moves of a vertex in the separator are worth. A half that the vertex does not touch is no
    choice: the vertex would be an island."""
    for half in range(2):
        value = (halves.sizes[v] - halves.pulled[v, 1 - half]) * _GAIN + halves.tie[v]
        free = halves.pulled[v, half] > 0 and not halves.locked[v]
        halves.worth[half, halves.position[v]] = value if free else _NEVER


@inner
def _enter(halves: Halves, v: int) -> None:
    """Put a vertex, taken out of its half, into the separator."""
    halves.place[v] = SEPARATOR
    halves.position[v] = halves.weights[3]
    halves.front[halves.weights[3]] = v
    halves.weights[3] += 1
    halves.weights[SEPARATOR] += halves.sizes[v]
    halves.pulled[v, 0] = halves.pulled[v, 1] = 0
    for e in range(halves.starts[v], halves.starts[v + 1]):
        u = int64(halves.neighbours[e])
        if halves.place[u] != SEPARATOR:
            halves.pulled[v, halves.place[u]] += halves.sizes[u]
    _value(halves, v)


@inner
def _pull(halves: Halves, v: int) -> None:
    """Move a vertex from its half to the separator."""
    half, size = halves.place[v], halves.sizes[v]
    halves.weights[half] -= size
    for e in range(halves.starts[v], halves.starts[v + 1]):
        u = int64(halves.neighbours[e])
        if halves.place[u] == SEPARATOR:
            halves.pulled[u, half] -= size
            _value(halves, u)
    _enter(halves, v)


@inner
def _move(halves: Halves, v: int, half: int, log: Array, logged: int) -> int:
    """Move a vertex from the separator to a half, and its neighbours in the other half to the separator.
    `log` gets 3 u + where each changed vertex u was. Returns its new length."""
    size, at, end = halves.sizes[v], halves.position[v], halves.weights[3] - 1
    halves.front[at] = halves.front[end]
    halves.position[halves.front[at]] = at
    halves.worth[0, at], halves.worth[1, at] = halves.worth[0, end], halves.worth[1, end]
    halves.weights[3] -= 1
    halves.weights[SEPARATOR] -= size
    halves.place[v] = half
    halves.weights[half] += size
    log[logged] = 3 * v + SEPARATOR
    logged += 1
    for e in range(halves.starts[v], halves.starts[v + 1]):
        u = int64(halves.neighbours[e])
        if halves.place[u] == SEPARATOR:
            halves.pulled[u, half] += size
            _value(halves, u)
    for e in range(halves.starts[v], halves.starts[v + 1]):
        u = int64(halves.neighbours[e])
        if halves.place[u] == 1 - half:
            log[logged] = 3 * u + 1 - half
            logged += 1
            _pull(halves, u)
    return logged


@inner
def _recount(halves: Halves) -> None:
    """Set everything anew from `place`."""
    halves.weights[:] = 0
    for v in range(len(halves.place)):
        if halves.place[v] == SEPARATOR:
            _enter(halves, v)
        else:
            halves.weights[halves.place[v]] += halves.sizes[v]


@inner
def _grow(halves: Halves, drawn: int) -> None:
    """Grow half 0 from a vertex, by what costs least in the separator, and keep the best state on the way."""
    m = len(halves.place)
    total = halves.weights[1]
    offset = mixed(drawn, m) % m
    start = _far(halves, offset) if drawn & 1 else offset
    log = np.empty(2 * m, np.int32)
    price, chosen = np.inf, start
    logged = kept = NONE
    passed = 0
    _pull(halves, start)
    while chosen >= 0:
        logged = _move(halves, chosen, NONE, log, logged)
        found = cost(halves.weights)
        if found < price:
            price, kept = found, logged
        if halves.weights[0] >= _GROWN * total:
            break
        if halves.weights[3] > 0:
            chosen = int64(halves.front[_highest(halves.worth[0, : halves.weights[3]])])
            continue
        while passed < m and halves.place[(passed + offset) % m] == 0:
            passed += 1
        chosen = (passed + offset) % m if passed < m else -1
        if chosen >= 0:
            log[logged] = 3 * chosen + 1
            logged += 1
            _pull(halves, chosen)
    _rewind(halves, log, logged, kept)


@inner
def _rewind(halves: Halves, log: Array, logged: int, kept: int) -> None:
    """Undo what a log of moves has beyond its first entries."""
    while logged > kept:
        logged -= 1
        halves.place[log[logged] // 3] = log[logged] % 3
    _recount(halves)


@inner
def _highest(worth: Array) -> int:
    """Where the first of the highest values stands. The first loop compares several values at once."""
    best = worth[0]
    for i in range(len(worth)):
        best = max(best, worth[i])
    at = 0
    while worth[at] != best:
        at += 1
    return at


@inner
def _far(halves: Halves, start: int) -> int:
    """The last vertex that a breadth-first search reaches."""
    seen = np.zeros(len(halves.place), np.bool_)
    queue = np.empty(len(halves.place), np.uint32)
    queue[0], seen[start] = start, True
    head, tail = 0, 1
    while head < tail:
        for e in range(halves.starts[queue[head]], halves.starts[queue[head] + 1]):
            u = int64(halves.neighbours[e])
            if not seen[u]:
                seen[u] = True
                queue[tail] = u
                tail += 1
        head += 1
    return int64(queue[tail - 1])


@inner
def _improve(halves: Halves) -> bool:
    """One pass: each vertex moves at most once, the best gain first, and the best state is kept. Returns
    whether it is better than the first."""
    halves.locked[:] = False
    _recount(halves)
    log = np.empty(len(halves.place) + len(halves.neighbours), np.int32)
    first = price = cost(halves.weights)
    most = BALANCE * (halves.weights[0] + halves.weights[1] + halves.weights[2]) / 2
    logged = kept = NONE
    waited = 0
    while waited < _PATIENCE:
        chosen = _best_move(halves, most)
        if chosen < 0:
            break
        halves.locked[chosen >> 1] = True
        logged = _move(halves, chosen >> 1, chosen & 1, log, logged)
        waited += 1
        found = cost(halves.weights)
        if found < price - 1e-12:
            price, kept, waited = found, logged, 0
    _rewind(halves, log, logged, kept)
    return price < first - 1e-9


@inner
def _best_move(halves: Halves, most: float) -> int:
    """2 v + half for the vertex v that gains most in that half, -1 if none may move. A move into a half that
    has no room is worth nothing until the vertex's neighbours change."""
    while halves.weights[3] > 0:
        chosen, value = -1, _NEVER
        for half in range(2):
            at = _highest(halves.worth[half, : halves.weights[3]])
            worth = halves.worth[half, at]
            if halves.weights[half] < halves.weights[1 - half]:
                worth += _LIGHTER
            if worth > value:
                chosen, value = 2 * at + half, worth
        if value <= _NEVER + _LIGHTER:
            return -1
        half, v = chosen & 1, halves.front[chosen >> 1]
        if halves.weights[half] + halves.sizes[v] <= most:
            return 2 * int64(v) + half
        halves.worth[half, chosen >> 1] = _NEVER
    return -1


@threaded
def settled(
    graph: Graph, label: Array, tree: Tree, follow: Array, nodes: Array,
    members: Array, bounds: Array, found: Array, costs: Array, workers: int,
) -> Array:  # fmt: skip
    """Take the best try of each part. The members of a part come by half 0, half 1, separator; labels,
    weights and chains follow. (parts, 2, 2) int64, the bounds of both halves.

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
