"""Read each byte of the lines of a Matrix Market file's body: a line is what its field asks for, or refused.

block      uint8: lines of the file, each with its end
rows       (entries,) int32, counted from 0
columns    (entries,) int32, counted from 0
values     (parts x entries,) float64: none for a pattern; real and imaginary parts in turn
hard       (k, 3) int64: position in the block, place in `values` and line of numbers left to Python's float
form       (order, parts, integers, symmetry): numbers in a value, whether integers, index in SYMMETRIES

A real is its decimal digits, below 2^64, times a power of ten. Where both are exact in float64, so is the
rounding of their product or quotient. Else 128 bits of the product decide the 53 that remain, or do not, and
the number is hard: D. Lemire, "Number parsing at a gigabyte per second", Software: Practice and Experience
51(8), 2021, section 5.

Longer than two screens: the grammar of a line is read as a whole.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from impl.cpu.compiled import compiled

Array = npt.NDArray[Any]

SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")


class Problem(IntEnum):
    """What is wrong with a token, or with the line that it begins."""

    NOTHING = 0
    ROW = 1
    COLUMN = 2
    NUMBER = 3
    MISSING = 4
    SURPLUS = 5
    ENTRIES = 6
    NUL = 7
    SIDE = 8
    DIAGONAL = 9
    REAL = 10


_LF, _PERCENT, _PLUS, _MINUS, _DOT, _ZERO = 10, 37, 43, 45, 46, 48
_LEAST, _MOST = -342, 308  # powers of ten in the table; beyond, a number is 0, infinite or hard


def _powers() -> Array:
    """Compute the first 128 bits of each power of ten. (651, 2) uint64: high and low half."""
    table = []
    for power in range(_LEAST, _MOST + 1):
        digits = 10**power << 128 if power >= 0 else (1 << 2 * 1300) // 10**-power
        table.append(divmod(digits >> digits.bit_length() - 128, 1 << 64))
    return np.array(table, np.uint64)


POWERS = _powers()
_EXACT = 10.0 ** np.arange(23)


@compiled
def scan(
    block: Array,
    end: int,
    begun: tuple[int, int, int, int],
    rows: Array,
    columns: Array,
    values: Array,
    hard: Array,
    form: tuple[int, int, int, int],
    powers: Array,
) -> tuple[int, int, int, int, int, int]:
    """Read lines of the block until its end, a problem, or too little room in `hard`.

    begun : where to begin, the lines and entries before, the side of the diagonal that has entries (-1: none)

    Returns (problem, position, lines, entries, side, hard numbers), behind a line or at the wrong token.
    """
    at, line, entry, side = begun
    order, parts, integers, symmetry = form
    tough = 0
    while at < end and tough + parts <= len(hard):
        at = _after_blanks(block, at)
        if block[at] != _LF and block[at] != _PERCENT:
            if entry == len(rows):
                return Problem.ENTRIES, at, line, entry, side, tough
            first = at
            row, at = _index(block, at, order)
            if row < 0:
                return _or_missing(Problem.ROW, block, at), at, line, entry, side, tough
            at = _after_blanks(block, at)
            column, at = _index(block, at, order)
            if column < 0:
                return _or_missing(Problem.COLUMN, block, at), at, line, entry, side, tough
            rows[entry], columns[entry] = row, column
            for part in range(parts):
                at = start = _after_blanks(block, at)
                value, at = _integer(block, at) if integers else _real(block, at, powers)
                if at < 0:
                    return _or_missing(Problem.NUMBER, block, start), start, line, entry, side, tough
                if value != value:
                    hard[tough, 0], hard[tough, 1], hard[tough, 2] = start, parts * entry + part, line
                    tough += 1
                values[parts * entry + part] = value
            if symmetry and row != column:
                if side == 1 - int(row > column):
                    return Problem.SIDE, first, line, entry, side, tough
                side = int(row > column)
            elif symmetry == 2:
                return Problem.DIAGONAL, first, line, entry, side, tough
            elif symmetry == 3 and abs(values[2 * entry + 1]) > 0.0:  # False for a hard one, tested later
                return Problem.REAL, first, line, entry, side, tough
            at = _after_blanks(block, at)
            if not _ends(block, at):
                return Problem.SURPLUS, at, line, entry, side, tough
            entry += 1
        while block[at] != _LF:
            if block[at] == 0:
                return Problem.NUL, at, line, entry, side, tough
            at += 1
        at += 1
        line += 1
    return Problem.NOTHING, at, line, entry, side, tough


@compiled
def _blank(byte: int) -> bool:
    """Tell whether a byte is one of C's isspace; a line's end among them."""
    return byte == 32 or 9 <= byte <= 13


@compiled
def _ends(block: Array, at: int) -> bool:
    """Tell whether no token follows in this line."""
    return bool(block[at] == _LF or block[at] == _PERCENT)


@compiled
def _or_missing(problem: Problem, block: Array, at: int) -> Problem:
    """Return the problem with the token there, or that it is missing."""
    return Problem.MISSING if _ends(block, at) else problem


@compiled
def _after_blanks(block: Array, at: int) -> int:
    while _blank(block[at]) and block[at] != _LF:
        at += 1
    return at


@compiled
def _index(block: Array, start: int, order: int) -> tuple[int, int]:
    """Read a row or column. Returns (it - 1, position behind it); (-1, start) if none from 1 to `order`."""
    at = start + int(block[start] == _PLUS)
    number, first = 0, at
    while 0 <= block[at] - _ZERO <= 9:
        number = min(10 * number + block[at] - _ZERO, order + 1)
        at += 1
    if at == first or not _blank(block[at]) or not 1 <= number <= order:
        return -1, start
    return number - 1, at


@compiled
def _integer(block: Array, at: int) -> tuple[float, int]:
    """Read an integer. Returns (value, position behind it); position -1 for none of int64."""
    negative = block[at] == _MINUS
    at += int(negative or block[at] == _PLUS)
    number, first = np.uint64(0), at
    while 0 <= block[at] - _ZERO <= 9:
        if number >= np.uint64(10**18):
            return 0.0, -1
        number = np.uint64(10) * number + np.uint64(block[at] - _ZERO)
        at += 1
    if at == first or not _blank(block[at]) or number > np.uint64(2**63 - 1) + np.uint64(negative):
        return 0.0, -1
    return 0.0 - float(number) if negative else float(number), at


@compiled
def _real(block: Array, at: int, powers: Array) -> tuple[float, int]:
    """Read a decimal number of C's or Fortran's grammar.

    Returns (value, position behind it): NaN for a hard number, position -1 for what is none.
    """
    negative = block[at] == _MINUS
    at += int(negative or block[at] == _PLUS)
    digits, power, seen, cut, fraction = np.uint64(0), 0, 0, False, False
    while True:
        digit = block[at] - _ZERO
        if 0 <= digit <= 9:
            seen += 1
            if digits < np.uint64(10**18):
                digits = np.uint64(10) * digits + np.uint64(digit)
                power -= int(fraction)
            else:
                cut = cut or digit > 0
                power += int(not fraction)
        elif block[at] == _DOT and not fraction:
            fraction = True
        else:
            break
        at += 1
    if not seen:
        return 0.0, -1
    letter = block[at] | 32
    if letter == 100 or letter == 101:  # d or e
        at += 1
        down = block[at] == _MINUS
        at += int(down or block[at] == _PLUS)
        exponent, first = 0, at
        while 0 <= block[at] - _ZERO <= 9:
            exponent = min(10 * exponent + block[at] - _ZERO, 10**12)
            at += 1
        if at == first:
            return 0.0, -1
        power += -exponent if down else exponent
    if not _blank(block[at]):
        return 0.0, -1
    value = _product(digits, power, powers)
    if cut and value != _product(digits + np.uint64(1), power, powers):
        value = np.nan
    return -value if negative else value, at


@compiled
def _product(digits: Any, power: int, powers: Array) -> float:
    """Compute the float64 nearest to digits x 10^power.

    Returns NaN if that takes more bits, or is below or above all normal ones.
    """
    if digits == 0:
        return 0.0
    if digits <= np.uint64(2**53) and -22 <= power <= 22:
        return float(digits) * float(_EXACT[power]) if power >= 0 else float(digits) / float(_EXACT[-power])
    if not _LEAST <= power <= _MOST:
        return np.nan
    shift = 0
    for step in (32, 16, 8, 4, 2, 1):
        if digits >> np.uint64(64 - step) == 0:
            digits <<= np.uint64(step)
            shift += step
    high, low = _times(digits, powers[power - _LEAST, 0])
    if high & np.uint64(0x1FF) == np.uint64(0x1FF) and low + digits < low:
        more, rest = _times(digits, powers[power - _LEAST, 1])
        low += more
        high += np.uint64(low < more)
        if high & np.uint64(0x1FF) == np.uint64(0x1FF) and low + np.uint64(1) == 0 and rest + digits < rest:
            return np.nan
    top = high >> np.uint64(63)
    mantissa = high >> (top + np.uint64(9))
    if low == 0 and high & np.uint64(0x1FF) == 0 and mantissa & np.uint64(3) == 1:
        return np.nan
    mantissa = (mantissa + (mantissa & np.uint64(1))) >> np.uint64(1)
    exponent = ((217706 * power) >> 16) + 1086 - shift + int(top) + int(mantissa >> np.uint64(53))
    if not 1 <= exponent <= 2046:
        return np.nan
    fraction = (mantissa >> (mantissa >> np.uint64(53))) & np.uint64(2**52 - 1)
    return float(np.uint64((np.uint64(exponent) << np.uint64(52)) | fraction).view(np.float64))


@compiled
def _times(a: Any, b: Any) -> tuple[Any, Any]:
    """Multiply two uint64. Returns the high and the low half of the product."""
    half, below = np.uint64(32), np.uint64(2**32 - 1)
    a1, a0, b1, b0 = a >> half, a & below, b >> half, b & below
    middle = a1 * b0 + ((a0 * b0) >> half)
    other = a0 * b1 + (middle & below)
    return a1 * b1 + (middle >> half) + (other >> half), a * b
