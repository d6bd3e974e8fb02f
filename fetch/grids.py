"""Matrices of regular grids: 5- and 7-point Laplacians, and trilinear finite elements."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from fetch.names import MAX_ORDER, Spec
from impl.cpu.compiled import compiled

Array = npt.NDArray[Any]

# Two orders of magnitude per direction, and six orders at random over the cells, are this project's choice.
# What ParAC took is of Laplacians.jl, see `poisson3d`.
_ANISOTROPY = (1.0, 1e-2, 1e-4)
_CONTRAST_DECADES = 6.0
# The weight that Laplacians.jl's own comparisons give its grids; ParAC prints none.
_HEAVY = 1e5
_WEIGHTS = {"aniso": _ANISOTROPY, "aniso_x": (_HEAVY, 1.0, 1.0)}


def poisson3d(spec: Spec) -> csr_array:
    """The 7-point Laplacian on size x size x size points.

    ParAC's three are made by Laplacians.jl: the inner points of a grid of size + 2 a side, so that edges to
    the boundary stay on the diagonal, of weights 1, of 1e5 along x (`aniso_x`), or of 1e5 and 1 by blocks of
    a chequerboard, ten a side (`checkered`).
    """
    if spec.variant == "checkered":
        indptr, indices, values = _empty(spec)
        side = spec.size + 2
        _fill_checkered(spec.size, side // max(1, side // 10), _HEAVY, indptr, indices, values)
        return csr_array((values, indices, indptr), shape=(spec.order, spec.order))
    weights = _WEIGHTS.get(spec.variant, (1.0, 1.0, 1.0))
    cells = np.ones(1)
    if spec.variant == "contrast":
        exponents = _CONTRAST_DECADES * (np.random.default_rng(0).random(spec.order) - 0.5)
        cells = np.power(10.0, exponents)
    return _grid(spec, 3, np.array(weights), cells, 1.0)


def grid2d(spec: Spec) -> csr_array:
    """The 5-point Laplacian on size x size points."""
    return _grid(spec, 2, np.ones(2), np.ones(1), 0.0 if spec.variant == "laplacian" else 1.0)


def _grid(spec: Spec, dimensions: int, weights: Array, cells: Array, cut: float) -> csr_array:
    """The matrix of a grid.

    weights : (dimensions,) one coefficient per direction, fastest index first
    cells : (order,) or (1,) coefficients of the cells
    cut : share of the edges across the boundary that the diagonal keeps
    """
    indptr, indices, values = _empty(spec)
    _fill_grid(spec.size, dimensions, weights, cells, cut, indptr, indices, values)
    return csr_array((values, indices, indptr), shape=(spec.order, spec.order))


def _empty(spec: Spec) -> tuple[Array, Array, Array]:
    """(indptr, indices, values): (order + 1,) zeros, and two uninitialised arrays (nnz,)."""
    nnz = spec.nnz
    assert nnz is not None
    # SciPy uses one type for both index arrays: int64 pointers would double the size of the columns.
    indptr = np.zeros(spec.order + 1, np.int32 if nnz <= MAX_ORDER else np.int64)
    return indptr, np.empty(nnz, np.int32), np.empty(nnz)


@compiled
def _fill_grid(
    k: int,
    dimensions: int,
    weights: Array,
    cells: Array,
    cut: float,
    indptr: Array,
    indices: Array,
    values: Array,
) -> None:
    """Rows of the (2 d + 1)-point stencil. With cut 1 the diagonal keeps the edges that the boundary cuts
    (Dirichlet); with 0 it does not (Neumann), which gives the Laplacian of a graph.

    An edge between cells a and b weighs their harmonic mean times the direction's weight, a cut edge the
    cell's coefficient times `cut`. Columns ascend: far directions below, the diagonal, then near to far.
    """
    n = indptr.size - 1
    varying = cells.size > 1
    at = 0
    for row in range(n):
        here = cells[row] if varying else cells[0]
        diagonal = 0.0
        stride = n
        for d in range(dimensions - 1, -1, -1):
            stride //= k
            if (row // stride) % k > 0:
                there = cells[row - stride] if varying else here
                weight = weights[d] * 2.0 * here * there / (here + there)
                indices[at] = row - stride
                values[at] = -weight
                at += 1
            else:
                weight = cut * weights[d] * here
            diagonal += weight
        middle = at
        at += 1
        stride = 1
        for d in range(dimensions):
            if (row // stride) % k < k - 1:
                there = cells[row + stride] if varying else here
                weight = weights[d] * 2.0 * here * there / (here + there)
                indices[at] = row + stride
                values[at] = -weight
                at += 1
            else:
                weight = cut * weights[d] * here
            diagonal += weight
            stride *= k
        indices[middle] = row
        values[middle] = diagonal
        indptr[row + 1] = at


@compiled
def _fill_checkered(k: int, block: int, heavy: float, indptr: Array, indices: Array, values: Array) -> None:
    """Rows of the 7-point stencil on the inner points of a grid with one more point on each side.

    block : points along a block's side

    An edge is of its lower end, and weighs `heavy` where the numbers of its block along x, y and z, counted
    from the boundary, have an even sum, else 1. Columns ascend.
    """
    strides = (1, k, k * k)
    at = 0
    for row in range(indptr.size - 1):
        x, y, z = row % k + 1, row // k % k + 1, row // (k * k) + 1
        place = (x, y, z)
        diagonal = 0.0
        for d in range(2, -1, -1):
            lower = (x - (d == 0)) // block + (y - (d == 1)) // block + (z - (d == 2)) // block
            weight = heavy if lower % 2 == 0 else 1.0
            diagonal += weight
            if place[d] > 1:
                indices[at] = row - strides[d]
                values[at] = -weight
                at += 1
        middle = at
        at += 1
        weight = heavy if (x // block + y // block + z // block) % 2 == 0 else 1.0
        for d in range(3):
            diagonal += weight
            if place[d] < k:
                indices[at] = row + strides[d]
                values[at] = -weight
                at += 1
        indices[middle] = row
        values[middle] = diagonal
        indptr[row + 1] = at


def fem3d(spec: Spec) -> csr_array:
    """Trilinear finite elements: any two nodes of an element couple, in all their unknowns.

    Poisson's stiffness matrix on cubes has zeros between neighbours along an edge, so the weights are this
    project's choice: -1 / r^2 at a distance of r, half of that between different unknowns, and -1/2 between
    different unknowns of the same node.
    """
    indptr, indices, values = _empty(spec)
    _fill_fem3d(spec.size, spec.unknowns, indptr, indices, values)
    return csr_array((values, indices, indptr), shape=(spec.order, spec.order))


@compiled
def _fill_fem3d(k: int, unknowns: int, indptr: Array, indices: Array, values: Array) -> None:
    """Rows of the 27-point stencil of dense blocks. Dirichlet boundary: the diagonal keeps the cut couplings.

    Nodes are numbered fastest along x; the unknowns of a node are consecutive. Columns ascend.
    """
    others = 0.5 * (unknowns - 1)
    around = 6.0 + 12.0 / 2.0 + 8.0 / 3.0  # faces, edges and corners of the cube of neighbours
    diagonal = around * (1.0 + others) + others
    at = 0
    for row in range(indptr.size - 1):
        node, component = row // unknowns, row % unknowns
        x, y, z = node % k, node // k % k, node // (k * k)
        for w in range(max(z - 1, 0), min(z + 2, k)):
            for v in range(max(y - 1, 0), min(y + 2, k)):
                for u in range(max(x - 1, 0), min(x + 2, k)):
                    squared = abs(u - x) + abs(v - y) + abs(w - z)  # each difference is 0 or 1
                    first = ((w * k + v) * k + u) * unknowns
                    for unknown in range(unknowns):
                        weight = (1.0 if unknown == component else 0.5) / max(squared, 1)
                        indices[at] = first + unknown
                        values[at] = diagonal if first + unknown == row else -weight
                        at += 1
        indptr[row + 1] = at
