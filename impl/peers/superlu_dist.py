"""SuperLU_DIST's symbolic factorisation through its C interface, without values, in the order of the pattern.

Structures and signatures follow supermatrix.h, superlu_defs.h and psymbfact.h, versions 8.1 and 9.2 with
32-bit int_t, which agree in everything used here. SuperLU_DIST itself fills in its options, whose members
move between versions.

    lower, upper = factorised(pattern)    # (n,) each: entries of L and of U by row
"""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import njit

from fillpath.errors import InputError, MemoryBudgetError, UnsupportedError
from fillpath.nouns import Array, Pattern
from fillpath.peers import peer
from fillpath.phase import phase
from impl.peers.mpi import import_mpi, load
from impl.symbolic.separator_tree import SeparatorTree
from impl.symbolic.supernode_subscripts import Segments, Subscripts

# Supernodes are fundamental, as relaxed supernodes hold zeros. The other two are SuperLU_DIST's defaults: the
# most columns of a supernode, and the room for subscripts, in entries of A.
ENVIRONMENT = {"SUPERLU_RELAX": "1", "SUPERLU_MAXSUP": "256", "SUPERLU_FILL": "5"}
# SuperLU_DIST counts the bytes of that room in 32 bits.
MOST_ENTRIES = (2**31 - 1) // (4 * int(ENVIRONMENT["SUPERLU_FILL"])) - 1

_int, _int64, _pointer = ctypes.c_int, ctypes.c_int64, ctypes.c_void_p
_ints = ctypes.POINTER(_int)
# Room for superlu_dist_options_t, which takes less than a tenth.
_OPTIONS_BYTES = 8192
# Stype_t, Dtype_t, Mtype_t.
_BY_COLUMNS, _BY_LOCAL_ROWS, _DOUBLE, _GENERAL = 0, 7, 1, 0


class _Matrix(ctypes.Structure):
    """SuperMatrix."""

    _fields_ = (
        ("stype", _int), ("dtype", _int), ("mtype", _int), ("nrow", _int), ("ncol", _int),
        ("store", _pointer),
    )  # fmt: skip


class _LocalRows(ctypes.Structure):
    """NRformat_loc."""

    _fields_ = (
        ("nnz_loc", _int), ("m_loc", _int), ("fst_row", _int), ("nzval", _pointer), ("rowptr", _pointer),
        ("colind", _pointer),
    )  # fmt: skip


class _Columns(ctypes.Structure):
    """NCformat."""

    _fields_ = (("nnz", _int), ("nzval", _pointer), ("rowind", _pointer), ("colptr", _pointer))


class _Permuted(ctypes.Structure):
    """NCPformat: columns in another order than they lie in."""

    _fields_ = (
        ("nnz", _int), ("nzval", _pointer), ("rowind", _pointer), ("colbeg", _ints), ("colend", _ints),
    )  # fmt: skip


class _Distributed(ctypes.Structure):
    """Pslu_freeable_t."""

    _fields_ = (
        ("xlsub", _ints), ("lsub", _ints), ("szLsub", _int), ("xusub", _ints), ("usub", _ints),
        ("szUsub", _int), ("supno_loc", _ints), ("xsup_beg_loc", _ints), ("xsup_end_loc", _ints),
        ("nvtcs_loc", _int), ("globToLoc", _ints), ("maxNvtcsPProc", _int), ("nnzLU", _int64),
    )  # fmt: skip


class _Persistent(ctypes.Structure):
    """Glu_persist_t."""

    _fields_ = (("xsup", _ints), ("supno", _ints))


class _Freeable(ctypes.Structure):
    """Glu_freeable_t, longer than in any version; only these members are read."""

    _fields_ = (
        ("lsub", _ints), ("xlsub", _ints), ("usub", _ints), ("xusub", _ints), ("rest", ctypes.c_char * 256),
    )  # fmt: skip


class _Memory(ctypes.Structure):
    """superlu_dist_mem_usage_t and more room."""

    _fields_ = (("for_lu", ctypes.c_float), ("total", ctypes.c_float), ("rest", ctypes.c_char * 256))


