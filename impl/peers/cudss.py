"""NVIDIA's cuDSS, a direct solver on the GPU, through its C interface. `make` never installs it.

Constants and signatures are those of cudss.h and cudss_data_types.h, versions 0.7, 0.8 and 1.0, which agree
in everything used here except the types of a matrix. The configuration is cuDSS's own unless said otherwise:
pivots are searched for within the diagonal block of a supernode, and a matching, with scaling, permutes the
columns first in 1.0 where cuDSS thinks fit, in 0.7 and 0.8 never.

Longer than two screens: the library's signatures and the calls that follow them belong together.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.metadata
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fillpath.errors import FillpathError, MemoryBudgetError, UnavailableError, UnsupportedError
from fillpath.nouns import Array, Pattern
from fillpath.peers import peer
from impl.cuda import kernels

DISTRIBUTIONS = ("nvidia-cudss-cu13", "nvidia-cudss-cu12")
OLDEST = (0, 7)
# From this version on, row pointers have a type of their own.
SPLIT = (0, 8)
# cudssPhase_t. SOLVE is all parts of a solve; cuDSS's refinement takes no steps unless configured.
REORDERING, SYMBOLIC, FACTORIZATION, SOLVE = 1 << 0, 1 << 1, 1 << 2, 0b111111 << 4

_PHASES = {
    REORDERING: "reordering",
    SYMBOLIC: "symbolic factorisation",
    FACTORIZATION: "numeric factorisation",
    SOLVE: "solve",
}
# cudssStatus_t, in order.
_STATUSES = (
    "success", "not initialised", "out of memory", "invalid value", "not supported", "execution failed",
    "internal error", "refinement failed",
)  # fmt: skip
_ALLOC_FAILED, _NOT_SUPPORTED = 2, 4
# cudssConfigParam_t: the algorithm of the matching; in 0.7 whether there is one. 0 is none in both.
_MATCHING, _NONE = 3, 0
# cudssDataParam_t.
_INFO, _LU_NNZ, _NPIVOTS, _USER_PERM = 0, 1, 2, 9
# cudaDataType_t, libraryPropertyType_t.
_FLOAT64, _INT32 = 1, 10
_MAJOR, _MINOR = 0, 1
# cudssMatrixType_t, cudssMatrixViewType_t, cudssIndexBase_t, cudssLayout_t.
_GENERAL, _FULL, _BASE_ZERO, _COLUMN_MAJOR = 0, 0, 0, 0
# The libraries that cuDSS is linked with; CuPy has them.
_NEEDED = ("cublas", "nvrtc")

_int, _int64, _pointer, _size = ctypes.c_int, ctypes.c_int64, ctypes.c_void_p, ctypes.c_size_t
_created = ctypes.POINTER(_pointer)


def distribution() -> str | None:
    """The installed wheel of cuDSS, or None."""
    for name in DISTRIBUTIONS:
        try:
            return importlib.metadata.distribution(name).metadata["Name"]
        except importlib.metadata.PackageNotFoundError:
            continue
    return None


def available() -> tuple[bool, str]:
    """(whether there are a GPU and a cuDSS that can be loaded, the reason if not). Never raises."""
    for there, why_not in (kernels.available(), peer("cudss").installed()):
        if not there:
            return False, why_not
    try:
        library()
    except UnavailableError as error:
        return False, str(error)
    return True, ""


@dataclass(frozen=True)
class Library:
    """cdll : the library.
    version : (major, minor).
    """

    cdll: Any
    version: tuple[int, int]

    def call(self, name: str, *arguments: Any, during: str = "") -> None:
        """Call a function. Raises MemoryBudgetError, UnsupportedError or FillpathError according to its
        status."""
        status = int(getattr(self.cdll, name)(*arguments))
        if status == 0:
            return
        told = _STATUSES[status] if status < len(_STATUSES) else f"status {status}"
        text = f"cuDSS, {during or name}: {told}"
        if status == _ALLOC_FAILED:
            raise MemoryBudgetError(text)
        raise UnsupportedError(text) if status == _NOT_SUPPORTED else FillpathError(text)


@functools.cache
def library() -> Library:
    """The library of the installed wheel. Raises UnavailableError if there is none that can be used."""
    try:
        for name in _NEEDED:
            _load_needed(name)
        cdll = ctypes.CDLL(str(_path()))
    except OSError as error:
        raise UnavailableError(f"cuDSS cannot be loaded: {error}") from error
    found = Library(cdll, _version(cdll))
    if found.version < OLDEST:
        raise UnavailableError(f"cuDSS {'.'.join(map(str, found.version))}: 0.7 or newer is needed")
    for name, arguments in _signatures(found.version).items():
        getattr(cdll, name).argtypes = arguments
    return found


def _load_needed(name: str) -> None:
    """Load a library of CUDA's into the process, as CuPy would. Raises OSError."""
    from cuda.pathfinder import DynamicLibNotFoundError, load_nvidia_dynamic_lib

    try:
        load_nvidia_dynamic_lib(name)
    except DynamicLibNotFoundError as error:
        raise OSError(" ".join(str(error).split())) from error


