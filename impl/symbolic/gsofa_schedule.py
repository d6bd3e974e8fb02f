"""GSoFA's three schedules: which GPU of which node takes which source. Needs no GPU.

Z. Li and others, GSoFA, Section 5, Equation 1 and Figure 17. Sources are dealt in chunks of `maxsup`, the
longest supernode, so that none spans two nodes:

    contiguous   each GPU has one block of consecutive chunks (the paper's baseline)
    inter_node   consecutive chunks go to the nodes in turn; a GPU has a block of its node's share at a time
    intra_node   chunks as in inter_node; the rows of a node's share at a time go to its GPUs in turn

A node's share at a time is the chunks of Equation 1, maxsup x chunks = #C x GPUs, and at least one.
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
# Words that the rule for #C divides by n, from the authors' code that uses less memory per source. For pre2
# it gives 1024, which for six GPUs makes the 6144 sources printed in the paper.
PUBLISHED_WORDS = 3758096384 // 5


@dataclass(frozen=True)
class Schedule:
    """Sources 0 to n - 1 over nodes x gpus workers; GPU g of node m is worker m gpus + g.

    maxsup : int, sources per chunk
    concurrent : int, #C, the number of sources that saturate a GPU
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
        """Return the chunks that a node has at a time (Equation 1)."""
        return max(1, self.concurrent * self.gpus // self.maxsup)

    def worker_of(self) -> Array:
        """Return (n,) int32: the worker of each source."""
        first, turn = self._dealt()
        if self.order != "intra_node":
            return np.repeat(first, self.maxsup)[: self.n]
        # Row k of a chunk goes to GPU (turn + k) mod gpus. One window per turn avoids a division per row.
        around = np.arange(self.gpus + self.maxsup, dtype=np.int32) % self.gpus
        windows = np.lib.stride_tricks.sliding_window_view(around, self.maxsup)
        return (first[:, None] + windows[turn]).ravel()[: self.n]

    def _dealt(self) -> tuple[Array, Array]:
        """Return two integers per chunk: its worker, and, with intra_node, the GPU that has its first row.

        With intra_node the worker is the first of its node.
        """
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
        """Return (chunks,) int32: the worker with all rows of a chunk, else its node's GPUs in turn."""
        first, _ = self._dealt()
        if self.order != "intra_node":
            return first
        return (first + np.arange(self.chunks) // self.nodes % self.gpus).astype(np.int32)

    def part(self, worker: int) -> Array:
        """Return the sources of a worker, (k,) int32, the largest ids (and the most work) first."""
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
        """Return the imbalance of the workers. work : (n,), per source."""
        return imbalance(np.bincount(self.worker_of(), weights=work, minlength=self.workers))


@njit(cache=True, nogil=True)
def _descending(starts, ends, step):
    """Return every step-th number from each start up to, but not including, its end; the last range first."""
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
    """Return the largest load over the mean load; 1 if there is no work."""
    return float(loads.max() / loads.mean()) if loads.any() else 1.0


def schedule(n: int, nodes: int, gpus: int, maxsup: int, order: Order) -> Schedule:
    """Return the schedule at the authors' #C.

    Raises InputError for fewer than one node, GPU, or row per chunk.
    """
    for name, count in (("nodes", nodes), ("GPUs", gpus), ("rows of a chunk (maxsup)", maxsup)):
        if count < 1:
            raise InputError(f"{count} {name}: expected 1 or more")
    return Schedule(n, nodes, gpus, maxsup, order, published_sources(n, PUBLISHED_WORDS))
