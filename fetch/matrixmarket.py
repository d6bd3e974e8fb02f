"""Read a Matrix Market file, or raise an error of one line that tells why it cannot be used.

R. F. Boisvert, R. Pozo, K. A. Remington, "The Matrix Market Exchange Formats", NISTIR 5935, 1996: coordinate
files, real, integer, complex or pattern; general, symmetric, skew-symmetric or hermitian. No byte is passed
over; docs/add-a-matrix.md has the grammar of a line.

    read(Path("west0067.mtx")).matrix        67 x 67 CSR
"""

from __future__ import annotations

import contextlib
import itertools
import locale
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from scipy.sparse import coo_array, csr_array

from fetch import lines
from fetch.lines import SYMMETRIES
from fetch.room import require_memory
from fillpath.errors import InputError

MAX_ORDER = 2**31 - 1
_SHORTEST_ENTRY = 4  # bytes of "1 1" and its line end
_BLOCK = 1 << 20  # bytes read at once; no line is longer
_PARTS = {"pattern": 0, "integer": 1, "real": 1, "complex": 2}
# SciPy writes unsigned integers under a name of their own.
_FIELDS = {**{field: field for field in _PARTS}, "double": "real", "unsigned-integer": "integer"}
_COUNT = re.compile(rb"\+?[0-9]{1,20}")
_NOT_FINITE = re.compile(rb"[+-]?(nan|inf|infinity)", re.IGNORECASE)
_TOKEN, _LINE = re.compile(rb"\S*"), re.compile(rb"[^%\n]*")
_SHOWN = 40  # bytes of a token


@dataclass(frozen=True, eq=False)
class MatrixFile:
    """The content of a file.

    matrix : n x n float64 CSR, rows sorted, mirrored entries expanded, duplicates summed, explicit zeros
        kept. The values of a pattern are 1. Complex values are replaced by their moduli, which is all that
        structural work and a row matching need; numeric work refuses them.
    field : real, integer, complex or pattern
    """

    matrix: csr_array
    field: str

    @property
    def explicit_zeros(self) -> int:
        """Count the entries equal to 0."""
        return int(np.count_nonzero(self.matrix.data == 0))


@dataclass(frozen=True)
class _Header:
    """The announcement of a file. line : the number of its size line."""

    order: int
    entries: int
    field: str
    symmetry: str
    line: int


def read(path: Path, name: str = "") -> MatrixFile:
    """Read a square matrix from a coordinate file. name : of the file in errors, if not its path.

    Raises InputError for a file that is unreadable, malformed, truncated, dense, rectangular, empty, not
    finite, or beyond int32 columns. The error names the file, the line and the token. Raises
    MemoryBudgetError, before anything is allocated, if there is too little memory.
    """
    name = name or str(path)
    if locale.localeconv()["decimal_point"] != ".":
        raise InputError(f"{name}: numbers are not read under this locale; set LC_NUMERIC=C")
    with _opened(path, name) as handle:
        header = _header(handle, name)
        # Repetitions are summed: the number of distinct entries is not known yet.
        require_memory(name, header.order, header.entries, distinct=0)
        matrix = _expanded(_Body(handle, header, name), header)
    _require_finite(matrix, name)
    if header.field == "pattern":
        matrix.data[:] = 1  # duplicates summed to more
    return MatrixFile(matrix, header.field)


def read_field(path: Path, name: str = "") -> str:
    """Read the kind of values (real, integer, complex or pattern) from the header alone.

    Raises InputError as `read` does for a header of no usable matrix, but needs no memory: another machine
    may prepare the matrix, or may have done so.
    """
    name = name or str(path)
    with _opened(path, name) as handle:
        return _header(handle, name).field


@contextlib.contextmanager
def _opened(path: Path, name: str) -> Iterator[IO[bytes]]:
    try:
        with path.open("rb") as handle:
            yield handle
    except OSError as problem:
        raise InputError(f"{name}: cannot be read: {problem.strerror}") from None


