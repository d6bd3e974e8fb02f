"""SuperLU_DIST's symbolic factorisation through its C interface, without values, in the order of the pattern.

Structures and signatures are those of superlu_defs.h and psymbfact.h, versions 8.1 and 9.2 with 32-bit int_t,
which agree in everything used here. Its options are passed as it fills them in: their members move between
versions.

Longer than two screens: the library's structures and the calls that follow them belong together.
"""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from fillpath.errors import MemoryBudgetError, UnsupportedError
from fillpath.nouns import Array, Pattern
from fillpath.peers import peer
from fillpath.phase import phase
from impl.symbolic.separator_tree import SeparatorTree

MOST_ENTRIES = 2**31 - 1

_int, _int64, _pointer = ctypes.c_int, ctypes.c_int64, ctypes.c_void_p
_ints = ctypes.POINTER(_int)
# superlu_dist_options_t has less than a tenth of that.
_OPTIONS_BYTES = 8192
# Stype_t, Dtype_t, Mtype_t.
_BY_COLUMNS, _BY_LOCAL_ROWS, _DOUBLE, _GENERAL = 0, 7, 1, 0


class _Matrix(ctypes.Structure):
    _fields_ = (
        ("stype", _int), ("dtype", _int), ("mtype", _int), ("nrow", _int), ("ncol", _int),
        ("store", _pointer),
    )  # fmt: skip


class _LocalRows(ctypes.Structure):
    _fields_ = (
        ("nnz_loc", _int), ("m_loc", _int), ("fst_row", _int), ("nzval", _pointer), ("rowptr", _pointer),
        ("colind", _pointer),
    )  # fmt: skip


class _Columns(ctypes.Structure):
    _fields_ = (("nnz", _int), ("nzval", _pointer), ("rowind", _pointer), ("colptr", _pointer))


class _Distributed(ctypes.Structure):
    """Pslu_freeable_t."""

    _fields_ = (
        ("xlsub", _ints), ("lsub", _ints), ("szLsub", _int), ("xusub", _ints), ("usub", _ints),
        ("szUsub", _int), ("supno_loc", _ints), ("xsup_beg_loc", _ints), ("xsup_end_loc", _ints),
        ("nvtcs_loc", _int),
        ("globToLoc", _ints), ("maxNvtcsPProc", _int), ("nnzLU", _int64),
    )  # fmt: skip


class _Persistent(ctypes.Structure):
    """Glu_persist_t."""

    _fields_ = (("xsup", _ints), ("supno", _ints))


class _Freeable(ctypes.Structure):
    """Glu_freeable_t, with more room behind than any version's has: only these members are read."""

    _fields_ = (
        ("lsub", _ints),
        ("xlsub", _ints),
        ("usub", _ints),
        ("xusub", _ints),
        ("rest", ctypes.c_char * 256),
    )


class _Memory(ctypes.Structure):
    """superlu_dist_mem_usage_t and more room."""

    _fields_ = (("for_lu", ctypes.c_float), ("total", ctypes.c_float), ("rest", ctypes.c_char * 256))


@dataclass(frozen=True, eq=False)
class Subscripts:
    """A factor by supernodes: L by columns or U by rows, the diagonal included.

    first, last : (k,) int64, the vertices of each supernode, the last one excluded
    starts : (k + 1,) int64, into indices
    indices : int64, the subscripts of each supernode's first vertex; those of a later one are the same, from
        it on
    """

    first: Array
    last: Array
    starts: Array
    indices: Array

    def by_subscript(self, n: int) -> Array:
        """(n,) int64: entries off the diagonal in each row of L, or in each column of U."""
        lengths = np.diff(self.starts)
        width = np.repeat(self.last - self.first, lengths)
        held = np.minimum(self.indices - np.repeat(self.first, lengths), width)
        return np.bincount(self.indices, held, n).astype(np.int64)

    def by_vertex(self, n: int) -> Array:
        """(n,) int64: entries off the diagonal in each column of L, or in each row of U."""
        lengths = np.diff(self.starts)
        until = np.minimum(self.indices, np.repeat(self.last, lengths))
        change = np.bincount(self.first, lengths, n + 1) - np.bincount(until, minlength=n + 1)
        return np.cumsum(change[:n]).astype(np.int64)


