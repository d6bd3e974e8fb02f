"""Read a Matrix Market file, or say in one line why it cannot be used.

R. F. Boisvert, R. Pozo, K. A. Remington, "The Matrix Market Exchange Formats", NISTIR 5935, 1996: coordinate
files, real, integer, complex or pattern; general, symmetric, skew-symmetric or hermitian.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.io import mminfo, mmread
from scipy.sparse import csr_array

from fetch.room import require_memory
from fillpath.errors import InputError

MAX_ORDER = 2**31 - 1
_SHORTEST_ENTRY = 4  # bytes of "1 1" and its line end


@dataclass(frozen=True, eq=False)
class MatrixFile:
    """The content of a file.

    matrix : n x n float64 CSR, rows sorted, mirrored entries expanded, duplicates summed, explicit zeros
        kept. The values of a pattern are 1. Complex values are replaced by their moduli, which is all that
        structural work and a row matching need; numeric work refuses them.
    field : real, integer, complex or pattern
    explicit_zeros : entries equal to 0
    """

    matrix: csr_array
    field: str
    explicit_zeros: int


def read(path: Path) -> MatrixFile:
    """The square matrix in a Matrix Market coordinate file.

    Raises InputError, naming the file, if it is unreadable, malformed, truncated, dense, rectangular, empty,
    not finite, or beyond int32 columns; MemoryBudgetError, before anything is allocated, if there is too
    little memory.
    """
    order, entries, field = _header(path)
    # Repetitions are summed: the number of distinct entries is not known yet.
    require_memory(str(path), order, entries, distinct=0)
    try:
        # From triplets to rows by counting: SciPy sums duplicates and sorts on the way.
        matrix = csr_array(mmread(path, spmatrix=False))
    except (ValueError, OverflowError, TypeError, OSError) as problem:
        raise InputError(f"{path}: not a readable Matrix Market file: {problem}") from None
    _check_finite(matrix, path)
    matrix.data = np.abs(matrix.data) if field == "complex" else matrix.data.astype(np.float64)
    if field == "pattern":
        matrix.data[:] = 1  # duplicates summed to more
    return MatrixFile(matrix, field, int(np.count_nonzero(matrix.data == 0)))


def read_field(path: Path) -> str:
    """The kind of values (real, integer, complex or pattern) from the header alone, if the header describes a
    usable matrix. Raises InputError as `read` does, but needs no memory: another machine may prepare the
    matrix, or may have done so."""
    return _header(path)[2]


def _header(path: Path) -> tuple[int, int, str]:
    """(order, entries, field) that the header announces."""
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    try:
        rows, columns, entries, form, field, _ = mminfo(path)
    except (ValueError, OverflowError, TypeError, OSError) as problem:
        raise InputError(f"{path}: not a Matrix Market header: {problem}") from None
    if form != "coordinate":
        raise InputError(f"{path}: stored as a dense {form}; only the coordinate format is read")
    if rows != columns:
        raise InputError(f"{path}: {rows} x {columns} is not square")
    if rows < 1 or entries < 1:
        raise InputError(f"{path}: the matrix is empty (order {rows}, {entries} entries)")
    if rows > MAX_ORDER:
        raise InputError(f"{path}: order {rows} exceeds int32 columns ({MAX_ORDER})")
    if entries * _SHORTEST_ENTRY > path.stat().st_size:
        raise InputError(f"{path}: truncated: the header promises {entries} entries, the file is too short")
    return rows, entries, str(field).removeprefix("unsigned-")


def _check_finite(matrix: csr_array, path: Path) -> None:
    bad = np.flatnonzero(~np.isfinite(matrix.data))
    if len(bad):
        row = int(np.searchsorted(matrix.indptr, bad[0], side="right"))
        column = matrix.indices[bad[0]] + 1
        raise InputError(f"{path}: {len(bad)} values are NaN or infinite, first at ({row}, {column})")
