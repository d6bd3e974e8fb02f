"""The lines of a Matrix Market file's body: each follows the grammar of its field, or is refused.

SciPy converts numbers fast, but reads past what it does not understand. So `Checked` matches every byte of
the lines that it gives to SciPy. `fault` then finds the token that is wrong.

    mmread(Checked(handle, header))                 the entries, or ValueError
    raise fault(handle, header, "m.mtx", "")        m.mtx: line 3: '1.5': no row from 1 to 7
"""

from __future__ import annotations

import io
import itertools
import math
import re
from decimal import Decimal
from typing import IO, NamedTuple

from fillpath.errors import InputError

SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")
BLOCK = 1 << 20  # bytes read at once, and at most in a line
NUL = "no byte of a text"
_TRUNCATED = re.compile(r"Truncated file\. Expected another ([0-9]+) lines?\.")
_SHOWN = 40  # bytes of a token
_BLANK = rb"[ \t\r\v\f]"
_INDEX = rb"\+?+[0-9]++"
_INTEGER = rb"[+-]?+[0-9]++"
_REAL = rb"[+-]?+(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eEdD][+-]?+[0-9]++)?+"
# The numbers of a value.
NUMBERS = {"pattern": (), "integer": (_INTEGER,), "real": (_REAL,), "complex": (_REAL, _REAL)}
_NOT_FINITE = re.compile(rb"[+-]?(nan|inf|infinity)", re.IGNORECASE)
# From Fortran's exponents and all blanks to what SciPy reads.
_PLAIN = bytes.maketrans(b"dD\t\r\v\f", b"ee    ")


class Header(NamedTuple):
    """The announcement of a file. line : the number of its size line."""

    order: int
    entries: int
    field: str
    symmetry: str
    line: int


