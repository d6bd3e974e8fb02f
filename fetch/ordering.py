"""Fill-reducing symmetric permutations of pattern(A + A^T), each (n,) int32, new position -> old index."""

from __future__ import annotations

import ctypes
import functools
import importlib
import importlib.metadata
from typing import Any

import numpy as np
import numpy.typing as npt
import pymetis
from scipy.sparse import csr_array

from fetch import dissection
from fetch.matrix_id import MatrixId
from fetch.vcycle.cycle import dissected
from fillpath.errors import FillpathError, UnavailableError

Array = npt.NDArray[Any]

SEEDED = ("random", "nnz", "metis", "dissection")
_LIBRARIES = {"metis": "pymetis", "amd": "suitesparse-amd"}
# The extension module of suitesparse-amd, which is also the C library: amd_order counts in int, amd_l_order
# in int64_t.
_AMD = "suitesparse_amd._amd"
_AMD_ORDER: dict[Any, str] = {np.int32: "amd_order", np.int64: "amd_l_order"}
_AMD_OUT_OF_MEMORY, _AMD_INVALID = -1, -2


def libraries(ordering: str) -> dict[str, str]:
    """The library that computes an ordering, and its version. Raises UnavailableError if it is missing."""
    library = _LIBRARIES.get(ordering)
    if library is None:
        return {}
    try:
        return {library: importlib.metadata.version(library)}
    except importlib.metadata.PackageNotFoundError:
        hint = ".venv/bin/pip install -e ."
        raise UnavailableError(f"ordering {ordering} needs {library}, which is missing: {hint}") from None


def refuse(ordering: str, matrix: MatrixId) -> None:
    """Raise UnavailableError or UnsupportedError as `order` would, before anything is fetched or read."""
    libraries(ordering)
    if ordering == "geometric":
        dissection.grid(matrix)
    if ordering == "amd":
        _amd_order(np.int32)


def order(ordering: str, rows: Array, columns: Array, n: int, seed: int, matrix: MatrixId) -> Array:
    """The permutation of that name for a pattern given as triplets without repetitions.

    rows, columns : (nnz,) int32
    seed : of random, nnz, metis and dissection
    matrix : read by `geometric` alone, which orders points, not entries

    Raises UnsupportedError for `geometric` if the matrix is no generated grid, UnavailableError for `amd`
    without its library.
    """
    if ordering == "natural":
        return np.arange(n, dtype=np.int32)
    if ordering == "random":
        return _random(n, seed)
    if ordering == "geometric":
        return dissection.geometric(matrix)
    graph = _graph(rows, columns, n)
    if ordering == "nnz":
        return _by_degree(graph, seed)
    if ordering == "dissection":
        return dissected(graph.indptr, graph.indices, seed)
    return _nested_dissection(graph, seed) if ordering == "metis" else _minimum_degree(graph)


def _random(n: int, seed: int) -> Array:
    return np.random.default_rng(seed).permutation(n).astype(np.int32)


def _graph(rows: Array, columns: Array, n: int) -> csr_array:
    """pattern(A + A^T) without loops, rows sorted."""
    off = rows != columns
    ones = np.ones(np.count_nonzero(off), np.int8)
    half = csr_array((ones, (rows[off], columns[off])), shape=(n, n))
    graph = csr_array(half + half.T)
    graph.sort_indices()
    return graph


def _by_degree(graph: csr_array, seed: int) -> Array:
    """ParAC's nnz-sort (Section 7): a random permutation, then a stable sort by the number of entries per
    column."""
    shuffled = _random(graph.shape[0], seed)
    degrees = np.diff(graph.indptr)[shuffled]
    return shuffled[np.argsort(degrees, kind="stable")]


def _nested_dissection(graph: csr_array, seed: int) -> Array:
    """METIS. Vertices without neighbours come first: METIS rejects a graph without edges."""
    degrees = np.diff(graph.indptr)
    alone, linked = np.flatnonzero(degrees == 0), np.flatnonzero(degrees)
    if len(linked) == 0:
        return np.arange(graph.shape[0], dtype=np.int32)
    renumbered = (np.cumsum(degrees > 0) - 1)[graph.indices]
    starts = np.concatenate([[0], np.cumsum(degrees[linked])])
    adjacency = pymetis.CSRAdjacency(starts.astype(np.int32), renumbered.astype(np.int32))
    permutation, _ = pymetis.nested_dissection(adjacency, options=pymetis.Options(seed=seed % 2**31))
    return np.concatenate([alone, linked[np.asarray(permutation)]]).astype(np.int32)


def _minimum_degree(graph: csr_array) -> Array:
    """SuiteSparse's AMD (Amestoy, Davis and Duff, ACM TOMS 30(3), 2004) with its default control.

    graph : symmetric, rows sorted and without repetitions, so that AMD takes it without a copy

    Raises MemoryError if AMD runs out of memory.
    """
    n = graph.shape[0]
    index = _amd_index(n, graph.nnz)
    starts, neighbours = (array.astype(index, copy=False) for array in (graph.indptr, graph.indices))
    permutation = np.empty(n, index)
    status = _amd_order(index)(n, starts, neighbours, permutation, None, None)
    if status == _AMD_OUT_OF_MEMORY:
        raise MemoryError(f"AMD had no room for a graph of {n} vertices and {graph.nnz} entries")
    if status <= _AMD_INVALID:
        raise FillpathError(f"AMD refused a graph of {n} vertices and {graph.nnz} entries: status {status}")
    return permutation.astype(np.int32, copy=False)


def _amd_index(n: int, entries: int) -> Any:
    """The integer type for AMD: int32 if its workspace (the entries, a fifth of them as elbow room, and seven
    integers per vertex) is short enough, else int64. The permutation is the same."""
    return np.int32 if entries + entries // 5 + 7 * n < np.iinfo(np.int32).max else np.int64


@functools.cache
def _amd_order(index: Any) -> Any:
    """SuiteSparse's function for that integer type: int f(n, starts (n + 1,), neighbours (nnz,), permutation
    (n,), control, info). It is taken from the extension module, as the package's own function wants dense
    arrays."""
    try:
        function = getattr(ctypes.CDLL(str(importlib.import_module(_AMD).__file__)), _AMD_ORDER[index])
    except (ImportError, OSError, AttributeError) as problem:
        hint = f"install {_LIBRARIES['amd']} anew, or order by metis"
        raise UnavailableError(f"ordering amd cannot use the module {_AMD} ({problem}): {hint}") from None
    array = np.ctypeslib.ndpointer(index, ndim=1, flags="C_CONTIGUOUS")
    length = np.ctypeslib.as_ctypes_type(index)
    function.argtypes = [length, array, array, array, ctypes.c_void_p, ctypes.c_void_p]
    function.restype = ctypes.c_int
    return function
