"""Check of a preparation: the matrix as it comes, permuted and scaled, is the result."""

from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array

from benchmarks.checks.held import Held, is_array
from fillpath.errors import InputError
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
    """Return how many entries differ; infinity for no permutation, no pattern, or another shape."""
    n, orders = raw.pattern.n, (result.row_permutation, result.column_permutation)
    scales = result.row_scale, result.column_scale
    whole = all(is_array(order, np.int32, n) for order in orders)
    if not whole or not all(is_array(scale, np.float64, n) for scale in scales):
        return np.inf
    if not all(np.array_equal(np.sort(order), np.arange(n)) for order in orders):
        return np.inf
    if result.pattern.n != n or len(result.values) != result.pattern.nnz or not _is_valid(result):
        return np.inf
    given = csr_array((raw.values, raw.pattern.indices, raw.pattern.indptr), shape=(n, n))
    if not raw.preparation.explicit_zeros:
        given = csr_array(given, copy=True)
        given.eliminate_zeros()
    if result.diagonal_added != result.pattern.nnz - given.nnz:
        return np.inf
    triplets = coo_array(given)
    rows, columns = (np.argsort(order)[where] for order, where in zip(orders, triplets.coords, strict=True))
    scaled = result.row_scale[triplets.coords[0]] * triplets.data * result.column_scale[triplets.coords[1]]
    return _differences(result, rows.astype(np.int64) * n + columns, scaled, raw)


def _is_valid(result: Arranged) -> bool:
    """Return whether the pattern has its diagonal, the values are finite, and only a matching scales."""
    try:
        result.pattern.validate()
    except InputError:
        return False
    scales = np.concatenate([result.row_scale, result.column_scale])
    fair = scales > 0 if result.matching != "none" else scales == 1
    return bool(fair.all() and np.isfinite(np.concatenate([result.values, scales])).all())


def _differences(result: Arranged, places: Array, scaled: Array, raw: Raw) -> float:
    """Return how many entries are lost, changed or added, but for what is added to the diagonal.

    places : (nnz,) int64, row * n + column of each entry of the matrix as it comes
    scaled : (nnz,) float64, their values
    """
    n, diagonal = result.pattern.n, float(raw.preparation.diagonal)
    positions = result.pattern.rows() * n + result.pattern.indices
    at = np.minimum(np.searchsorted(positions, places), len(positions) - 1)
    lost = positions[at] != places
    extra = np.ones(len(positions), bool)
    extra[at[~lost]] = False
    off = positions // n != positions % n
    if raw.field == "pattern":
        # Made-up values have a diagonal above the sum of the row's other moduli.
        sums = np.bincount(result.pattern.rows()[off], np.abs(result.values[off]), n)
        return float(lost.sum() + (extra & off).sum() + np.count_nonzero(result.values[~off] <= sums))
    held = np.where((places // n == places % n) & (scaled == 0), diagonal, scaled)
    changed = ~lost & (result.values[at] != held)
    return float(lost.sum() + changed.sum() + (extra & (off | (result.values != diagonal))).sum())
