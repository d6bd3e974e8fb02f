"""Triangular solves by cuSPARSE's SpSV, as a preconditioner for `pcg_gpu`."""

from __future__ import annotations

from typing import Any

import numpy as np

from fillpath.nouns import Array, Pattern, Preconditioner
from impl.laplacian.launches import Room
from impl.peers import cusparse

# A matrix by rows on the device: indptr, indices, values.
Rows = tuple[Array, Array, Array]


class Spsv:
    """z = (G D G^T)^+ r from G and D G^T, both by rows with their diagonals."""

    blocks = 1
    says_rz = False

    def __init__(self, lower: Rows, upper: Rows) -> None:
        """Analyse both triangles.

        lower : G, with a diagonal of ones
        upper : D G^T, where infinity on the diagonal means 1 / 0
        """
        self._rows = len(lower[0]) - 1
        self._lower, self._upper = (
            cusparse._Triangle(cusparse._Csr(Pattern(indptr, indices), values), lower=is_lower)
            for (indptr, indices, values), is_lower in ((lower, True), (upper, False))
        )

    def apply(self, room: Room) -> Any:
        """Launch the solves. Returns z, for the vertices without the ground."""
        return self._upper.solved(self._lower.solved(room.vectors[: self._rows]))


def factor_triangles(factor: Preconditioner, vertices: int) -> Spsv:
    """Return the solves with ParAC's factor. vertices : int, all but the ground, which is last."""
    import cupy

    counts = cupy.arange(vertices + 1)
    columns = _of_entries(factor.pattern.indptr)
    kept = factor.pattern.indices < vertices
    rows, columns, values = factor.pattern.indices[kept], columns[kept], factor.values[kept]
    # The diagonal is the first entry of a column.
    starts = cupy.searchsorted(columns, counts) + counts
    indices, entries = cupy.empty(len(rows) + vertices, np.int32), cupy.empty(len(rows) + vertices)
    places = cupy.arange(len(rows)) + columns + 1
    indices[places], entries[places] = rows, values
    indices[starts[:-1]], entries[starts[:-1]] = counts[:-1], 1.0
    diagonal = factor.diagonal[:vertices]
    scaled = entries * cupy.where(diagonal != 0, diagonal, np.inf)[_of_entries(starts)]
    return Spsv(transposed((starts, indices, entries)), (starts, indices, scaled))


def transposed(matrix: Rows) -> Rows:
    """Return a matrix by columns as one by rows, ascending in each."""
    import cupy

    indptr, indices, values = matrix
    order = cupy.argsort(indices, kind="stable")
    starts = cupy.searchsorted(indices[order], cupy.arange(len(indptr)))
    return starts, _of_entries(indptr)[order].astype(np.int32), values[order]


def _of_entries(indptr: Array) -> Any:
    import cupy

    return cupy.searchsorted(indptr[1:], cupy.arange(int(indptr[-1])), side="right")