@functools.cache
def library() -> Any:
    """The library. Raises UnavailableError, and OSError for one that cannot be loaded."""
    # It finds MPI's symbols among those that mpi4py has loaded.
    loaded = ctypes.CDLL(str(peer("superlu_dist").library()), mode=ctypes.RTLD_GLOBAL)
    loaded.symbfact_dist.restype = ctypes.c_float
    loaded.superlu_free_dist.argtypes = [_pointer]
    return loaded


def factorised_in_parallel(pattern: Pattern, tree: SeparatorTree, communicator: Any) -> tuple[Array, Array]:
    """(lower, upper), row counts of L + U on rank 0, each rank's own part of them elsewhere: symbfact_dist.

    pattern : n x n, the same on all ranks, each of which hands over its share of the rows
    tree : with a leaf for each rank
    communicator : of mpi4py

    Raises MemoryBudgetError where it finds too little memory.
    """
    from mpi4py import MPI

    with phase("convert"):
        rank, ranks, n = communicator.Get_rank(), communicator.Get_size(), _order(pattern)
        begin, end = n * rank // ranks, n * (rank + 1) // ranks
        indptr = (pattern.indptr[begin : end + 1] - pattern.indptr[begin]).astype(np.intc)
        indices = pattern.indices[pattern.indptr[begin] : pattern.indptr[end]].astype(np.intc)
        values, order = np.ones(len(indices)), np.arange(n, dtype=np.intc)
        columns, sizes, first = order.copy(), tree.sizes.astype(np.intc), tree.first.astype(np.intc)
        rows = _LocalRows(len(indices), end - begin, begin, *map(_address, (values, indptr, indices)))
        matrix = _Matrix(_BY_LOCAL_ROWS, _DOUBLE, _GENERAL, n, n, ctypes.cast(ctypes.pointer(rows), _pointer))
        structure, options, world = _Distributed(), _options(), _pointer(MPI._addressof(communicator))
        communicator.Barrier()
    with phase("symbolic"):
        status = library().symbfact_dist(
            options, _int(ranks), _int(ranks), ctypes.byref(matrix),
            *map(_address, (columns, order, sizes, first)), ctypes.byref(structure), world, world,
            ctypes.byref(_Memory()),
        )  # fmt: skip
        communicator.Barrier()
    if status > 0:
        raise MemoryBudgetError(f"SuperLU_DIST had {status:.0f} bytes when memory ran out")
    with phase("counts"):
        below = _part(structure, structure.xlsub, structure.lsub)
        right = _part(structure, structure.xusub, structure.usub)
        # The diagonal is U's.
        lower, upper = below.by_subscript(n), right.by_vertex(n) + _between(right.first, right.last, n)
        _free(structure, ("xlsub", "lsub", "xusub", "usub"))
        _free(structure, ("supno_loc", "xsup_beg_loc", "xsup_end_loc", "globToLoc"))
        return _sum(communicator, lower), _sum(communicator, upper)


def factorised(pattern: Pattern) -> tuple[Array, Array]:
    """(lower, upper), row counts of L + U: symbfact, without relaxed supernodes.

    pattern : n x n, structurally symmetric: of others the library keeps U in segments, which hold zeros
    """
    with phase("convert"):
        n = _order(pattern)
        rows = csr_array((np.ones(pattern.nnz, np.int8), pattern.indices, pattern.indptr), shape=(n, n))
        columns = rows.tocsc()
        indices, indptr = columns.indices.astype(np.intc), columns.indptr.astype(np.intc)
        values, order, etree = np.ones(1), np.arange(n, dtype=np.intc), np.zeros(n, np.intc)
        stored = _Columns(len(indices), *map(_address, (values, indices, indptr)))
        matrix = _Matrix(_BY_COLUMNS, _DOUBLE, _GENERAL, n, n, ctypes.cast(ctypes.pointer(stored), _pointer))
        ordered, options = _Matrix(), _options()
    with phase("etree"):
        # Its elimination tree and a postorder of it, which becomes the order.
        numbers = _address(order), _address(etree)
        library().sp_colorder(options, ctypes.byref(matrix), *numbers, ctypes.byref(ordered))
    with phase("symbolic"):
        # By rows too, as pdgssvx does; both matrices hold these indices.
        indices[:] = order[indices]
        persistent, freeable = _Persistent(), _Freeable()
        status = library().symbfact(
            options, _int(0), ctypes.byref(ordered), *numbers, ctypes.byref(persistent),
            ctypes.byref(freeable),
        )  # fmt: skip
    if status > 0:
        raise MemoryBudgetError(f"SuperLU_DIST had {status} bytes when memory ran out")
    with phase("counts"):
        lower, upper = _serial_counts(persistent, freeable, n)
        _free(freeable, ("lsub", "xlsub", "usub", "xusub"))
        _free(persistent, ("xsup", "supno"))
        library().Destroy_CompCol_Permuted_dist(ctypes.byref(ordered))
    return lower[order], upper[order]


