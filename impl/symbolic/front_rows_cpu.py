"""The rows of F out of the fronts' bits, each written once from its first column to its last.

Left of the diagonal a row has columns of its segments, which ascend; from the diagonal on it has members of
its own front, which ascend as well. Nothing is sorted.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numba import njit

from fillpath.nouns import Array
from impl.symbolic.elimination_tree import Tree
from impl.symbolic.front_bits_cpu import ALL, LOW, ONE, SIX, ZERO, lowest, words_of
from impl.symbolic.front_elimination_cpu import Factor
from impl.symbolic.fronts_cpu import Fronts, Segments


def rows_of(
    fronts: Fronts, segments: Segments, tree: Tree, factor: Factor, indptr: Array, threads: int
) -> Array:
    """(nnz of F,) int32: the columns of all rows, on so many threads. indptr : (n + 1,) int64."""
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
def _range(fronts, segments, label, stop, where, bits, indptr, begin, end, indices):
    """Write the rows begin <= row < end."""
    place = _places(fronts, segments, begin)
    current = np.uint64(np.searchsorted(segments.first, begin, side="right")) - ONE
    for row in range(begin, end):
        if segments.first[current + ONE] == row:
            current += ONE
        at = indptr[row]
        own = fronts.of[row]
        pivot = np.uint64(label[row] - fronts.first[own])
        # Columns left of the diagonal: of the segments that reach the row, then of its own, up to the row.
        reached = segments.start[row + ONE]
        for p in range(segments.start[row], reached + ONE):
            segment = np.uint64(segments.reaching[p]) if p < reached else current
            vertex = segments.first[segment]
            front = fronts.of[vertex]
            member = pivot
            if front != own:
                member = place[segment]
                place[segment] = member + ONE
            k = np.uint64(label[vertex] - fronts.first[front])
            shift = vertex - k
            last = (segments.first[segment + ONE] if p < reached else row) - shift
            bounded = min(last, stop[front])
            base = where[front] + member * words_of(stop[front])
            while k < bounded:
                word = k >> SIX
                stretch = min(bounded, (word + ONE) << SIX)
                todo = bits[base + word] & (ALL << (k & LOW)) & (ALL >> (LOW - ((stretch - ONE) & LOW)))
                while todo != ZERO:
                    indices[at] = (word << SIX) + lowest(todo) + shift
                    todo &= todo - ONE
                    at += ONE
                k = stretch
            for column in range(k + shift, last + shift):
                indices[at] = column
                at += ONE
        _members(fronts, own, pivot, stop[own], where[own], bits, indices, at)


@njit
def _places(fronts, segments, begin):
    """(k,) uint64: for each segment, which member of its front the first row >= begin is that is no pivot."""
    k = np.uint64(len(segments.first) - 1)
    place = np.empty(k, np.uint64)
    for segment in range(k):
        front = fronts.of[segments.first[segment]]
        first = fronts.start[front] + fronts.first[front + ONE] - fronts.first[front]
        low, high = first, fronts.start[front + ONE]
        while low < high:
            middle = (low + high) >> ONE
            if fronts.members[middle] < begin:
                low = middle + ONE
            else:
                high = middle
        place[segment] = low - fronts.start[front]
    return place


@njit
def _members(fronts, front, pivot, stop, where, bits, indices, at):
    """Write the members of a front that a pivot's row has, from the diagonal on."""
    start, end = fronts.start[front], fronts.start[front + ONE]
    if pivot >= stop:
        for p in range(start + pivot, end):
            indices[at] = fronts.members[p]
            at += ONE
        return
    base = where + (end - start) * words_of(stop) + pivot * words_of(end - start)
    mask = ALL << (pivot & LOW)
    for word in range(pivot >> SIX, words_of(end - start)):
        todo = bits[base + word] & mask
        mask = ALL
        while todo != ZERO:
            indices[at] = fronts.members[start + (word << SIX) + lowest(todo)]
            todo &= todo - ONE
            at += ONE
