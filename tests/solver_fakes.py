"""CuPy and cuSPARSE on a machine without a GPU, as far as the stage `solve` calls them.

Arrays are NumPy's with an address where CuPy has one; what the libraries are told they read at addresses, so
that a wrong argument shows. Names and signatures are those of CuPy 14 and cusparse.h.
"""

import ctypes
import itertools
import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve_triangular

from impl.peers import cusparse

HANDLE, STREAM = 77, 0
C_TYPES = {10: np.int32, 0: np.float32, 1: np.float64}
INDEX_TYPES = {2: np.int32, 3: np.int64}


class DeviceArray(np.ndarray):
    @property
    def data(self) -> Any:  # type: ignore[override]
        return SimpleNamespace(ptr=self.ctypes.data)


def on_device(array: Any) -> Any:
    return np.array(array).view(DeviceArray)


def at(address: int, count: int, dtype: Any) -> Any:
    """What lies there."""
    width = np.dtype(dtype).itemsize
    return np.frombuffer((ctypes.c_char * (count * width)).from_address(address), dtype)


class Objects:
    """What a library made and has not destroyed yet, by the number that stands for it."""

    def __init__(self) -> None:
        self.alive: dict[int, Any] = {}
        self._numbers = itertools.count(1000)

    def make(self, what: Any) -> int:
        number = next(self._numbers)
        self.alive[number] = what
        return number

    def destroy(self, number: int) -> int:
        del self.alive[number]
        return 0


class Csr(SimpleNamespace):
    """Addresses and types of a matrix by rows."""

    def matrix(self) -> sp.csr_array:
        arrays = [at(*part) for part in (
            (self.values, self.nnz, self.value_type),
            (self.indices, self.nnz, self.index_type),
            (self.indptr, self.n + 1, self.index_type),
        )]  # fmt: skip
        return sp.csr_array(tuple(arrays), shape=(self.n, self.n))


class Descriptor:
    """As cupyx.cusparse.BaseDescriptor."""

    def __init__(self, desc: int, get: Any = None, destroyer: Callable[[int], Any] | None = None) -> None:
        self.desc, self.destroyer = desc, destroyer

    def __del__(self) -> None:
        if self.destroyer is not None:
            self.destroyer(self.desc)