def _path() -> Path:
    """The path of the library itself. Raises UnavailableError."""
    name = distribution()
    if name is None:
        raise UnavailableError("cuDSS is not installed: .venv/bin/pip install -e '.[cudss13]', or cudss12")
    for file in importlib.metadata.files(name) or []:
        if re.fullmatch(r"libcudss\.so\.\d+", file.name):
            return Path(str(file.locate()))
    raise UnavailableError(f"{name} lists no libcudss.so")


def _version(cdll: Any) -> tuple[int, int]:
    major, minor = _int(), _int()
    cdll.cudssGetProperty(_MAJOR, ctypes.byref(major))
    cdll.cudssGetProperty(_MINOR, ctypes.byref(minor))
    return major.value, minor.value


def _signatures(version: tuple[int, int]) -> dict[str, tuple[Any, ...]]:
    # The types of indices and values, then the kind of matrix, its view and its base.
    types = (_int,) * (6 if version >= SPLIT else 5)
    return {
        "cudssCreate": (_created,),
        "cudssSetStream": (_pointer, _pointer),
        "cudssConfigCreate": (_created,),
        "cudssConfigDestroy": (_pointer,),
        "cudssConfigSet": (_pointer, _int, _pointer, _size),
        "cudssDataCreate": (_pointer, _created),
        "cudssDataDestroy": (_pointer, _pointer),
        "cudssDataSet": (_pointer, _pointer, _int, _pointer, _size),
        "cudssDataGet": (_pointer, _pointer, _int, _pointer, _size, ctypes.POINTER(_size)),
        "cudssMatrixCreateCsr": (_created, *(_int64,) * 3, *(_pointer,) * 4, *types),
        "cudssMatrixCreateDn": (_created, *(_int64,) * 3, _pointer, _int, _int),
        "cudssMatrixDestroy": (_pointer,),
        "cudssExecute": (_pointer, _int, *(_pointer,) * 5),
    }


@functools.cache
def _handle(device: int) -> Any:
    """cuDSS on that device, which is current, for the life of the process."""
    handle = _pointer()
    library().call("cudssCreate", ctypes.byref(handle))
    return handle


