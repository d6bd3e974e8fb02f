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
        for p in range(segments.start[row], segments.start[row + ONE]):
            segment = segments.reaching[p]
            vertex = segments.first[segment]
            front = fronts.of[vertex]
            member = pivot
            if front != own:
                member = place[segment]
                place[segment] = member + ONE
            first = label[vertex] - fronts.first[front]
            last = first + segments.first[segment + ONE] - vertex
            at = _columns(bits, where[front], stop[front], member, first, last, vertex, indices, at)
        vertex = segments.first[current]
        first = pivot - (row - vertex)
        at = _columns(bits, where[own], stop[own], pivot, first, pivot, vertex, indices, at)
        _members(fronts, own, pivot, stop[own], where[own], bits, indices, at)


@njit
def _places(fronts, segments, begin):
    """(k,) uint64: for each segment, which member of its front the first row >= begin is that is no pivot."""
    k = np.uint64(len(segments.first) - 1)
    place = np.empty(k, np.uint64)
    for segment in range(k):
        front = fronts.of[segments.first[segment]]
        pivots = fronts.first[front + ONE] - fronts.first[front]
        over = fronts.members[fronts.start[front] + pivots : fronts.start[front + ONE]]
        place[segment] = pivots
        if begin > ZERO:
            place[segment] += np.uint64(np.searchsorted(over, begin))
    return place


@njit
def _columns(bits, where, stop, member, first, last, vertex, indices, at):
    """Write vertex + (k - first) for each pivot first <= k < last that a member's row has. Returns where that
    ends."""
    k, end = first, min(last, stop)
    base = where + member * words_of(stop)
    shift = vertex - first
    while k < end:
        word = k >> SIX
        stretch = min(end, (word + ONE) << SIX)
        todo = bits[base + word] & (ALL << (k & LOW)) & (ALL >> (LOW - ((stretch - ONE) & LOW)))
        while todo != ZERO:
            indices[at] = (word << SIX) + lowest(todo) + shift
            todo &= todo - ONE
            at += ONE
        k = stretch
    for column in range(k + shift, last + shift):
        indices[at] = column
        at += ONE
    return at


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
