"""The smallest separator within a band about one: a minimum vertex cut, by Dinic's algorithm.

The band has the separator and some layers of vertices on either side of it. Vertices of the band that touch
the rest of side 0 are sources; vertices that touch the rest of side 1 are sinks. Each vertex is an arc from
its entry to its exit, with its size as capacity; edges have no limit. Vertex i is entered at node 2 i and
left at 2 i + 1.

E. A. Dinic, Soviet Math. Dokl. 11, 1970; flows about separators: P. Sanders and C. Schulz, SEA 2013.

    touched, count = cut_band(graph, label, tree, room, touched, count, node, shift_of(depth))
    tree.weights[node]    # the sizes of both parts and of the separator, which costs no more than before
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from impl.cpu.compiled import inner, int64
from impl.preparation.vcycle.coarsening import NONE, Graph
from impl.preparation.vcycle.tree import BALANCE, SEPARATOR, Tree, added, cost, label_in, relabel, side

Array = npt.NDArray[Any]

LAYERS = 3
_ENDLESS = 1 << 30


class Network(NamedTuple):
    """A band as a network.

    starts : (m + 1,) uint32
    neighbours, back : (entries,) uint32, `back` is the position of the reverse edge
    flow : (entries,) int32, from the exit of the row's vertex to the entry of the neighbour
    through, capacity : (m,) int32, of each vertex: its flow, and the most
    source, sink : (m,) bool
    """

    starts: Array
    neighbours: Array
    back: Array
    flow: Array
    through: Array
    capacity: Array
    source: Array
    sink: Array


@inner
def cut_band(
    graph: Graph, label: Array, tree: Tree, room: Any, touched: Array, count: int, node: int, shift: int
) -> tuple[Array, int]:  # fmt: skip
    """Replace a separator by the smallest in its band, if cheaper; return `touched` with all changes."""
    band, size = _band(graph, label, tree, room.layer, touched, count, node, shift)
    for i in range(size):
        room.local[band[i]] = i
    network = _network(graph, label, tree, room, band[:size], shift)
    distance = _fill(network)
    new = _best(network, distance, graph, label, tree, band[:size], node, shift)
    for i in range(size):
        v = int64(band[i])
        room.layer[v] = -1
        if len(new) == 0 or new[i] == side(tree, label, v, shift):
            continue
        relabel(tree, label, v, int64(graph.sizes[v]), node, shift, label_in(tree, node, int64(new[i])))
        if room.seen[v] == 0:
            room.seen[v] = 1
            touched = added(touched, count, v)
            count += 1
    return touched, count


@inner
def _band(
    graph: Graph, label: Array, tree: Tree, layer: Array, touched: Array, count: int, node: int, shift: int
) -> tuple[Array, int]:  # fmt: skip
    """Return the vertices of the band, marked in `layer`.

    A side stops adding layers before it could lose all weight, or the other side become too heavy.
    """
    weights = tree.weights[node]
    most = BALANCE * (weights[0] + weights[1] + weights[2]) / 2
    band, size = np.empty(max(64, 4 * count), np.int32), NONE
    for i in range(count):
        if side(tree, label, touched[i], shift) == SEPARATOR:
            band = added(band, size, touched[i])
            size += 1
            layer[touched[i]] = 0
    taken, closed = np.zeros(2, np.int64), np.zeros(2, np.bool_)
    begin = 0
    for depth in range(1, LAYERS + 1):
        end = size
        more = np.zeros(2, np.int64)
        for i in range(begin, end):
            for e in range(graph.starts[band[i]], graph.starts[band[i] + 1]):
                u = int64(graph.neighbours[e])
                if layer[u] >= 0:
                    continue
                half = side(tree, label, u, shift)
                if half > 1 or closed[half]:
                    continue
                layer[u] = depth
                more[half] += graph.sizes[u]
                band = added(band, size, u)
                size += 1
        for half in range(2):
            now = taken[half] + more[half]
            closed[half] |= weights[1 - half] + weights[2] + now > most or now >= weights[half]
            taken[half] = now
        kept = end
        for i in range(end, size):
            if closed[side(tree, label, band[i], shift)]:
                layer[band[i]] = -1
            else:
                band[kept] = band[i]
                kept += 1
        begin, size = end, kept
    return band, size


@inner
def _network(graph: Graph, label: Array, tree: Tree, room: Any, band: Array, shift: int) -> Network:
    """Return the network; rows are filled in neighbours' order, so counting finds the edges back."""
    m = len(band)
    starts, capacity = np.zeros(m + 1, np.uint32), np.empty(m, np.int32)
    source, sink = np.zeros(m, np.bool_), np.zeros(m, np.bool_)
    for i in range(m):
        v = band[i]
        capacity[i] = graph.sizes[v]
        degree = 0
        for e in range(graph.starts[v], graph.starts[v + 1]):
            u = graph.neighbours[e]
            if room.layer[u] >= 0:
                degree += 1
                continue
            place = side(tree, label, u, shift)
            source[i] |= place == 0
            sink[i] |= place == 1
        starts[i + 1] = starts[i] + degree
    neighbours, back = np.empty(starts[m], np.uint32), np.empty(starts[m], np.uint32)
    fill = starts.copy()
    for i in range(m):
        for e in range(graph.starts[band[i]], graph.starts[band[i] + 1]):
            u = graph.neighbours[e]
            if room.layer[u] >= 0:
                neighbours[fill[room.local[u]]] = i
                fill[room.local[u]] += 1
    fill[:] = starts
    for i in range(m):
        for e in range(starts[i], starts[i + 1]):
            back[e] = fill[neighbours[e]]
            fill[neighbours[e]] += 1
    flow, through = np.zeros(starts[m], np.int32), np.zeros(m, np.int32)
    return Network(starts, neighbours, back, flow, through, capacity, source, sink)