def _order(pattern: Pattern) -> int:
    if pattern.nnz > MOST_ENTRIES:
        raise UnsupportedError(f"{pattern.nnz} entries: SuperLU_DIST counts {MOST_ENTRIES}")
    return pattern.n


def _options() -> Any:
    # Its supernodes are the fundamental ones: relaxed ones hold zeros.
    os.environ["SUPERLU_RELAX"] = "1"
    options = ctypes.create_string_buffer(_OPTIONS_BYTES)
    library().set_default_options_dist(options)
    return options


def _part(structure: _Distributed, starts: Any, indices: Any) -> Subscripts:
    """A rank's part of a factor."""
    supernodes, vertices = structure.supno_loc[structure.nvtcs_loc], structure.nvtcs_loc
    first, last = (_array(place, supernodes) for place in (structure.xsup_beg_loc, structure.xsup_end_loc))
    # Its vertices have numbers of its own, which follow its supernodes.
    local = np.cumsum(last - first) - (last - first)
    bounds = _array(starts, vertices + 1)
    begin, end = bounds[local], bounds[local + 1]
    lengths = end - begin
    own = np.concatenate([[0], np.cumsum(lengths)])
    places = np.repeat(begin - own[:-1], lengths) + np.arange(own[-1])
    return Subscripts(first, last, own, _array(indices, int(bounds[-1]))[places])


def _serial_counts(persistent: _Persistent, freeable: _Freeable, n: int) -> tuple[Array, Array]:
    """(lower, upper) by rows, in the order that the library has made."""
    supernodes = persistent.supno[n - 1] + 1
    bounds = _array(persistent.xsup, supernodes + 1)
    first, last = bounds[:-1], bounds[1:]
    starts, segments = _array(freeable.xlsub, n + 1), _array(freeable.xusub, n + 1)
    begin, lengths = starts[first], starts[first + 1] - starts[first]
    own = np.concatenate([[0], np.cumsum(lengths)])
    places = np.repeat(begin - own[:-1], lengths) + np.arange(own[-1])
    below = Subscripts(first, last, own, _array(freeable.lsub, int(starts[-1]))[places])
    # A column of U is kept from the first entry in each supernode to that supernode's last row.
    top = _array(freeable.usub, int(segments[-1]))
    bottom = last[_array(persistent.supno, n)[top]]
    inside = np.repeat(last, last - first) - np.arange(n)
    return below.by_subscript(n), _between(top, bottom, n) + inside


def _between(first: Array, last: Array, n: int) -> Array:
    """(n,) int64: how many of these ranges each number is in, their ends excluded."""
    change = np.bincount(first, minlength=n + 1) - np.bincount(last, minlength=n + 1)
    counts: Array = np.cumsum(change[:n])
    return counts


def _array(place: Any, count: int) -> Array:
    """A copy of the library's integers."""
    if count == 0:
        return np.zeros(0, np.int64)
    return np.ctypeslib.as_array(place, (count,)).astype(np.int64)


def _address(array: Any) -> Any:
    return _pointer(array.ctypes.data)


def _free(structure: Any, names: Sequence[str]) -> None:
    for name in names:
        library().superlu_free_dist(ctypes.cast(getattr(structure, name), _pointer))


def _sum(communicator: Any, array: Array) -> Array:
    """The sum over all ranks, on rank 0."""
    total = np.zeros_like(array) if communicator.Get_rank() == 0 else None
    communicator.Reduce(array, total)
    return array if total is None else total
