"""Nested dissection of any graph by one V-cycle, on all threads.

The graph is coarsened once, for the whole dissection: a coarse graph restricted to a part is a coarsening of
that part. On the way back, on each graph, the separators found so far are refined, all of one depth at once.
Parts that have grown beyond a number of vertices are split. On the two finest graphs a separator becomes a
minimum vertex cut in a band about it. Small parts are ordered by minimum degree.

Ideas: A. George, SIAM J. Numer. Anal. 10(2), 1973; G. Karypis and V. Kumar, SIAM J. Sci. Comput. 20(1), 1998
(coarsening); P. Sanders and C. Schulz, SEA 2013 (flows); F. Pellegrini, J. Roman and P. Amestoy, Concurrency:
Pract. Exper. 12, 2000 (minimum degree with a halo). The permutation is the same for any number of threads.

    order = dissected(np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1], np.int32), seed=0)
    order    # [0, 2, 1]: a path's ends, then its middle
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import get_num_threads

from impl.preparation.vcycle.coarsening import Graph, contracted, matched
from impl.preparation.vcycle.leaves import grouped, ordered
from impl.preparation.vcycle.separators import Room, refined
from impl.preparation.vcycle.splitting import settled, tried
from impl.preparation.vcycle.tree import DEEPEST, SEPARATOR, grown, planted

Array = npt.NDArray[Any]

# Coarsening ends at this many vertices, or where a graph is hardly smaller than the one before.
_COARSEST, _STALLED = 600, 0.96
# A part is split if it has more than _SPLIT vertices on the current graph, or _LEAF on the finest. Its size
# has to exceed _LEAF too.
_SPLIT, _LEAF = 1000, 120
# Tries per split.
_TRIES = 4
# The largest size of a pair, over the mean size on the coarsest graph.
_UNEVEN = 1.5
# On this number of the finest graphs the separators become minimum cuts.
_CUTS = 2
# A vertex with more neighbours than this, and than this many times the mean, is eliminated last.
_HUB, _TIMES = 40, 20


def dissected(starts: Array, neighbours: Array, seed: int) -> Array:
    """Return (n,) int32, new position -> old index.

    starts (n + 1,), neighbours (entries,) : a symmetric graph without loops

    Vertices without neighbours come first, and vertices with very many last, as they would join all parts.
    """
    degrees = np.diff(starts)
    hub = degrees > max(_HUB, _TIMES * float(degrees.mean())) if len(degrees) else degrees > 0
    kept = np.flatnonzero((degrees > 0) & ~hub).astype(np.int32)
    order = _Cycle(*_restricted(starts, neighbours, kept), seed).order()
    hubs = np.flatnonzero(hub)
    hubs = hubs[np.argsort(degrees[hubs], kind="stable")]
    return np.concatenate([np.flatnonzero(degrees == 0), kept[order], hubs]).astype(np.int32)


def _restricted(starts: Array, neighbours: Array, kept: Array) -> tuple[Array, Array]:
    if len(kept) == len(starts) - 1:
        return starts.astype(np.int64), neighbours.astype(np.int32)
    new = np.full(len(starts) - 1, -1, np.int32)
    new[kept] = np.arange(len(kept), dtype=np.int32)
    rows = np.repeat(new, np.diff(starts))
    stay = (rows >= 0) & (new[neighbours] >= 0)
    lengths = np.bincount(rows[stay], minlength=len(kept))
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), new[neighbours[stay]]


@dataclass
class _Level:
    """A graph, and its vertices on the next finer one.

    pairs : (n, 2) int32, each vertex's finer vertices, -1 for none; empty for the finest graph
    coarse : (finer n,) int32, each finer vertex's vertex; empty for the finest graph
    """

    graph: Graph
    pairs: Array
    coarse: Array


class _Cycle:
    """One V-cycle over a graph.

    tree, label : see impl/preparation/vcycle/tree.py; label and the chains are of the current graph
    depths : (nodes,) int64, of the tree's nodes
    split : the nodes of each depth that are split
    follow : (n,) int32, the chains
    """

    def __init__(self, starts: Array, neighbours: Array, seed: int) -> None:
        n = len(starts) - 1
        ones = np.ones(max(len(neighbours), n), np.int32)
        none = np.empty((0, 2), np.int32)
        finest = Graph(starts, neighbours, ones[: len(neighbours)], ones[:n])
        self.levels = [_Level(finest, none, none[:, 0])]
        self.seed, self.workers = seed % 2**31, get_num_threads()
        self.tree, self.depths = planted(), np.zeros(1, np.int64)
        self.split: list[Array] = []

    def order(self) -> Array:
        """Return the permutation, (n,) int32."""
        self._coarsen()
        self.label = np.zeros(len(self.levels[-1].graph.sizes), np.int32)
        self.follow = np.empty_like(self.label)
        for i in reversed(range(len(self.levels))):
            if i + 1 < len(self.levels):
                self._refine(i)
            self._split(i)
        return self._ordered()

    def _coarsen(self) -> None:
        graph = self.levels[0].graph
        most = max(2, int(_UNEVEN * len(graph.sizes) / _COARSEST))
        while len(graph.sizes) > _COARSEST:
            before = len(graph.sizes)
            mate = matched(graph, most, self.seed + len(self.levels), self.workers)
            graph, coarse, pairs = contracted(graph, mate, self.workers)
            if len(graph.sizes) > _STALLED * before:
                return
            self.levels.append(_Level(graph, pairs, coarse))

    def _refine(self, i: int) -> None:
        """Take labels and chains from graph i + 1 to graph i, and refine the separators, depth by depth."""
        graph, coarser = self.levels[i].graph, self.levels[i + 1]
        coarse_first, coarse_follow = self.tree.first, self.follow
        self.label = self.label[coarser.coarse]
        self.follow = np.empty_like(self.label)
        self.tree = self.tree._replace(first=np.full_like(coarse_first, -1))
        n = len(self.label)
        room = Room(self.follow, np.zeros(n, np.int8), np.full(n, -1, np.int8), np.empty(n, np.int32))
        for depth, nodes in enumerate(self.split):
            largest_first = nodes[np.argsort(-self.tree.weights[nodes, SEPARATOR], kind="stable")]
            refined(
                graph, self.label, self.tree, room, coarse_first, coarse_follow, coarser.pairs,
                largest_first, depth, i < _CUTS, self.workers,
            )  # fmt: skip

    def _split(self, i: int) -> None:
        """Split the parts that are too long on graph i, and their halves, until no part is too long."""
        graph, longest = self.levels[i].graph, _SPLIT if i else _LEAF
        starts, members = grouped(self.label, 2 * len(self.depths), self.workers)
        bounds = np.stack([starts[:-1:2], starts[1::2]], axis=1)
        nodes, bounds = self._long(np.arange(len(self.depths)), bounds, longest)
        local = np.empty(len(self.label), np.int32)
        while len(nodes):
            largest_first = np.argsort(bounds[:, 0] - bounds[:, 1], kind="stable")
            found, costs = tried(
                graph, self.label, local, members, bounds, largest_first,
                _TRIES, _TRIES * self.seed, self.workers,
            )  # fmt: skip
            self._grow(nodes)
            halves = settled(
                graph, self.label, self.tree, self.follow, nodes, members, bounds, found, costs, self.workers
            )
            nodes, bounds = self._long(self.tree.child[nodes].ravel(), halves.reshape(-1, 2), longest)

    def _long(self, nodes: Array, bounds: Array, longest: int) -> tuple[Array, Array]:
        """Return the nodes that are to be split, with their bounds."""
        parents = np.concatenate(self.split or [np.empty(0, np.int64)])
        sizes = np.full(len(self.depths), len(self.levels[0].graph.sizes))
        sizes[self.tree.child[parents]] = self.tree.weights[parents, :SEPARATOR]
        chosen = (bounds[:, 1] - bounds[:, 0] > longest) & (sizes[nodes] > _LEAF)
        chosen &= self.depths[nodes] < DEEPEST
        return nodes[chosen].astype(np.int64), bounds[chosen]

    def _grow(self, nodes: Array) -> None:
        depths = self.depths[nodes]
        self.tree = grown(self.tree, nodes, depths)
        self.depths = np.concatenate([self.depths, np.repeat(depths + 1, 2)])
        self.split += [np.empty(0, np.int64)] * (int(depths.max()) + 1 - len(self.split))
        for depth in np.unique(depths):
            self.split[depth] = np.concatenate([self.split[depth], nodes[depths == depth]])

    def _ordered(self) -> Array:
        """Return vertices by their codes, and parts by minimum degree."""
        labels = np.argsort(self.tree.codes, kind="stable")
        rank = np.empty(len(labels), np.int32)
        rank[labels] = np.arange(len(labels), dtype=np.int32)
        starts, order = grouped(rank[self.label], len(labels), self.workers)
        place = np.empty(len(order), np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        bounds = np.stack([starts[:-1], starts[1:]], axis=1)[labels % 2 == 0]
        largest_first = np.argsort(bounds[:, 0] - bounds[:, 1], kind="stable")
        ordered(self.levels[0].graph, order, place, bounds[largest_first], self.workers)
        return order