@functools.cache
def library() -> Any:
    """Return the library. Raises UnavailableError as `load` does."""
    os.environ.update(ENVIRONMENT)
    loaded = load(peer("superlu_dist"))
    loaded.symbfact_dist.argtypes = [_pointer, _int, _int, *[_pointer] * 9]
    loaded.symbfact_dist.restype = ctypes.c_float
    loaded.sp_colorder.argtypes = [_pointer] * 5
    loaded.symbfact.argtypes = [_pointer, _int, *[_pointer] * 5]
    for name in ("set_default_options_dist", "symbfact_SubFree", "superlu_free_dist"):
        getattr(loaded, name).argtypes = [_pointer]
    loaded.Destroy_CompCol_Permuted_dist.argtypes = [_pointer]
    return loaded


def factorised_in_parallel(pattern: Pattern, tree: SeparatorTree, communicator: Any) -> tuple[Array, Array]:
    """Return (lower, upper), row counts of L + U on rank 0, meaningless elsewhere: symbfact_dist.

    pattern : n x n, the same on all ranks, each of which hands over its share of the rows
    tree : with a leaf for each rank
    communicator : of mpi4py

    The phase `symbolic` is pdgssvx's SYMBFACT, from when all ranks are ready until the last is done. Raises
    InputError, UnsupportedError, and MemoryBudgetError where a rank finds too little memory.
    """
    with phase("convert"):
        rank, ranks, n = communicator.Get_rank(), communicator.Get_size(), _order(pattern)
        begin, end = n * rank // ranks, n * (rank + 1) // ranks
        offset = pattern.indptr[begin]
        indptr = (pattern.indptr[begin : end + 1] - offset).astype(np.intc)
        indices = pattern.indices[offset : pattern.indptr[end]]
        rows = _LocalRows(len(indices), end - begin, begin, None, indptr.ctypes.data, indices.ctypes.data)
        matrix = _Matrix(_BY_LOCAL_ROWS, _DOUBLE, _GENERAL, n, n, ctypes.addressof(rows))
        order, world = np.arange(n, dtype=np.intc).ctypes, _address(communicator)
        structure, memory, options = _Distributed(), _Memory(), _options()
        communicator.Barrier()
    with phase("symbolic"):
        status = library().symbfact_dist(
            options, ranks, ranks, ctypes.byref(matrix), order.data, order.data, tree.sizes.ctypes.data,
            tree.first.ctypes.data, ctypes.byref(structure), world, world, ctypes.byref(memory),
        )  # fmt: skip
        # Raise before the barrier, which ranks that wait for this rank in the call never reach.
        _check(status)
        communicator.Barrier()
    with phase("counts"):
        below = _part(structure, structure.xlsub, structure.lsub).by_subscript(n)
        right = _part(structure, structure.xusub, structure.usub).by_vertex(n)
        _free(structure, ("xlsub", "lsub", "xusub", "usub", "supno_loc", "globToLoc"))
        _free(structure, ("xsup_beg_loc", "xsup_end_loc"))
        lower, upper = _sum(communicator, np.stack([below, right]))
        # The diagonal is U's.
        return lower, upper + 1


def factorised(pattern: Pattern) -> tuple[Array, Array]:
    """Return (lower, upper), row counts of L + U, by symbfact, on this process alone.

    The phase `symbolic` is pdgssvx's SYMBFACT. Before it, as in pdgssvx, the phase `etree` makes the
    elimination tree of A + A^T and permutes A by its postorder, which keeps the fill. Raises as
    `factorised_in_parallel`.
    """
    with phase("convert"):
        n = _order(pattern)
        indptr, indices = _by_columns(pattern.indptr, pattern.indices)
        columns = _Columns(len(indices), None, indices.ctypes.data, indptr.ctypes.data)
        matrix = _Matrix(_BY_COLUMNS, _DOUBLE, _GENERAL, n, n, ctypes.addressof(columns))
        order, parents = np.arange(n, dtype=np.intc), np.empty(n, np.intc)
        ordered, persistent, freeable, options = _Matrix(), _Persistent(), _Freeable(), _options()
        numbers = order.ctypes.data, parents.ctypes.data
    with phase("etree"):
        library().sp_colorder(options, ctypes.byref(matrix), *numbers, ctypes.byref(ordered))
        # Only columns have been permuted so far; both matrices share these rows.
        _renumber(indices, order)
    with phase("symbolic"):
        status = library().symbfact(
            options, 0, ctypes.byref(ordered), *numbers, ctypes.byref(persistent), ctypes.byref(freeable)
        )
    _check(status)
    with phase("counts"):
        permuted = ctypes.cast(ordered.store, ctypes.POINTER(_Permuted)).contents
        begin, end = _view(permuted.colbeg, n), _view(permuted.colend, n)
        below, segments = _structure(persistent, freeable, n)
        lower, upper = below.by_subscript(n), segments.by_row(below, begin, end, indices)
        library().symbfact_SubFree(ctypes.byref(freeable))
        _free(persistent, ("xsup", "supno"))
        library().Destroy_CompCol_Permuted_dist(ctypes.byref(ordered))
        return lower[order], upper[order]


