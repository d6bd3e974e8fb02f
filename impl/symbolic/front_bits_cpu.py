"""One front as bits: f x f in words of 64, row by row, column 0 in the lowest bit of a row's first word.

Its first columns are the pivots. Eliminating pivot k joins row k, from its diagonal on, to each later row
that has column k. A panel is the 64 pivots of one word.

All index arithmetic is unsigned: Numba then omits its check for negative indices. Loops over words stand
within loops over rows: a call for each row would count references to its arrays, and take longer than that.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

ZERO = np.uint64(0)
ONE = np.uint64(1)
SIX = np.uint64(6)
LOW = np.uint64(63)
WORD = np.uint64(64)
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
# Unions of a panel's rows are made of each four of them: 16 tables of 16 rows.
NIBBLES = np.uint64(16)
UNIONS = NIBBLES * NIBBLES
# Rows below a panel from which on tables of unions pay.
MANY = np.uint64(256)


@intrinsic
def lowest(typing_context: Any, word: Any) -> Any:
    """Index of the lowest bit of a word that is not zero."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


@intrinsic
def population(typing_context: Any, word: Any) -> Any:
    """The number of bits set in a word."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@njit
def words_of(bits):
    """Words that hold so many bits."""
    return (bits + LOW) >> SIX


@njit
def below(bit):
    """The bits of a word below this one, of 0 to 63."""
    return (ONE << bit) - ONE


@njit
def up_to(bit):
    """The bits of a word below this one, of 1 to 64."""
    return ALL >> (WORD - bit)


@njit
def join_full(words, width, over, position, runs, count):
    """Set the bits of all columns `over` in all rows `over`. runs : the first `count` are their ranges, by
    position."""
    for place in range(np.uint64(len(over))):
        at = np.uint64(position[over[place]]) * width
        for run in range(count):
            first, last = runs[run, 0], runs[run, 1] - ONE
            word, end = at + (first >> SIX), at + (last >> SIX)
            mask = ALL << (first & LOW)
            while word < end:
                words[word] |= mask
                mask = ALL
                word += ONE
            words[word] |= mask & up_to((last & LOW) + ONE)


@njit
def join_bits(words, width, over, position, runs, count, source, at_source):
    """Join rows of bits, one after the other at source[at_source:], to the rows `over`, their columns to the
    ranges."""
    length = words_of(np.uint64(len(over)))
    for place in range(np.uint64(len(over))):
        at = np.uint64(position[over[place]]) * width
        offset = ZERO
        for run in range(count):
            first, end = runs[run, 0], runs[run, 1]
            while first < end:
                to, by = first & LOW, offset & LOW
                bits = min(end - first, WORD - max(to, by))
                part = (source[at_source + (offset >> SIX)] >> by) & up_to(bits)
                words[at + (first >> SIX)] |= part << to
                first += bits
                offset += bits
        at_source += length


@njit
def copy_corner(words, size, pivots, out, at):
    """Write a front's rows and columns from `pivots` on to out[at:]. Returns where that ends."""
    width, length = words_of(size), words_of(size - pivots)
    skipped, by = pivots >> SIX, pivots & LOW
    for row in range(pivots, size):
        source, end = row * width + skipped, (row + ONE) * width
        for word in range(length):
            bits = words[source + word] >> by
            if by != ZERO and source + word + ONE < end:
                bits |= words[source + word + ONE] << (WORD - by)
            out[at + word] = bits
        at += length
    return at


@njit
def count_lower(words, members, pivots, stop, lower):
    """Add what the rows of a front have left of the diagonal, in the pivots' columns, to the counts."""
    size = np.uint64(len(members))
    width = words_of(size)
    for row in range(size):
        before = min(row, pivots)
        end = min(before, stop)
        at = row * width
        count = before - end
        for word in range(end >> SIX):
            count += population(words[at + word])
        if end & LOW != ZERO:
            count += population(words[at + (end >> SIX)] & below(end & LOW))
        lower[members[row]] += count


@njit
def count_upper(words, members, pivots, stop, upper):
    """Set the counts of the pivots' rows from the diagonal on."""
    size = np.uint64(len(members))
    width = words_of(size)
    for k in range(min(stop, pivots)):
        count = population(words[k * width + (k >> SIX)] & (ALL << (k & LOW)))
        for word in range((k >> SIX) + ONE, width):
            count += population(words[k * width + word])
        upper[members[k]] = count
    for k in range(min(stop, pivots), pivots):
        upper[members[k]] = size - k


@njit
def eliminate(front, members, pivots, unions):
    """Eliminate the pivots. front : members x words bits, flat. unions : room for words of UNIONS rows.

    Returns (stop, words joined): pivot `stop` and all behind it are full, rows and columns; `pivots` if none
    was seen to be. What is full is not written.
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
    """Eliminate the panel's pivots in the panel's word of the rows below. Returns the bits that all share."""
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
    """The first pivot of the panel whose row, and whose column, is full from the diagonal on; else `last`."""
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
    """Join the panel's rows, right of its word, to the rows below, whose words of it are closed."""
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
    """The same by the method of four Russians: the unions of each four rows of the panel, made once."""
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
