"""Nested dissection of a regular grid by its geometry, which METIS has to discover.

A. George, "Nested dissection of a regular finite element mesh", SIAM J. Numer. Anal. 10(2), 1973.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from fetch.compiled import compiled
from fetch.matrix_id import Generated, MatrixId
from fetch.names import Spec
from fillpath.errors import UnsupportedError

Array = npt.NDArray[Any]

_DEPTH = 256  # boxes waiting at once: below 2 per halving of 3 sides


def geometric(matrix: MatrixId) -> Array:
    """(n,) int32, new position -> old index, for a generated grid.

    The longest side is cut by a plane one point thick. The two halves come first, each ordered in the same
    way, and the plane comes last. Raises UnsupportedError for any other matrix.
    """
    spec, dimensions = grid(matrix)
    order = np.empty(spec.order, np.int32)
    _dissect(spec.size, dimensions, order)
    return order


def grid(matrix: MatrixId) -> tuple[Spec, int]:
    """The specification of a generated grid and its dimensions. Raises UnsupportedError for any other
    matrix."""
    spec = matrix.spec if isinstance(matrix, Generated) else None
    dimensions = {"poisson3d": 3, "grid2d": 2}.get(spec.generator, 0) if spec is not None else 0
    if spec is None or dimensions == 0:
        raise UnsupportedError(
            f"{matrix.text}: ordering geometric needs a generated grid (poisson3d:k or grid2d:k); "
            "choose metis for any other matrix"
        )
    return spec, dimensions


@compiled
def _dissect(k: int, dimensions: int, order: Array) -> None:
    """Fill `order` from a stack of boxes: low x, y, z; high x, y, z (exclusive); where the box begins in
    it."""
    stack = np.empty((_DEPTH, 7), np.int64)
    stack[0, :3] = 0
    stack[0, 3:6] = k
    stack[0, 6] = 0
    if dimensions == 2:
        stack[0, 5] = 1
    waiting = 1
    box = np.empty(7, np.int64)
    while waiting > 0:
        waiting -= 1
        box[:] = stack[waiting]
        side = 0
        for axis in range(1, 3):
            if box[3 + axis] - box[axis] > box[3 + side] - box[side]:
                side = axis
        length = box[3 + side] - box[side]
        if length <= 2:
            _number(k, box, order)
            continue
        volume = (box[3] - box[0]) * (box[4] - box[1]) * (box[5] - box[2])
        cut = box[side] + length // 2
        left = volume // length * (cut - box[side])
        right = volume // length * (box[3 + side] - cut - 1)
        stack[waiting] = box
        stack[waiting, 3 + side] = cut
        stack[waiting + 1] = box
        stack[waiting + 1, side] = cut + 1
        stack[waiting + 1, 6] += left
        waiting += 2
        box[side] = cut
        box[3 + side] = cut + 1
        box[6] += left + right
        _number(k, box, order)


@compiled
def _number(k: int, box: Array, order: Array) -> None:
    at = box[6]
    for z in range(box[2], box[5]):
        for y in range(box[1], box[4]):
            for x in range(box[0], box[3]):
                order[at] = (z * k + y) * k + x
                at += 1
