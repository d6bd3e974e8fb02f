"""From a matrix to the matrix that is factorised: matching, scaling, ordering.

P_r D_r A D_c P_c: optionally a row matching puts large entries on the diagonal and scales them to 1. Missing
diagonal entries are added as zeros (or as a given value, as PPoPP'23 does for its Table 4). One symmetric
permutation of pattern(A + A^T) reduces fill.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, csr_array

from fillpath.nouns import Arranged, Array, Pattern, Raw, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.preparation import matching
from impl.preparation.best import best
from impl.preparation.geometric import geometric
from impl.preparation.ordering import graph_of, order, shuffled


@dataclass(frozen=True, eq=False)
class _Entries:
    """A square matrix as triplets without repetitions: rows, columns (nnz,) int32, values (nnz,) float64."""

    n: int
    rows: Array
    columns: Array
    values: Array


@implementation(stage="preparation")
def prepare(raw: Raw) -> tuple[Arranged, Work]:
    """Match, scale and order a matrix as its case says (METIS, AMD and the matching on one core).

    raw : n x n, on the host

    Its phases: matching, where one is asked for, and its scalings; scaling; ordering; permutation. Raises
    InputError for a matrix that is structurally singular under mc64, UnavailableError for an ordering whose
    library is missing, MemoryError.
    """
    preparation = raw.preparation
    with phase("matching"):
        given = csr_array((raw.values, raw.pattern.indices, raw.pattern.indptr), (raw.pattern.n,) * 2)
        given = given if preparation.explicit_zeros else _without_zeros(given)
        method = _matching_method(preparation.matching, given, raw.field)
        matched = _match(given, method, raw.name)
    with phase("scaling"):
        scaled = _scale(given, matched)
        entries = _complete_diagonal(scaled)
        holes = (entries.rows == entries.columns) & (entries.values == 0)
        if raw.field == "pattern":
            entries = _synthetic(entries, raw.seed)
        if preparation.diagonal:
            entries.values[holes] = preparation.diagonal
    with phase("ordering"):
        ordering, permutation = _ordered(raw, entries)
    with phase("permutation"):
        pattern, values = _permute(entries, permutation)
    rows, scales = matched.rows[permutation], (matched.row_scale, matched.column_scale)
    added = len(entries.values) - len(scaled.values)
    return Arranged(pattern, values, rows, permutation, *scales, method, ordering, added), Work()


def _ordered(raw: Raw, entries: _Entries) -> tuple[str, Array]:
    """Return the name of the ordering that was taken, and (n,) int32, new position -> old index."""
    asked = raw.preparation.ordering
    if asked == "natural":
        return asked, np.arange(entries.n, dtype=np.int32)
    if asked == "random":
        return asked, shuffled(entries.n, raw.seed)
    if asked == "geometric":
        return asked, geometric(raw.side, raw.dimensions)
    graph = graph_of(entries.rows, entries.columns, entries.n)
    if asked == "best":
        return best(graph, raw.preparation.systems, raw.seed)
    return asked, order(asked, graph, raw.seed)


def _without_zeros(matrix: csr_array) -> csr_array:
    kept = matrix.copy()
    kept.eliminate_zeros()
    return kept


def _matching_method(asked: str, matrix: csr_array, field: str) -> str:
    """`auto` matches only if necessary: the diagonal has a hole, or the values are unsymmetric.

    An explicit zero is compared as an entry that is not there.
    """
    if asked != "auto":
        return asked
    rows, columns = coo_array(matrix).coords
    full = np.count_nonzero(rows == columns) == matrix.shape[0]
    return "none" if full and (field == "pattern" or _symmetric(_without_zeros(matrix))) else "mc64"


def _symmetric(matrix: csr_array) -> bool:
    mirror = csr_array(matrix.T)
    mirror.sort_indices()
    same = np.array_equal(matrix.indptr, mirror.indptr) and np.array_equal(matrix.indices, mirror.indices)
    return same and np.array_equal(matrix.data, mirror.data)


def _match(matrix: csr_array, method: str, name: str) -> matching.Matching:
    n = matrix.shape[0]
    if method == "none":
        return matching.Matching(np.arange(n, dtype=np.int32), np.ones(n), np.ones(n))
    return matching.maximum_product(matrix, name)


def _scale(matrix: csr_array, matched: matching.Matching) -> _Entries:
    """Scaled entries, with each row moved to the column that it is matched to."""
    n = matrix.shape[0]
    old = np.repeat(np.arange(n, dtype=np.int32), np.diff(matrix.indptr))
    columns = matrix.indices.astype(np.int32)
    values = matched.row_scale[old] * matrix.data * matched.column_scale[columns]
    return _Entries(n, _inverse(matched.rows)[old], columns, values)


def _complete_diagonal(entries: _Entries) -> _Entries:
    present = np.zeros(entries.n, bool)
    present[entries.rows[entries.rows == entries.columns]] = True
    missing = np.flatnonzero(~present).astype(np.int32)
    rows, columns = np.concatenate([entries.rows, missing]), np.concatenate([entries.columns, missing])
    return _Entries(entries.n, rows, columns, np.concatenate([entries.values, np.zeros(len(missing))]))


def _synthetic(entries: _Entries, seed: int) -> _Entries:
    """Values for a pattern: in (-1, -0.1) off the diagonal, equal for (i, j) and (j, i), and a diagonal that
    dominates its row and its column. They depend on the position of an entry, not on its storage."""
    low = np.minimum(entries.rows, entries.columns).astype(np.uint64)
    high = np.maximum(entries.rows, entries.columns).astype(np.uint64)
    mixed = _mix((low << np.uint64(32)) ^ high ^ _mix(np.full(1, seed, np.uint64)))
    values = -(0.1 + 0.9 * (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53)
    diagonal = entries.rows == entries.columns
    values[diagonal] = 0.0
    row_sums = np.bincount(entries.rows, -values, entries.n)
    column_sums = np.bincount(entries.columns, -values, entries.n)
    values[diagonal] = 1.0 + np.maximum(row_sums, column_sums)[entries.rows[diagonal]]
    return _Entries(entries.n, entries.rows, entries.columns, values)


def _mix(words: Array) -> Array:
    """SplitMix64's finaliser: (k,) uint64 to well-mixed (k,) uint64."""
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(words ^ (words >> np.uint64(31)))


def _permute(entries: _Entries, order: Array) -> tuple[Pattern, Array]:
    place = _inverse(order)
    coordinates = (place[entries.rows], place[entries.columns])
    matrix = csr_array((entries.values, coordinates), shape=(entries.n, entries.n))
    matrix.sort_indices()
    return Pattern(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)), matrix.data


def _inverse(permutation: Array) -> Array:
    inverse = np.empty_like(permutation)
    inverse[permutation] = np.arange(len(permutation), dtype=permutation.dtype)
    return inverse
