"""Matrices of boxes of nodes: meshes with several unknowns per node, and elements with unknowns on edges.

Structure is that of the element; the values are this project's choice, with a diagonal that dominates.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import block_array, csr_array, dia_array, eye_array, kron

from fetch.names import Spec, stencil

Array = npt.NDArray[Any]


def mesh(spec: Spec) -> csr_array:
    """Couple nodes with the nodes of their stencil, in all their unknowns.

    An entry is -1 / r at r steps along the axes, half of that between different unknowns. Symmetry f is the
    share of off-diagonal entries whose mirror is also an entry. Both entries of a pair are there with
    probability f / (2 - f), else one of them. A flow problem's upwinding leaves such a pattern.
    """
    offsets, diagonal = stencil(spec.variant), -1.0
    for offset in sorted(offsets, key=lambda offset: offset[::-1]):
        diagonal += (1.0 + 0.5 * (spec.unknowns - 1)) / max(sum(map(abs, offset)), 1)
    both = spec.symmetry / (2 - spec.symmetry)
    return _coupled(spec, offsets, both, diagonal + 0.01)


def fem3d(spec: Spec) -> csr_array:
    """Couple any two nodes of a trilinear finite element, in all their unknowns.

    Poisson's stiffness matrix on cubes has zeros between neighbours along an edge, so the weights are this
    project's choice. An entry is -1 / r^2 at a distance of r, and half of that between different unknowns.
    Different unknowns of one node have -1/2. The diagonal keeps the couplings that the boundary cuts.
    """
    others = 0.5 * (spec.unknowns - 1)
    around = 6.0 + 12.0 / 2.0 + 8.0 / 3.0  # faces, edges and corners of the cube of neighbours
    return _coupled(spec, stencil("hexahedra"), 1.0, around * (1.0 + others) + others)


def _coupled(spec: Spec, offsets: list[tuple[int, int, int]], both: float, diagonal: float) -> csr_array:
    """Build the matrix of a box of nodes, numbered fastest along x; the unknowns of a node are consecutive.

    offsets : of the nodes that a node couples with
    both : the probability that an entry has its mirror
    """
    box, bands = spec.nodes, dict[int, Array]()
    for offset in offsets:
        # The band of a distance is stored by columns. Two offsets of one distance have no column in common.
        columns = tuple(slice(max(d, 0), side + min(d, 0)) for d, side in zip(offset, box, strict=True))
        distance = offset[0] + box[0] * (offset[1] + box[1] * offset[2])
        if all(part.start < part.stop for part in columns):
            band = bands.setdefault(distance, np.zeros(box[::-1]))
            band[columns[::-1]] = -1.0 / max(sum(map(abs, offset)), 1)
    data, n = np.stack([band.ravel() for band in bands.values()]), math.prod(box)
    nodes = csr_array(dia_array((data, np.array(list(bands))), shape=(n, n)))
    del data, bands
    matrix = csr_array(kron(nodes, 0.5 + 0.5 * np.eye(spec.unknowns)))
    matrix.setdiag(diagonal)
    if both < 1.0:
        rows = np.repeat(np.arange(spec.order, dtype=np.int32), np.diff(matrix.indptr))
        matrix.data[(rows != matrix.indices) & ~_present(rows, matrix.indices, both, spec.seed)] = 0.0
        matrix.eliminate_zeros()
    return matrix


def _present(rows: Array, columns: Array, both: float, seed: int) -> Array:
    """Tell whether entries off the diagonal exist: with their mirrors, or as the drawn entry of a pair."""
    drawn = _uniform(np.minimum(rows, columns), np.maximum(rows, columns), seed)
    return np.asarray((drawn < both) | ((drawn < both + 0.5 * (1.0 - both)) == (rows < columns)))


def _uniform(low: Array, high: Array, seed: int) -> Array:
    """Draw numbers in [0, 1) for pairs of unknowns and a seed: SplitMix64's finaliser, twice."""
    words = (low.astype(np.uint64) << np.uint64(32)) ^ high.astype(np.uint64)
    for _ in range(2):
        words += np.uint64((seed * 0xD1342543DE82EF95 + 0x9E3779B97F4A7C15) % 2**64)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
            words ^= words >> np.uint64(shift)
            words *= np.uint64(factor)
    return np.asarray((words >> np.uint64(11)) * 2.0**-53)


def edges(spec: Spec) -> csr_array:
    """Couple two edges of hexahedra that belong to one cell: Nedelec's elements of lowest order.

    A row inside has 33 entries. All edges along x come first, then those along y, then z; each begins at a
    node, and these are numbered fastest along x.
    """
    blocks = [[_across(spec.box, one, other) for other in range(3)] for one in range(3)]
    matrix = csr_array(block_array(blocks))
    matrix.setdiag(33.0)
    return matrix


def _across(box: tuple[int, int, int], one: int, other: int) -> csr_array:
    """Couple the edges along one axis with those along another, or the same.

    Edges of one axis couple with the 3 x 3 across. An edge couples with those of another axis at the two
    places along itself, the two along that axis, and three along the third.
    """
    matrix = csr_array([[-1.0 if one == other else -0.5]])
    for axis in (2, 1, 0):
        rows, columns = box[axis] - int(axis == one), box[axis] - int(axis == other)
        near = range(-1 if axis != one else 0, 2 if axis != other else 1)
        bands = [eye_array(rows, columns, k=distance) for distance in near]
        matrix = kron(matrix, sum(bands[1:], bands[0]), "csr")
    return matrix
