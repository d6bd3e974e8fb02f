"""Gao, Kyng and Spielman's approximate Cholesky, vertex by vertex: the reference for parallel factors."""

from __future__ import annotations

import numpy as np
from numba import njit

from fillpath.errors import FillpathError
from fillpath.nouns import Laplacian, Pattern, Preconditioner, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cholesky.elimination import HIGH, ONE, TWO, ZERO, merge, partner, stream
from impl.cholesky.store import (
    SCRATCH,
    UNDERFLOW,
    edges,
    first_later,
    first_slots,
    gather,
    link,
    more_slots,
    new_scratch,
    new_store,
    put,
    write_column,
)
from impl.cpu.ordered import prefetch


@implementation(stage="cholesky", paper="parac", section="2, Algorithms 1 and 2")
def ac_sequential(laplacian: Laplacian, *, seed: int = 0) -> tuple[Preconditioner, Work]:
    """Factorise by randomised approximate Cholesky on one core, the reference of ParAC.

    laplacian : on the host
    seed : int, of the random streams; it determines the factor to the last bit, in every implementation

    Returns G and D with E[G D G^T] = L; fills are the entries of G beyond the graph's edges, with parallel
    edges counted separately. Time O(m log m) for m edges. Memory: 12 bytes per entry of G, 52 per edge and 64
    per vertex; if G has more entries than expected, the factorisation starts again with twice the room.
    Raises MemoryError beyond 2^32 entries, FillpathError if a sampled weight becomes 0.
    """
    slots = first_slots(laplacian)
    with phase("factorise"):
        while True:
            store = new_store(laplacian, slots)
            try:
                indptr, diagonal, complete = _factorise(edges(laplacian), np.uint64(seed % 2**64), store)
            except ZeroDivisionError as error:
                raise FillpathError(UNDERFLOW) from error
            if complete:
                break
            # Free this attempt's store before the next one is allocated.
            del store
            slots = more_slots(slots)
    used = slice(0, int(indptr[-1]))
    pattern = Pattern(indptr.view(np.int64), store.rows[used].view(np.int32))
    fills = pattern.nnz - laplacian.pattern.nnz // 2
    return Preconditioner(pattern, store.values[used], diagonal), Work(fills=fills)


@njit(cache=True, nogil=True)
def _factorise(graph, seed, store):
    """Write the columns to the store in order; return G's indptr, its diagonal and whether there was room."""
    n = np.uint64(len(graph.indptr) - 1)
    scratch = new_scratch(SCRATCH)
    state = np.zeros(n, np.uint32)  # Edges that wait at each vertex.
    diagonal = np.zeros(n)
    indptr = np.zeros(n + ONE, np.uint64)
    for k in range(n):
        waiting = np.uint64(state[k])
        given = graph.indptr[k + ONE] - first_later(graph, k)
        count = gather(graph, k, given, waiting, store, scratch)
        if count > np.uint64(len(scratch.tags)):
            scratch = new_scratch(TWO * count)
            count = gather(graph, k, given, waiting, store, scratch)
        m = merge(scratch.tags, scratch.weights, count, scratch.spare_tags, scratch.spare_weights)
        start = indptr[k]
        if start + m > np.uint64(len(store.rows)):
            return indptr, diagonal, False
        indptr[k + ONE] = start + m
        if m > ZERO:
            for q in range(m):
                prefetch(state, scratch.spare_tags[q] >> HIGH)
            diagonal[k] = write_column(scratch, m, store, start)
            _sample(stream(seed, k), scratch, m, store, start, state)
    return indptr, diagonal, True


@njit
def _sample(random, scratch, m, store, start, state):
    """Sample a random tree on the m arranged neighbours: step 6. Each edge is stored at its smaller end."""
    tags, weights, sums = scratch.tags, scratch.weights, scratch.sums
    total = sums[m - ONE]
    for q in range(ONE, m):
        one, other = tags[q] >> HIGH, tags[partner(random, q, sums)] >> HIGH
        smaller, larger = min(one, other), max(one, other)
        weight = sums[q - ONE] / total * weights[q]
        place = np.uint64(state[smaller])
        state[smaller] = place + ONE
        if place < store.width:
            put(store, smaller, place, larger, weight)
        else:
            link(store, start + q, store.heads[smaller], larger, weight)
            store.heads[smaller] = start + q
