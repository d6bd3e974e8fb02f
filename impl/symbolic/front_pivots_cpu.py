"""Boolean elimination of the pivots of one front of bits, laid out as in front_bits_cpu.

Eliminating pivot k joins row k, from its diagonal on, to each later row that has column k. A panel is one
word's pivots.

V. L. Arlazarov, E. A. Dinic, M. A. Kronrod, I. A. Faradzev, On economical construction of the transitive
closure of a directed graph, Soviet Math. Dokl. 11 (1970).

    front = np.array([0b011, 0b010, 0b101], np.uint64)    # row 0 has the columns 0 and 1
    stop, joined = eliminate_alone(front, np.uint64(3), np.uint64(1), np.empty(UNIONS, np.uint64))
    front[2]    # 0b111: row 2 had column 0, so column 1 fills
"""

from __future__ import annotations

import numpy as np
from numba import njit

from impl.symbolic.front_bits_cpu import (
    ALL,
    LOW,
    ONE,
    SIX,
    WORD,
    ZERO,
    below,
    lowest,
    population,
    up_to,
    words_of,
)

# A panel has a table of unions for each four of its rows: 16 tables of 16 rows.
NIBBLES = np.uint64(16)
UNIONS = NIBBLES * NIBBLES
# Tables of unions pay from this many rows below a panel on.
MANY = np.uint64(256)


@njit
def eliminate(front, members, pivots, unions):
    """Eliminate the pivots of a front and return (stop, words joined).

    front : members x words bits, flat
    unions : room for words of UNIONS rows

    The rows and columns of pivot `stop` and later pivots are full, and are not written; `stop` is `pivots` if
    no pivot is known to be full.
    """
    width = words_of(members)
    joined = ZERO
    first = ZERO
    while first < pivots:
        last = min(first + WORD, pivots)
        joined += _panel_rows(front, width, first, last)
        common = _closures(front, width, first, last, members)
        stop = _full_pivot(front, width, first, last, members, common)
        if stop < last:
            return stop, joined
        if members - last >= MANY and last - first == WORD:
            joined += _join_unions(front, width, first, members, unions)
        else:
            joined += _join_rows(front, width, first, last, members)
        first = last
    return pivots, joined


@njit
def _panel_rows(front, width, first, last):
    """Eliminate the panel's pivots in its own rows. Returns the words joined."""
    word = first >> SIX
    joined = ZERO
    for row in range(first + ONE, last):
        at = row * width
        todo = front[at + word] & below(row & LOW)
        while todo != ZERO:
            k = lowest(todo)
            pivot = (first + k) * width
            front[at + word] |= front[pivot + word] & (ALL << k)
            for w in range(word + ONE, width):
                front[at + w] |= front[pivot + w]
            joined += width - word
            todo = front[at + word] & below(row & LOW) & ((ALL << k) << ONE)
    return joined


@njit
def _closures(front, width, first, last, members):
    """Eliminate the panel's pivots in its word of the rows below. Returns the bits common to these rows."""
    word = first >> SIX
    panel = up_to(last - first)
    common = ALL
    for row in range(last, members):
        at = row * width + word
        bits = front[at]
        todo = bits & panel
        while todo != ZERO:
            k = lowest(todo)
            bits |= front[(first + k) * width + word] & (ALL << k)
            todo = bits & panel & ((ALL << k) << ONE)
        front[at] = bits
        common &= bits
    return common


@njit
def _full_pivot(front, width, first, last, members, common):
    """Return the first pivot of the panel with row and column full from the diagonal on; else `last`."""
    word = first >> SIX
    for k in range(first, last):
        bit = ONE << (k & LOW)
        if common & bit == ZERO:
            continue
        row = k + ONE
        while row < last and front[row * width + word] & bit != ZERO:
            row += ONE
        if row < last:
            continue
        count = population(front[k * width + word] & (ALL << (k & LOW)))
        for w in range(word + ONE, width):
            count += population(front[k * width + w])
        if count == members - k:
            return k
    return last


@njit
def _join_rows(front, width, first, last, members):
    """Join the panel's rows, right of its word, to the rows below, whose bits in its word are final."""
    word = first >> SIX
    panel = up_to(last - first)
    joined = ZERO
    for row in range(last, members):
        at = row * width
        todo = front[at + word] & panel
        while todo != ZERO:
            pivot = (first + lowest(todo)) * width
            todo &= todo - ONE
            for w in range(word + ONE, width):
                front[at + w] |= front[pivot + w]
            joined += width - word - ONE
    return joined


@njit
def _join_unions(front, width, first, members, unions):
    """Join likewise by the method of four Russians, with tables of unions of each four rows."""
    word = first >> SIX
    length = width - word - ONE
    four = np.uint64(4)
    for group in range(NIBBLES):
        table = group * NIBBLES * length
        for index in range(ONE, NIBBLES):
            to, other = table + index * length, table + (index & (index - ONE)) * length
            pivot = (first + four * group + lowest(index)) * width + word + ONE
            if other == table:
                unions[to : to + length] = front[pivot : pivot + length]
                continue
            for w in range(length):
                unions[to + w] = unions[other + w] | front[pivot + w]
    joined = NIBBLES * NIBBLES * length
    for row in range(first + WORD, members):
        at = row * width + word + ONE
        todo = front[at - ONE]
        table = ZERO
        while todo != ZERO:
            index = todo & (NIBBLES - ONE)
            if index != ZERO:
                other = (table + index) * length
                for w in range(length):
                    front[at + w] |= unions[other + w]
                joined += length
            todo >>= four
            table += NIBBLES
    return joined
