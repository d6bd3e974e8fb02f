"""Matrices of regular grids: 5- and 7-point Laplacians."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array, dia_array

from fetch.names import Spec

Array = npt.NDArray[Any]

# Two orders of magnitude per direction, and six orders at random over the cells, are this project's choice.
# ParAC took its grids from Laplacians.jl, see `poisson3d`.
_ANISOTROPY = (1.0, 1e-2, 1e-4)
_CONTRAST_DECADES = 6.0
# The weight that Laplacians.jl's own comparisons give its grids; ParAC prints none.
_HEAVY = 1e5
_WEIGHTS = {"aniso": _ANISOTROPY, "aniso_x": (_HEAVY, 1.0, 1.0)}


def poisson3d(spec: Spec) -> csr_array:
    """Build the 7-point Laplacian on size x size x size points.

    Laplacians.jl makes ParAC's three grids: the inner points of a grid of size + 2 a side, so that edges to
    the boundary stay on the diagonal. The weights are 1, 1e5 along x (`aniso_x`), or 1e5 and 1 by blocks of
    a chequerboard, ten a side (`checkered`).
    """
    if spec.variant == "checkered":
        return _laplacian([_checkered(spec.size, axis) for axis in range(3)])
    cells = np.ones((spec.size,) * 3)
    if spec.variant == "contrast":
        exponents = _CONTRAST_DECADES * (np.random.default_rng(0).random(spec.order) - 0.5)
        cells = np.power(10.0, exponents).reshape(cells.shape)
    weights = _WEIGHTS.get(spec.variant, (1.0, 1.0, 1.0))
    return _laplacian([_edges(cells, axis, weight, 1.0) for axis, weight in enumerate(reversed(weights))])


def grid2d(spec: Spec) -> csr_array:
    """Build the 5-point Laplacian on size x size points."""
    cut = 0.0 if spec.variant == "laplacian" else 1.0
    return _laplacian([_edges(np.ones((spec.size,) * 2), axis, 1.0, cut) for axis in range(2)])


def _edges(cells: Array, axis: int, weight: float, cut: float) -> Array:
    """Compute the weights of the edges along an axis, with those across both ends of the boundary.

    cells : coefficients of the cells, x along the last axis
    weight : of the direction; an edge weighs the harmonic mean of its two cells times that
    cut : share of an edge across the boundary that is kept, in the diagonal. 1 is Dirichlet's condition, 0 is
        Neumann's and gives the Laplacian of a graph. The edge weighs its cell's coefficient.
    """
    along = np.moveaxis(cells, axis, 0)
    low, high = along[:-1], along[1:]
    inner = weight * 2.0 * low * high / (low + high)
    return np.moveaxis(np.concatenate([cut * weight * along[:1], inner, cut * weight * along[-1:]]), 0, axis)


def _checkered(size: int, axis: int) -> Array:
    """Compute the weights of the edges along an axis on the inner points of a grid of blocks.

    The points have the coordinates 1 to size. An edge is of its lower end, and weighs _HEAVY where the
    numbers of its block along x, y and z have an even sum, else 1.
    """
    block = (size + 2) // max(1, (size + 2) // 10)
    starts = [int(other != axis) for other in range(3)]
    places = np.ogrid[tuple(slice(start, size + 1) for start in starts)]
    return np.where(sum(place // block for place in places) % 2 == 0, _HEAVY, 1.0)


def _laplacian(edges: Sequence[Array]) -> csr_array:
    """Build the matrix of a grid: minus the weight of each edge, and their sums in the diagonal.

    edges : one array per axis, z, y and x or y and x, one place longer than the grid along its own axis
    """
    lower = [np.delete(weights, -1, axis) for axis, weights in enumerate(edges)]
    upper = [np.delete(weights, 0, axis) for axis, weights in enumerate(edges)]
    diagonal = np.zeros(lower[0].shape)
    for weights in (*lower, *reversed(upper)):
        diagonal += weights
    bands, offsets = [diagonal.ravel()], [0]
    pairs = zip(lower, upper, strict=True) if diagonal.size > 1 else ()
    for axis, (below, above) in enumerate(pairs):
        np.moveaxis(below, axis, 0)[0] = np.moveaxis(above, axis, 0)[-1] = 0.0  # across the boundary
        stride = len(diagonal) ** (diagonal.ndim - 1 - axis)
        # A band is stored by columns: the column of an entry above the diagonal is the edge's upper end.
        bands += [-above.ravel(), -below.ravel()]
        offsets += [-stride, stride]
    # The conversion leaves out the zeros.
    data: Array = np.stack(bands)
    return csr_array(dia_array((data, np.array(offsets)), shape=(diagonal.size, diagonal.size)))
