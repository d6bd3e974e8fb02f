"""The shapes of the kernels on fronts, compiled for a card, and the state of a factorisation."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np

from impl.cuda import device
from impl.multifrontal.arena import Lengths

UINT, DOUBLE = np.dtype(np.uint32), np.dtype(np.float64)
# As in multifrontal.cuh and factor.cu: warps of a block, and the largest front of a warp. BESIDE are values
# of shared memory next to a front, without and with exchanges. MOST_SHARED are the values that two blocks of
# an H100 can have, MOST_FRONT the largest front then.
WARPS, WARP_FRONT = 8, 40
BESIDE = {False: 32 * 36 + 160, True: 32 * 36 + 128 + 32 * 33}
MOST_SHARED, MOST_FRONT = 14400, 108
# Cards with tensor cores for float64 that are faster than their other units.
DOUBLE_TENSOR = ((8, 0), (9, 0), (10, 0))
# Bytes of shared memory of a block that are left to the system and to what kernels declare.
RESERVED = 1024


@dataclass(frozen=True)
class Shape:
    """The shape that the kernel is compiled for.

    dtype : of the factor
    tensor : bool, whether tensor cores multiply
    exchanges : bool, whether rows are exchanged within diagonal blocks
    shared : int, values of shared memory that a block has
    resident : int, blocks on a multiprocessor
    """

    dtype: str
    tensor: bool
    exchanges: bool
    shared: int
    resident: int

    @property
    def warp_front(self) -> int:
        """Return the largest front that a warp has room for, its columns an odd number of values apart."""
        return max(f for f in range(WARP_FRONT + 1) if (f | 1) * f <= self.shared // WARPS)

    @property
    def shared_front(self) -> int:
        """Return the largest front that a block has room for."""
        room = self.shared - BESIDE[self.exchanges]
        return max(f for f in range(WARP_FRONT, MOST_FRONT + 1) if ((f + 3) // 8 * 8 + 4) * f <= room)

    @property
    def defines(self) -> tuple[str, ...]:
        real = {"float32": "float", "float64": "double"}[self.dtype]
        exchanges = f"PIVOTING={int(self.exchanges)}"
        return (
            f"REAL={real}",
            f"TENSOR={int(self.tensor)}",
            exchanges,
            f"SHARED={self.shared}",
            f"RESIDENT={self.resident}",
            f"WARP_FRONT={self.warp_front}",
        )

    @property
    def itemsize(self) -> int:
        return np.dtype(self.dtype).itemsize

    @property
    def shared_bytes(self) -> int:
        return self.shared * self.itemsize


@functools.cache
def shape_of(dtype: str, tensor_cores: bool, exchanges: bool) -> Shape:
    """Return the shape for this card. tensor_cores : bool, use them where the card has any for this type."""
    itemsize = np.dtype(dtype).itemsize
    tensor = tensor_cores and dtype == "float64" and device.compute_capability() in DOUBLE_TENSOR
    block, multiprocessor = device.shared_memory()
    resident = 2 if multiprocessor // 2 - RESERVED >= MOST_SHARED * itemsize else 1
    room = (min(block, multiprocessor // resident) - RESERVED) // itemsize
    return Shape(dtype, tensor, exchanges, min(MOST_SHARED, room), resident)


def state_lengths(fronts: int, waves: int) -> Lengths:
    """Return the lengths of arrays that are 0 when a factorisation begins, such as counters of fronts."""
    by_front = dict.fromkeys(("ready", "done", "early"), (fronts, UINT))
    return {"small": (1, DOUBLE), "status": (3, UINT), "ticket": (waves, UINT), **by_front}
