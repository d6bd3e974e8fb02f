"""Rows of U and columns of L of any pattern by supernodes, formed together and symmetrically reduced.

U[i,:] is the union of A[i,i:] and of U[k,i:] for all k with L[i,k] != 0, and L[:,i] the union of A[i:,i] and
of L[i:,k] for all k with U[k,i] != 0. Let m be the least vertex past k with L[m,k] != 0 and U[k,m] != 0. Then
U[m,:] has all of U[k,m:], and L[:,m] all of L[m:,k]: k is not needed past m, and no paths are searched for.

A supernode of U is a range of vertices. The columns of each are those of the previous vertex without that
vertex, so one list serves all. A supernode of L is the same with rows.

A chain is a range of vertices whose m is always the next vertex. Each set then starts from the previous set,
and only the chain's last vertex adds to sets outside of the chain. It adds to U[i,:] for the rows i of its
column of L up to m, and to L[:,j] for the columns j of its row of U up to m. It waits for them in turn.

S. C. Eisenstat and J. W. H. Liu, Exploiting structural symmetry in unsymmetric sparse symbolic factorization,
SIAM J. Matrix Anal. Appl. 13 (1992).
J. W. Demmel, S. C. Eisenstat, J. R. Gilbert, X. S. Li, J. W. H. Liu, A supernodal approach to sparse partial
pivoting, SIAM J. Matrix Anal. Appl. 20 (1999).

The main loop is one function, because calls count references to each array, which takes longer.

    indptr, indices = np.array([0, 3, 5, 7], np.uint64), np.array([0, 1, 2, 0, 1, 0, 2], np.uint32)
    lists, upper, lower, _ = supernodal_factor(indptr, indices, *lower_columns(indptr, indices))
    upper.first, lists[upper.start[0] : upper.end[0]]    # [0, 3], [0, 1, 2]: one supernode
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from fillpath.nouns import Array
from impl.cpu.bitset import LOW, ONE, SIX, TWELVE, ZERO, contains, insert, trailing_zeros
from impl.cpu.memory import buffer, reserve

# The two sides of F: by rows and by columns.
U, L, SIDES = np.uint64(0), np.uint64(1), np.uint64(2)
# Marks the end of a linked list, and no chain.
NONE = np.uint64(0xFFFFFFFF)
# Where a chain's last vertex waits to add to one side.
CHAIN = np.dtype(
    [
        # Where its list of this side ends.
        ("end", np.uint64),
        # Its place in its list of the other side, where that ends, and the last vertex to wait for.
        ("cursor", np.uint64),
        ("stop", np.uint64),
        ("bound", np.uint32),
        # The last chain that it has added to, whose sets keep what they were given.
        ("seen", np.uint32),
        # The next chain that waits for the same vertex.
        ("next", np.uint32),
    ],
    align=True,
)


class Supernodes(NamedTuple):
    """One side of F: U by rows or L by columns, the diagonal in both.

    first : (k + 1,) uint32, first vertex of each supernode, and n
    start, end : (k,) uint64, where the list of each lies in the lists of both sides: row or column `first`,
        ascending. The list of a later vertex of the supernode is the same from this vertex on
    """

    first: Array
    start: Array
    end: Array


@njit(cache=True, nogil=True)
def lower_columns(indptr, indices):
    """Return A's entries below the diagonal, by columns: (starts, rows), rows ascending."""
    n = np.uint64(len(indptr) - 1)
    starts = np.zeros(n + ONE, np.uint64)
    for row in range(n):
        for p in range(indptr[row], indptr[row + ONE]):
            if indices[p] >= row:
                break
            starts[indices[p]] += ONE
    for column in range(n):
        starts[column + ONE] += starts[column]
    rows = np.empty(starts[n], np.uint32)
    # From the last row up, each column's end moves down to its start.
    for above in range(n):
        row = n - ONE - above
        for p in range(indptr[row], indptr[row + ONE]):
            if indices[p] >= row:
                break
            starts[indices[p]] -= ONE
            rows[starts[indices[p]]] = row
    return starts, rows


