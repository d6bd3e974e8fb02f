"""NVIDIA's cuDSS, a direct solver on the GPU, through its C interface. `make` never installs it.

Constants and signatures follow cudss.h and cudss_data_types.h, versions 0.7, 0.8 and 1.0. From 0.8 on the row
pointers have a type of their own, and `_Places` differ. The configuration is cuDSS's own unless noted: pivots
are searched for within the diagonal block of a supernode. Version 1.0 may first match and scale, which
permutes the columns; earlier versions do not. Host threads come from a separate layer for GNU OpenMP.

    with opened(pattern, values, kind="spd") as system:
        system.analyse(pattern, given=False)
        system.factorise()
        x = system.solved(b)    # b, x : (1, n) float64, on the device
"""

from __future__ import annotations

import ctypes
import functools
import importlib.metadata
import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import get_num_threads

from fillpath.errors import FillpathError, MemoryBudgetError, UnavailableError, UnsupportedError
from fillpath.nouns import Array, Pattern
from fillpath.peers import peer
from fillpath.phase import phase
from impl.cuda import kernels
from impl.cuda.transfer import on_host
from impl.peers.kinds import IndefiniteError, Kind
from impl.symbolic.separator_tree import SeparatorTree, separator_tree

DISTRIBUTIONS = ("nvidia-cudss-cu13", "nvidia-cudss-cu12")
OLDEST = (0, 7)
SPLIT = (0, 8)
# The most leaves of a given tree of separators, as many as cuDSS's own tree has.
LEAVES = 512
# cudssPhase_t. SOLVE is all parts of a solve; cuDSS's refinement takes no steps unless configured.
REORDERING, SYMBOLIC, FACTORIZATION, REFACTORIZATION = 1 << 0, 1 << 1, 1 << 2, 1 << 3
SOLVE = 0b111111 << 4

_PHASES = {
    REORDERING: "reordering",
    SYMBOLIC: "symbolic factorisation",
    FACTORIZATION: "numeric factorisation",
    REFACTORIZATION: "second numeric factorisation",
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
# cudssMatrixType_t, cudssMatrixViewType_t. With the upper view entries below the diagonal are ignored.
_FULL, _UPPER = 0, 2
KINDS: dict[Kind, tuple[int, int]] = {"general": (0, _FULL), "symmetric": (1, _UPPER), "spd": (3, _UPPER)}
# cudssIndexBase_t, cudssLayout_t.
_BASE_ZERO, _COLUMN_MAJOR = 0, 0
# Libraries that cuDSS is linked with; CuPy has them.
_NEEDED = ("cublas", "nvrtc")

_int, _int64, _pointer, _size = ctypes.c_int, ctypes.c_int64, ctypes.c_void_p, ctypes.c_size_t
_created = ctypes.POINTER(_pointer)


class _Places(NamedTuple):
    """Numbers of parameters.

    threads, levels : int, in cudssConfigParam_t: threads of the host, levels of a tree of separators
    tree : int, in cudssDataParam_t: the user's tree
    """

    threads: int
    levels: int
    tree: int


def distribution() -> str | None:
    """Return the installed wheel of cuDSS, or None."""
    for name in DISTRIBUTIONS:
        try:
            return importlib.metadata.distribution(name).metadata["Name"]
        except importlib.metadata.PackageNotFoundError:
            continue
    return None


def available() -> tuple[bool, str]:
    """Return (whether there are a GPU and a cuDSS that can be loaded, the reason if not). Never raises."""
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
    """The library of an installed wheel.

    cdll : the library
    version : (major, minor)
    layer : the path of its threads
    """

    cdll: Any
    version: tuple[int, int]
    layer: Path

    @property
    def places(self) -> _Places:
        return _Places(14, 17, 21) if self.version >= SPLIT else _Places(15, 18, 20)

    def configure(self, config: Any, what: int, number: int) -> None:
        """Set a parameter of cudssConfigParam_t."""
        self.call("cudssConfigSet", config, what, ctypes.byref(_int(number)), ctypes.sizeof(_int))

    def call(self, name: str, *arguments: Any, during: str = "") -> None:
        """Call a function. Raises MemoryBudgetError, UnsupportedError or FillpathError by its status."""
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
    """Return the library of the installed wheel. Raises UnavailableError if none can be used."""
    try:
        for name in _NEEDED:
            _load_needed(name)
        cdll = ctypes.CDLL(str(_file("libcudss")))
    except OSError as error:
        raise UnavailableError(f"cuDSS cannot be loaded: {error}") from error
    version = _version(cdll)
    if version < OLDEST:
        raise UnavailableError(f"cuDSS {'.'.join(map(str, version))}: 0.7 or newer is needed")
    for name, arguments in _signatures(version).items():
        getattr(cdll, name).argtypes = arguments
    return Library(cdll, version, _file("libcudss_mtlayer_gomp"))


def _load_needed(name: str) -> None:
    """Load a library of CUDA's into the process, as CuPy would. Raises OSError."""
    from cuda.pathfinder import DynamicLibNotFoundError, load_nvidia_dynamic_lib

    try:
        load_nvidia_dynamic_lib(name)
    except DynamicLibNotFoundError as error:
        raise OSError(" ".join(str(error).split())) from error


def _file(stem: str) -> Path:
    """Return the path of a library of the wheel. Raises UnavailableError."""
    name = distribution()
    if name is None:
        raise UnavailableError("cuDSS is not installed: .venv/bin/pip install -e '.[cudss13]', or cudss12")
    for file in importlib.metadata.files(name) or []:
        if re.fullmatch(rf"{stem}\.so\.\d+", file.name):
            return Path(str(file.locate()))
    raise UnavailableError(f"{name} lists no {stem}.so")


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
        "cudssSetThreadingLayer": (_pointer, ctypes.c_char_p),
        "cudssConfigCreate": (_created,),
        "cudssConfigDestroy": (_pointer,),
        "cudssConfigSet": (_pointer, _int, _pointer, _size),
        "cudssDataCreate": (_pointer, _created),
        "cudssDataDestroy": (_pointer, _pointer),
        "cudssDataSet": (_pointer, _pointer, _int, _pointer, _size),
        "cudssDataGet": (_pointer, _pointer, _int, _pointer, _size, ctypes.POINTER(_size)),
        "cudssMatrixCreateCsr": (_created, *(_int64,) * 3, *(_pointer,) * 4, *types),
        "cudssMatrixCreateDn": (_created, *(_int64,) * 3, _pointer, _int, _int),
        "cudssMatrixSetValues": (_pointer, _pointer),
        "cudssMatrixDestroy": (_pointer,),
        "cudssExecute": (_pointer, _int, *(_pointer,) * 5),
    }