def _header(handle: IO[bytes], name: str) -> _Header:
    """Read what the file announces; the handle is behind the size line then."""
    field, symmetry = _banner(_line(handle, 1, name), name)
    line, words = 1, list[bytes]()
    while not words:
        line += 1
        text = _line(handle, line, name)
        if not text:
            raise InputError(f"{name}: line {line}: the file ends within its header")
        words = _words(text)
    for word in words:
        if len(words) != 3 or not _COUNT.fullmatch(word):
            raise _refusal(name, line, word, "rows, columns and entries are expected here, three integers")
    rows, columns, count = map(int, words)
    where = f"{name}: line {line}"
    if rows != columns:
        raise InputError(f"{where}: {rows} x {columns} is not square")
    if rows < 1 or count < 1:
        raise InputError(f"{where}: the matrix is empty (order {rows}, {count} entries)")
    if rows > MAX_ORDER:
        raise InputError(f"{where}: order {rows} exceeds int32 columns ({MAX_ORDER})")
    if count * _SHORTEST_ENTRY > os.fstat(handle.fileno()).st_size:
        raise InputError(f"{where}: truncated: the header promises {count} entries, the file is too short")
    return _Header(rows, count, field, symmetry, line)


def _banner(line: bytes, name: str) -> tuple[str, str]:
    """Read the first line of a file. Returns (field, symmetry)."""
    first, *rest = line.split(maxsplit=1) or [b""]
    if first.lower() not in (b"%%matrixmarket", b"%matrixmarket"):
        raise _refusal(name, 1, first, "the header of a Matrix Market file begins with %%MatrixMarket")
    words = _words(b"".join(rest))
    told = [word.lower().decode("latin-1") for word in words]
    if len(told) != 4 or told[0] != "matrix":
        raise InputError(f"{name}: line 1: the header is %%MatrixMarket matrix coordinate FIELD SYMMETRY")
    _, form, field, symmetry = told
    if form != "coordinate":
        shown = "a dense array" if form == "array" else repr(words[1])[1:]
        raise InputError(f"{name}: line 1: stored as {shown}; only the coordinate format is read")
    for place, known in ((2, tuple(_FIELDS)), (3, SYMMETRIES)):
        if told[place] not in known:
            raise _refusal(name, 1, words[place], f"the header has one of {', '.join(known)} here")
    if (symmetry == "hermitian" and field != "complex") or (field, symmetry) == ("pattern", "skew-symmetric"):
        raise _refusal(name, 1, words[3], f"the format has no {field} matrix of this header's kind")
    return _FIELDS[field], symmetry


def _line(handle: IO[bytes], number: int, name: str) -> bytes:
    line = handle.readline(_BLOCK)
    if len(line) == _BLOCK:
        raise _too_long(name, number)
    if b"\0" in line:
        raise _refusal(name, number, b"\0", lines.WRONG[lines.NUL])
    return line


def _words(line: bytes) -> list[bytes]:
    """Split a line into its words before its comment."""
    return list(itertools.takewhile(lambda word: not word.startswith(b"%"), line.split()))