@njit(cache=True, nogil=True)
def supernodal_factor(indptr, indices, starts, rows):
    """Return (lists, U, L, entries of lists examined) of a pattern by rows, and its lower part by columns.

    The sets of both sides are one set (impl.cpu.bitset): the members of L's count from `half` on.
    """
    n = np.uint64(len(indptr) - 1)
    span = (n + np.uint64(4095)) >> TWELVE
    half = span << TWELVE
    words, summary = np.zeros(SIDES * half >> SIX, np.uint64), np.zeros(SIDES * span, np.uint64)
    # The summary in parts of equal length, at most 64 per side; bit b of `parts`: part b may have members.
    parts, shift = np.zeros(SIDES, np.uint64), TWELVE
    while half >> shift > LOW:
        shift += ONE
    length = ONE << (shift - TWELVE)
    lists, used = buffer(SIDES * np.uint64(len(indices)), np.uint32), ZERO
    first = np.empty((SIDES, n + ONE), np.uint32)
    start, end = np.empty((SIDES, n), np.uint64), np.empty((SIDES, n), np.uint64)
    count = np.zeros(SIDES, np.uint64)
    head = np.full((n, SIDES), np.uint32(NONE), np.uint32)
    chains = np.empty((n, SIDES), CHAIN)
    begin, stop, bound = np.zeros(SIDES, np.uint64), np.zeros(SIDES, np.uint64), np.zeros(SIDES, np.uint32)
    grown = np.zeros(SIDES, np.bool_)
    chain, edges = ZERO, ZERO
    for vertex in range(n):
        linked = contains(words, vertex) and contains(words, vertex + half)

        # The end of a chain: its last vertex starts to wait, and the sets are emptied.
        if not linked and vertex > ZERO:
            for side in range(SIDES):
                last = count[side] - ONE
                begin[side] = start[side, last] + vertex - first[side, last]
                stop[side] = end[side, last]
            if begin[U] < stop[U] and begin[L] < stop[L]:
                # Vertices past the last vertex of a list take nothing from it.
                bound[U], bound[L] = lists[stop[U] - ONE], lists[stop[L] - ONE]
                shorter = U if stop[U] - begin[U] < stop[L] - begin[L] else L
                for p in range(begin[shorter], stop[shorter]):
                    if contains(words, lists[p] + (L - shorter) * half):
                        bound[:] = lists[p]
                        break
                for side in range(SIDES):
                    mine = chains[chain, side]
                    mine.end, mine.cursor, mine.stop = stop[side], begin[L - side], stop[L - side]
                    mine.bound, mine.seen = bound[side], NONE
                    goal = lists[mine.cursor]
                    if goal <= mine.bound:
                        mine.next = head[goal, side]
                        head[goal, side] = chain
            chain += ONE
            for side in range(SIDES):
                mask = parts[side]
                parts[side] = ZERO
                while mask != ZERO:
                    part = side * span + trailing_zeros(mask) * length
                    mask &= mask - ONE
                    for block in range(part, min(part + length, (side + ONE) * span)):
                        rest = summary[block]
                        summary[block] = ZERO
                        while rest != ZERO:
                            words[(block << SIX) + trailing_zeros(rest)] = ZERO
                            rest &= rest - ONE

        # The diagonal and A's entries.
        grown[:] = not linked
        for side in range(SIDES):
            insert(words, summary, vertex + side * half)
            parts[side] |= ONE << (vertex >> shift)
        p = indptr[vertex + ONE] - ONE
        while indices[p] > vertex:
            column = np.uint64(indices[p])
            grown[U] |= not contains(words, column)
            insert(words, summary, column)
            parts[U] |= ONE << (column >> shift)
            p -= ONE
        for p in range(starts[vertex], starts[vertex + ONE]):
            row = np.uint64(rows[p])
            grown[L] |= not contains(words, row + half)
            insert(words, summary, row + half)
            parts[L] |= ONE << (row >> shift)

        for side in range(SIDES):
            offset = side * half
            mask, grows = parts[side], grown[side]
            # The lists of the chains that wait for this vertex, from their ends down to it.
            waiting = np.uint64(head[vertex, side])
            while waiting != NONE:
                mine = chains[waiting, side]
                following = np.uint64(mine.next)
                if mine.seen != chain:
                    mine.seen = chain
                    p = mine.end - ONE
                    while lists[p] > vertex:
                        member = np.uint64(lists[p])
                        if not contains(words, member + offset):
                            insert(words, summary, member + offset)
                            mask |= ONE << (member >> shift)
                            grows = True
                        p -= ONE
                    edges += mine.end - ONE - p
                cursor = mine.cursor + ONE
                if cursor < mine.stop and lists[cursor] <= mine.bound:
                    mine.cursor = cursor
                    goal = lists[cursor]
                    mine.next = head[goal, side]
                    head[goal, side] = waiting
                waiting = following
            parts[side] = mask
            if not grows:
                continue

            # A supernode begins: its list is the set from this vertex on.
            if used + n > np.uint64(len(lists)):
                lists = reserve(lists, used, used + n)
            first[side, count[side]] = vertex
            start[side, count[side]] = used
            lowest = (vertex + offset) >> SIX
            while mask != ZERO:
                part = side * span + trailing_zeros(mask) * length
                mask &= mask - ONE
                for block in range(part, min(part + length, (side + ONE) * span)):
                    rest = summary[block]
                    while rest != ZERO:
                        word = (block << SIX) + trailing_zeros(rest)
                        rest &= rest - ONE
                        if word < lowest:
                            continue
                        bits = words[word]
                        if word == lowest:
                            bits = (bits >> (vertex & LOW)) << (vertex & LOW)
                        while bits != ZERO:
                            lists[used] = (word << SIX) + trailing_zeros(bits) - offset
                            used += ONE
                            bits &= bits - ONE
            end[side, count[side]] = used
            count[side] += ONE
    upper = _supernodes(first[U], start[U], end[U], count[U])
    return lists[:used], upper, _supernodes(first[L], start[L], end[L], count[L]), edges


@njit
def _supernodes(first, start, end, count):
    first[count] = len(start)
    return Supernodes(first[: count + ONE].copy(), start[:count].copy(), end[:count].copy())
