"""Two halves of a part and the separator between them: grown first, then improved.

The improvement is Fiduccia and Mattheyses's, for vertex separators (C. M. Fiduccia and R. M. Mattheyses, DAC
1982). A vertex leaves the separator for one side, and its neighbours on the other side come in.

    restart(halves, drawn)
    grow(halves, drawn)
    while improve(halves):
        pass
    halves.place, halves.weights[:3]    # 0, 1 or 2 of each vertex; the sizes of the halves and the separator
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from impl.cpu.compiled import inner, int64
from impl.preparation.vcycle.coarsening import NONE, mixed
from impl.preparation.vcycle.tree import BALANCE, SEPARATOR, cost

Array = npt.NDArray[Any]

# A pass ends after this many moves without a better separator.
_PATIENCE = 50
# A growing half stops at this share of the part.
_GROWN = 0.54
# Two moves with one gain: the move towards the lighter side comes first, else chance decides.
_GAIN, _LIGHTER, _RANDOM = 4096, 1200, 127
_NEVER = -(1 << 60)


class Halves(NamedTuple):
    """A part cut in two.

    starts, neighbours : (m + 1,) and (entries,) uint32, the part as a graph
    sizes : (m,) int32
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


@inner
def restart(halves: Halves, drawn: int) -> None:
    """Put all of a part into half 1."""
    halves.place[:] = 1
    halves.locked[:] = False
    halves.weights[:] = 0
    for v in range(len(halves.tie)):
        halves.weights[1] += halves.sizes[v]
        halves.tie[v] = mixed(drawn, v) & _RANDOM


@inner
def _value(halves: Halves, v: int) -> None:
    """Set the worth of moving a vertex out of the separator, to halves that it touches."""
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

    `log` gets 3 u + where each changed vertex u was. Returns its new length.
    """
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
    halves.weights[:] = 0
    for v in range(len(halves.place)):
        if halves.place[v] == SEPARATOR:
            _enter(halves, v)
        else:
            halves.weights[halves.place[v]] += halves.sizes[v]


@inner
def grow(halves: Halves, drawn: int) -> None:
    """Grow half 0 from a vertex, always by the cheapest vertex of the separator; keep the cheapest state."""
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
    """Undo a log's moves beyond the first `kept`."""
    while logged > kept:
        logged -= 1
        halves.place[log[logged] // 3] = log[logged] % 3
    _recount(halves)


@inner
def _highest(worth: Array) -> int:
    """Return the place of the first of the highest values. The first loop compares several values at once."""
    best = worth[0]
    for i in range(len(worth)):
        best = max(best, worth[i])
    at = 0
    while worth[at] != best:
        at += 1
    return at


@inner
def _far(halves: Halves, start: int) -> int:
    """Return the last vertex that a breadth-first search reaches."""
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
def improve(halves: Halves) -> bool:
    """Move each vertex at most once, best gain first; keep the best state, return whether it improves."""
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
    """Return 2 v + half for the vertex v that gains most in that half, -1 if none may move.

    A move into a full half is worth nothing until the vertex's neighbours change.
    """
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
