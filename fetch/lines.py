"""Read each byte of the lines of a Matrix Market file's body: a line follows its field, or is refused.

block : uint8, lines of the file, each with its end; writable
rows, columns : (entries,) int32, counted from 0
values : (parts x entries,) float64, none for a pattern; real and imaginary parts in turn
form : (order, parts, integers, symmetry), numbers in a value, whether integers, index in SYMMETRIES

C's strtod converts decimal digits, of which it finds the nearest float64, once their grammar was checked.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from impl.cpu.compiled import compiled

Array = npt.NDArray[Any]

SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")


# Faults of a token, and of the line that the token begins.
ROW, COLUMN, NUMBER, MISSING, SURPLUS, ENTRIES, NUL, BEYOND, SIDE, DIAGONAL, REAL = range(1, 12)
OF_LINES = (SIDE, DIAGONAL, REAL)
WRONG = {
    ROW: "no row from 1 to {order}",
    COLUMN: "no column from 1 to {order}",
    NUMBER: "no {kind}",
    MISSING: "the line ends before its {tokens} tokens",
    SURPLUS: "the line has more than {tokens} tokens",
    ENTRIES: "more entries than the header promises",
    NUL: "no byte of a text",
    BEYOND: "beyond float64",
    SIDE: "across the diagonal from entries before, and a {symmetry} file stores one side",
    DIAGONAL: "on the diagonal, where a {symmetry} file stores no entry",
    REAL: "on the diagonal and not real, as a {symmetry} matrix is there",
}
_LF, _PERCENT, _PLUS, _MINUS, _DOT, _ZERO = 10, 37, 43, 45, 46, 48
_D, _E = 68, 69
# strtod(address of the digits, NULL), which needs no interpreter and no lock.
_strtod: Any = numba.types.ExternalFunction(
    "strtod", numba.types.float64(numba.types.uintp, numba.types.uintp)
)


@compiled
def scan(
    block: Array,
    end: int,
    begun: tuple[int, int, int, int],
    rows: Array,
    columns: Array,
    values: Array,
    form: tuple[int, int, int, int],
) -> tuple[int, int, int, int, int]:
    """Read lines of the block until its end or a fault.

    begun : where to begin, the lines and entries before, the side of the diagonal that has entries (-1: none)

    Returns (fault or 0, position, lines, entries, side), behind a line or at the wrong token.
    """
    at, line, entry, side = begun
    order, parts, integers, symmetry = form
    while at < end:
        at = _after_blanks(block, at)
        if block[at] != _LF and block[at] != _PERCENT:
            if entry == len(rows):
                return ENTRIES, at, line, entry, side
            first = at
            row, at = _index(block, at, order)
            if row < 0:
                return _or_missing(ROW, block, at), at, line, entry, side
            at = _after_blanks(block, at)
            column, at = _index(block, at, order)
            if column < 0:
                return _or_missing(COLUMN, block, at), at, line, entry, side
            rows[entry], columns[entry] = row, column
            for part in range(parts):
                at = start = _after_blanks(block, at)
                value, at = _integer(block, at) if integers else _real(block, at)
                if at < 0:
                    return _or_missing(NUMBER, block, start), start, line, entry, side
                if abs(value) == np.inf:
                    return BEYOND, start, line, entry, side
                values[parts * entry + part] = value
            if symmetry and row != column:
                if side == 1 - int(row > column):
                    return SIDE, first, line, entry, side
                side = int(row > column)
            elif symmetry == 2:
                return DIAGONAL, first, line, entry, side
            elif symmetry == 3 and abs(values[2 * entry + 1]) > 0.0:
                return REAL, first, line, entry, side
            at = _after_blanks(block, at)
            if not _ends(block, at):
                return SURPLUS, at, line, entry, side
            entry += 1
        while block[at] != _LF:
            if block[at] == 0:
                return NUL, at, line, entry, side
            at += 1
        at += 1
        line += 1
    return 0, at, line, entry, side


@compiled
def _blank(byte: int) -> bool:
    """Tell whether a byte is one of C's isspace; a line's end among them."""
    return byte == 32 or 9 <= byte <= 13


@compiled
def _ends(block: Array, at: int) -> bool:
    """Tell whether no token follows in this line."""
    return bool(block[at] == _LF or block[at] == _PERCENT)


@compiled
def _or_missing(problem: int, block: Array, at: int) -> int:
    """Return the problem with the token there, or that it is missing."""
    return MISSING if _ends(block, at) else problem


@compiled
def _after_blanks(block: Array, at: int) -> int:
    while _blank(block[at]) and block[at] != _LF:
        at += 1
    return at


@compiled
def _index(block: Array, start: int, order: int) -> tuple[int, int]:
    """Read a row or column. Returns (it - 1, position behind it); (-1, start) if none from 1 to `order`."""
    number, at = _integer(block, start)
    return (int(number) - 1, at) if at >= 0 and 1 <= number <= order else (-1, start)


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
def _real(block: Array, start: int) -> tuple[float, int]:
    """Read a decimal number of C's or Fortran's grammar.

    Returns (value, position behind it), infinite beyond float64; position -1 for what is none.
    """
    first = _after_sign(block, start)
    dot = _after_digits(block, first)
    at = _after_digits(block, dot + 1) if block[dot] == _DOT else dot
    if at - first == int(block[dot] == _DOT):
        return 0.0, -1
    letter, place = block[at], at
    if letter & 0xDF == _D or letter & 0xDF == _E:
        first = _after_sign(block, at + 1)
        at = _after_digits(block, first)
        if at == first:
            return 0.0, -1
    if not _blank(block[at]):
        return 0.0, -1
    if letter & 0xDF == _D:
        block[place] = _E
    value = _strtod(block.ctypes.data + start, 0)
    block[place] = letter
    return value, at


@compiled
def _after_sign(block: Array, at: int) -> int:
    return at + int(block[at] == _PLUS or block[at] == _MINUS)


@compiled
def _after_digits(block: Array, at: int) -> int:
    while 0 <= block[at] - _ZERO <= 9:
        at += 1
    return at
