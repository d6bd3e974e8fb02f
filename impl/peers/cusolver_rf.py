"""cuSolverRf on the GPU: factors again in the pattern of a first factorisation, and solves with them.

NVIDIA's cuSOLVER has it through CUDA 13, which calls it deprecated in favour of cuDSS. Signatures follow
cusolverRf.h, CUDA 12 and 13. It works on CUDA's default stream, as CuPy does by default.

    with opened(pattern, on_host, factors) as system:
        system.analyse()
        system.factorise(values)
        x = system.solved(b)
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from fillpath.errors import FillpathError, MemoryBudgetError, UnavailableError, UnsupportedError
from fillpath.nouns import Array, Filled, Pattern
from fillpath.peers import peer
from impl.cuda import kernels

# CUSOLVERRF_MATRIX_FORMAT_CSR, CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L and CUSOLVERRF_RESET_VALUES_FAST_MODE_ON,
# as in NVIDIA's own example; its algorithms are the defaults.
_ROWS, _UNIT_L, _FAST = 0, 2, 1
_ALLOC_FAILED, _ZERO_PIVOT = 2, 10

_int, _pointer = ctypes.c_int, ctypes.c_void_p
# n, entries, row pointers, columns, values.
_MATRIX = (_int, _int, _pointer, _pointer, _pointer)
_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "Create": (ctypes.POINTER(_pointer),),
    "Destroy": (_pointer,),
    "SetMatrixFormat": (_pointer, _int, _int),
    "SetResetValuesFastMode": (_pointer, _int),
    "SetupHost": (*_MATRIX, *_MATRIX[1:], *_MATRIX[1:], _pointer, _pointer, _pointer),
    "Analyze": (_pointer,),
    "ResetValues": (*_MATRIX, _pointer, _pointer, _pointer),
    "Refactor": (_pointer,),
    "Solve": (_pointer, _pointer, _pointer, _int, _pointer, _int, _pointer, _int),
}


def available() -> tuple[bool, str]:
    """Return (whether there are a GPU and cuSOLVER, the reason if not). Loads no library; never raises."""
    there, why_not = kernels.available()
    return peer("cusolver_rf").available() if there else (there, why_not)


@functools.cache
def library() -> Any:
    """Return cuSOLVER's library, as CuPy loads it. Raises UnavailableError."""
    from cuda.pathfinder import DynamicLibNotFoundError, load_nvidia_dynamic_lib

    try:
        loaded = ctypes.CDLL(load_nvidia_dynamic_lib("cusolver").abs_path)
        for name, arguments in _SIGNATURES.items():
            getattr(loaded, f"cusolverRf{name}").argtypes = arguments
    except (DynamicLibNotFoundError, OSError, AttributeError) as error:
        raise UnavailableError(f"cuSolverRf cannot be used: {' '.join(str(error).split())}") from error
    return loaded


@dataclass(frozen=True, eq=False)
class Factors:
    """The first factors, on the host: row i of L U is row `rows[i]` of A.

    rows : (n,) int32
    filled : pattern of L + U
    values : (entries,) float64, of L + U - I
    """

    rows: Array
    filled: Filled
    values: Array

    def triangle(self, *, lower: bool) -> tuple[Array, Array, Array]:
        """Return (row pointers, columns, values) of L without its diagonal, or of U."""
        pattern, counts = self.filled.pattern, self.filled.counts()
        below = pattern.indices < pattern.rows()
        chosen = below if lower else ~below
        indptr = np.zeros(pattern.n + 1, np.int32)
        np.cumsum(counts.lower if lower else counts.upper, out=indptr[1:])
        return indptr, pattern.indices[chosen], self.values[chosen]


@dataclass(frozen=True, eq=False)
class System:
    """A matrix in cuSolverRf.

    handle : cuSolverRf's
    arrays : (row pointers, columns) of A, int32, on the device
    order : (rows, columns), int32, on the device: A's rows and columns in L U
    room : (n,) float64, on the device
    """

    handle: Any
    arrays: tuple[Array, Array]
    order: tuple[Array, Array]
    room: Array

    def analyse(self) -> None:
        """Find independent rows."""
        _call("Analyze", self.handle)

    def factorise(self, values: Array) -> None:
        """Factorise A with these values, on the device. Raises UnsupportedError for a pivot of 0."""
        n, entries = len(self.room), len(values)
        _call("ResetValues", n, entries, *_places(*self.arrays, values), *_places(*self.order), self.handle)
        _call("Refactor", self.handle)

    def solved(self, b: Array) -> Array:
        """Return x with A x = b, both (n,) float64, on the device."""
        x, n = b.copy(), len(b)
        _call("Solve", self.handle, *_places(*self.order), 1, *_places(self.room), n, *_places(x), n)
        return x


@contextmanager
def opened(pattern: Pattern, on_host: Pattern, factors: Factors) -> Iterator[System]:
    """Open a matrix in cuSolverRf until the end of the block. pattern : on the device, and `on_host`."""
    import cupy

    n = pattern.n
    indptr, indices = (array.astype(np.int32) for array in (on_host.indptr, on_host.indices))
    columns = np.arange(n, dtype=np.int32)
    whole = indptr, indices, np.zeros(len(indices))
    parts = [array for lower in (True, False) for array in _counted(factors.triangle(lower=lower))]
    handle = _pointer()
    _call("Create", ctypes.byref(handle))
    try:
        _call("SetMatrixFormat", handle, _ROWS, _UNIT_L)
        _call("SetResetValuesFastMode", handle, _FAST)
        held = (*_counted(whole), *parts, factors.rows, columns)
        _call("SetupHost", n, *(each if isinstance(each, int) else each.ctypes.data for each in held), handle)
        arrays = pattern.indptr.astype(np.int32), pattern.indices
        order = cupy.asarray(factors.rows), cupy.asarray(columns)
        yield System(handle, arrays, order, cupy.empty(n))
    finally:
        _call("Destroy", handle)


def _counted(arrays: tuple[Array, Array, Array]) -> tuple[Any, ...]:
    return len(arrays[1]), *arrays


def _places(*arrays: Any) -> tuple[int, ...]:
    return tuple(array.data.ptr for array in arrays)


def _call(name: str, *arguments: Any) -> None:
    status = int(getattr(library(), f"cusolverRf{name}")(*arguments))
    if status == 0:
        return
    if status == _ZERO_PIVOT:
        raise UnsupportedError("cuSolverRf: a pivot is 0 in the order of the first factors")
    kind = MemoryBudgetError if status == _ALLOC_FAILED else FillpathError
    raise kind(f"cusolverRf{name}: status {status}")
