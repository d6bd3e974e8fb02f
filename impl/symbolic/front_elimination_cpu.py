"""All fronts, children first: subtrees by thread, then the fronts above them.

A front's contribution is what is left of it once its pivots are eliminated: rows of bits that its parent
joins to its own. It lies on the stack of the thread that made it until then; one that is full is not stored.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit, prange
from numba.typed import List

from fillpath.nouns import Array
from impl.symbolic.elimination_tree import NONE, Tree
from impl.symbolic.front_bits_cpu import (
    LOW,
    ONE,
    SIX,
    ZERO,
    bits_between,
    copy_tail,
    eliminate,
    join_between,
    set_between,
    words_of,
)
from impl.symbolic.fronts_cpu import Fronts

# A subtree that one thread takes has at most this share of a thread's work.
SHARE = 1 / 8
# Words of unions: 256 rows of the widest front.
UNIONS = 256


class Factor(NamedTuple):
    """The pivots' rows and columns of all fronts, and the row counts of F.

    stop : (m,) uint64, from which pivot on a front is full
    where : (m,) uint64, where a front's bits begin in `bits`: of each member's row the words that hold the
        pivots before `stop`, then of these pivots' rows all words
    bits : (words,) uint64, none for row counts alone
    lower, upper : (n,) int64
    word_operations : words joined
    """

    stop: Array
    where: Array
    bits: Array
    lower: Array
    upper: Array
    word_operations: int


def eliminated(tree: Tree, fronts: Fronts, threads: int, keep: bool) -> Factor:
    """Eliminate all fronts on so many threads. keep : their bits, not only counts."""
    top, bounds = _divided(fronts.parent, fronts.start, threads)
    stop, where, bits, lower, upper, joined = _eliminated(tree.rows, tree.columns, fronts, top, bounds, keep)
    return Factor(stop, where, bits, lower, upper, int(joined))


@njit(cache=True)
def _divided(parent, start, threads):
    """(m,) bool: the fronts above the subtrees; (threads + 1,) int64: each thread's range of fronts, between
    subtrees."""
    m = len(parent)
    weight = np.empty(m, np.float64)
    for front in range(m):
        weight[front] = np.float64(start[front + 1] - start[front]) ** 2
    total = weight.sum()
    for front in range(m):
        if parent[front] != NONE:
            weight[parent[front]] += weight[front]
    top = weight > (total if threads == 1 else total / threads * SHARE)
    subtrees = 0.0
    for front in range(m):
        if not top[front] and (parent[front] == NONE or top[parent[front]]):
            subtrees += weight[front]
    bounds = np.full(threads + 1, m, np.int64)
    bounds[0] = 0
    done, thread = 0.0, 1
    for front in range(m):
        if not top[front] and (parent[front] == NONE or top[parent[front]]):
            done += weight[front]
            while thread < threads and done >= subtrees * thread / threads:
                bounds[thread] = front + 1
                thread += 1
    return top, bounds


@njit(cache=True, parallel=True, nogil=True)
def _eliminated(rows, columns, fronts, top, bounds, keep):
    """The fields of Factor."""
    n, m, threads = len(fronts.of), len(fronts.parent), len(bounds) - 1
    stop = np.empty(m, np.uint64)
    where = np.zeros(m, np.uint64)
    left = np.empty(m, np.uint64)  # where a front's contribution begins on its stack
    owner = np.full(m, threads, np.int32)
    lower = np.zeros((threads + 1, n), np.uint32)
    upper = np.empty(n, np.uint64)
    joined = np.zeros(threads + 1, np.uint64)
    stacks = List()
    kept = List()
    for _ in range(threads + 1):
        stacks.append(np.empty(0, np.uint64))
        kept.append(np.empty(0, np.uint64))
    state = (stop, where, left, owner, upper, joined)
    for thread in prange(threads):
        worker = np.int64(thread)
        stacks[worker], kept[worker] = _fronts(
            rows,
            columns,
            fronts,
            top,
            worker,
            bounds[worker],
            bounds[worker + 1],
            keep,
            stacks,
            lower[worker],
            state,
        )
    stacks[threads], kept[threads] = _fronts(
        rows, columns, fronts, top, threads, 0, m, keep, stacks, lower[threads], state
    )
    base = np.zeros(threads + 2, np.uint64)
    for worker in range(threads + 1):
        base[worker + 1] = base[worker] + np.uint64(len(kept[worker]))
    bits = np.empty(base[threads + 1], np.uint64)
    for worker in range(threads + 1):
        bits[base[worker] : base[worker + 1]] = kept[worker]
        kept[worker] = np.empty(0, np.uint64)
    for front in range(m):
        where[front] += base[owner[front]]
    return stop, where, bits, lower.sum(axis=0).view(np.int64), upper.view(np.int64), joined.sum()


@njit(cache=True, nogil=True)
def _fronts(rows, columns, fronts, top, worker, begin, end, keep, stacks, lower, state):
    """Eliminate the fronts of a range, those in `top` or all others. Returns (stack, kept bits)."""
    stop, where, left, owner, upper, joined = state
    on_top = worker == len(stacks) - 1
    largest = ZERO
    for front in range(begin, end):
        if top[front] == on_top:
            largest = max(largest, np.uint64(fronts.start[front + 1] - fronts.start[front]))
    words = np.empty(largest * words_of(largest), np.uint64)
    unions = np.empty(UNIONS * words_of(largest), np.uint64)
    position = np.empty(len(fronts.of), np.uint32)
    runs = np.empty((largest + ONE, 2), np.uint64)
    stack = np.empty(1024, np.uint64)
    kept = np.empty(1024 if keep else 0, np.uint64)
    used, filled = ZERO, ZERO
    for front in range(begin, end):
        if top[front] != on_top:
            continue
        start = fronts.start[front]
        members = fronts.members[start : fronts.start[front + 1]]
        size = np.uint64(len(members))
        pivots = np.uint64(fronts.first[front + 1] - fronts.first[front])
        width = words_of(size)
        words[: size * width] = ZERO
        for place in range(size):
            position[members[place]] = place
        _assemble(rows, columns, members, pivots, width, position, words)
        child = front - 1
        while child > front - fronts.descendants[front]:
            own = top[child] == on_top
            if own:
                used = np.uint64(left[child])
            _extend_add(
                fronts,
                child,
                stop[child],
                stack if own else stacks[owner[child]],
                left[child],
                width,
                position,
                runs,
                words,
            )
            child -= fronts.descendants[child]
        full, operations = eliminate(words, size, pivots, unions)
        joined[worker] += operations
        stop[front] = full
        owner[front] = worker
        left[front] = used
        _count(words, width, members, pivots, full, lower, upper)
        if full == pivots and pivots < size:
            over = size - pivots
            length = words_of(over)
            stack = _room(stack, used, used + over * length)
            for row in range(over):
                copy_tail(words, (pivots + row) * width, width, pivots, stack, used, length)
                used += length
        if keep:
            where[front] = filled
            kept = _room(kept, filled, filled + size * words_of(full) + full * width)
            filled = _keep(words, width, size, full, kept, filled)
    return stack, kept[:filled].copy()


@njit
def _room(array, used, wanted):
    """The array, or a copy of at least twice the size that has room for `wanted` words."""
    if wanted <= np.uint64(len(array)):
        return array
    grown = np.empty(max(wanted, np.uint64(2) * np.uint64(len(array))), np.uint64)
    grown[:used] = array[:used]
    return grown


@njit
def _assemble(rows, columns, members, pivots, width, position, words):
    """Set the bits of A's entries in the pivots' rows from the diagonal on, and below it in their columns."""
    for k in range(pivots):
        vertex = members[k]
        at = k * width
        for p in range(rows.diagonal[vertex], rows.indptr[vertex + 1]):
            place = np.uint64(position[rows.indices[p]])
            words[at + (place >> SIX)] |= ONE << (place & LOW)
        for p in range(columns.diagonal[vertex] + 1, columns.indptr[vertex + 1]):
            place = np.uint64(position[columns.indices[p]])
            words[place * width + (k >> SIX)] |= ONE << (k & LOW)


@njit
def _extend_add(fronts, child, stop, stack, left, width, position, runs, words):
    """Join a child's contribution to its parent's bits. runs : room for the ranges of columns that the
    child's are in the parent."""
    first = fronts.start[child] + fronts.first[child + 1] - fronts.first[child]
    over = fronts.members[first : fronts.start[child + 1]]
    count = ZERO
    for place in range(np.uint64(len(over))):
        column = np.uint64(position[over[place]])
        if count > ZERO and runs[count - ONE, 1] == column:
            runs[count - ONE, 1] = column + ONE
        else:
            runs[count, 0] = column
            runs[count, 1] = column + ONE
            count += ONE
    full = stop < fronts.first[child + 1] - fronts.first[child]
    length = words_of(np.uint64(len(over)))
    source = np.uint64(left)
    for place in range(np.uint64(len(over))):
        at = np.uint64(position[over[place]]) * width
        offset = ZERO
        for run in range(count):
            begin, end = runs[run, 0], runs[run, 1]
            if full:
                set_between(words, at, begin, end)
            else:
                join_between(words, at, begin, end, stack, source, offset)
            offset += end - begin
        source += length


@njit
def _count(words, width, members, pivots, stop, lower, upper):
    """Add a front's part to the row counts of L, and set those of U."""
    for row in range(np.uint64(len(members))):
        before = min(row, pivots)
        if before <= stop:
            lower[members[row]] += bits_between(words, row * width, ZERO, before)
        else:
            lower[members[row]] += bits_between(words, row * width, ZERO, stop) + before - stop
    for k in range(pivots):
        size = np.uint64(len(members))
        upper[members[k]] = bits_between(words, k * width, k, size) if k < stop else size - k


@njit
def _keep(words, width, size, stop, kept, at):
    """Write what Factor holds of a front to kept[at:]. Returns where it ends."""
    length = words_of(stop)
    for row in range(size):
        for word in range(length):
            kept[at + word] = words[row * width + word]
        at += length
    for word in range(stop * width):
        kept[at + word] = words[word]
    return at + stop * width
