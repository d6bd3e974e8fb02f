"""Elimination of fronts with values: each subtree by one thread, then the fronts above by all threads.

Eliminating a front's pivots leaves its contribution, r x r values that its parent adds. Until then they lie
on the stack of their thread. Children are added from the last to the first on any number of threads.

    fronts = fronts_of_matrix(prepared)
    done = eliminated(plan_of(fronts), entries_of(fronts, "float64"), least=0.0, threads=2)
    done.values.shape, done.zero    # (plan_of(fronts).start[-1],), prepared.pattern.n: no pivot is 0
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from fillpath.nouns import Array, Fronts
from impl.multifrontal.front_lu_cpu import NOT_FINITE, REPLACED, ZERO, eliminate

# A subtree has at most 1 / GRAIN of a thread's share of the work.
GRAIN = 2


class Entries(NamedTuple):
    """A's values by the pivot that they are eliminated with, in label space.

    right_start : (n + 1,) int64, where each row's entries from the diagonal on begin
    right : (right_start[n],) int32, their columns
    right_values : float
    below_start, below, below_values : the same of each column below the diagonal, with rows
    """

    right_start: Array
    right: Array
    right_values: Array
    below_start: Array
    below: Array
    below_values: Array


class Plan(NamedTuple):
    """The parts `first`, `up`, `list_start`, `list` and `place` of m Fronts, and values derived from them.

    descendants : (m,) int64, fronts in the subtree of each, itself included
    start : (m + 1,) int64, where each front's values begin, as in FrontFactor, and how many there are
    column : (n,) int32, of the prepared matrix, of each label
    """

    first: Array
    up: Array
    list_start: Array
    list: Array
    place: Array
    descendants: Array
    start: Array
    column: Array


class Eliminated(NamedTuple):
    """The result of an elimination.

    values : as in FrontFactor
    replaced : int, pivots
    zero, not_finite : int, first columns of the prepared matrix with pivot 0, and with a value not finite; or
        n
    nbytes : int, the most that all arrays took at a time
    """

    values: Array
    replaced: int
    zero: int
    not_finite: int
    nbytes: int


def entries_of(fronts: Fronts, dtype: str) -> Entries:
    """Return A's values in that dtype, by pivots."""
    pattern = fronts.prepared.pattern
    with np.errstate(over="ignore"):
        values = fronts.prepared.values.astype(dtype)
    return Entries(*_by_pivots(pattern.indptr, pattern.indices, values, fronts.label))


def plan_of(fronts: Fronts) -> Plan:
    """Return the plan of fronts, which does not depend on values."""
    pivots, rows = np.diff(fronts.first).astype(np.int64), np.diff(fronts.list_start)
    start = np.concatenate([[0], np.cumsum(pivots * (pivots + 2 * rows))])
    column = np.empty_like(fronts.label)
    column[fronts.label] = np.arange(len(column), dtype=column.dtype)
    lists = (fronts.list_start, fronts.list, fronts.place)
    return Plan(fronts.first, fronts.up, *lists, _descendants(fronts.up), start, column)


def eliminated(plan: Plan, entries: Entries, least: float, threads: int) -> Eliminated:
    """Eliminate all fronts. least : float, pivots below it in modulus are replaced, 0 for none."""
    m, n = len(plan.up), len(plan.column)
    dtype = entries.right_values.dtype
    owner = _owners(plan, threads)
    left = np.zeros(m, np.int64)
    values = np.zeros(plan.start[-1], dtype)

    def eliminate_fronts(thread: int, below: Array, together: bool) -> Any:
        mine = np.flatnonzero(owner == thread)
        return _fronts(plan, entries, owner, mine, below, left, dtype.type(least), together, values)

    nothing = np.empty(0, dtype)
    with ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(lambda thread: eliminate_fronts(thread, nothing, False), range(threads)))
    stacks = [stack for stack, _, _ in parts]
    left += np.cumsum([0, *map(len, stacks)])[owner]
    below = np.concatenate([*stacks, nothing])
    del stacks
    above = eliminate_fronts(threads, below, threads > 1)
    found = np.array([found for _, found, _ in (*parts, above)])
    rooms = [room for _, _, room in parts]
    held = max(sum(rooms), 2 * below.nbytes, below.nbytes + above[2])
    fixed = sum(array.nbytes for array in (*entries, plan.descendants, plan.start, plan.column, values))
    zero, not_finite = (int(found[:, kind].min(initial=n)) for kind in (ZERO, NOT_FINITE))
    return Eliminated(values, int(found[:, REPLACED].sum()), zero, not_finite, fixed + held)


