"""CHOLMOD through its C interface: L L^T, supernodal where that is faster, 32-bit indices.

Y. Chen, T. A. Davis, W. W. Hager and S. Rajamanickam, Algorithm 887: CHOLMOD, ACM TOMS 35 (2008). Structures
and signatures follow cholmod_core.h and cholmod.h, versions 3.0, 4.0 and 5.3, which agree here.

    with opened(csr_array(np.diag([4.0, 9.0])), given=False) as system:
        system.analyse()
        system.factorise()
        system.solve(np.array([4.0, 9.0]))    # [1, 1]
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from fillpath.errors import FillpathError, MemoryBudgetError, UnavailableError, UnsupportedError
from fillpath.nouns import Array
from fillpath.peers import peer
from impl.peers.blas import require_fast

VERSIONS = (3, 4, 5)
# Versions before 4 ask OpenMP for four threads, however few there are. That took five times as long on two
# cores.
_OBEDIENT, _ASKED_THREADS = 4, 4
# Room for cholmod_common, which takes less than a tenth. Then the offsets of its members in bytes, with
# 64-bit pointers. The first two: whether a simplicial factor is L L^T too, and the print level. The others:
# the number of orders to try (0: CHOLMOD's choice), the status, and the entries of L.
_COMMON_BYTES = 32768
_FINAL_LL, _PRINT, _METHODS, _STATUS, _ENTRIES = 60, 144, 168, 1972, 1984
_OUT_OF_MEMORY, _TOO_LARGE, _NOT_POSITIVE = -2, -3, 1
# CHOLMOD_REAL; of a symmetric matrix the upper part; the system A x = b.
_REAL, _UPPER, _PLAIN = 1, 1, 0

_int, _double, _size, _pointer = ctypes.c_int, ctypes.c_double, ctypes.c_size_t, ctypes.c_void_p


class _Sparse(ctypes.Structure):
    _fields_ = (
        ("nrow", _size), ("ncol", _size), ("nzmax", _size), ("p", _pointer), ("i", _pointer),
        ("nz", _pointer), ("x", _pointer), ("z", _pointer), ("stype", _int), ("itype", _int),
        ("xtype", _int), ("dtype", _int), ("sorted", _int), ("packed", _int),
    )  # fmt: skip


class _Dense(ctypes.Structure):
    _fields_ = (
        ("nrow", _size), ("ncol", _size), ("nzmax", _size), ("d", _size), ("x", _pointer), ("z", _pointer),
        ("xtype", _int), ("dtype", _int),
    )  # fmt: skip


@functools.cache
def library() -> Any:
    """Return the library. Raises UnavailableError for another version or a slow BLAS, OSError if missing."""
    path = peer("cholmod").library()
    loaded: Any = ctypes.CDLL(str(path))
    version = (_int * 3)()
    loaded.cholmod_version(version)
    if version[0] not in VERSIONS:
        raise UnavailableError(f"{path}: CHOLMOD {version[0]}.{version[1]}; versions 3 to 5 are called")
    require_fast(loaded, "CHOLMOD")
    loaded.is_obedient = version[0] >= _OBEDIENT
    loaded.cholmod_analyze_p.restype = _pointer
    loaded.cholmod_solve.restype = ctypes.POINTER(_Dense)
    return loaded


@dataclass(frozen=True, eq=False)
class System:
    """A symmetric matrix in CHOLMOD.

    matrix : n x n, float64, with 32-bit indices
    common : cholmod_common
    sparse : the matrix as CHOLMOD takes it, with the arrays of `matrix`
    factor : a pointer to cholmod_factor
    given : bool, whether the matrix keeps its order
    """

    matrix: csr_array
    common: Any
    sparse: _Sparse
    factor: Any
    given: bool

    def analyse(self) -> None:
        order = np.arange(self.sparse.nrow, dtype=np.intc)
        if self.given:
            _int.from_buffer(self.common, _METHODS).value = 1
        permutation = _at(order) if self.given else None
        arguments = ctypes.byref(self.sparse), permutation, None, _size(0), self.common
        self.factor.value = library().cholmod_analyze_p(*arguments)
        self._check("analysis")

    def factorise(self) -> None:
        """Factorise. Raises UnsupportedError for a matrix that is not positive definite."""
        library().cholmod_factorize(ctypes.byref(self.sparse), self.factor, self.common)
        self._check("factorisation")

    def solve(self, b: Array) -> Array:
        n = len(b)
        right = _Dense(nrow=n, ncol=1, nzmax=n, d=n, x=b.ctypes.data, xtype=_REAL)
        dense = library().cholmod_solve(_int(_PLAIN), self.factor, ctypes.byref(right), self.common)
        self._check("solve")
        entries = ctypes.cast(dense.contents.x, ctypes.POINTER(_double))
        x: Array = np.ctypeslib.as_array(entries, (n,)).copy()
        library().cholmod_free_dense(ctypes.byref(dense), self.common)
        return x

    def facts(self) -> dict[str, float]:
        """Return nnz_factor, entries of L with its diagonal, without the zeros that its supernodes hold."""
        return {"nnz_factor": _double.from_buffer(self.common, _ENTRIES).value}

    def _check(self, step: str) -> None:
        status = _int.from_buffer(self.common, _STATUS).value
        if status == _NOT_POSITIVE:
            raise UnsupportedError("CHOLMOD: the matrix is not positive definite as prepared")
        if status == _OUT_OF_MEMORY:
            raise MemoryBudgetError(f"CHOLMOD, {step}: out of memory")
        if status == _TOO_LARGE:
            raise UnsupportedError(f"CHOLMOD, {step}: too large for 32-bit indices")
        if status:
            raise FillpathError(f"CHOLMOD, {step}: status {status}")


@contextmanager
def opened(matrix: csr_array, *, given: bool) -> Iterator[System]:
    """Open a symmetric matrix in CHOLMOD until the end of the block. given : whether it keeps its order."""
    n, common, factor = matrix.shape[0], ctypes.create_string_buffer(_COMMON_BYTES), _pointer()
    levels = _limited_threads()
    library().cholmod_start(common)
    _int.from_buffer(common, _PRINT).value = 0
    _int.from_buffer(common, _FINAL_LL).value = 1
    sparse = _Sparse(
        nrow=n,
        ncol=n,
        nzmax=matrix.nnz,
        p=matrix.indptr.ctypes.data,
        i=matrix.indices.ctypes.data,
        x=matrix.data.ctypes.data,
        stype=_UPPER,
        xtype=_REAL,
        sorted=1,
        packed=1,
    )
    try:
        yield System(matrix, common, sparse, factor, given)
    finally:
        library().cholmod_free_factor(ctypes.byref(factor), common)
        library().cholmod_finish(common)
        if levels is not None:
            library().omp_set_max_active_levels(_int(levels))


def _limited_threads() -> int | None:
    """Limit OpenMP to the available threads; return its previous levels, None if nothing changed."""
    loaded = library()
    if loaded.is_obedient or loaded.omp_get_max_threads() >= _ASKED_THREADS:
        return None
    levels = int(loaded.omp_get_max_active_levels())
    loaded.omp_set_max_active_levels(_int(0))
    return levels


def _at(array: Array) -> Any:
    return _pointer(array.ctypes.data)
