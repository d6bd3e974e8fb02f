"""Gao, Kyng and Spielman's approximate Cholesky, one vertex after the other: what parallel factors equal."""

from __future__ import annotations

import numpy as np
from numba import njit

from fillpath.nouns import Laplacian, Pattern, Preconditioner, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cholesky.elimination import HIGH, ONE, SCRATCH, ZERO, merge, partner, stream
from impl.cholesky.store import (
    edges,
    first_slots,
    gather,
    link,
    more_slots,
    new_scratch,
    new_store,
    write_column,
)
from impl.cpu.ordered import prefetch

# Vertices ahead whose first sampled edge is brought near.
AHEAD = np.uint64(8)


@implementation(stage="cholesky", paper="parac", section="2, Algorithms 1 and 2")
def ac_sequential(laplacian: Laplacian, *, seed: int = 0) -> tuple[Preconditioner, Work]:
    """Randomised approximate Cholesky on one core, the reference of ParAC.

    laplacian : on the host. seed : of the random streams; the same seed gives the same factor to the last bit,
    here and from every reproducible implementation. Returns G and D with E[G D G^T] = L; fills are the entries
    of G outside of L. Time O(m log m) for m edges, memory 28 bytes an entry of G; where it needs more entries
    than expected it begins again with twice the room. Raises MemoryError beyond 2^32 entries.
    """
    slots = first_slots(laplacian)
    with phase("factorise"):
        while True:
            store = new_store(slots)
            indptr, diagonal, complete = _factorise(edges(laplacian), np.uint64(seed), store)
            if complete:
                break
            slots = more_slots(slots)
    used = slice(1, 1 + int(indptr[-1]))
    pattern = Pattern(indptr.view(np.int64), store.rows[used].view(np.int32))
    fills = pattern.nnz - laplacian.pattern.nnz // 2
    return Preconditioner(pattern, store.values[used], diagonal), Work(fills=fills)


@njit(cache=True, nogil=True)
def _factorise(graph, seed, store):
    """(indptr and diagonal of G, whether there was room); its rows and values stand in the store from slot 1
    on, one column after the other."""
    n = np.uint64(len(graph.indptr) - 1)
    scratch = new_scratch(SCRATCH)
    heads = np.zeros(n, np.uint32)
    diagonal = np.zeros(n)
    indptr = np.zeros(n + ONE, np.uint64)
    for k in range(n):
        prefetch(store.links, np.uint64(heads[min(k + AHEAD, n - ONE)]) << ONE)
        count = gather(graph, k, heads[k], store, scratch)
        if count > np.uint64(len(scratch.tags)):
            scratch = new_scratch(count << ONE)
            count = gather(graph, k, heads[k], store, scratch)
        m = merge(scratch.tags, scratch.weights, count, scratch.spare_tags, scratch.spare_weights)
        start = indptr[k] + ONE
        if start + m > np.uint64(len(store.rows)):
            return indptr, diagonal, False
        indptr[k + ONE] = indptr[k] + m
        if m > ZERO:
            diagonal[k] = write_column(scratch, m, store, start)
            _sample(stream(seed, k), scratch, m, store, start, heads)
    return indptr, diagonal, True


@njit
def _sample(state, scratch, m, store, start, heads):
    """Step 6: hang a random tree on the m arranged neighbours on their lists."""
    tags, weights, sums = scratch.tags, scratch.weights, scratch.sums
    total = sums[m - ONE]
    for q in range(ONE, m):
        one, other = tags[q] >> HIGH, tags[partner(state, q, sums)] >> HIGH
        smaller, larger = min(one, other), max(one, other)
        link(store, start + q, heads[smaller], larger, sums[q - ONE] / total * weights[q])
        heads[smaller] = start + q