@njit(cache=True, nogil=True)
def _by_pivots(indptr, indices, values, label):
    n = len(label)
    starts = np.zeros((2, n + 1), np.int64)
    for row in range(n):
        for p in range(indptr[row], indptr[row + 1]):
            i, j = label[row], label[indices[p]]
            starts[int(i > j), min(i, j) + 1] += 1
    for k in range(n):
        starts[0, k + 1] += starts[0, k]
        starts[1, k + 1] += starts[1, k]
    free = starts.copy()
    right, below = np.empty(starts[0, n], np.int32), np.empty(starts[1, n], np.int32)
    right_values, below_values = np.empty(len(right), values.dtype), np.empty(len(below), values.dtype)
    for row in range(n):
        for p in range(indptr[row], indptr[row + 1]):
            i, j = label[row], label[indices[p]]
            if i > j:
                below[free[1, j]], below_values[free[1, j]] = i, values[p]
                free[1, j] += 1
            else:
                right[free[0, i]], right_values[free[0, i]] = j, values[p]
                free[0, i] += 1
    return starts[0], right, right_values, starts[1], below, below_values


@njit(cache=True, nogil=True)
def _descendants(up):
    descendants = np.ones(len(up), np.int64)
    for front in range(len(up)):
        if up[front] >= 0:
            descendants[up[front]] += descendants[front]
    return descendants


@njit(cache=True)
def _owners(plan, threads):
    """Return (m,) int64: the thread of each front, `threads` for the fronts above the subtrees.

    The largest remaining subtree goes to the thread with the least work.
    """
    up = plan.up
    m = len(up)
    work = np.empty(m, np.float64)
    for front in range(m):
        pivots = float(plan.first[front + 1] - plan.first[front])
        rows = float(plan.list_start[front + 1] - plan.list_start[front])
        work[front] = pivots * (rows + pivots) ** 2 + 100.0
    most = work.sum() / (GRAIN * threads)
    for front in range(m):
        if up[front] >= 0:
            work[up[front]] += work[front]
    roots = np.empty(m, np.int64)
    count = 0
    for front in range(m):
        if work[front] <= most and (up[front] < 0 or work[up[front]] > most):
            roots[count] = front
            count += 1
    load = np.zeros(threads, np.float64)
    owner = np.full(m, threads, np.int64)
    for root in roots[:count][np.argsort(-work[roots[:count]])]:
        thread = np.argmin(load)
        load[thread] += work[root]
        owner[root + 1 - plan.descendants[root] : root + 1] = thread
    return owner