@functools.cache
def _handle(device: int) -> Any:
    """Return cuDSS on that device, which is current, for the life of the process."""
    used, handle = library(), _pointer()
    used.call("cudssCreate", ctypes.byref(handle))
    used.call("cudssSetThreadingLayer", handle, os.fsencode(used.layer))
    return handle


@dataclass(eq=False)
class System:
    """A matrix in cuDSS, with its factorisation.

    kind : kind of the matrix that cuDSS is given
    threads : int, of the host
    values : (nnz,) float64, which are factorised
    b, x : (columns, n) float64, the vectors of every phase
    levels : int, of the tree of separators in the order that it was given, 0 for its own order

    The other fields are objects of cuDSS.
    """

    library: Library
    handle: Any
    config: Any
    data: Any
    matrix: Any
    right: Any
    solution: Any
    kind: Kind
    threads: int
    values: Array
    b: Array
    x: Array
    levels: int = 0

    def analyse(self, pattern: Pattern, *, given: bool) -> None:
        """Reorder and factorise symbolically, in the phases reordering and symbolic.

        pattern : n x n, on the device
        given : bool, whether the order of the pattern is kept. Then the phase `separators` reads a tree off
            that order, without which cuDSS finds little parallel work
        """
        if given:
            with phase("separators"):
                tree = _tree(on_host(pattern))
        with phase("reordering"):
            if given:
                self._keep_order(tree)
            self.execute(REORDERING)
        with phase("symbolic"):
            self.execute(SYMBOLIC)

    def _keep_order(self, tree: SeparatorTree) -> None:
        """Keep the matrix's own order, without a matching, which would permute the columns.

        Called before REORDERING, which has to run all the same.

        tree : its nodes are eliminated in turn, leaves first, which changes neither fill nor operations
        """
        self.library.configure(self.config, _MATCHING, _NONE)
        self._give(_USER_PERM, _order(tree), "permutation")
        self.levels = len(tree.sizes).bit_length() - 1
        if self.levels > 1:
            self.library.configure(self.config, self.library.places.levels, self.levels)
            # The last place is no node.
            self._give(self.library.places.tree, tree.sizes[:-1], "tree of separators")

    def take(self, values: Any) -> None:
        """Replace the values to factorise. values : (nnz,) float64, on the device."""
        self.library.call("cudssMatrixSetValues", self.matrix, values.data.ptr)
        self.values = values

    def execute(self, phase: int) -> None:
        """Run one of the phases above, in their order."""
        objects = (self.config, self.data, self.matrix, self.solution, self.right)
        self.library.call("cudssExecute", self.handle, phase, *objects, during=_PHASES[phase])

    def factorise(self, *, again: bool = False) -> None:
        """Run the numeric phase. again : bool, whether it has run before, with these values or others.

        Raises UnsupportedError for a matrix that cuDSS calls singular, of kind spd IndefiniteError.
        """
        self.execute(REFACTORIZATION if again else FACTORIZATION)
        info = self._read(_INFO, _int())
        if info:
            error = IndefiniteError if self.kind == "spd" else UnsupportedError
            raise error(f"cuDSS finds no factors: its error indicator is {info}")

    def solved(self, b: Array) -> Array:
        """Return x with A x = b, both (columns, n) float64, after `factorise`."""
        self.b[...] = b
        self.execute(SOLVE)
        x: Array = self.x.copy()
        return x

    def nnz(self) -> int:
        """Return the entries of L and U, of L alone unless general, in cuDSS's order, after SYMBOLIC.

        Raises FillpathError where cuDSS does not report them, UnsupportedError where it has not counted them.
        """
        nnz = self._read(_LU_NNZ, _int64())
        if nnz < self.b.shape[1]:
            rows = f"{self.b.shape[1]} rows"
            raise UnsupportedError(f"cuDSS counts {nnz} entries of L and U before it factorises {rows}")
        return nnz

    def counted(self) -> dict[str, float]:
        """Return the facts after `factorise`, without those that cuDSS does not report.

        The facts are nnz_factor (`nnz`), pivots replaced because they were small, and kind as cuDSS numbers
        it (0 general, 1 symmetric, 3 positive definite). The others are threads and levels of the given tree.
        """
        asked = (("nnz_factor", _LU_NNZ, _int64()), ("pivots", _NPIVOTS, _int()))
        set_up = {"kind": KINDS[self.kind][0], "threads": self.threads, "levels": self.levels}
        facts = {name: float(number) for name, number in set_up.items()}
        for name, what, into in asked:
            with suppress(FillpathError):
                facts[name] = float(self._read(what, into))
        return facts

    def _give(self, what: int, numbers: Array, called: str) -> None:
        # The numbers have the type of the column indices; cuDSS copies them.
        given = what, numbers.ctypes.data, numbers.nbytes
        self.library.call("cudssDataSet", self.handle, self.data, *given, during=called)

    def _read(self, what: int, into: Any) -> int:
        room = ctypes.byref(into), ctypes.sizeof(into), ctypes.byref(_size())
        self.library.call("cudssDataGet", self.handle, self.data, what, *room)
        return int(into.value)


