"""Fill-reducing symmetric permutations of pattern(A + A^T), each (n,) int32, new position -> old index."""

from __future__ import annotations

import importlib.metadata
from typing import Any

import numpy as np
import numpy.typing as npt
import pymetis
from scipy.sparse import csr_array

from fetch import dissection
from fillpath.errors import UnavailableError

Array = npt.NDArray[Any]

SEEDED = ("random", "nnz", "metis")
_LIBRARIES = {"metis": "pymetis", "amd": "cvxopt"}


def libraries(ordering: str) -> dict[str, str]:
    """The library that decides an ordering, and its version. Raises UnavailableError where it is missing."""
    library = _LIBRARIES.get(ordering)
    if library is None:
        return {}
    try:
        return {library: importlib.metadata.version(library)}
    except importlib.metadata.PackageNotFoundError:
        hint = ".venv/bin/pip install -e '.[amd]'"
        raise UnavailableError(f"ordering {ordering} needs {library} (GPL-3, optional): {hint}") from None


def refuse(ordering: str, matrix: str) -> None:
    """Raise UnavailableError or UnsupportedError where `order` would, before anything is fetched or read."""
    libraries(ordering)
    if ordering == "geometric":
        dissection.grid(matrix)


def order(ordering: str, rows: Array, columns: Array, n: int, seed: int, matrix: str) -> Array:
    """The permutation of that name for a pattern given as triplets without repeats.

    rows, columns : (nnz,) int32. seed : of random, nnz and metis. matrix : its id; only `geometric`, which
    orders points rather than entries, asks it. Raises UnsupportedError for `geometric` on what is no
    generated grid, UnavailableError for `amd` without its library.
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
    return _nested_dissection(graph, seed) if ordering == "metis" else _minimum_degree(graph)


def _random(n: int, seed: int) -> Array:
    return np.random.default_rng(seed).permutation(n).astype(np.int32)


def _graph(rows: Array, columns: Array, n: int) -> csr_array:
    """pattern(A + A^T) without its loops, rows sorted."""
    off = rows != columns
    ones = np.ones(np.count_nonzero(off), np.int8)
    half = csr_array((ones, (rows[off], columns[off])), shape=(n, n))
    graph = csr_array(half + half.T)
    graph.sort_indices()
    return graph


def _by_degree(graph: csr_array, seed: int) -> Array:
    """ParAC's nnz-sort (Section 7): a random permutation, then a stable sort by the entries of a column."""
    shuffled = _random(graph.shape[0], seed)
    degrees = np.diff(graph.indptr)[shuffled]
    return shuffled[np.argsort(degrees, kind="stable")]


def _nested_dissection(graph: csr_array, seed: int) -> Array:
    """METIS. Vertices without neighbours come first: it rejects a graph that has no edges."""
    degrees = np.diff(graph.indptr)
    alone, linked = np.flatnonzero(degrees == 0), np.flatnonzero(degrees)
    if len(linked) == 0:
        return np.arange(graph.shape[0], dtype=np.int32)
    renumbered = (np.cumsum(degrees > 0) - 1)[graph.indices]
    starts = np.concatenate([[0], np.cumsum(degrees[linked])])
    adjacency = pymetis.CSRAdjacency(starts.astype(np.int32), renumbered.astype(np.int32))
    found, _ = pymetis.nested_dissection(adjacency, options=pymetis.Options(seed=seed % 2**31))
    return np.concatenate([alone, linked[np.asarray(found)]]).astype(np.int32)


def _minimum_degree(graph: csr_array) -> Array:
    """AMD, as SuiteSparse has it, through cvxopt: imported here only, because its licence is the GPL."""
    libraries("amd")
    from cvxopt import amd, matrix, spmatrix

    n = graph.shape[0]
    rows = np.repeat(np.arange(n), np.diff(graph.indptr))
    lower = rows > graph.indices
    columns = graph.indices[lower].astype(np.int64)
    loops = np.arange(n)
    places = [matrix(np.concatenate([part, loops])) for part in (rows[lower], columns)]
    half = spmatrix(1.0, places[0], places[1], (n, n))
    return np.array(amd.order(half, uplo="L"), np.int32).reshape(n)
