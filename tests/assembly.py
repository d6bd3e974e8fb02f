"""What numeric implementations start from, built plainly: F both ways, values on it, relaxed levels."""

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from fillpath import registry
from fillpath.nouns import Array, Assembled, Factor, Levels, Pattern, TwoWay


def pattern_of(matrix: sp.csr_array) -> Pattern:
    """The structure of a matrix whose diagonal has no zeros."""
    ordered = sp.csr_array(matrix)
    ordered.sort_indices()
    return Pattern(ordered.indptr.astype(np.int64), ordered.indices.astype(np.int32))


def two_way_of(pattern: Pattern) -> TwoWay:
    """F of a pattern, by rows and by columns."""
    filled = registry.lookup("symbolic", "fill1_pruned").function(pattern)[0]
    n, rows, columns = pattern.n, filled.pattern.rows(), filled.pattern.indices
    order = np.lexsort((rows, columns))
    to_column = np.empty(len(order), np.int64)
    to_column[order] = np.arange(len(order))
    indptr = np.searchsorted(columns[order], np.arange(n + 1)).astype(np.int64)
    diagonal = np.flatnonzero(rows[order] == columns[order])
    by_columns = Pattern(indptr, rows[order].astype(np.int32))
    return TwoWay(filled, by_columns, (diagonal + 1).astype(np.int64), to_column)


def relaxed_levels(two_way: TwoWay) -> Levels:
    """Longest paths: 1 + the largest level of what a column depends on."""
    filled, columns, starts = two_way.filled, two_way.columns, two_way.lower_start
    empty = columns.indptr[1:] == starts
    level = np.zeros(columns.n, np.int64)
    for k in range(columns.n):
        above = columns.indices[columns.indptr[k] : starts[k] - 1]
        left = filled.pattern.indices[filled.pattern.indptr[k] : filled.upper_start[k]]
        before = np.concatenate([above[~empty[above]], left])
        level[k] = 1 + level[before].max() if len(before) else 0
    pointers = np.searchsorted(np.sort(level), np.arange(level.max() + 2)).astype(np.int64)
    return Levels(pointers, np.argsort(level, kind="stable").astype(np.int32))


def assembled(matrix: sp.csr_array) -> Assembled:
    """The matrix's values on F, and its relaxed levels."""
    two_way = two_way_of(pattern_of(matrix))
    n, columns = matrix.shape[0], two_way.columns
    entries = sp.coo_array(matrix)
    rows, cols = (np.asarray(part, np.int64) for part in entries.coords)
    keys = np.repeat(np.arange(n), np.diff(columns.indptr)) * n + columns.indices
    values = np.zeros(columns.nnz)
    values[np.searchsorted(keys, cols * n + rows)] = entries.data
    return Assembled(two_way, values, relaxed_levels(two_way))


def dominant(pattern: Pattern, seed: int) -> sp.csr_array:
    """Random values on a pattern, each diagonal entry above the sums of its row and its column."""
    rng = np.random.default_rng(seed)
    matrix = sp.csr_array(
        (rng.uniform(-1, 1, pattern.nnz), pattern.indices, pattern.indptr), (pattern.n,) * 2
    )
    off = sp.csr_array(matrix - sp.diags_array(matrix.diagonal()))
    size = abs(off).sum(axis=0) + abs(off).sum(axis=1) + rng.uniform(0.5, 1.5, pattern.n)
    return sp.csr_array(off + sp.diags_array(size * rng.choice([-1.0, 1.0], pattern.n)))


def eliminated(matrix: sp.csr_array) -> Array:
    """L + U - I of a matrix, dense, by elimination without pivoting."""
    a = matrix.toarray().astype(np.float64)
    for k in range(len(a)):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return a


def blocks(matrices: Sequence[sp.csr_array]) -> sp.csr_array:
    """All of them, one behind the other on the diagonal."""
    return sp.csr_array(sp.block_diag(matrices, format="csr"))


def triangles(factor: Factor) -> tuple[sp.csc_array, sp.csc_array]:
    """L with its diagonal of ones, and U, in float64."""
    columns = factor.two_way.columns
    both = sp.csc_array(
        (factor.values.astype(np.float64), columns.indices, columns.indptr), (columns.n, columns.n)
    )
    lower = sp.tril(both, -1) + sp.eye_array(columns.n)
    return sp.csc_array(lower), sp.csc_array(sp.triu(both))


def residual(matrix: sp.csr_array, factor: Factor) -> float:
    """||A - L U|| / ||A||, Frobenius."""
    lower, upper = triangles(factor)
    left = sp.csr_array(matrix - lower @ upper)
    return float(np.linalg.norm(left.data) / np.linalg.norm(matrix.data))
