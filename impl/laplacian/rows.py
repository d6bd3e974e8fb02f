"""A Laplacian as other people's libraries take it."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from fillpath.errors import UnsupportedError
from fillpath.nouns import Laplacian
from impl.cholesky.graph import as_matrix

MOST_ENTRIES = 2**31 - 1


def rows_of(graph: Laplacian) -> csr_array:
    """Return L without the ground, float64, rows sorted. Raises UnsupportedError for 2^31 entries."""
    entries, rows = graph.pattern.nnz + graph.n, graph.n - graph.grounded
    if entries > MOST_ENTRIES:
        raise UnsupportedError(f"{entries} entries: 32-bit indices count {MOST_ENTRIES}")
    matrix = as_matrix(graph).tocsr()[:rows, :rows].astype(np.float64)
    matrix.sort_indices()
    indices, indptr = (array.astype(np.int32, copy=False) for array in (matrix.indices, matrix.indptr))
    return csr_array((matrix.data, indices, indptr), shape=matrix.shape)
