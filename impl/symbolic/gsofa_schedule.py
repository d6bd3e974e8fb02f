"""Which GPU of which node takes which source: the three schedules of GSoFA. No GPU needed.

Z. Li and others, GSoFA, Section 5, Equation 1 and Figure 17. Sources go in chunks of `maxsup`, the longest
supernode that there may be, so that no supernode crosses a node:

    contiguous   each GPU has a block of consecutive chunks (the paper's baseline)
    inter_node   consecutive chunks go round the nodes; each GPU has a block of what its node has at a time
    intra_node   chunks as in inter_node, and the rows of those that a node has at a time go round its GPUs

At a time are as many chunks of a node as Equation 1 says, maxsup x chunks = #C x GPUs, and at least one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numba import njit

from fillpath.errors import InputError
from fillpath.nouns import Array
from impl.symbolic.gsofa_pool import published_sources

Order = Literal["intra_node", "inter_node", "contiguous"]
# Words that #C has for each vertex: the authors' rule in their code with less memory a source (pre2: 1024, of
# which six GPUs make the 6144 sources that the paper prints).
PUBLISHED_WORDS = 3758096384 // 5


@dataclass(frozen=True)
class Schedule:
    """Sources 0 to n - 1 over nodes x gpus workers; GPU g of node m is worker m gpus + g.

    maxsup : sources of a chunk. concurrent : #C, sources that saturate a GPU.
    """

    n: int
    nodes: int
    gpus: int
    maxsup: int
    order: Order
    concurrent: int

    @property
    def workers(self) -> int:
        return self.nodes * self.gpus

    @property
    def chunks(self) -> int:
        return -(-self.n // self.maxsup)

    @property
    def chunks_at_a_time(self) -> int:
        """Of a node (Equation 1)."""
        return max(1, self.concurrent * self.gpus // self.maxsup)

    def worker_of(self) -> Array:
        """(n,) int32: who takes each source."""
        first, turn = self._dealt()
        if self.order != "intra_node":
            return np.repeat(first, self.maxsup)[: self.n]
        # Row k of a chunk is its GPU's (turn + k) mod gpus; a window for each turn spares a division a row.
        around = np.arange(self.gpus + self.maxsup, dtype=np.int32) % self.gpus
        windows = np.lib.stride_tricks.sliding_window_view(around, self.maxsup)
        return (first[:, None] + windows[turn]).ravel()[: self.n]

    def _dealt(self) -> tuple[Array, Array]:
        """Two integers a chunk: the worker that has it, with intra_node the first of its node; and with
        intra_node, the GPU that has its first row."""
        chunk = np.arange(self.chunks, dtype=np.int64)
        if self.order == "contiguous":
            return (chunk * self.workers // max(1, self.chunks)).astype(np.int32), chunk
        node, position = chunk % self.nodes, chunk // self.nodes
        wave, place = position // self.chunks_at_a_time, position % self.chunks_at_a_time
        if self.order == "intra_node":
            return (node * self.gpus).astype(np.int32), place * self.maxsup % self.gpus
        there = (self.chunks - node + self.nodes - 1) // self.nodes
        at_a_time = np.minimum(self.chunks_at_a_time, there - wave * self.chunks_at_a_time)
        return (node * self.gpus + place * self.gpus // at_a_time).astype(np.int32), chunk

    def detector_of(self) -> Array:
        """(chunks,) int32: who finds each chunk's supernodes: whoever has all of its rows, or the GPUs of
        its node in turn."""
        first, _ = self._dealt()
        if self.order != "intra_node":
            return first
        return (first + np.arange(self.chunks) // self.nodes % self.gpus).astype(np.int32)

    def part(self, worker: int) -> Array:
        """The sources of a worker, (k,) int32, the largest ids (and most work) first."""
        first, turn = self._dealt()
        of_its_own = self.order != "intra_node"
        node = worker if of_its_own else worker - worker % self.gpus
        chunks = np.flatnonzero(first == node)
        starts = chunks * self.maxsup
        ends = np.minimum(starts + self.maxsup, self.n)
        step = 1 if of_its_own else self.gpus
        offsets = 0 if of_its_own else (worker - node - turn[chunks]) % self.gpus
        found: Array = _descending(starts + offsets, ends, step)
        return found

    def imbalance(self, work: Array) -> float:
        """That of the workers. work : (n,) by source."""
        return imbalance(np.bincount(self.worker_of(), weights=work, minlength=self.workers))


@njit(cache=True, nogil=True)
def _descending(starts, ends, step):
    """Every step-th number from each start to before its end, the last first."""
    count = 0
    for chunk in range(len(starts)):
        count += max(0, -((starts[chunk] - ends[chunk]) // step))
    found = np.empty(count, np.int32)
    for chunk in range(len(starts)):
        for value in range(starts[chunk], ends[chunk], step):
            count -= 1
            found[count] = value
    return found


def imbalance(loads: Array) -> float:
    """The most that a worker has over the mean of all; 1 where there is no work."""
    return float(loads.max() / loads.mean()) if loads.any() else 1.0


def schedule(n: int, nodes: int, gpus: int, maxsup: int, order: Order) -> Schedule:
    """The schedule at the authors' #C. Raises InputError for less than one node, GPU or row of a chunk."""
    for name, count in (("nodes", nodes), ("GPUs", gpus), ("rows of a chunk (maxsup)", maxsup)):
        if count < 1:
            raise InputError(f"{count} {name}: expected 1 or more")
    return Schedule(n, nodes, gpus, maxsup, order, published_sources(n, PUBLISHED_WORDS))
