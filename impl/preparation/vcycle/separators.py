"""The refinement of all separators of one depth at once.

A task has one node. It changes labels and weights of this node and of nodes below, so tasks of one depth do
not conflict. A vertex that leaves the separator joins the separator of the part's node. A vertex that is
pulled in from a part leaves any separator further down. So labels are valid at any time.

    refined(graph, label, tree, room, first, follow, pairs, nodes, depth, cuts=True, workers=4)
    tree.weights[nodes]    # (nodes, 3), the sizes of both parts and of the separator of each
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import prange

from impl.cpu.compiled import inner, int64, threaded
from impl.preparation.vcycle.coarsening import NONE, Graph
from impl.preparation.vcycle.cut import cut_band
from impl.preparation.vcycle.tree import (
    BALANCE,
    BELOW,
    SEPARATOR,
    Tree,
    added,
    cost,
    label_in,
    relabel,
    shift_of,
    side,
)

Array = npt.NDArray[Any]

_ROUNDS = 12


class Room(NamedTuple):
    """Scratch of all tasks; a task uses the elements of its own vertices.

    follow : (n,) int32, the next vertex of the same separator, -1 for none
    seen : (n,) int8, 0 between tasks
    layer : (n,) int8, -1 between tasks
    local : (n,) int32
    """

    follow: Array
    seen: Array
    layer: Array
    local: Array


@threaded
def refined(
    graph: Graph, label: Array, tree: Tree, room: Room, coarse_first: Array, coarse_follow: Array,
    pairs: Array, nodes: Array, depth: int, cuts: bool, workers: int,
) -> None:  # fmt: skip
    """Refine the separators of the nodes of a depth, and chain their vertices anew.

    coarse_first, coarse_follow : (nodes,) and (coarse n,) int32, the chains on the next coarser graph
    pairs : (coarse n, 2) int32, the vertices of each coarse vertex
    nodes : (k,) int64, the largest separator first
    cuts : bool, whether to follow with a minimum cut
    """
    shift = shift_of(depth)
    for worker in prange(workers):
        for i in range(int64(worker), len(nodes), workers):
            chain = coarse_first[nodes[i]]
            _refine(graph, label, tree, room, chain, coarse_follow, pairs, nodes[i], shift, cuts)


@inner
def _refine(
    graph: Graph, label: Array, tree: Tree, room: Room, coarse: int, coarse_follow: Array,
    pairs: Array, node: int, shift: int, cuts: bool,
) -> None:  # fmt: skip
    touched, count = _gather(label, tree, room, coarse, coarse_follow, pairs, node)
    touched, count = _descend(graph, label, tree, room.seen, touched, count, node, shift)
    if cuts:
        touched, count = cut_band(graph, label, tree, room, touched, count, node, shift)
    _chain(label, tree, room, touched, count, node)


@inner
def _gather(
    label: Array, tree: Tree, room: Room, coarse: int, coarse_follow: Array, pairs: Array, node: int
) -> tuple[Array, int]:
    """Return a separator's vertices, marked as seen: from coarse vertices, and from the node above."""
    items, count = np.empty(64, np.int32), NONE
    while coarse >= 0:
        for member in range(2):
            v = int64(pairs[coarse, member])
            if v >= 0 and label[v] == 2 * node + 1:
                items = added(items, count, v)
                count += 1
                room.seen[v] = 1
        coarse = coarse_follow[coarse]
    v = int64(tree.first[node])
    while v >= 0:
        if label[v] == 2 * node + 1 and room.seen[v] == 0:
            items = added(items, count, v)
            count += 1
            room.seen[v] = 1
        v = int64(room.follow[v])
    return items, count


@inner
def _chain(label: Array, tree: Tree, room: Room, touched: Array, count: int, node: int) -> None:
    """Chain the separator's vertices, and append to the children's chains the vertices that moved there."""
    tree.first[node] = -1
    for i in range(count):
        v = touched[i]
        room.seen[v] = 0
        for place in range(3):
            owner = node if place == SEPARATOR else int64(tree.child[node, place])
            if label[v] == 2 * owner + 1:
                room.follow[v] = tree.first[owner]
                tree.first[owner] = v


@inner
def _descend(
    graph: Graph, label: Array, tree: Tree, seen: Array, touched: Array, count: int, node: int, shift: int
) -> tuple[Array, int]:
    """Move vertices out of the separator in rounds, each towards one side, and keep the cheapest state.

    All vertices that gain move together: a vertex that two of them pull in counts once, so gains add up.
    Returns the vertices that were in the separator at any time.
    """
    weights = tree.weights[node]
    total = weights[0] + weights[1] + weights[2]
    price = cost(weights)
    changed, before = np.empty(64, np.int32), np.empty(64, np.int32)
    logged = kept = NONE
    for turn in range(_ROUNDS):
        towards = int(weights[0] > weights[1]) ^ (turn & 1)
        movers, moving = _movers(graph, label, tree, touched, count, shift, towards, weights)
        moving = _fitting(graph, movers, moving, int(BALANCE * total / 2) - weights[towards])
        if moving == 0 and turn >= 2 and turn & 1:
            break
        away = label_in(tree, node, int64(SEPARATOR))
        for i in range(moving):
            for e in range(graph.starts[movers[i]], graph.starts[movers[i] + 1]):
                u = int64(graph.neighbours[e])
                if side(tree, label, u, shift) != 1 - towards:
                    continue
                changed, before = added(changed, logged, u), added(before, logged, int64(label[u]))
                logged += 1
                relabel(tree, label, u, int64(graph.sizes[u]), node, shift, away)
                if seen[u] == 0:
                    seen[u] = 1
                    touched = added(touched, count, u)
                    count += 1
        for i in range(moving):
            changed, before = added(changed, logged, int64(movers[i])), added(before, logged, away)
            logged += 1
            v = int64(movers[i])
            relabel(tree, label, v, int64(graph.sizes[v]), node, shift, label_in(tree, node, towards))
        found = cost(weights)
        if found < price - 1e-9:
            price, kept = found, logged
    while logged > kept:
        logged -= 1
        v = int64(changed[logged])
        relabel(tree, label, v, int64(graph.sizes[v]), node, shift, int64(before[logged]))
    return touched, count


@inner
def _movers(
    graph: Graph, label: Array, tree: Tree, touched: Array, count: int, shift: int, towards: int,
    weights: Array,
) -> tuple[Array, int]:  # fmt: skip
    """Return the separator's vertices that gain by going to a side, or lose nothing to a lighter side.

    A vertex goes to a side only if it touches that side, or neither.
    """
    movers, moving = np.empty(count, np.int32), 0
    for i in range(count):
        v = touched[i]
        if side(tree, label, v, shift) != SEPARATOR:
            continue
        gain, touches, alone = int64(graph.sizes[v]), False, True
        lighter = weights[towards] + 2 * gain < weights[1 - towards]
        for e in range(graph.starts[v], graph.starts[v + 1]):
            u = graph.neighbours[e]
            place = side(tree, label, u, shift)
            alone &= place == BELOW
            touches |= place == towards
            if place == 1 - towards:
                gain -= graph.sizes[u]
        if (touches or alone) and (gain > 0 or (gain == 0 and lighter)):
            movers[moving] = v
            moving += 1
    return movers, moving


@inner
def _fitting(graph: Graph, movers: Array, moving: int, room: int) -> int:
    """Keep the first movers that fit into the room. Returns how many."""
    kept = 0
    for i in range(moving):
        v = movers[i]
        if graph.sizes[v] <= room:
            room -= graph.sizes[v]
            movers[kept] = v
            kept += 1
    return kept
