"""Read a Matrix Market file, or raise an error of one line that tells why it cannot be used.

R. F. Boisvert, R. Pozo, K. A. Remington, "The Matrix Market Exchange Formats", NISTIR 5935, 1996: coordinate
files, real, integer, complex or pattern; general, symmetric, skew-symmetric or hermitian. No byte is passed
over; docs/add-a-matrix.md has the grammar of a line.

    read(Path("west0067.mtx")).matrix        67 x 67 CSR
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

import numpy as np
from scipy.sparse import coo_array, csr_array

from fetch.lines import BLOCK, NUL, NUMBERS, SYMMETRIES, Checked, Header, fault, refusal, too_long, words_of
from fetch.room import require_memory
from fillpath.errors import InputError

MAX_ORDER = 2**31 - 1
_SHORTEST_ENTRY = 4  # bytes of "1 1" and its line end
# SciPy writes unsigned integers under a name of their own.
_FIELDS = {**{field: field for field in NUMBERS}, "double": "real", "unsigned-integer": "integer"}
_COUNT = re.compile(rb"\+?[0-9]{1,20}")


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


def read(path: Path, name: str = "") -> MatrixFile:
    """Read a square matrix from a coordinate file. name : of the file in errors, if not its path.

    Raises InputError for a file that is unreadable, malformed, truncated, dense, rectangular, empty, not
    finite, or beyond int32 columns. The error names the file, the line and the token, or the row and column
    of a sum. Raises MemoryBudgetError, before anything is allocated, if there is too little memory.
    """
    name = name or str(path)
    with _opened(path, name) as handle:
        header = _header(handle, name)
        # Repetitions are summed: the number of distinct entries is not known yet.
        require_memory(name, header.order, header.entries, distinct=0)
        matrix = _content(handle, header, name)
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


def _header(handle: IO[bytes], name: str) -> Header:
    """Read what the file announces; the handle is behind the size line then."""
    field, symmetry = _banner(_line(handle, 1, name), name)
    line, words = 1, list[bytes]()
    while not words:
        line += 1
        text = _line(handle, line, name)
        if not text:
            raise InputError(f"{name}: line {line}: the file ends within its header")
        words = words_of(text)
    for word in words:
        if len(words) != 3 or not _COUNT.fullmatch(word):
            raise refusal(name, line, word, "rows, columns and entries are expected here, three integers")
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
    return Header(rows, count, field, symmetry, line)


def _banner(line: bytes, name: str) -> tuple[str, str]:
    """Read the first line of a file. Returns (field, symmetry)."""
    first, *rest = line.split(maxsplit=1) or [b""]
    if first.lower() not in (b"%%matrixmarket", b"%matrixmarket"):
        raise refusal(name, 1, first, "the header of a Matrix Market file begins with %%MatrixMarket")
    words = words_of(b"".join(rest))
    told = [word.lower().decode("latin-1") for word in words]
    if len(told) != 4 or told[0] != "matrix":
        raise InputError(f"{name}: line 1: the header is %%MatrixMarket matrix coordinate FIELD SYMMETRY")
    _, form, field, symmetry = told
    if form != "coordinate":
        shown = "a dense array" if form == "array" else repr(words[1])[1:]
        raise InputError(f"{name}: line 1: stored as {shown}; only the coordinate format is read")
    for place, known in ((2, tuple(_FIELDS)), (3, SYMMETRIES)):
        if told[place] not in known:
            raise refusal(name, 1, words[place], f"the header has one of {', '.join(known)} here")
    if (symmetry == "hermitian" and field != "complex") or (field, symmetry) == ("pattern", "skew-symmetric"):
        raise refusal(name, 1, words[3], f"the format has no {field} matrix of this header's kind")
    return _FIELDS[field], symmetry


def _line(handle: IO[bytes], number: int, name: str) -> bytes:
    line = handle.readline(BLOCK)
    if len(line) == BLOCK:
        raise too_long(name, number)
    if b"\0" in line:
        raise refusal(name, number, b"\0", NUL)
    return line


def _content(handle: IO[bytes], header: Header, name: str) -> csr_array:
    """Read the entries, with mirrored ones and the sums of repetitions; complex values are moduli."""
    from scipy.io import mmread  # Only a process that prepares a matrix needs SciPy's formats.

    problem = ""
    try:
        entries = cast(coo_array, mmread(cast(IO[bytes], Checked(handle, header)), spmatrix=False))
    except (ValueError, OverflowError, RuntimeError) as error:
        problem = str(error)
    if problem or not _fits(entries, header):
        raise fault(handle, header, name, problem)
    values = entries.data.astype(np.complex128 if header.field == "complex" else np.float64, copy=False)
    if header.symmetry == "skew-symmetric":  # as float64: -2^63 has no negative among integers
        values[header.entries :] = -values[: header.entries]
    # From triplets to rows by counting: SciPy sums duplicates and sorts on the way.
    matrix = csr_array(coo_array((values, entries.coords), shape=entries.shape))
    if header.field == "complex":
        with np.errstate(over="ignore", invalid="ignore"):
            matrix.data = np.abs(matrix.data)
    return matrix


def _fits(entries: coo_array, header: Header) -> bool:
    """Tell whether all values are finite, and all entries on one side where the header has a symmetry."""
    rows, columns, values = (array[: header.entries] for array in (*entries.coords, entries.data))
    if header.symmetry == "general":
        return bool(np.isfinite(values).all())
    on = rows == columns
    diagonal = {"skew-symmetric": on, "hermitian": on & (values.imag != 0)}.get(header.symmetry, False)
    both_sides = (rows > columns).any() and (rows < columns).any()
    return bool(np.isfinite(values).all() and not both_sides and not np.any(diagonal))


def _require_finite(matrix: csr_array, name: str) -> None:
    """Refuse a sum or a modulus that overflows."""
    bad = np.flatnonzero(~np.isfinite(matrix.data))
    if len(bad):
        row, column = np.searchsorted(matrix.indptr, bad[0], side="right"), matrix.indices[bad[0]] + 1
        why = "is beyond float64, its repetitions summed and its modulus taken"
        raise InputError(f"{name}: entry ({row}, {column}) {why}")
