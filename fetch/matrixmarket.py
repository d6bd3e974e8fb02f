"""Read a Matrix Market file, or say in one line why it cannot be used."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.io import mminfo, mmread
from scipy.sparse import coo_array

from fillpath.errors import InputError

MAX_ORDER = 2**31 - 1
_SHORTEST_ENTRY = 4  # bytes of "1 1" and its line end


@dataclass(frozen=True, eq=False)
class MatrixFile:
    """What a file holds. matrix : n x n float64, symmetric storage expanded, duplicates summed, explicit
    zeros kept. pattern_only : the file has no values; they stand as 1. explicit_zeros : entries equal to 0.
    """

    matrix: coo_array
    pattern_only: bool
    explicit_zeros: int


def read(path: Path) -> MatrixFile:
    """The square real matrix in a Matrix Market coordinate file.

    Raises InputError naming the file: unreadable, malformed, truncated, dense, complex, rectangular, empty,
    not finite, or above int32 columns.
    """
    field = _check_header(path)
    try:
        matrix = coo_array(mmread(path))
    except (ValueError, OverflowError, TypeError, OSError) as problem:
        raise InputError(f"{path}: not a readable Matrix Market file: {problem}") from None
    matrix.sum_duplicates()
    if matrix.nnz == 0:
        raise InputError(f"{path}: the matrix has no entries")
    matrix = matrix.astype(np.float64)
    bad = np.flatnonzero(~np.isfinite(matrix.data))
    if len(bad):
        row, column = matrix.coords[0][bad[0]] + 1, matrix.coords[1][bad[0]] + 1
        raise InputError(f"{path}: {len(bad)} values are NaN or infinite, first at ({row}, {column})")
    return MatrixFile(matrix, field == "pattern", int(np.count_nonzero(matrix.data == 0)))


def is_pattern(path: Path) -> bool:
    """Whether the file holds no values, from its header alone. Raises InputError as `read` does."""
    return _check_header(path) == "pattern"


def _check_header(path: Path) -> str:
    """The header's field, once the header promises something usable: before memory is taken for it."""
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    try:
        rows, columns, entries, form, field, symmetry = mminfo(path)
    except (ValueError, OverflowError, TypeError, OSError) as problem:
        raise InputError(f"{path}: not a Matrix Market header: {problem}") from None
    if form != "coordinate":
        raise InputError(f"{path}: stored as a dense {form}; only the coordinate format is read")
    if field == "complex" or symmetry == "hermitian":
        raise InputError(f"{path}: complex values are not supported")
    if rows != columns:
        raise InputError(f"{path}: {rows} x {columns} is not square")
    if rows < 1 or entries < 1:
        raise InputError(f"{path}: the matrix is empty (order {rows}, {entries} entries)")
    if rows > MAX_ORDER:
        raise InputError(f"{path}: order {rows} exceeds int32 columns ({MAX_ORDER})")
    if entries * _SHORTEST_ENTRY > path.stat().st_size:
        raise InputError(f"{path}: truncated: the header promises {entries} entries, the file is too short")
    return str(field)
