"""cuSPARSE on the device: a matrix by rows times a vector, and solves with the triangles of a factor.

CuPy binds all of this except SpSV, which is called in the library that CuPy has loaded.

    Triangles(filled.pattern, factor).solved(b)    # factor : (nnz of F,) of L + U - I, by rows
    Matrix(pattern, values).residual(b, x)         # b - A x
"""

from __future__ import annotations

import ctypes
import functools
from typing import Any

import numpy as np

from fillpath.errors import FillpathError
from fillpath.nouns import Array, Pattern

# This is the name in CUDA 12 and CUDA 13.
_LIBRARY = "libcusparse.so.12"
# From cusparse.h and library_types.h.
_SPSV_DEFAULT = 0
_DATA_TYPES = {"float32": 0, "float64": 1}
_POINTER = ctypes.c_void_p
_SPSV = (
    _POINTER,  # handle
    ctypes.c_int,  # operation
    _POINTER,  # alpha
    _POINTER,  # matrix
    _POINTER,  # right-hand side
    _POINTER,  # solution
    ctypes.c_int,  # type of the arithmetic
    ctypes.c_int,  # algorithm
    _POINTER,  # descriptor
)
_SIGNATURES = {
    "cusparseSpSV_createDescr": (ctypes.POINTER(_POINTER),),
    "cusparseSpSV_destroyDescr": (_POINTER,),
    "cusparseSpSV_bufferSize": (*_SPSV, ctypes.POINTER(ctypes.c_size_t)),
    "cusparseSpSV_analysis": (*_SPSV, _POINTER),
    "cusparseSpSV_solve": _SPSV,
}


class Matrix:
    """A square matrix for products."""

    def __init__(self, pattern: Pattern, values: Array) -> None:
        """Describe a matrix. pattern : n x n. values : (nnz,) float32 or float64. Both are on the device."""
        self._csr = _Csr(pattern, values)
        self._described = self._csr.described()

    def product(self, x: Array) -> Array:
        """Return A x. x : (n,) of the values' dtype."""
        import cupy

        return self._added(1, x, cupy.zeros_like(x))

    def residual(self, b: Array, x: Array) -> Array:
        """Return b - A x. b, x : (n,) of the values' dtype, not changed."""
        return self._added(-1, x, b.copy())

    def _added(self, factor: int, x: Array, to: Array) -> Array:
        import cupy
        from cupy.cuda import device
        from cupy_backends.cuda.libs import cusparse
        from cupyx.cusparse import DnVecDescriptor

        given, found = DnVecDescriptor.create(x), DnVecDescriptor.create(to)
        alpha, beta = (np.array(number, x.dtype) for number in (factor, 1))
        arguments = (
            device.get_cusparse_handle(),
            cusparse.CUSPARSE_OPERATION_NON_TRANSPOSE,
            alpha.ctypes.data,
            self._described.desc,
            given.desc,
            beta.ctypes.data,
            found.desc,
            self._csr.data_type,
            cusparse.CUSPARSE_MV_ALG_DEFAULT,
        )
        buffer = cupy.empty(cusparse.spMV_bufferSize(*arguments), np.int8)
        cusparse.spMV(*arguments, buffer.data.ptr)
        return to


class Triangles:
    """L and U in one matrix by rows, analysed for any number of solves."""

    def __init__(self, pattern: Pattern, values: Array) -> None:
        """Analyse both triangles. values : (nnz,) float32 or float64, of L + U - I, on the device."""
        csr = _Csr(pattern, values)
        self._lower, self._upper = _Triangle(csr, lower=True), _Triangle(csr, lower=False)

    def solved(self, b: Array) -> Array:
        """Return x with L U x = b, both (n,) float64, computed in the values' dtype."""
        x: Array = self._upper.solved(self._lower.solved(b)).astype(np.float64)
        return x


