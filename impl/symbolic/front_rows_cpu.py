"""The rows of F from the fronts' bits, each written once from its first column to its last.

Left of the diagonal a row has columns of its segments, which ascend. From the diagonal on it has members of
its own front, which ascend as well. Nothing is sorted.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numba import njit

from fillpath.nouns import Array
from impl.symbolic.elimination_tree import Tree
from impl.symbolic.front_bits_cpu import ALL, LOW, ONE, SIX, ZERO, lowest, up_to, words_of
from impl.symbolic.front_elimination_cpu import Factor
from impl.symbolic.fronts_cpu import Fronts, Segments

# The columns of `_cursors`.
FRONT, NEXT, WIDTH, FIRST, STOP = range(5)


def rows_of(
    fronts: Fronts, segments: Segments, tree: Tree, factor: Factor, indptr: Array, threads: int
) -> Array:
    """Return (nnz of F,) int32: the columns of all rows, on `threads` threads. indptr : (n + 1,) int64."""
    indices = np.empty(indptr[-1], np.int32)
    shares = [int(indptr[-1]) * thread // threads for thread in range(threads)]
    bounds = [*np.searchsorted(indptr[:-1], shares).tolist(), len(indptr) - 1]

    def write_rows(thread: int) -> None:
        _range(
            fronts,
            segments,
            tree.label,
            factor.stop,
            factor.where,
            factor.bits,
            indptr.view(np.uint64),
            np.uint64(bounds[thread]),
            np.uint64(bounds[thread + 1]),
            indices.view(np.uint32),
        )

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(write_rows, range(threads)))
    return indices


@njit(cache=True, nogil=True)
def _range(fronts, segments, label, stop, where, bits, indptr, first_row, last_row, indices):
    cursors = _cursors(fronts, segments, label, stop, where, first_row)
    current = np.uint64(np.searchsorted(segments.first, first_row, side="right")) - ONE
    for row in range(first_row, last_row):
        if segments.first[current + ONE] == row:
            current += ONE
        at = indptr[row]
        own = fronts.of[row]
        pivot = np.uint64(label[row] - fronts.first[own])
        # Columns left of the diagonal: of the segments that reach the row, then of its own, up to the row.
        reached = segments.start[row + ONE]
        for p in range(segments.start[row], reached + ONE):
            segment = np.uint64(segments.reaching[p]) if p < reached else current
            k = cursors[segment, FIRST]
            shift = segments.first[segment] - k
            last = (segments.first[segment + ONE] if p < reached else row) - shift
            bounded = min(last, cursors[segment, STOP])
            base = cursors[segment, NEXT]
            if cursors[segment, FRONT] == own:
                base = where[own] + pivot * cursors[segment, WIDTH]
            else:
                cursors[segment, NEXT] = base + cursors[segment, WIDTH]
            while k < bounded:
                word = k >> SIX
                stretch = min(bounded, (word + ONE) << SIX)
                todo = bits[base + word] & (ALL << (k & LOW)) & up_to(stretch - (word << SIX))
                while todo != ZERO:
                    indices[at] = (word << SIX) + lowest(todo) + shift
                    todo &= todo - ONE
                    at += ONE
                k = stretch
            for column in range(k + shift, last + shift):
                indices[at] = column
                at += ONE
        # From the diagonal on: members of its own front.
        start, end = fronts.start[own], fronts.start[own + ONE]
        if pivot >= stop[own]:
            for p in range(start + pivot, end):
                indices[at] = fronts.members[p]
                at += ONE
            continue
        base = where[own] + (end - start) * words_of(stop[own]) + pivot * words_of(end - start)
        mask = ALL << (pivot & LOW)
        for word in range(pivot >> SIX, words_of(end - start)):
            todo = bits[base + word] & mask
            mask = ALL
            while todo != ZERO:
                indices[at] = fronts.members[start + (word << SIX) + lowest(todo)]
                todo &= todo - ONE
                at += ONE


@njit
def _cursors(fronts, segments, label, stop, where, begin):
    """Return (k, 8) uint64, for each segment a line of the cache with these words.

    FRONT, the segment's front. NEXT, where the bits of the next row that is no pivot begin, from row `begin`
    on. WIDTH, words of each such row. FIRST, the segment's first pivot. STOP, the front's `stop`.
    """
    cursors = np.empty((len(segments.first) - 1, 8), np.uint64)
    for segment in range(np.uint64(len(cursors))):
        vertex = segments.first[segment]
        front = fronts.of[vertex]
        low = fronts.start[front] + fronts.first[front + ONE] - fronts.first[front]
        high = fronts.start[front + ONE]
        while low < high:
            middle = (low + high) >> ONE
            if fronts.members[middle] < begin:
                low = middle + ONE
            else:
                high = middle
        cursors[segment, FRONT] = front
        cursors[segment, WIDTH] = words_of(stop[front])
        cursors[segment, NEXT] = where[front] + (low - fronts.start[front]) * cursors[segment, WIDTH]
        cursors[segment, FIRST] = label[vertex] - fronts.first[front]
        cursors[segment, STOP] = stop[front]
    return cursors