class Checked:
    """A file for SciPy's reader: its header, and its lines as far as they follow the grammar.

    handle : the file, behind its size line
    """

    def __init__(self, handle: IO[bytes], header: Header) -> None:
        entry = (_BLANK + b"++").join((_INDEX, _INDEX, *NUMBERS[header.field])) + rb"(?=\s)"
        line = _BLANK + b"*+(?:" + entry + b")?+" + _BLANK + rb"*+(?:%[^\n\0]*+)?+\n"
        self._lines, self._handle = re.compile(b"(?:" + line + b")*+"), handle
        size = f"{header.order} {header.order} {header.entries}"
        banner = f"%%MatrixMarket matrix coordinate {header.field} {header.symmetry}\n{size}\n"
        self._ready = io.BytesIO(banner.encode())

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes. Raises ValueError where a line breaks the grammar."""
        if text := self._ready.read(size):
            return text
        self._ready = io.BytesIO(self._next())
        return self._ready.read(size)

    def _next(self) -> bytes:
        """Return the next lines as SciPy reads them."""
        text, rest = self._handle.read(BLOCK), self._handle.readline(BLOCK)
        text += rest if rest.endswith(b"\n") or not text else rest + b"\n"
        if len(text) - text.rfind(b"\n", 0, -1) - 1 > BLOCK or self._lines.fullmatch(text) is None:
            raise ValueError("a line breaks the grammar")
        text = text.translate(_PLAIN)
        text = re.sub(rb"%[^\n]*", b"", text) if b"%" in text else text
        # SciPy reads no + before a number.
        return text.removeprefix(b"+").replace(b" +", b" ").replace(b"\n+", b"\n")


def words_of(line: bytes) -> list[bytes]:
    """Split a line into its words before its comment."""
    return list(itertools.takewhile(lambda word: not word.startswith(b"%"), line.split()))


def refusal(name: str, line: int, token: bytes, why: str) -> InputError:
    """Return the error for a token of a line."""
    shown = repr(token if len(token) <= _SHOWN else token[:_SHOWN] + b"...")[1:]
    return InputError(f"{name}: line {line}: {shown}: {why}")


def too_long(name: str, line: int) -> InputError:
    """Return the error for a line that is not read whole."""
    return InputError(f"{name}: line {line} is longer than {BLOCK} bytes")


def fault(handle: IO[bytes], header: Header, name: str, problem: str) -> InputError:
    """Return the error for the first wrong line of a file, once its entries cannot be used.

    problem : what SciPy found, for the error if every line is right
    """
    if missing := _TRUNCATED.fullmatch(problem):  # All lines are right: the usual fault, of a broken copy.
        return _truncated(_line_count(handle), header, name, header.entries - int(missing[1]))
    found, sides = 0, set[bool]()
    handle.seek(0)
    for at, line in enumerate(iter(lambda: handle.readline(BLOCK), b""), 1):
        if at <= header.line:
            continue
        if len(line) == BLOCK and not line.endswith(b"\n"):
            return too_long(name, at)
        tokens = words_of(line)
        if tokens and found == header.entries:
            return refusal(name, at, tokens[0], "more entries than the header promises")
        wrong = _wrong_token(line, tokens, header) or (tokens and _wrong_place(line, tokens, header, sides))
        if wrong:
            return refusal(name, at, *wrong)
        found += bool(tokens)
    if found < header.entries:
        return _truncated(at, header, name, found)
    return InputError(f"{name}: cannot be read: {problem}")


def _truncated(line: int, header: Header, name: str, found: int) -> InputError:
    promise = f"the header promises {header.entries} entries, the file has {found}"
    return InputError(f"{name}: line {line}: truncated: {promise}")


def _line_count(handle: IO[bytes]) -> int:
    handle.seek(0)
    count, last = 0, b"\n"
    while block := handle.read(BLOCK):
        count, last = count + block.count(b"\n"), block[-1:]
    return count + (last != b"\n")


def _wrong_token(line: bytes, tokens: list[bytes], header: Header) -> tuple[bytes, str] | None:
    """Return the first token of a line that is wrong by itself, and why."""
    count = 2 + len(NUMBERS[header.field])
    for place in range(count if tokens else 0):
        if place >= len(tokens):
            return (line.split() + [b""] * count)[place], f"the line ends before its {count} tokens"
        token = tokens[place]
        is_index = place < 2
        why = _wrong_index(token, place, header.order) if is_index else _wrong_number(token, header.field)
        if why:
            return token, why
    if len(tokens) > count:
        return tokens[count], f"the line has more than {count} tokens"
    return (b"\0", NUL) if b"\0" in line else None


def _wrong_index(token: bytes, place: int, order: int) -> str:
    right = re.fullmatch(_INDEX, token) and 1 <= Decimal(token.decode()) <= order
    return "" if right else f"no {('row', 'column')[place]} from 1 to {order}"


def _wrong_number(token: bytes, field: str) -> str:
    if _NOT_FINITE.fullmatch(token):
        return "NaN or infinite"
    if field == "integer":
        right = re.fullmatch(_INTEGER, token) and -(2**63) <= Decimal(token.decode()) < 2**63
        return "" if right else "no integer from -2^63 to 2^63 - 1"
    if not re.fullmatch(_REAL, token):
        return "no number"
    return "" if math.isfinite(float(token.translate(_PLAIN))) else "beyond float64"


def _wrong_place(
    line: bytes, tokens: list[bytes], header: Header, sides: set[bool]
) -> tuple[bytes, str] | None:
    """Return a line with an entry where its symmetry has none, and why. sides : of the entries before."""
    row, column = (int(Decimal(token.decode())) for token in tokens[:2])
    why = ""
    if header.symmetry != "general" and row != column:
        sides.add(row > column)
        why = f"across the diagonal from entries before, and a {header.symmetry} file stores one side"
        why = why if len(sides) == 2 else ""
    elif header.symmetry == "skew-symmetric":
        why = f"on the diagonal, where a {header.symmetry} file stores no entry"
    elif header.symmetry == "hermitian" and float(tokens[3].translate(_PLAIN)):
        why = f"on the diagonal and not real, as a {header.symmetry} matrix is there"
    return (line.partition(b"%")[0].strip(), why) if why else None