class _Csr:
    """Arrays as cuSPARSE takes them: pointers and indices of the same width."""

    def __init__(self, pattern: Pattern, values: Array) -> None:
        width = np.int64 if len(pattern.indices) >= 2**31 else np.int32
        self.n = pattern.n
        self.indptr: Any = pattern.indptr.astype(width, copy=False)
        self.indices: Any = pattern.indices.astype(width, copy=False)
        self.values: Any = values
        self.data_type = _DATA_TYPES[values.dtype.name]

    def described(self) -> Any:
        """Return a new descriptor of the arrays, which holds only their addresses."""
        from cupy_backends.cuda.libs import cusparse
        from cupyx.cusparse import SpMatDescriptor

        index_type = (
            cusparse.CUSPARSE_INDEX_64I if self.indices.dtype == np.int64 else cusparse.CUSPARSE_INDEX_32I
        )
        created = cusparse.createCsr(
            *(self.n, self.n, len(self.indices)),
            *(array.data.ptr for array in (self.indptr, self.indices, self.values)),
            *(index_type, index_type, cusparse.CUSPARSE_INDEX_BASE_ZERO, self.data_type),
        )
        return SpMatDescriptor(created, None, cusparse.destroySpMat)


class _Triangle:
    """One triangle of a matrix. The diagonal of L counts as ones, whatever is stored there."""

    def __init__(self, csr: _Csr, *, lower: bool) -> None:
        import cupy
        from cupy_backends.cuda.libs import cusparse
        from cupyx.cusparse import BaseDescriptor, DnVecDescriptor

        self._csr, self._one = csr, np.array(1, csr.values.dtype)
        self._described = csr.described()
        fill, diagonal = (
            (cusparse.CUSPARSE_FILL_MODE_LOWER, cusparse.CUSPARSE_DIAG_TYPE_UNIT)
            if lower
            else (cusparse.CUSPARSE_FILL_MODE_UPPER, cusparse.CUSPARSE_DIAG_TYPE_NON_UNIT)
        )
        self._described.set_attribute(cusparse.CUSPARSE_SPMAT_FILL_MODE, fill)
        self._described.set_attribute(cusparse.CUSPARSE_SPMAT_DIAG_TYPE, diagonal)
        # The analysis and every solve use the same two vectors.
        self._given, self._found = (cupy.zeros(csr.n, csr.values.dtype) for _ in range(2))
        self._vectors = [DnVecDescriptor.create(vector) for vector in (self._given, self._found)]
        analysed = ctypes.c_void_p()
        _call("cusparseSpSV_createDescr", ctypes.byref(analysed))
        self._analysed = BaseDescriptor(analysed.value, None, _library().cusparseSpSV_destroyDescr)
        size = ctypes.c_size_t()
        self._spsv("cusparseSpSV_bufferSize", ctypes.byref(size))
        # Written by the analysis, read by the solves.
        self._buffer = cupy.empty(size.value, np.int8)
        self._spsv("cusparseSpSV_analysis", self._buffer.data.ptr)

    def solved(self, b: Array) -> Array:
        """Return the solution, in an array that the next solve overwrites."""
        self._given[...] = b
        self._spsv("cusparseSpSV_solve")
        found: Array = self._found
        return found

    def _spsv(self, name: str, *last: Any) -> None:
        import cupy
        from cupy.cuda import device
        from cupy_backends.cuda.libs import cusparse

        handle = device.get_cusparse_handle()
        cusparse.setStream(handle, cupy.cuda.get_current_stream().ptr)
        _call(
            name,
            handle,
            cusparse.CUSPARSE_OPERATION_NON_TRANSPOSE,
            self._one.ctypes.data,
            self._described.desc,
            *(vector.desc for vector in self._vectors),
            self._csr.data_type,
            _SPSV_DEFAULT,
            self._analysed.desc,
            *last,
        )


def _call(name: str, *arguments: Any) -> None:
    library = _library()
    status = int(getattr(library, name)(*arguments))
    if status:
        raise FillpathError(f"{name}: {library.cusparseGetErrorName(status).decode()}")


@functools.cache
def _library() -> Any:
    from cupy_backends.cuda.libs import cusparse  # noqa: F401  # Loads it, wherever it is.

    library = ctypes.CDLL(_LIBRARY)
    for name, arguments in _SIGNATURES.items():
        getattr(library, name).argtypes = arguments
    library.cusparseGetErrorName.restype = ctypes.c_char_p
    return library
