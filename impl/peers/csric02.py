"""cuSPARSE's csric02: incomplete Cholesky without fill, on the device, from the library that CuPy loads."""

from __future__ import annotations

import ctypes
import functools
from contextlib import ExitStack
from typing import Any, Literal

import numpy as np

from fillpath.errors import FillpathError, UnsupportedError
from fillpath.nouns import Array
from impl.peers import cusparse

Policy = Literal["none", "levels"]

# From cusparse.h: CUSPARSE_SOLVE_POLICY_NO_LEVEL, as in NVIDIA's own example of csric02, and USE_LEVEL.
_POLICIES: dict[Policy, int] = {"none": 0, "levels": 1}
_ZERO_PIVOT = 9

_int, _pointer = ctypes.c_int, ctypes.c_void_p
_created = ctypes.POINTER(_pointer)
# handle, rows, entries, kind of matrix, values, pointers, columns, info.
_MATRIX = (_pointer, _int, _int, _pointer, _pointer, _pointer, _pointer, _pointer)
_SIGNATURES = {
    "cusparseCreateMatDescr": (_created,),
    "cusparseDestroyMatDescr": (_pointer,),
    "cusparseCreateCsric02Info": (_created,),
    "cusparseDestroyCsric02Info": (_pointer,),
    "cusparseDcsric02_bufferSize": (*_MATRIX, ctypes.POINTER(_int)),
    "cusparseDcsric02_analysis": (*_MATRIX, _int, _pointer),
    "cusparseDcsric02": (*_MATRIX, _int, _pointer),
    "cusparseXcsric02_zeroPivot": (_pointer, _pointer, ctypes.POINTER(_int)),
}


def factorise(indptr: Array, indices: Array, values: Array, policy: Policy) -> None:
    """Replace A's lower triangle by L, of the same pattern, with L L^T = A there.

    indptr : (n + 1,) int32
    indices : int32, ascending in each row, the diagonal last
    values : float64, overwritten
    policy : whether rows are taken by levels

    All arrays are on the device. Raises UnsupportedError for a pivot that is not positive.
    """
    import cupy
    from cupy.cuda import device
    from cupy_backends.cuda.libs import cusparse as bound

    handle = device.get_cusparse_handle()
    bound.setStream(handle, cupy.cuda.get_current_stream().ptr)
    with ExitStack() as stack:

        def own(kind: str) -> Any:
            made = _pointer()
            _call(f"cusparseCreate{kind}", ctypes.byref(made))
            stack.callback(_call, f"cusparseDestroy{kind}", made)
            return made

        kind, info = own("MatDescr"), own("Csric02Info")
        arrays: tuple[Any, ...] = (values, indptr, indices)
        addresses = (array.data.ptr for array in arrays)
        matrix = (handle, len(indptr) - 1, len(indices), kind, *addresses, info)
        size = _int()
        _call("cusparseDcsric02_bufferSize", *matrix, ctypes.byref(size))
        buffer = cupy.empty(size.value, np.int8)
        _call("cusparseDcsric02_analysis", *matrix, _POLICIES[policy], buffer.data.ptr)
        _call("cusparseDcsric02", *matrix, _POLICIES[policy], buffer.data.ptr)
        _require_pivots(handle, info)


def _require_pivots(handle: Any, info: Any) -> None:
    row = _int()
    status = int(_library().cusparseXcsric02_zeroPivot(handle, info, ctypes.byref(row)))
    if status == _ZERO_PIVOT:
        raise UnsupportedError(f"incomplete Cholesky without fill: pivot {row.value} is not positive")
    if status:
        raise FillpathError(f"cusparseXcsric02_zeroPivot: status {status}")


def _call(name: str, *arguments: Any) -> None:
    _library()
    cusparse._call(name, *arguments)


@functools.cache
def _library() -> Any:
    library = cusparse._library()
    for name, arguments in _SIGNATURES.items():
        getattr(library, name).argtypes = arguments
    return library
