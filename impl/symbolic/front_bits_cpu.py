"""One front as bits: f x f in words of 64, row by row, column 0 in the lowest bit of a row's first word.

Its first columns are the pivots. Eliminating pivot k joins row k, from its diagonal on, to each later row
that has column k. A panel is the 64 pivots of one word.

All index arithmetic is unsigned: Numba then omits its check for negative indices.
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
def bits_between(words, start, first, last):
    """How many of the bits first <= bit < last of the row at words[start:] are set."""
    if first >= last:
        return ZERO
    word, end = first >> SIX, (last - ONE) >> SIX
    mask = ALL << (first & LOW)
    total = ZERO
    while word < end:
        total += population(words[start + word] & mask)
        mask = ALL
        word += ONE
    return total + population(words[start + word] & mask & (ALL >> (LOW - ((last - ONE) & LOW))))


@njit
def set_between(words, start, first, last):
    """Set the bits first <= bit < last, at least one, of the row at words[start:]."""
    word, end = start + (first >> SIX), start + ((last - ONE) >> SIX)
    mask = ALL << (first & LOW)
    while word < end:
        words[word] |= mask
        mask = ALL
        word += ONE
    words[word] |= mask & (ALL >> (LOW - ((last - ONE) & LOW)))


@njit
def join_between(words, start, first, last, source, source_start, offset):
    """Join the bits from `offset` of the row at source[source_start:] to first <= bit < last of the other."""
    while first < last:
        to, by = first & LOW, offset & LOW
        length = min(last - first, WORD - max(to, by))
        bits = (source[source_start + (offset >> SIX)] >> by) & (ALL >> (WORD - length))
        words[start + (first >> SIX)] |= bits << to
        first += length
        offset += length


@njit
def copy_tail(words, start, width, column, out, at, length):
    """Write the bits of a row of `width` words from `column` on to out[at : at + length], from bit 0 on."""
    source, end, by = start + (column >> SIX), start + width, column & LOW
    for word in range(length):
        bits = words[source + word] >> by
        if by != ZERO and source + word + ONE < end:
            bits |= words[source + word + ONE] << (WORD - by)
        out[at + word] = bits


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
        joined += _join_rows(front, width, first, last, members, unions)
        first = last
    return pivots, joined


@njit
def _join(front, to, source, origin, length):
    """front[to : to + length] |= source[origin : origin + length]"""
    for word in range(length):
        front[to + word] |= source[origin + word]


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
            _join(front, at + word + ONE, front, pivot + word + ONE, width - word - ONE)
            joined += width - word
            todo = front[at + word] & below(row & LOW) & ((ALL << k) << ONE)
    return joined


@njit
def _closures(front, width, first, last, members):
    """Eliminate the panel's pivots in the panel's word of the rows below. Returns the bits that all share."""
    word = first >> SIX
    panel = ALL >> (LOW - ((last - ONE) & LOW))
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
        if common & bit == ZERO or bits_between(front, k * width, k, members) < members - k:
            continue
        row = k + ONE
        while row < last and front[row * width + word] & bit != ZERO:
            row += ONE
        if row == last:
            return k
    return last


@njit
def _join_rows(front, width, first, last, members, unions):
    """Join the panel's rows, right of its word, to the rows below, whose words of it are closed."""
    word = first >> SIX
    length = width - word - ONE
    if length == ZERO or last == members:
        return ZERO
    panel = ALL >> (LOW - ((last - ONE) & LOW))
    if members - last >= MANY and last - first == WORD:
        return _join_unions(front, width, first, members, unions)
    joined = ZERO
    for row in range(last, members):
        at = row * width + word
        todo = front[at] & panel
        while todo != ZERO:
            pivot = (first + lowest(todo)) * width + word
            todo &= todo - ONE
            _join(front, at + ONE, front, pivot + ONE, length)
            joined += length
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
            k = lowest(index)
            to, other = table + index * length, table + (index & (index - ONE)) * length
            pivot = (first + four * group + k) * width + word + ONE
            if index & (index - ONE) == ZERO:
                for w in range(length):
                    unions[to + w] = front[pivot + w]
            else:
                for w in range(length):
                    unions[to + w] = unions[other + w] | front[pivot + w]
    joined = NIBBLES * NIBBLES * length
    for row in range(first + WORD, members):
        at = row * width + word
        todo = front[at]
        group = ZERO
        while todo != ZERO:
            index = todo & np.uint64(15)
            if index != ZERO:
                _join(front, at + ONE, unions, (group * NIBBLES + index) * length, length)
                joined += length
            todo >>= four
            group += ONE
    return joined