@njit(cache=True, nogil=True)
def _fronts(plan, entries, owner, mine, below, left, least, together, values):
    """Eliminate the fronts of one thread.

    below : the stacks of all threads' subtrees, for the fronts above them
    left : (m,) int64, where each front's contribution begins on its stack
    values : all fronts'; the values of this thread's fronts are written

    Returns (stack, found, bytes of this call's own arrays).
    """
    n = len(plan.column)
    largest, room = _rooms(plan, owner, mine)
    work = np.empty(largest * largest, values.dtype)
    stack = np.empty(room, values.dtype)
    position = np.empty(n, np.int32)
    found = np.array([0, n, n])
    used = 0
    for number in range(len(mine)):
        number_of = mine[number]
        pivots = np.int64(plan.first[number_of + 1] - plan.first[number_of])
        rows = plan.list[plan.list_start[number_of] : plan.list_start[number_of + 1]]
        size = pivots + len(rows)
        front = work[: size * size].reshape(size, size)
        front[:] = 0
        _assemble(plan, entries, number_of, rows, position, front)
        child = number_of - 1
        while child > number_of - plan.descendants[number_of]:
            length = plan.list_start[child + 1] - plan.list_start[child]
            over = plan.place[plan.list_start[child] : plan.list_start[child + 1]]
            begin = left[child]
            if owner[child] == owner[number_of]:
                _extend_add(front, over, stack[begin : begin + length * length])
                used = begin
            else:
                _extend_add(front, over, below[begin : begin + length * length])
            child -= plan.descendants[child]
        columns = plan.column[plan.first[number_of] : plan.first[number_of + 1]]
        eliminate(front, pivots, least, columns, found, together)
        left[number_of] = used
        for column in range(pivots, size):
            stack[used : used + len(rows)] = front[column, pivots:]
            used += len(rows)
        _keep(front, pivots, values[plan.start[number_of] : plan.start[number_of + 1]])
        _look(front, pivots, columns, plan.column, rows, found)
    nbytes = work.nbytes + stack.nbytes + position.nbytes
    return stack[:used].copy(), found, nbytes


@njit
def _rooms(plan, owner, mine):
    """Return (size of the largest front, most values on the stack at a time) of one thread."""
    largest, used, room = 0, 0, 0
    for number in range(len(mine)):
        front = mine[number]
        length = plan.list_start[front + 1] - plan.list_start[front]
        largest = max(largest, plan.first[front + 1] - plan.first[front] + length)
        child = front - 1
        while child > front - plan.descendants[front]:
            if owner[child] == owner[front]:
                used -= (plan.list_start[child + 1] - plan.list_start[child]) ** 2
            child -= plan.descendants[child]
        used += length * length
        room = max(room, used)
    return largest, room


@njit
def _assemble(plan, entries, number, rows, position, front):
    """Add A's entries in the pivots' rows from the diagonal on, and below it in their columns."""
    first, behind = np.int64(plan.first[number]), np.int64(plan.first[number + 1])
    for label in range(first, behind):
        position[label] = label - first
    for place in range(len(rows)):
        position[rows[place]] = behind - first + place
    for label in range(first, behind):
        k = label - first
        for p in range(entries.right_start[label], entries.right_start[label + 1]):
            front[position[entries.right[p]], k] += entries.right_values[p]
        for p in range(entries.below_start[label], entries.below_start[label + 1]):
            front[k, position[entries.below[p]]] += entries.below_values[p]


@njit
def _extend_add(front, place, contribution):
    """Add a child's contribution, by columns. place : (length,) of its rows and columns in the front."""
    length = np.uint64(len(place))
    for c in range(length):
        target = front[place[c]]
        source = contribution[c * length : (c + np.uint64(1)) * length]
        for r in range(length):
            target[np.uint64(place[r])] += source[r]


@njit
def _keep(front, pivots, values):
    """Write what FrontFactor keeps: the pivots' columns, then their rows right of them."""
    size = len(front)
    at = 0
    for column in range(pivots):
        values[at : at + size] = front[column]
        at += size
    for column in range(pivots, size):
        values[at : at + pivots] = front[column, :pivots]
        at += pivots


@njit
def _look(front, pivots, columns, column_of, rows, found):
    """Look for values of L and U that are not finite."""
    for c in range(len(front)):
        height = len(front) if c < pivots else pivots
        finite = True
        for r in range(np.uint64(height)):
            finite &= np.isfinite(front[c, r])
        if not finite:
            column = columns[c] if c < pivots else column_of[rows[c - pivots]]
            found[NOT_FINITE] = min(found[NOT_FINITE], np.int64(column))
