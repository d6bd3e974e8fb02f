"""The values of L and U on fronts, on the device."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fillpath.errors import UnsupportedError
from fillpath.nouns import Array, FrontFactor
from impl.cuda import device, kernels
from impl.multifrontal import arena
from impl.multifrontal.arena import Arena, Lengths, address
from impl.multifrontal.maps_gpu import FrontMaps
from impl.numeric.pivots import small_pivot

KERNEL = Path(__file__).with_name("factor.cu")
NAMES = ("mf_factor", "mf_small")
THREADS = 256
UINT, ULONG, DOUBLE = np.dtype(np.uint32), np.dtype(np.uint64), np.dtype(np.float64)
# As in multifrontal.cuh and factor.cu: the largest front of a warp; values of shared memory beside a front,
# without and with the room for exchanges; those that two blocks of an H100 can have, and the largest front
# then.
WARP_FRONT = 40
BESIDE = {False: 32 * 36 + 160, True: 32 * 36 + 128 + 32 * 33}
MOST_SHARED, MOST_FRONT = 14400, 108
# Cards with tensor cores for float64 that are faster than their other units.
DOUBLE_TENSOR = ((8, 0), (9, 0), (10, 0))
# Bytes of shared memory of a block that the system takes.
RESERVED = 1024


@dataclass(frozen=True)
class Shape:
    """How the kernel is compiled.

    dtype : of the factor
    tensor : whether tensor cores multiply it
    exchanges : whether rows are exchanged within diagonal blocks
    shared : values of shared memory that a block has
    resident : blocks on a multiprocessor
    """

    dtype: str
    tensor: bool
    exchanges: bool
    shared: int
    resident: int

    @property
    def shared_front(self) -> int:
        """The largest front that a block has room for."""
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
        )

    @property
    def itemsize(self) -> int:
        return np.dtype(self.dtype).itemsize

    @property
    def shared_bytes(self) -> int:
        return self.shared * self.itemsize


@functools.cache
def shape_of(dtype: str, tensor_cores: bool, exchanges: bool) -> Shape:
    """The shape for this card. tensor_cores : whether they are used, where the card has any for this type"""
    itemsize = np.dtype(dtype).itemsize
    tensor = tensor_cores and dtype == "float64" and device.compute_capability() in DOUBLE_TENSOR
    block, multiprocessor = device.shared_memory()
    resident = 2 if multiprocessor // 2 - RESERVED >= MOST_SHARED * itemsize else 1
    room = min(block, multiprocessor // resident - RESERVED) // itemsize
    return Shape(dtype, tensor, exchanges, min(MOST_SHARED, room), resident)


class Factorisation:
    """A factor while it is computed: arrays that are allocated once, and launches on them."""

    def __init__(self, maps: FrontMaps, shape: Shape, static_pivoting: bool) -> None:
        import cupy

        self.maps, self.shape = maps, shape
        self.share = small_pivot(shape.dtype) if static_pivoting else 0.0
        n, m = maps.fronts.prepared.pattern.n, int(maps.fronts.up.size)
        self.kernels: dict[str, Any] = kernels.load(KERNEL, NAMES, shape.defines)
        self.kernels["mf_factor"].max_dynamic_shared_size_bytes = shape.shared_bytes
        by_front = dict.fromkeys(("ready", "done", "early"), (m, UINT))
        state: Lengths = {"small": (1, DOUBLE), "status": (3, UINT), "ticket": (maps.waves, UINT), **by_front}
        self.state = Arena(state, {})
        self.blocks = cupy.empty(maps.block_values, shape.dtype)
        self.factor = cupy.empty(maps.totals.factor, shape.dtype)
        self.exchange = cupy.empty(n if shape.exchanges else 0, np.int32)

    @property
    def nbytes(self) -> int:
        """Of all arrays, the maps and the factor among them."""
        own = self.blocks.nbytes + self.factor.nbytes + self.exchange.nbytes
        return int(own) + self.state.nbytes + self.maps.nbytes

    def enqueue(self, values: Array) -> None:
        """All work of a factorisation, in the current stream."""
        kernel = self.kernels["mf_factor"]
        if self.share:
            self._measure(values)
        words = arena.struct(KERNEL, "Values", self._fields(values))
        most = device.multiprocessors() * device.occupancy(kernel, THREADS, self.shape.shared_bytes)
        blocks = max(1, min(most, self.maps.totals.tasks))
        for wave in range(self.maps.waves):
            arguments = (self.maps.struct, words, np.int64(wave))
            kernel((blocks,), (THREADS,), arguments, shared_mem=self.shape.shared_bytes)

    def _fields(self, values: Array) -> dict[str, int]:
        return {
            **self.state.addresses,
            "n": self.maps.fronts.prepared.pattern.n,
            "matrix": address(values),
            "blocks": address(self.blocks),
            "factor": address(self.factor),
            "exchange": address(self.exchange),
        }

    def _measure(self, values: Array) -> None:
        """What a pivot must not be smaller than."""
        pattern = self.maps.fronts.prepared.pattern
        n, nnz = pattern.n, int(pattern.indices.size)
        kernel, threads = self.kernels["mf_small"], 512
        state = Arena({"units": (n, ULONG), "largest": (2, ULONG), "arrived": (1, UINT)}, {})
        most = device.multiprocessors() * device.occupancy(kernel, threads, 0)
        kernel.kernel(
            (min(-(-nnz // threads), most),),
            (threads,),
            (
                pattern.indices,
                values,
                np.int64(n),
                np.int64(nnz),
                np.float64(self.share),
                state.array("units"),
                state.array("largest"),
                state.array("arrived"),
                self.state.array("small"),
            ),
            enable_cooperative_groups=True,
        )

    def result(self) -> tuple[FrontFactor, dict[str, float]]:
        """The factor, and facts; waits for them. Raises UnsupportedError naming the first column
        without a pivot or with a value that is not finite."""
        import cupy

        fronts, totals = self.maps.fronts, self.maps.totals
        zero, not_finite, replaced = map(int, cupy.asnumpy(self.state.array("status")))
        if zero or not_finite:
            self._refuse(zero, not_finite)
        start, panel = self.maps.array("factor_at")[:-1], self.maps.array("panel")
        factor = FrontFactor(fronts, start, panel, self.factor, replaced)
        facts = {
            "fronts": float(fronts.up.size),
            "largest_front": float(totals.largest),
            "flops": float(totals.flops),
            "tasks": float(totals.tasks),
            "waves": float(self.maps.waves),
            "entries_stored": float(totals.factor),
            "small_pivots": float(replaced),
        }
        return factor, facts

    def _refuse(self, zero: int, not_finite: int) -> None:
        import cupy

        fronts = self.maps.fronts
        label = fronts.prepared.pattern.n - max(zero, not_finite)
        column = int(np.flatnonzero(cupy.asnumpy(fronts.label) == label)[0])
        if zero > not_finite:
            raise UnsupportedError(
                f"column {column}: the pivot is zero (static_pivoting=true replaces small ones)"
            )
        raise UnsupportedError(f"column {column}: a value is infinite or not a number in {self.shape.dtype}")