@inner
def _residual(network: Network, x: int, arc: int) -> int:
    """Return what may still flow along an arc: -1 to the vertex's other node; 0, 1, .. along its row."""
    i = x >> 1
    if arc < 0:
        return int64(network.through[i] if x & 1 else network.capacity[i] - network.through[i])
    return _ENDLESS if x & 1 else int64(network.flow[network.back[network.starts[i] + arc]])


@inner
def _end(network: Network, x: int, arc: int) -> int:
    """Return the node that an arc leads to: the vertex's other node, or from exits to entries and back."""
    return x ^ 1 if arc < 0 else 2 * network.neighbours[network.starts[x >> 1] + arc] + 1 - (x & 1)


@inner
def _send(network: Network, x: int, arc: int, amount: int) -> None:
    i = x >> 1
    sign = 1 if x & 1 else -1
    if arc < 0:
        network.through[i] -= sign * amount
    elif x & 1:
        network.flow[network.starts[i] + arc] += amount
    else:
        network.flow[network.back[network.starts[i] + arc]] -= amount


@inner
def _fill(network: Network) -> Array:
    """Fill the network with the largest flow; return (2 m,) int32, >= 0 for nodes that still reach a sink.

    A phase sends flow from each source along paths that were shortest for that source when it began.
    """
    m = len(network.capacity)
    distance, queue = np.empty(2 * m, np.int32), np.empty(2 * m, np.uint32)
    arcs, path = np.empty(2 * m, np.int64), np.empty(2 * m, np.int64)
    sent = True
    while sent:
        _measure(network, distance, queue)
        arcs[:] = -1
        sent = False
        for i in range(m):
            while network.source[i] and _augment(network, distance, arcs, path, 2 * i):
                sent = True
    return distance


@inner
def _measure(network: Network, distance: Array, queue: Array) -> None:
    """Measure distances to the next sink, -1 if there is none."""
    distance[:] = -1
    head = tail = NONE
    for i in range(len(network.sink)):
        if network.sink[i]:
            tail = _reach(distance, queue, tail, 2 * i + 1, NONE)
    while head < tail:
        y = int64(queue[head])
        head += 1
        i, further = y >> 1, distance[y] + 1
        if y & 1 == 0 or network.through[i] > 0:
            for e in range(network.starts[i], network.starts[i + 1]):
                if y & 1 == 0 or network.flow[e] > 0:
                    tail = _reach(distance, queue, tail, 2 * network.neighbours[e] + 1 - (y & 1), further)
        if network.through[i] < network.capacity[i] if y & 1 else network.through[i] > 0:
            tail = _reach(distance, queue, tail, y ^ 1, further)


@inner
def _reach(distance: Array, queue: Array, tail: int, x: int, value: int) -> int:
    """Give a node its distance if it has none, and queue it. Returns the queue's new length."""
    if distance[x] >= 0:
        return tail
    distance[x] = value
    queue[tail] = x
    return tail + 1


@inner
def _augment(network: Network, distance: Array, arcs: Array, path: Array, start: int) -> bool:
    """Send flow from an entry along distances that fall to 0; return whether there was such a path."""
    if distance[start] < 0:
        return False
    path[0], length = start, 1
    while distance[path[length - 1]] > 0:
        x = int64(path[length - 1])
        degree = int64(network.starts[(x >> 1) + 1]) - network.starts[x >> 1]
        while arcs[x] < degree:
            y = _end(network, x, arcs[x])
            if distance[y] == distance[x] - 1 and _residual(network, x, arcs[x]) > 0:
                path[length] = y
                break
            arcs[x] += 1
        if arcs[x] < degree:
            length += 1
            continue
        distance[x] = -1
        length -= 1
        if length == 0:
            return False
    amount = _ENDLESS
    for k in range(length - 1):
        amount = min(amount, _residual(network, path[k], arcs[path[k]]))
    for k in range(length - 1):
        _send(network, path[k], arcs[path[k]], amount)
    return True


@inner
def _reached(network: Network) -> Array:
    """Return (2 m,) bool, the nodes that something could still flow to from a source."""
    m = len(network.source)
    found, queue = np.full(2 * m, -1, np.int32), np.empty(2 * m, np.uint32)
    head = tail = NONE
    for i in range(m):
        if network.source[i]:
            tail = _reach(found, queue, tail, 2 * i, NONE)
    while head < tail:
        x = int64(queue[head])
        head += 1
        for arc in range(-1, int64(network.starts[(x >> 1) + 1]) - network.starts[x >> 1]):
            if _residual(network, x, arc) > 0:
                tail = _reach(found, queue, tail, _end(network, x, arc), NONE)
    return found >= 0


@inner
def _best(
    network: Network, distance: Array, graph: Graph, label: Array, tree: Tree, band: Array, node: int,
    shift: int,
) -> Array:  # fmt: skip
    """Return (m,) int8, where each vertex goes: by the cut next to the sources or next to the sinks.

    Empty if both cost more than the separator.
    """
    m = len(band)
    outside = tree.weights[node].copy()
    for i in range(m):
        outside[side(tree, label, band[i], shift)] -= network.capacity[i]
    reached = _reached(network)
    best, price = np.empty(0, np.int8), cost(tree.weights[node]) - 1e-9
    for cut in range(2):
        new, weights = np.empty(m, np.int8), outside.copy()
        for i in range(m):
            if cut == 0:
                into, beyond = reached[2 * i], reached[2 * i + 1]
            else:
                into, beyond = distance[2 * i] < 0, distance[2 * i + 1] < 0
            new[i] = 0 if beyond else SEPARATOR if into else 1
            weights[new[i]] += network.capacity[i]
        if cost(weights) < price:
            best, price = new, cost(weights)
    return best
