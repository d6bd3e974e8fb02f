"""Fill-reducing symmetric permutations of pattern(A + A^T), each (n,) int32, new position -> old index."""

from __future__ import annotations

import ctypes
import functools
import importlib.metadata
import importlib.util
from typing import Any

import numpy as np
import pymetis
from scipy.sparse import csr_array

from fillpath.errors import FillpathError, UnavailableError
from fillpath.nouns import Array
from impl.preparation.vcycle.cycle import dissected

SEEDED = ("random", "nnz", "metis", "dissection", "best")
_LIBRARIES = {"metis": ("pymetis",), "amd": ("suitesparse-amd",), "best": ("suitesparse-amd", "pymetis")}
# The extension module of suitesparse-amd is also the C library, with amd_order for int, amd_l_order for
# int64_t.
_AMD = "suitesparse_amd._amd"
_AMD_ORDER: dict[Any, str] = {np.int32: "amd_order", np.int64: "amd_l_order"}
_AMD_OUT_OF_MEMORY, _AMD_INVALID = -1, -2
# How many numbers AMD returns, and the places of LU's divisions and of its multiply-subtractions.
_AMD_INFO, _DIVISIONS, _MULTIPLICATIONS = 20, 10, 12


def libraries(ordering: str) -> dict[str, str]:
    """Return the libraries that compute an ordering, with their versions. Raises UnavailableError."""
    versions = {}
    for library in _LIBRARIES.get(ordering, ()):
        try:
            versions[library] = importlib.metadata.version(library)
        except importlib.metadata.PackageNotFoundError:
            hint = ".venv/bin/pip install -e ."
            raise UnavailableError(f"ordering {ordering} needs {library}, which is missing: {hint}") from None
    return versions


def require(ordering: str) -> None:
    """Raise UnavailableError where the ordering's library is missing or cannot be called."""
    libraries(ordering)
    if "suitesparse-amd" in _LIBRARIES.get(ordering, ()):
        _amd_order(np.int32)


def order(ordering: str, graph: csr_array, seed: int) -> Array:
    """Return the permutation of that name.

    ordering : nnz, amd, metis or dissection
    graph : pattern(A + A^T) without loops, n x n, rows sorted
    seed : int, of all but amd

    Raises UnavailableError for `amd` without its library, MemoryError if AMD runs out of memory.
    """
    if ordering == "nnz":
        return _by_degree(graph, seed)
    if ordering == "dissection":
        return dissected(graph.indptr, graph.indices, seed)
    return _nested_dissection(graph, seed) if ordering == "metis" else minimum_degree(graph)[0]


def graph_of(rows: Array, columns: Array, n: int) -> csr_array:
    """Return pattern(A + A^T) without loops, rows sorted.

    rows, columns : (nnz,) int32, the entries of A, none twice
    """
    off = rows != columns
    ones = np.ones(np.count_nonzero(off), np.int8)
    half = csr_array((ones, (rows[off], columns[off])), shape=(n, n))
    graph = csr_array(half + half.T)
    graph.sort_indices()
    return graph


def shuffled(n: int, seed: int) -> Array:
    """Return a random permutation."""
    return np.random.default_rng(seed).permutation(n).astype(np.int32)


def _by_degree(graph: csr_array, seed: int) -> Array:
    """Return ParAC's nnz-sort (Section 7): random, then a stable sort by entries per column."""
    mixed = shuffled(graph.shape[0], seed)
    degrees = np.diff(graph.indptr)[mixed]
    return mixed[np.argsort(degrees, kind="stable")]


def _nested_dissection(graph: csr_array, seed: int) -> Array:
    """Return vertices without neighbours, then METIS's order: METIS rejects a graph without edges."""
    degrees = np.diff(graph.indptr)
    alone, linked = np.flatnonzero(degrees == 0), np.flatnonzero(degrees)
    if len(linked) == 0:
        return np.arange(graph.shape[0], dtype=np.int32)
    renumbered = (np.cumsum(degrees > 0) - 1)[graph.indices]
    starts = np.concatenate([[0], np.cumsum(degrees[linked])])
    adjacency = pymetis.CSRAdjacency(starts.astype(np.int32), renumbered.astype(np.int32))
    permutation, _ = pymetis.nested_dissection(adjacency, options=pymetis.Options(seed=seed % 2**31))
    return np.concatenate([alone, linked[np.asarray(permutation)]]).astype(np.int32)


def minimum_degree(graph: csr_array) -> tuple[Array, float]:
    """Return SuiteSparse's AMD permutation with its default control, and its bound on operations of LU.

    P. R. Amestoy, T. A. Davis, I. S. Duff, Algorithm 837, ACM Trans. Math. Softw. 30(3), 2004.

    graph : symmetric, rows sorted and without repetitions, so that AMD takes it without a copy

    Raises MemoryError if AMD runs out of memory.
    """
    n = graph.shape[0]
    index = _amd_index(n, graph.nnz)
    starts, neighbours = (array.astype(index, copy=False) for array in (graph.indptr, graph.indices))
    permutation, info = np.empty(n, index), np.zeros(_AMD_INFO)
    status = _amd_order(index)(n, starts, neighbours, permutation, None, info)
    if status == _AMD_OUT_OF_MEMORY:
        raise MemoryError(f"AMD had no room for a graph of {n} vertices and {graph.nnz} entries")
    if status <= _AMD_INVALID:
        raise FillpathError(f"AMD refused a graph of {n} vertices and {graph.nnz} entries: status {status}")
    return permutation.astype(np.int32, copy=False), float(info[_DIVISIONS] + 2 * info[_MULTIPLICATIONS])


def _amd_index(n: int, entries: int) -> Any:
    """Return the integer type for AMD: int32 if its workspace is short enough, else int64.

    The workspace is 1.2 times the entries, and seven integers per vertex. Both types give one permutation.
    """
    return np.int32 if entries + entries // 5 + 7 * n < np.iinfo(np.int32).max else np.int64


@functools.cache
def _amd_order(index: Any) -> Any:
    """Return SuiteSparse's function for an integer type: the package's own function takes dense arrays.

    Its signature: int f(n, starts (n + 1,), neighbours (nnz,), permutation (n,), control, info).
    """
    try:
        module = importlib.util.find_spec(_AMD)
        function = getattr(ctypes.CDLL(str(module and module.origin)), _AMD_ORDER[index])
    except (ImportError, OSError, AttributeError, ValueError) as problem:
        hint = "install suitesparse-amd anew, or order by metis"
        raise UnavailableError(f"ordering amd cannot use the module {_AMD} ({problem}): {hint}") from None
    array = np.ctypeslib.ndpointer(index, ndim=1, flags="C_CONTIGUOUS")
    length, numbers = np.ctypeslib.as_ctypes_type(index), np.ctypeslib.ndpointer(np.float64, shape=_AMD_INFO)
    function.argtypes = [length, array, array, array, ctypes.c_void_p, numbers]
    function.restype = ctypes.c_int
    return function
