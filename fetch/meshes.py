"""Matrices of boxes of nodes: meshes with several unknowns per node, and elements with unknowns on edges.

Structure is that of the element; the values are this project's choice, with a diagonal that dominates. Rows
are counted and then filled by one function, so that nothing but the matrix is stored.

    generate(parse("mesh:36x36x6:unknowns=5"))    # fetch/generate.py, fetch/names.py
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import block_array, csr_array, eye_array, kron

from fetch.names import MAX_ORDER, Spec, stencil
from impl.cpu.compiled import compiled

Array = npt.NDArray[Any]


def mesh(spec: Spec) -> csr_array:
    """Couple nodes with the nodes of their stencil, in all their unknowns.

    An entry is -1 / r at r steps along the axes, half of that between different unknowns. Symmetry f is the
    share of off-diagonal entries whose mirror is also an entry. Both entries of a pair are there with
    probability f / (2 - f), else one of them. A flow problem's upwinding leaves such a pattern.
    """
    offsets = sorted(stencil(spec.variant), key=lambda offset: offset[::-1])
    diagonal = -1.0
    for offset in offsets:
        diagonal += (1.0 + 0.5 * (spec.unknowns - 1)) / max(sum(map(abs, offset)), 1)
    both = spec.symmetry / (2 - spec.symmetry)
    return _coupled(spec, spec.box, offsets, both, diagonal + 0.01)


def fem3d(spec: Spec) -> csr_array:
    """Couple any two nodes of a trilinear finite element, in all their unknowns.

    Poisson's stiffness matrix on cubes has zeros between neighbours along an edge, so the weights are this
    project's choice. An entry is -1 / r^2 at a distance of r, and half of that between different unknowns.
    Different unknowns of one node have -1/2. The diagonal keeps the couplings that the boundary cuts.
    """
    others = 0.5 * (spec.unknowns - 1)
    around = 6.0 + 12.0 / 2.0 + 8.0 / 3.0  # faces, edges and corners of the cube of neighbours
    offsets = sorted(stencil("hexahedra"), key=lambda offset: offset[::-1])
    return _coupled(spec, (spec.size,) * 3, offsets, 1.0, around * (1.0 + others) + others)


def _coupled(
    spec: Spec, box: tuple[int, ...], offsets: list[tuple[int, int, int]], both: float, diagonal: float
) -> csr_array:
    """Build the matrix of a box of nodes.

    offsets : of the nodes that a node couples with, by z, y, x, so that columns ascend
    both : the probability that an entry has its mirror
    """
    arguments = np.array(box), np.array(offsets), spec.unknowns, both, np.uint64(spec.seed), diagonal
    counts = np.zeros(spec.order + 1, np.int64)
    _mesh_rows(*arguments, counts, np.empty(0, np.int32), np.empty(0), False)
    indptr = np.cumsum(counts)
    indices, values = np.empty(indptr[-1], np.int32), np.empty(indptr[-1])
    _mesh_rows(*arguments, indptr, indices, values, True)
    # SciPy uses one type for both index arrays: int64 pointers would double the size of the columns.
    indptr = indptr.astype(np.int32) if indptr[-1] <= MAX_ORDER else indptr
    return csr_array((values, indices, indptr), shape=(spec.order, spec.order))


@compiled
def _uniform(low: int, high: int, seed: Any) -> float:
    """Return a number in [0, 1) of a pair of unknowns and a seed: SplitMix64's finaliser, twice."""
    word = (np.uint64(low) << np.uint64(32)) ^ np.uint64(high)
    for _ in range(2):
        word += seed * np.uint64(0xD1342543DE82EF95) + np.uint64(0x9E3779B97F4A7C15)
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        word = word ^ (word >> np.uint64(31))
    return float(word >> np.uint64(11)) * 2.0**-53


@compiled
def _present(row: int, column: int, both: float, seed: Any) -> bool:
    """Return whether an entry off the diagonal exists, with its mirror or as the drawn one of the two."""
    drawn = _uniform(min(row, column), max(row, column), seed)
    return drawn < both or (drawn < both + 0.5 * (1.0 - both)) == (row < column)


@compiled
def _mesh_rows(
    box: Array,
    offsets: Array,
    unknowns: int,
    both: float,
    seed: Any,
    diagonal: float,
    indptr: Array,
    indices: Array,
    values: Array,
    fill: bool,
) -> None:
    """Count the entries of each row into indptr[row + 1], or fill the rows that indptr bounds.

    Nodes are numbered fastest along x, and the unknowns of a node are consecutive.
    """
    for row in range(len(indptr) - 1):
        node, component = row // unknowns, row % unknowns
        x, y, z = node % box[0], node // box[0] % box[1], node // (box[0] * box[1])
        at = indptr[row] if fill else 0
        for place in range(len(offsets)):
            u, v, w = x + offsets[place, 0], y + offsets[place, 1], z + offsets[place, 2]
            if u < 0 or u >= box[0] or v < 0 or v >= box[1] or w < 0 or w >= box[2]:
                continue
            far = abs(u - x) + abs(v - y) + abs(w - z)
            first = ((w * box[1] + v) * box[0] + u) * unknowns
            for unknown in range(unknowns):
                column = first + unknown
                if column != row and both < 1.0 and not _present(row, column, both, seed):
                    continue
                if fill:
                    weight = (1.0 if unknown == component else 0.5) / max(far, 1)
                    indices[at] = column
                    values[at] = diagonal if column == row else -weight
                at += 1
        if not fill:
            indptr[row + 1] = at


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
