"""One front as bits: f x f in words of 64, row by row, column 0 in the lowest bit of a row's first word.

Its first columns are the pivots. Some code of impl/cpu/bitset.py is repeated on purpose: bitfronts_cpu checks
references made with that module.

All index arithmetic is unsigned: Numba then omits its check for negative indices. Loops over words lie within
loops over rows: a call for each row would count references to its arrays, and take longer.
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


@intrinsic
def lowest(typing_context: Any, word: Any) -> Any:
    """Return the index of the lowest bit of a word that is not zero."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


@intrinsic
def population(typing_context: Any, word: Any) -> Any:
    """Return the number of bits set in a word."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@njit
def words_of(bits):
    """Return the number of words that hold `bits` bits."""
    return (bits + LOW) >> SIX


@njit
def below(bit):
    """Return the bits of a word below this one, of 0 to 63."""
    return (ONE << bit) - ONE


@njit
def up_to(bit):
    """Return the bits of a word below this one, of 1 to 64."""
    return ALL >> (WORD - bit)


@njit
def join_full(words, width, over, position, runs, count):
    """Set the bits of columns `over` in rows `over`; the first `count` runs are the ranges of `over`."""
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
    """Join rows of bits, in turn at source[at_source:], to the rows `over`, their columns to the ranges."""
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
