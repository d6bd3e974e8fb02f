"""Check of a preparation: the matrix as it comes, permuted and scaled, is the result."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array

from benchmarks.checks.held import Held
from fillpath.nouns import Arranged, Array, Raw, content_hash

METHOD = "entries that differ from P_r D_r A D_c P_c, and hash of the prepared matrix"


def verify_arranged(result: Any, raw: Raw, expected: str) -> Held:
    """Count entries that differ from those of the matrix as it comes, permuted and scaled anew.

    expected : the hash of the prepared matrix that other stages are given
    """
    wrong = _wrong(result, raw) if isinstance(result, Arranged) else np.inf
    if wrong == 0:
        digest = content_hash(result.pattern.indptr, result.pattern.indices, result.values)
        wrong = float(digest != expected)
    return Held("scipy", METHOD, wrong, 0.0)


def _wrong(result: Arranged, raw: Raw) -> float:
    """Return how many entries differ; infinity for what is no permutation, or of another shape."""
    n, orders = raw.pattern.n, (result.row_permutation, result.column_permutation)
    if not all(len(order) == n and np.array_equal(np.sort(order), np.arange(n)) for order in orders):
        return np.inf
    if result.pattern.n != n or len(result.values) != result.pattern.nnz:
        return np.inf
    given = csr_array((raw.values, raw.pattern.indices, raw.pattern.indptr), shape=(n, n))
    if not raw.preparation.explicit_zeros:
        given = csr_array(given, copy=True)
        given.eliminate_zeros()
    triplets = coo_array(given)
    rows, columns = (np.argsort(order)[where] for order, where in zip(orders, triplets.coords, strict=True))
    scaled = result.row_scale[triplets.coords[0]] * triplets.data * result.column_scale[triplets.coords[1]]
    expected = csr_array((scaled, (rows, columns)), shape=(n, n))
    found = csr_array((result.values, result.pattern.indices, result.pattern.indptr), shape=(n, n))
    return _differences(found, expected, raw)


def _differences(found: csr_array, expected: csr_array, raw: Raw) -> float:
    """Return how many entries are lost, changed or added, but for what is added to the diagonal."""
    positions, values = _sorted(expected)
    places, numbers = _sorted(found)
    n = found.shape[0]
    at = np.minimum(np.searchsorted(places, positions), len(places) - 1)
    lost = places[at] != positions
    filled = (positions // n == positions % n) & (values == 0) & (raw.preparation.diagonal != 0)
    made_up = raw.field == "pattern"
    changed = ~lost & ~filled & (numbers[at] != values) & (not made_up)
    extra = np.setdiff1d(places, positions)
    return float(lost.sum() + changed.sum() + np.count_nonzero(extra // n != extra % n))


def _sorted(matrix: csr_array) -> tuple[Array, Array]:
    """Return (nnz,) int64 positions row * n + column, ascending, and the values there."""
    triplets = coo_array(matrix)
    positions = triplets.coords[0].astype(np.int64) * matrix.shape[0] + triplets.coords[1]
    order = np.argsort(positions)
    return positions[order], triplets.data[order]
