"""Matrices of boxes of nodes: meshes with several unknowns per node, and elements with unknowns on edges.

Structure is that of the element; the values are this project's choice, with a diagonal that dominates. Rows
are counted and then filled by one function, so that nothing but the matrix is stored.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from fetch.names import MAX_ORDER, Spec, stencil
from impl.cpu.compiled import compiled

Array = npt.NDArray[Any]


def mesh(spec: Spec) -> csr_array:
    """Nodes couple with the nodes of their stencil, in all their unknowns: -1 / r at r steps along the axes,
    half of that between different unknowns.

    Symmetry f is the share of off-diagonal entries whose mirror is also an entry: of each pair of entries
    both are there with probability f / (2 - f), else one of them. A flow problem's upwinding leaves such a
    pattern.
    """
    offsets = np.array(sorted(stencil(spec.variant), key=lambda offset: offset[::-1]), np.int64)
    both = spec.symmetry / (2 - spec.symmetry)
    arguments = np.array(spec.box, np.int64), offsets, spec.unknowns, both, np.uint64(spec.seed)
    nothing = np.empty(0, np.int32), np.empty(0)
    counts = np.zeros(spec.order + 1, np.int64)
    _mesh_rows(*arguments, counts, *nothing, False)
    indptr = np.cumsum(counts)
    indices, values = np.empty(indptr[-1], np.int32), np.empty(indptr[-1])
    _mesh_rows(*arguments, indptr, indices, values, True)
    return _matrix(spec, indptr, indices, values)


def _matrix(spec: Spec, indptr: Array, indices: Array, values: Array) -> csr_array:
    # SciPy uses one type for both index arrays: int64 pointers would double the size of the columns.
    indptr = indptr.astype(np.int32) if indptr[-1] <= MAX_ORDER else indptr
    return csr_array((values, indices, indptr), shape=(spec.order, spec.order))


@compiled
def _uniform(low: int, high: int, seed: Any) -> float:
    """In [0, 1), of a pair of unknowns and a seed: SplitMix64's finaliser, twice."""
    word = (np.uint64(low) << np.uint64(32)) ^ np.uint64(high)
    for _ in range(2):
        word += seed * np.uint64(0xD1342543DE82EF95) + np.uint64(0x9E3779B97F4A7C15)
        word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        word = word ^ (word >> np.uint64(31))
    return float(word >> np.uint64(11)) * 2.0**-53


@compiled
def _present(row: int, column: int, both: float, seed: Any) -> bool:
    """Whether an entry off the diagonal is there: with its mirror, or as the one of the two that is drawn."""
    drawn = _uniform(min(row, column), max(row, column), seed)
    return drawn < both or (drawn < both + 0.5 * (1.0 - both)) == (row < column)


@compiled
def _mesh_rows(
    box: Array,
    offsets: Array,
    unknowns: int,
    both: float,
    seed: Any,
    indptr: Array,
    indices: Array,
    values: Array,
    fill: bool,
) -> None:
    """Count the entries of each row into indptr[row + 1], or fill the rows that indptr bounds.

    offsets : (m, 3), by z, y, x, so that columns ascend. Nodes are numbered fastest along x, and the unknowns
    of a node are consecutive.
    """
    diagonal = -1.0
    for place in range(len(offsets)):
        far = abs(offsets[place, 0]) + abs(offsets[place, 1]) + abs(offsets[place, 2])
        diagonal += (1.0 + 0.5 * (unknowns - 1)) / max(far, 1)
    diagonal += 0.01
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
    """Nedelec's elements of lowest order on hexahedra: two edges couple if they belong to one cell, 33
    entries in a row inside. All edges along x come first, then those along y, then z."""
    box = np.array(spec.box, np.int64)
    nothing = np.empty(0, np.int32), np.empty(0)
    counts = np.zeros(spec.order + 1, np.int64)
    _edge_rows(box, counts, *nothing, False)
    indptr = np.cumsum(counts)
    indices, values = np.empty(indptr[-1], np.int32), np.empty(indptr[-1])
    _edge_rows(box, indptr, indices, values, True)
    return _matrix(spec, indptr, indices, values)


@compiled
def _edge_rows(box: Array, indptr: Array, indices: Array, values: Array, fill: bool) -> None:
    """Count the entries of each row into indptr[row + 1], or fill the rows that indptr bounds.

    An edge lies along an axis and begins at a node; its closest edges are those of the cells around it: of
    its own axis the 3 x 3 across, of another axis the two places along itself, the two along that axis and
    three along the third.
    """
    sides = np.empty((3, 3), np.int64)  # of each axis, how many edges begin along x, y and z
    first = np.zeros(3, np.int64)
    for axis in range(3):
        for side in range(3):
            sides[axis, side] = box[side] - (1 if side == axis else 0)
        if axis < 2:
            first[axis + 1] = first[axis] + sides[axis, 0] * sides[axis, 1] * sides[axis, 2]
    at_node, low, high = np.empty(3, np.int64), np.empty(3, np.int64), np.empty(3, np.int64)
    row = 0
    for axis in range(3):
        for place in range(sides[axis, 0] * sides[axis, 1] * sides[axis, 2]):
            at_node[0] = place % sides[axis, 0]
            at_node[1] = place // sides[axis, 0] % sides[axis, 1]
            at_node[2] = place // (sides[axis, 0] * sides[axis, 1])
            at = indptr[row] if fill else 0
            for other in range(3):
                for side in range(3):
                    low[side] = at_node[side] - (1 if side != axis else 0)
                    high[side] = at_node[side] + 1
                    if axis == other and side == axis:
                        high[side] = at_node[side]
                    if axis != other and side == other:
                        high[side] = at_node[side]
                    low[side] = max(low[side], 0)
                    high[side] = min(high[side], sides[other, side] - 1)
                for w in range(low[2], high[2] + 1):
                    for v in range(low[1], high[1] + 1):
                        for u in range(low[0], high[0] + 1):
                            column = first[other] + (w * sides[other, 1] + v) * sides[other, 0] + u
                            if fill:
                                indices[at] = column
                                values[at] = 33.0 if column == row else (-1.0 if axis == other else -0.5)
                            at += 1
            if not fill:
                indptr[row + 1] = at
            row += 1
