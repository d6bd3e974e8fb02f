"""fill2 on CPU threads: the GSoFA paper's parallel baseline, one source per thread.

GSoFA, Section 2.2 and Figure 3(b), after Rose and Tarjan. Rows are independent, so threads share nothing but
the input. Thread t takes the sources t, t + T, t + 2T, ..., because the work grows with the source.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numba import get_num_threads, njit, prange
from numba.typed import List

from fillpath.nouns import Counts, Filled, Pattern, Series, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.cpu.bitset import clear, drain, empty_set, insert, size, successor
from impl.cpu.chunks import advance, new_chunks, release, room


@implementation(stage="symbolic", paper="gsofa", section="2.2, Figure 3(b)")
def fill2_cpu(
    pattern: Pattern, *, output: Literal["pattern", "counts"] = "pattern"
) -> tuple[Filled | Counts, Work]:
    """Find the filled pattern by threshold traversal, one source per thread (the paper's CPU baseline).

    pattern : n x n, sorted, diagonal present
    output : "pattern", or "counts", which stores no row of F

    Returns the filled pattern (n x n, rows sorted) or its row counts, and the work: edges are adjacency
    entries of A examined while expanding frontiers. The next threshold is taken from the set of fills instead
    of a scan over all smaller vertices, which changes neither edges nor fills.
    """
    threads = get_num_threads()
    with phase("traverse"):
        buffers, lower, upper, edges = _traverse(
            pattern.indptr.view(np.uint64), pattern.indices.view(np.uint32), threads, output == "pattern"
        )
    fills = lower + upper - np.diff(pattern.indptr)
    series = Series(edges=edges, fills=fills)
    work = Work(edges=int(edges.sum()), fills=int(fills.sum()), series=series)
    if output == "counts":
        return Counts(lower, upper), work
    with phase("assemble"):
        indptr = np.zeros(pattern.n + 1, np.int64)
        np.cumsum(lower + upper, out=indptr[1:])
        indices = _assemble(buffers, indptr, threads)
    return Filled(Pattern(indptr, indices.view(np.int32)), indptr[:-1] + lower), work


@njit(cache=True, parallel=True, nogil=True)
def _traverse(indptr, indices, threads, store):
    """Return the rows of each thread in its own chunks, the row counts, and the edges of each source."""
    n = len(indptr) - 1
    buffers = List()
    for _ in range(threads):
        buffers.append(new_chunks())
    lower = np.zeros(n, np.int64)
    upper = np.zeros(n, np.int64)
    edges = np.zeros(n, np.int64)
    for thread in prange(threads):
        worker = np.int64(thread)
        buffers[worker] = _sources(indptr, indices, worker, threads, store, lower, upper, edges)
    return buffers, lower, upper, edges


@njit(cache=True, nogil=True)
def _sources(indptr, indices, thread, threads, store, lower, upper, edges):
    """Return the rows of one thread in chunks, if they are stored; write counts and edges to the arrays."""
    n = np.uint64(len(indptr) - 1)
    words, summary = empty_set(np.int64(n))
    visited_by, stack = marks(n)
    chunks = new_chunks()
    used = np.uint64(0)
    for source in range(np.uint64(thread), n, np.uint64(threads)):
        below, examined = reach(indptr, indices, source, words, summary, visited_by, stack)
        edges[source] = examined
        wanted = size(words, summary)
        if store:
            used = room(chunks, used, wanted)
            used = drain(words, summary, chunks[-1], used)
        else:
            clear(words, summary)
        lower[source] = below
        upper[source] = np.int64(wanted) - below
    return chunks


@njit
def marks(n):
    """Return (visited_by, stack), (n,) uint32 each, for `reach`: a vertex's last visiting source."""
    return np.full(n, np.uint32(0xFFFFFFFF), np.uint32), np.empty(n, np.uint32)


@njit
def reach(indptr, indices, source, words, summary, visited_by, stack):
    """Insert row `source` of F into the empty set. Returns (columns below the diagonal, edges examined)."""
    one = np.uint64(1)
    edges = np.uint64(0)
    for p in range(indptr[source], indptr[source + one]):
        visited_by[indices[p]] = source
        insert(words, summary, np.uint64(indices[p]))
    below = np.int64(0)
    threshold = successor(words, summary, np.uint64(0), source)
    while threshold < source:
        below += 1
        stack[0] = threshold
        depth = one
        while depth > np.uint64(0):
            depth -= one
            vertex = stack[depth]
            first, last = indptr[vertex], indptr[np.uint64(vertex) + one]
            edges += last - first
            for p in range(first, last):
                column = np.uint64(indices[p])
                if visited_by[column] == source:
                    continue
                visited_by[column] = source
                if column > threshold:
                    insert(words, summary, column)
                else:
                    stack[depth] = column
                    depth += one
        threshold = successor(words, summary, threshold + one, source)
    return below, edges


@njit(cache=True, parallel=True, nogil=True)
def _assemble(buffers, indptr, threads):
    """Return the rows of all threads in order. Each chunk is freed once its rows are copied."""
    n = len(indptr) - 1
    indices = np.empty(indptr[n], np.uint32)
    for thread in prange(threads):
        chunks = buffers[np.int64(thread)]
        number, used = 0, np.uint64(0)
        for source in range(thread, n, threads):
            length = np.uint64(indptr[source + 1] - indptr[source])
            number, used = advance(chunks, number, used, length)
            indices[indptr[source] : indptr[source + 1]] = chunks[number][used : used + length]
            used += length
        release(chunks, number)
    return indices