class CuSparse:
    """cupy_backends.cuda.libs.cusparse, and SpSV of libcusparse."""

    CUSPARSE_OPERATION_NON_TRANSPOSE = CUSPARSE_INDEX_BASE_ZERO = CUSPARSE_MV_ALG_DEFAULT = 0
    CUSPARSE_INDEX_32I, CUSPARSE_INDEX_64I = 2, 3
    CUSPARSE_SPMAT_FILL_MODE, CUSPARSE_SPMAT_DIAG_TYPE = 0, 1
    CUSPARSE_FILL_MODE_LOWER, CUSPARSE_FILL_MODE_UPPER = 0, 1
    CUSPARSE_DIAG_TYPE_NON_UNIT, CUSPARSE_DIAG_TYPE_UNIT = 0, 1

    def __init__(self) -> None:
        self.objects = Objects()
        self.destroySpMat = self.destroyDnVec = self.objects.destroy

    def createCsr(
        self, rows: int, cols: int, nnz: int, indptr: int, indices: int, values: int,
        row_type: int, column_type: int, base: int, value_type: int,
    ) -> int:  # fmt: skip
        assert rows == cols and row_type == column_type and base == 0
        types = {"index_type": INDEX_TYPES[row_type], "value_type": C_TYPES[value_type]}
        csr = Csr(n=rows, nnz=nnz, indptr=indptr, indices=indices, values=values, **types)
        return self.objects.make(csr)

    def createDnVec(self, array: Any) -> int:
        return self.objects.make((array.ctypes.data, len(array), array.dtype.type))

    def setStream(self, handle: int, stream: int) -> None:
        assert (handle, stream) == (HANDLE, STREAM)

    def spMV_bufferSize(self, *arguments: int) -> int:
        assert len(arguments) == 9
        return 0

    def spMV(
        self,
        handle: int,
        op: int,
        alpha: int,
        a: int,
        x: int,
        beta: int,
        y: int,
        kind: int,
        alg: int,
        to: int,
    ) -> None:
        assert handle == HANDLE
        factor, scale = (at(address, 1, C_TYPES[kind])[0] for address in (alpha, beta))
        result = at(*self.objects.alive[y])
        result[:] = scale * result + factor * (self.objects.alive[a].matrix() @ at(*self.objects.alive[x]))

    def cusparseSpSV_createDescr(self, made: Any) -> int:
        made._obj.value = self.objects.make(SimpleNamespace(analysed=None))
        return 0

    def cusparseSpSV_destroyDescr(self, number: int) -> int:
        return self.objects.destroy(number)

    def cusparseSpSV_bufferSize(self, *arguments: Any) -> int:
        arguments[-1]._obj.value = 64
        return 0

    def cusparseSpSV_analysis(self, *arguments: Any) -> int:
        *common, buffer = arguments
        self.objects.alive[common[-1]].analysed = common
        return 0 if buffer else 3

    def cusparseSpSV_solve(self, *arguments: Any) -> int:
        handle, op, alpha, a, x, y, kind, _, descriptor = arguments
        assert (handle, op, at(alpha, 1, C_TYPES[kind])[0]) == (HANDLE, 0, 1)
        if self.objects.alive[descriptor].analysed != list(arguments):
            return 7
        csr = self.objects.alive[a]
        lower, unit = csr.attributes[0] == 0, csr.attributes[1] == 1
        matrix = csr.matrix()
        triangle = sp.tril(matrix) if lower else sp.triu(matrix)
        given, found = (at(*self.objects.alive[vector]) for vector in (x, y))
        found[:] = spsolve_triangular(triangle.tocsr(), given, lower=lower, unit_diagonal=unit)
        return 0

    def cusparseGetErrorName(self, status: int) -> bytes:
        return b"CUSPARSE_STATUS_INTERNAL_ERROR" if status == 7 else b"CUSPARSE_STATUS_INVALID_VALUE"


def stand_in(monkeypatch: pytest.MonkeyPatch) -> CuSparse:
    """Have `import cupy` and what belongs to it find the fakes above."""
    fake = CuSparse()

    def set_attribute(self: Any, attribute: int, value: int) -> None:
        csr = fake.objects.alive[self.desc]
        csr.attributes = {**getattr(csr, "attributes", {}), attribute: value}

    described = type("SpMatDescriptor", (Descriptor,), {"set_attribute": set_attribute})
    vector = SimpleNamespace(create=lambda x: Descriptor(fake.createDnVec(x), None, fake.destroyDnVec))
    device = SimpleNamespace(get_cusparse_handle=lambda: HANDLE)
    modules: dict[str, dict[str, Any]] = {
        "cupy": {
            **{name: getattr(np, name) for name in ("searchsorted", "argsort", "cumsum")},
            "empty": lambda *shape: on_device(np.empty(*shape)),
            "zeros": lambda *shape: on_device(np.zeros(*shape)),
            "zeros_like": np.zeros_like,
            "arange": lambda *bounds, dtype: on_device(np.arange(*bounds, dtype=dtype)),
            "asarray": on_device,
        },
        "cupy.cuda": {
            "device": device,
            "get_current_stream": lambda: SimpleNamespace(ptr=STREAM),
            "runtime": SimpleNamespace(getDevice=lambda: 0),
        },
        "cupy_backends": {},
        "cupy_backends.cuda": {},
        "cupy_backends.cuda.libs": {"cusparse": fake},
        "cupyx": {},
        "cupyx.cusparse": {
            "BaseDescriptor": Descriptor,
            "SpMatDescriptor": described,
            "DnVecDescriptor": vector,
        },
    }
    for name, attributes in modules.items():
        module = ModuleType(name)
        vars(module).update(attributes)
        monkeypatch.setitem(sys.modules, name, module)
    sys.modules["cupy"].cuda = sys.modules["cupy.cuda"]  # type: ignore[attr-defined]
    monkeypatch.setattr(cusparse, "_library", lambda: fake)
    return fake