@dataclass(frozen=True, eq=False)
class System:
    """A matrix in cuDSS, with its factorisation.

    b, x : (n,) float64, the vectors of every phase

    The other fields are objects of cuDSS.
    """

    library: Library
    handle: Any
    config: Any
    data: Any
    matrix: Any
    right: Any
    solution: Any
    b: Array
    x: Array

    def keep_order(self) -> None:
        """Have the matrix factorised in the order that it has. Called before REORDERING, which has to run all
        the same.

        The permutation of rows and columns is the identity, and there is no matching, which would permute
        the columns first.
        """
        matching = ctypes.byref(_int(_NONE))
        self.library.call("cudssConfigSet", self.config, _MATCHING, matching, ctypes.sizeof(_int))
        # Of the type of the column indices. cuDSS copies it.
        order = np.arange(len(self.b), dtype=np.int32)
        permutation = _USER_PERM, order.ctypes.data, order.nbytes
        self.library.call("cudssDataSet", self.handle, self.data, *permutation, during="permutation")

    def execute(self, phase: int) -> None:
        """Run one of the phases above, in their order."""
        objects = (self.config, self.data, self.matrix, self.solution, self.right)
        self.library.call("cudssExecute", self.handle, phase, *objects, during=_PHASES[phase])

    def factorise(self) -> None:
        """The numeric phase. Raises UnsupportedError for a matrix that cuDSS calls singular."""
        self.execute(FACTORIZATION)
        info = self._read(_INFO, _int())
        if info:
            raise UnsupportedError(f"cuDSS finds no factors: its error indicator is {info}")

    def solved(self, b: Array) -> Array:
        """x with A x = b, both (n,) float64, after `factorise`."""
        self.b[...] = b
        self.execute(SOLVE)
        x: Array = self.x.copy()
        return x

    def nnz(self) -> int:
        """Entries of L and U in the order that they have in cuDSS, after SYMBOLIC.

        Raises FillpathError where cuDSS does not say, UnsupportedError where it has not counted them.
        """
        nnz = self._read(_LU_NNZ, _int64())
        if nnz < len(self.b):
            rows = f"{len(self.b)} rows"
            raise UnsupportedError(f"cuDSS counts {nnz} entries of L and U before it factorises {rows}")
        return nnz

    def counted(self) -> dict[str, float]:
        """Facts after `factorise`: nnz_factor, as `nnz`; pivots, replaced because they were small. A fact
        that cuDSS does not report is left out rather than losing the solution."""
        asked = (("nnz_factor", _LU_NNZ, _int64()), ("pivots", _NPIVOTS, _int()))
        facts: dict[str, float] = {}
        for name, what, into in asked:
            with suppress(FillpathError):
                facts[name] = float(self._read(what, into))
        return facts

    def _read(self, what: int, into: Any) -> int:
        room = ctypes.byref(into), ctypes.sizeof(into), ctypes.byref(_size())
        self.library.call("cudssDataGet", self.handle, self.data, what, *room)
        return int(into.value)


@contextmanager
def opened(pattern: Pattern, values: Array) -> Iterator[System]:
    """A matrix in cuDSS, until the end of the block.

    pattern : n x n, on the device
    values : (nnz,) float64, on the device

    cuDSS allocates outside of CuPy's pool. Raises UnsupportedError for 2^31 entries or more.
    """
    import cupy

    n, nnz = pattern.n, len(pattern.indices)
    if nnz >= 2**31:
        raise UnsupportedError(f"{nnz} entries: cuDSS is given 32-bit row pointers here")
    used, handle = library(), _handle(cupy.cuda.runtime.getDevice())
    used.call("cudssSetStream", handle, cupy.cuda.get_current_stream().ptr)
    rows: Any = (pattern.indptr.astype(np.int32), pattern.indices, values)
    indptr, indices, entries = (array.data.ptr for array in rows)
    types = (_INT32, _INT32, _FLOAT64) if used.version >= SPLIT else (_INT32, _FLOAT64)
    b, x = cupy.zeros(n), cupy.zeros(n)
    with ExitStack() as stack:

        def own(kind: str, *before: Any, create: str = "", after: tuple[Any, ...] = ()) -> Any:
            created = _pointer()
            used.call(f"cudss{kind}Create{create}", *before, ctypes.byref(created), *after)
            stack.callback(functools.partial(getattr(used.cdll, f"cudss{kind}Destroy"), *before, created))
            return created

        def vector(array: Any) -> Any:
            return own("Matrix", create="Dn", after=(n, 1, n, array.data.ptr, _FLOAT64, _COLUMN_MAJOR))

        matrix = (n, n, nnz, indptr, None, indices, entries, *types, _GENERAL, _FULL, _BASE_ZERO)
        yield System(
            library=used,
            handle=handle,
            config=own("Config"),
            data=own("Data", handle),
            matrix=own("Matrix", create="Csr", after=matrix),
            right=vector(b),
            solution=vector(x),
            b=b,
            x=x,
        )
