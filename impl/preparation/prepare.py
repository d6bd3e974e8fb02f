"""The way from a matrix to the matrix that is factorised: matching, scaling, ordering.

P_r D_r A D_c P_c: optionally a row matching puts large entries on the diagonal and scales them to 1. Missing
diagonal entries are added as zeros (or as a given value, as PPoPP'23 does for its Table 4). One symmetric
permutation of pattern(A + A^T) reduces fill.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from fillpath.nouns import Arranged, Array, Pattern, Raw, Work
from fillpath.phase import phase
from fillpath.registry import implementation
from impl.preparation import matching
from impl.preparation.best import best
from impl.preparation.geometric import geometric
from impl.preparation.ordering import graph_of, order, shuffled
from impl.preparation.rows import Rows, completed, mirrored, permuted, without_diagonal


@implementation(stage="preparation")
def prepare(raw: Raw) -> tuple[Arranged, Work]:
    """Match, scale and order a matrix as its case asks (METIS, AMD and the matching on one core).

    raw : n x n, on the host

    Phases: matching, if asked for, with its scalings; scaling; ordering; permutation. Raises InputError for a
    structurally singular matrix under mc64, UnavailableError for an ordering without its library,
    MemoryError.
    """
    preparation = raw.preparation
    with phase("matching"):
        given = Rows(raw.pattern.indptr, raw.pattern.indices, raw.values)
        given = given if preparation.explicit_zeros else _without_zeros(given)
        method = _matching_method(preparation.matching, given, raw.field)
        matched = _match(given, method, raw.name)
    with phase("scaling"):
        rows = Rows(*completed(given, matched.rows, matched.row_scale, matched.column_scale))
        holes = (rows.of_entries() == rows.indices) & (rows.values == 0) if preparation.diagonal else None
        if raw.field == "pattern":
            rows = rows._replace(values=_synthetic(rows, matched.rows, raw.seed))
        if holes is not None:
            rows.values[holes] = preparation.diagonal
    with phase("ordering"):
        ordering, permutation = _ordered(raw, rows)
    with phase("permutation"):
        indptr, indices, values = permuted(rows, permutation)
    places = (matched.rows[permutation], permutation, matched.row_scale, matched.column_scale)
    added = len(rows.values) - len(given.values)
    return Arranged(Pattern(indptr, indices), values, *places, method, ordering, added), Work()


def _ordered(raw: Raw, rows: Rows) -> tuple[str, Array]:
    """Return the name of the ordering that was taken, and (n,) int32, new position -> old index."""
    asked = raw.preparation.ordering
    if asked == "natural":
        return asked, np.arange(rows.n, dtype=np.int32)
    if asked == "random":
        return asked, shuffled(rows.n, raw.seed)
    if asked == "geometric":
        return asked, geometric(raw.side, raw.dimensions)
    graph = _graph(rows)
    if asked == "best":
        return best(graph, raw.preparation.systems, raw.seed)
    return asked, order(asked, graph, raw.seed)


def _graph(rows: Rows) -> csr_array:
    if not mirrored(rows)[0]:
        return graph_of(rows.of_entries(), rows.indices, rows.n)
    indptr, indices = without_diagonal(rows)
    index = indices.dtype if len(indices) < np.iinfo(np.int32).max else np.int64
    parts = (np.ones(len(indices), np.int8), indices.astype(index, copy=False), indptr.astype(index))
    return csr_array(parts, shape=(rows.n, rows.n))


def _without_zeros(rows: Rows) -> Rows:
    kept = rows.values != 0
    indptr = np.concatenate([[0], np.cumsum(kept)])[rows.indptr]
    return Rows(indptr, rows.indices[kept], rows.values[kept])


def _matching_method(asked: str, rows: Rows, field: str) -> str:
    """Return the method; `auto` matches only if the diagonal has a hole or values are unsymmetric.

    An explicit zero counts as absent.
    """
    if asked != "auto":
        return asked
    full = np.count_nonzero(rows.of_entries() == rows.indices) == rows.n
    return "none" if full and (field == "pattern" or mirrored(_without_zeros(rows))[1]) else "mc64"


def _match(rows: Rows, method: str, name: str) -> matching.Matching:
    if method == "none":
        return matching.Matching(np.arange(rows.n, dtype=np.int32), np.ones(rows.n), np.ones(rows.n))
    parts = (rows.values, rows.indices, rows.indptr)
    return matching.maximum_product(csr_array(parts, shape=(rows.n, rows.n)), name)


def _synthetic(rows: Rows, old: Array, seed: int) -> Array:
    """Return values for a pattern: in (-1, -0.1) and symmetric off the diagonal, which dominates.

    The diagonal dominates its row and its column. Values depend on an entry's position, not on its storage.

    old : (n,) int32, each row's index in the original matrix, in whose order sums are formed
    """
    places, columns = rows.of_entries(), rows.indices
    low, high = np.minimum(places, columns).astype(np.uint64), np.maximum(places, columns).astype(np.uint64)
    mixed = _mix((low << np.uint64(32)) ^ high ^ _mix(np.full(1, seed, np.uint64)))
    values = -(0.1 + 0.9 * (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53)
    diagonal = places == columns
    values[diagonal] = 0.0
    row_sums = np.bincount(places, -values, rows.n)
    by_old = np.argsort(old[places], kind="stable")
    column_sums = np.bincount(columns[by_old], -values[by_old], rows.n)
    values[diagonal] = 1.0 + np.maximum(row_sums, column_sums)[places[diagonal]]
    return values


def _mix(words: Array) -> Array:
    """Mix (k,) uint64 by SplitMix64's finaliser."""
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(words ^ (words >> np.uint64(31)))