class _Body:
    """The entries below a header in the order of the file, read block by block.

    rows, columns : (entries,) int32; as long again, for mirrored entries, unless the matrix is general
    values : as long, float64 or complex128, 1 for a pattern
    """

    def __init__(self, handle: IO[bytes], header: _Header, name: str) -> None:
        parts, room = _PARTS[header.field], header.entries * (1 if header.symmetry == "general" else 2)
        self.rows, self.columns = np.empty(room, np.int32), np.empty(room, np.int32)
        self._numbers = np.empty(parts * room) if parts else np.ones(room)
        self.values = self._numbers.view(np.complex128) if parts == 2 else self._numbers
        self._header, self._name = header, name
        self._at = (header.line, 0, -1)  # lines and entries before, and the side that has entries
        self._text = bytearray(_BLOCK + 1)
        self._read(handle)
        line, found, _ = self._at
        if found < header.entries:
            promise = f"the header promises {header.entries} entries, the file has {found}"
            raise InputError(f"{name}: line {line}: truncated: {promise}")

    def _read(self, handle: IO[bytes]) -> None:
        kept = 0
        while got := cast(Any, handle).readinto(memoryview(self._text)[kept:_BLOCK]):
            size = kept + got
            end = self._text.rfind(b"\n", 0, size) + 1
            self._scan(end)
            if end == 0 and size == _BLOCK:
                raise _too_long(self._name, self._at[0] + 1)
            kept = size - end
            self._text[:kept] = self._text[end:size]
        if kept:  # the last line has no end
            self._text[kept] = ord("\n")
            self._scan(kept + 1)

    def _scan(self, end: int) -> None:
        """Read the lines of the text before its `end`."""
        header, parts, integers = self._header, _PARTS[self._header.field], self._header.field == "integer"
        form = (header.order, parts, int(integers), SYMMETRIES.index(header.symmetry))
        block, begun = np.frombuffer(self._text, np.uint8), (0, *self._at)
        arrays = self.rows[: header.entries], self.columns[: header.entries], self._numbers
        fault, at, *after = lines.scan(block, end, begun, *arrays, form)
        self._at = (after[0], after[1], after[2])
        if fault:
            part = _LINE if fault in lines.OF_LINES else _TOKEN
            token = cast(re.Match[bytes], part.match(self._text, at))[0].rstrip()
            kind = "integer from -2^63 to 2^63 - 1" if integers else "number"
            words = {"order": header.order, "tokens": 2 + parts, "kind": kind, "symmetry": header.symmetry}
            not_finite = fault == lines.NUMBER and _NOT_FINITE.fullmatch(token)
            why = "NaN or infinite" if not_finite else lines.WRONG[fault].format(**words)
            raise _refusal(self._name, after[0] + 1, token, why)


def _expanded(body: _Body, header: _Header) -> csr_array:
    """Build the matrix with mirrored entries and the sums of repetitions; complex values are moduli."""
    rows, columns, values, count = body.rows, body.columns, body.values, header.entries
    if header.symmetry != "general":
        off = rows[:count] != columns[:count]
        end = count + int(np.count_nonzero(off))
        rows[count:end], columns[count:end] = columns[:count][off], rows[:count][off]
        values[count:end] = values[:count][off]
        rows, columns, values = rows[:end], columns[:end], values[:end]
        if header.symmetry == "skew-symmetric":
            np.negative(values[count:], out=values[count:])
        if header.symmetry == "hermitian":
            np.conjugate(values[count:], out=values[count:])
    # From triplets to rows by counting: SciPy sums duplicates and sorts on the way.
    matrix = csr_array(coo_array((values, (rows, columns)), shape=(header.order, header.order)))
    if header.field == "complex":
        with np.errstate(over="ignore", invalid="ignore"):
            matrix.data = np.abs(matrix.data)
    return matrix


def _require_finite(matrix: csr_array, name: str) -> None:
    """Refuse a sum or a modulus that overflows."""
    bad = np.flatnonzero(~np.isfinite(matrix.data))
    if len(bad):
        row, column = np.searchsorted(matrix.indptr, bad[0], side="right"), matrix.indices[bad[0]] + 1
        why = "is beyond float64, its repetitions summed and its modulus taken"
        raise InputError(f"{name}: entry ({row}, {column}) {why}")


def _refusal(name: str, line: int, token: bytes, why: str) -> InputError:
    shown = repr(token if len(token) <= _SHOWN else token[:_SHOWN] + b"...")[1:]
    return InputError(f"{name}: line {line}: {shown}: {why}")


def _too_long(name: str, line: int) -> InputError:
    return InputError(f"{name}: line {line} is longer than {_BLOCK} bytes")
