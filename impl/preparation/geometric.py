"""Nested dissection of a regular grid by its geometry, which METIS has to discover.

A. George, "Nested dissection of a regular finite element mesh", SIAM J. Numer. Anal. 10(2), 1973.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from fillpath.nouns import Array

_DEPTH = 256  # boxes waiting at once: below 2 per halving of 3 sides


def geometric(side: int, dimensions: int) -> Array:
    """Return (n,) int32, new position -> old index, for a grid of `side` points along each dimension.

    The longest side is cut by a plane one point thick. The two halves come first, each ordered in the same
    way, and the plane comes last.
    """
    order = np.empty(side**dimensions, np.int32)
    _dissect(side, dimensions, order)
    return order


@njit(cache=True, nogil=True)
def _dissect(k: int, dimensions: int, order: Array) -> None:
    """Fill `order` from a stack of boxes: low x, y, z; high x, y, z (exclusive); their place in it."""
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


@njit(cache=True, nogil=True)
def _number(k: int, box: Array, order: Array) -> None:
    at = box[6]
    for z in range(box[2], box[5]):
        for y in range(box[1], box[4]):
            for x in range(box[0], box[3]):
                order[at] = (z * k + y) * k + x
                at += 1
