"""A set of column indices as two levels of 64-bit words, enumerated in ascending order without sorting.

words : (ceil(n / 64),) uint64, one bit per column
summary : (ceil(n / 4096),) uint64, one bit per word, set if the word is not zero

All index arithmetic is unsigned: Numba then omits its check for negative indices.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

SIX = np.uint64(6)
TWELVE = np.uint64(12)
LOW = np.uint64(63)
ONE = np.uint64(1)
ZERO = np.uint64(0)


@intrinsic
def trailing_zeros(typing_context: Any, value: Any) -> Any:
    """Return the index of the lowest set bit of a uint64 that is not zero."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), generate


@intrinsic
def ones(typing_context: Any, value: Any) -> Any:
    """Return the number of bits set in a uint64."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


@njit(inline="always")
def contains(words, column):
    """Return whether the column is in the set."""
    return (words[column >> SIX] >> (column & LOW)) & ONE != ZERO


@njit(inline="always")
def insert(words, summary, column):
    """Add the column to the set."""
    words[column >> SIX] |= ONE << (column & LOW)
    summary[column >> TWELVE] |= ONE << ((column >> SIX) & LOW)


@njit
def successor(words, summary, column, limit):
    """Return the smallest member >= column, or limit if that would be >= limit. limit <= 64 len(words)."""
    if column >= limit:
        return limit
    word = column >> SIX
    rest = words[word] >> (column & LOW)
    if rest != ZERO:
        return min(column + trailing_zeros(rest), limit)
    word += ONE
    block = word >> SIX
    if block >= np.uint64(len(summary)):
        return limit
    rest = (summary[block] >> (word & LOW)) << (word & LOW)
    while rest == ZERO:
        block += ONE
        if block >= np.uint64(len(summary)):
            return limit
        rest = summary[block]
    word = (block << SIX) + trailing_zeros(rest)
    return min((word << SIX) + trailing_zeros(words[word]), limit)


@njit
def drain(words, summary, out, position):
    """Write the members to out[position:] in ascending order, empty the set, return the end position."""
    for block in range(np.uint64(len(summary))):
        rest = summary[block]
        summary[block] = ZERO
        while rest != ZERO:
            word = (np.uint64(block) << SIX) + trailing_zeros(rest)
            rest &= rest - ONE
            bits = words[word]
            words[word] = ZERO
            while bits != ZERO:
                out[position] = (word << SIX) + trailing_zeros(bits)
                position += ONE
                bits &= bits - ONE
    return position


@njit
def clear(words, summary):
    """Empty the set."""
    for block in range(np.uint64(len(summary))):
        rest = summary[block]
        summary[block] = ZERO
        while rest != ZERO:
            words[(np.uint64(block) << SIX) + trailing_zeros(rest)] = ZERO
            rest &= rest - ONE


@njit
def size(words, summary):
    """Return the number of members."""
    count = ZERO
    for block in range(np.uint64(len(summary))):
        rest = summary[block]
        while rest != ZERO:
            count += ones(words[(np.uint64(block) << SIX) + trailing_zeros(rest)])
            rest &= rest - ONE
    return count


@njit
def empty_set(n):
    """Return (words, summary) of an empty set over 0..n-1."""
    return np.zeros((n + 63) // 64, np.uint64), np.zeros((n + 4095) // 4096, np.uint64)