def _tree(pattern: Pattern) -> SeparatorTree:
    """Return the order's largest tree of at most LEAVES leaves; one leaf where it has no separators."""
    leaves = LEAVES
    while True:
        try:
            return separator_tree(pattern, leaves)
        except UnsupportedError:
            leaves //= 2


def _order(tree: SeparatorTree) -> Array:
    nodes = zip(tree.first, tree.sizes, strict=True)
    return np.concatenate([np.arange(first, first + size, dtype=np.int32) for first, size in nodes])


def kind_of(pattern: Pattern, values: Array) -> Kind:
    """Return the kind to give: spd, which may prove wrong, for a symmetric matrix with a positive diagonal.

    pattern : n x n, rows sorted, on the device
    values : (nnz,) float64, on the device
    """
    import cupy

    n, nnz = pattern.n, len(pattern.indices)
    places = cupy.arange(nnz, dtype=np.int64)
    rows = cupy.searchsorted(pattern.indptr, places, side="right") - 1
    columns = pattern.indices.astype(np.int64)
    entries, mirrored = rows * n + columns, columns * n + rows
    partner = cupy.searchsorted(entries, mirrored).clip(0, nnz - 1)
    if not ((entries[partner] == mirrored) & (values[partner] == values)).all():
        return "general"
    return "spd" if int(((rows == columns) & (values > 0)).sum()) == n else "symmetric"


@contextmanager
def opened(pattern: Pattern, values: Array, *, kind: Kind = "general", columns: int = 1) -> Iterator[System]:
    """Open a matrix in cuDSS, until the end of the block, with the threads of Numba.

    pattern : n x n, on the device
    values : (nnz,) float64, on the device
    kind : unless general, entries below the diagonal are present and ignored
    columns : int, right-hand sides of every solve

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
    b, x = cupy.zeros((columns, n)), cupy.zeros((columns, n))
    with ExitStack() as stack:

        def own(kind: str, *before: Any, create: str = "", after: tuple[Any, ...] = ()) -> Any:
            created = _pointer()
            used.call(f"cudss{kind}Create{create}", *before, ctypes.byref(created), *after)
            stack.callback(functools.partial(getattr(used.cdll, f"cudss{kind}Destroy"), *before, created))
            return created

        def vectors(array: Any) -> Any:
            return own("Matrix", create="Dn", after=(n, columns, n, array.data.ptr, _FLOAT64, _COLUMN_MAJOR))

        matrix = (n, n, nnz, indptr, None, indices, entries, *types, *KINDS[kind], _BASE_ZERO)
        config, threads = own("Config"), get_num_threads()
        used.configure(config, used.places.threads, threads)
        # Without a name, since this frame would keep the system alive.
        yield System(
            library=used,
            handle=handle,
            config=config,
            data=own("Data", handle),
            matrix=own("Matrix", create="Csr", after=matrix),
            right=vectors(b),
            solution=vectors(x),
            kind=kind,
            threads=threads,
            values=values,
            b=b,
            x=x,
        )
