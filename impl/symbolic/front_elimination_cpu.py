"""Elimination of fronts of bits, children first: subtrees by thread, then the fronts above them.

Eliminating a front's pivots leaves its contribution, rows of bits that its parent joins to its own. Until
then they lie on the stack of their thread. A full contribution is not stored.

    tree = elimination_tree(Pattern(np.array([0, 3, 5, 7]), np.array([0, 1, 2, 0, 1, 0, 2], np.int32)))
    factor = eliminated(tree, fronts_of(tree, factor_counts(tree)), threads=1, keep=False)
    factor.lower, factor.upper    # [0, 1, 2], [3, 2, 1]
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numba import njit

from fillpath.nouns import Array
from impl.symbolic.elimination_tree import NONE, Tree
from impl.symbolic.front_bits_cpu import (
    LOW,
    ONE,
    SIX,
    ZERO,
    copy_corner,
    count_lower,
    count_upper,
    join_bits,
    join_full,
    words_of,
)
from impl.symbolic.front_pivots_cpu import UNIONS, eliminate
from impl.symbolic.fronts_cpu import Fronts


class Factor(NamedTuple):
    """The pivots' rows and columns of all fronts, and the row counts of F.

    stop : (m,) uint64, the pivot from which on a front is full
    where : (m,) uint64, where a front's bits begin in `bits`: first each row's words that hold the pivots
        before `stop`, then all words of these pivots' rows
    bits : (words,) uint64, empty for row counts alone
    lower, upper : (n,) int64
    word_operations : int, words joined
    """

    stop: Array
    where: Array
    bits: Array
    lower: Array
    upper: Array
    word_operations: int


class _Progress(NamedTuple):
    """The arrays that all threads write, each for its own fronts and their pivots.

    stop, where : (m,) uint64, as in Factor, but `where` in the bits of the thread
    left : (m,) uint64, where a front's contribution begins on its stack
    upper : (n,) uint64
    """

    stop: Array
    where: Array
    left: Array
    upper: Array


def eliminated(tree: Tree, fronts: Fronts, threads: int, keep: bool) -> Factor:
    """Eliminate all fronts on `threads` threads. keep : bool, their bits, not only counts."""
    m, n = len(fronts.parent), len(fronts.of)
    owner = _owners(fronts.parent, fronts.descendants, fronts.start, threads)
    stop, where, left = np.zeros((3, m), np.uint64)
    progress = _Progress(stop, where, left, np.empty(n, np.uint64))

    def eliminate_fronts(thread: int, below: Array) -> tuple[Array, Array, Array, int]:
        mine = np.flatnonzero(owner == thread)
        part: tuple[Array, Array, Array, int] = _fronts(
            tree.rows, tree.columns, fronts, owner, mine, below, keep, progress
        )
        return part

    nothing = np.empty(0, np.uint64)
    with ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(lambda thread: eliminate_fronts(thread, nothing), range(threads)))
    stacks = [stack for stack, _, _, _ in parts]
    left += _starts([*stacks, nothing])[owner]
    parts.append(eliminate_fronts(threads, np.concatenate(stacks)))
    kept = [bits for _, bits, _, _ in parts]
    where += _starts(kept)[owner]
    lower = np.stack([lower for _, _, lower, _ in parts]).sum(axis=0, dtype=np.int64)
    joined = sum(int(words) for _, _, _, words in parts)
    return Factor(stop, where, np.concatenate(kept), lower, progress.upper.view(np.int64), joined)


def _starts(arrays: list[Array]) -> Array:
    return np.cumsum([0, *map(len, arrays[:-1])]).astype(np.uint64)


@njit(cache=True)
def _owners(parent, descendants, start, threads):
    """Return (m,) int64: the thread of each front, `threads` for the fronts above the subtrees.

    A subtree has at most a thread's share of all bits. The largest subtree left goes to the thread with
    least.
    """
    m = len(parent)
    weight = np.empty(m, np.float64)
    for front in range(m):
        weight[front] = np.float64(start[front + 1] - start[front]) ** 2
    most = weight.sum() / threads
    for front in range(m):
        if parent[front] != NONE:
            weight[parent[front]] += weight[front]
    subtree = weight <= most
    for front in range(m):
        if parent[front] != NONE and weight[parent[front]] <= most:
            subtree[front] = False
    roots = np.flatnonzero(subtree)
    load = np.zeros(threads, np.float64)
    owner = np.full(m, threads, np.int64)
    for root in roots[np.argsort(-weight[roots])]:
        thread = np.argmin(load)
        load[thread] += weight[root]
        owner[root + 1 - descendants[root] : root + 1] = thread
    return owner


@njit(cache=True, nogil=True)
def _fronts(rows, columns, fronts, owner, mine, below, keep, progress):
    """Eliminate the fronts of one thread. below : the stacks of all subtrees, for the fronts above them.

    Returns the thread's (stack, kept bits, (n,) row counts of L, words joined).
    """
    largest = ZERO
    for front in mine:
        largest = max(largest, np.uint64(fronts.start[front + 1] - fronts.start[front]))
    words = np.empty(largest * words_of(largest), np.uint64)
    unions = np.empty(UNIONS * words_of(largest), np.uint64)
    runs = np.empty((largest, 2), np.uint64)
    position = np.empty(len(fronts.of), np.uint32)
    lower = np.zeros(len(fronts.of), np.uint32)
    stack = np.empty(1024, np.uint64)
    kept = np.empty(1024 if keep else 0, np.uint64)
    used, filled, joined = ZERO, ZERO, ZERO
    for front in mine:
        members = fronts.members[fronts.start[front] : fronts.start[front + 1]]
        size = np.uint64(len(members))
        pivots = np.uint64(fronts.first[front + 1] - fronts.first[front])
        width = words_of(size)
        words[: size * width] = ZERO
        for place in range(size):
            position[members[place]] = place
        _assemble(rows, columns, members, pivots, width, position, words)
        child = front - 1
        while child > front - fronts.descendants[front]:
            full = progress.stop[child] < fronts.first[child + 1] - fronts.first[child]
            own = owner[child] == owner[front]
            source = stack if own else below
            _extend_add(fronts, child, full, source, progress.left[child], width, position, runs, words)
            used = progress.left[child] if own else used
            child -= fronts.descendants[child]
        stop, operations = eliminate(words, size, pivots, unions)
        joined += operations
        progress.stop[front] = stop
        progress.left[front] = used
        count_lower(words, members, pivots, stop, lower)
        count_upper(words, members, pivots, stop, progress.upper)
        if stop == pivots:
            stack = _room(stack, used, used + (size - pivots) * words_of(size - pivots))
            used = copy_corner(words, size, pivots, stack, used)
        if keep:
            progress.where[front] = filled
            kept, filled = _keep(words, width, size, stop, kept, filled)
    return stack[:used].copy(), kept[:filled].copy(), lower, joined


@njit
def _room(array, used, wanted):
    """Return the array, or a copy of at least twice the size that has room for `wanted` words."""
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
def _extend_add(fronts, child, full, stack, left, width, position, runs, words):
    """Join a child's contribution to its parent's bits. runs : room for its ranges of parent columns."""
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
    if full:
        join_full(words, width, over, position, runs, count)
    else:
        join_bits(words, width, over, position, runs, count, stack, left)


@njit
def _keep(words, width, size, stop, kept, filled):
    """Append a front's part of Factor; return the kept bits, which may have moved, and their end."""
    length = words_of(stop)
    kept = _room(kept, filled, filled + size * length + stop * width)
    for row in range(size):
        for word in range(length):
            kept[filled + word] = words[row * width + word]
        filled += length
    for word in range(stop * width):
        kept[filled + word] = words[word]
    return kept, filled + stop * width