def _order(pattern: Pattern) -> int:
    if pattern.n == 0:
        raise InputError("a pattern of order 0: SuperLU_DIST takes 1 or more")
    if pattern.nnz > MOST_ENTRIES:
        raise UnsupportedError(
            f"{pattern.nnz} entries: SuperLU_DIST with 32-bit integers takes {MOST_ENTRIES}"
        )
    return pattern.n


def _check(status: float) -> None:
    """Raise MemoryBudgetError for a positive status, the bytes in use when memory ran out."""
    if status > 0:
        raise MemoryBudgetError(f"SuperLU_DIST had {status:.0f} bytes when memory ran out")


def _options() -> Any:
    options = ctypes.create_string_buffer(_OPTIONS_BYTES)
    library().set_default_options_dist(options)
    return options


def _part(structure: _Distributed, starts: Any, indices: Any) -> Subscripts:
    vertices = structure.nvtcs_loc
    supernodes = structure.supno_loc[vertices]
    first, last = (_view(place, supernodes) for place in (structure.xsup_beg_loc, structure.xsup_end_loc))
    # Vertices have local numbers, in the order of the supernodes.
    local = np.cumsum(last - first) - (last - first)
    bounds = _view(starts, vertices + 1)
    return Subscripts(first, last, bounds[local], bounds[local + 1], _view(indices, int(bounds[-1])))


def _structure(persistent: _Persistent, freeable: _Freeable, n: int) -> tuple[Subscripts, Segments]:
    bounds = _view(persistent.xsup, persistent.supno[n - 1] + 2)
    starts, tops = _view(freeable.xlsub, n + 1), _view(freeable.xusub, n + 1)
    first, last, indices = bounds[:-1], bounds[1:], _view(freeable.lsub, int(starts[-1]))
    below = Subscripts(first, last, starts[first], starts[first + 1], indices)
    return below, Segments(tops, _view(freeable.usub, int(tops[-1])))


@njit(cache=True, nogil=True)
def _by_columns(indptr, indices):
    n = len(indptr) - 1
    starts = np.zeros(n + 2, np.int32)
    for column in indices:
        starts[column + 2] += 1
    for column in range(n):
        starts[column + 2] += starts[column + 1]
    rows = np.empty(len(indices), np.int32)
    for row in range(n):
        for place in range(indptr[row], indptr[row + 1]):
            column = indices[place]
            rows[starts[column + 1]] = row
            starts[column + 1] += 1
    return starts[:-1], rows


@njit(cache=True, nogil=True)
def _renumber(indices, numbers):
    for place in range(len(indices)):
        indices[place] = numbers[indices[place]]


def _view(place: Any, count: int) -> Array:
    """Return the library's integers in place, not copied."""
    return np.ctypeslib.as_array(place, (count,)) if count else np.zeros(0, np.intc)


def _free(structure: Any, names: Sequence[str]) -> None:
    for name in names:
        library().superlu_free_dist(getattr(structure, name))


def _sum(communicator: Any, array: Array) -> Array:
    """Return the sum over all ranks, on rank 0; elsewhere the array itself."""
    total = np.zeros_like(array) if communicator.Get_rank() == 0 else None
    communicator.Reduce(array, total)
    return array if total is None else total


def _address(communicator: Any) -> int:
    address: int = import_mpi()._addressof(communicator)
    return address
