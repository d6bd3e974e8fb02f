"""The values of L and U on fronts, on the device."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fillpath.errors import UnsupportedError
from fillpath.nouns import Array, FrontFactor
from impl.cuda import device, kernels
from impl.multifrontal import arena
from impl.multifrontal.arena import Arena, address
from impl.multifrontal.maps_gpu import FrontMaps
from impl.multifrontal.shape import Shape, state_lengths
from impl.numeric.pivots import small_pivot

KERNEL = Path(__file__).with_name("factor.cu")
NAMES = ("mf_factor", "mf_small")
THREADS = 256
UINT, ULONG = np.dtype(np.uint32), np.dtype(np.uint64)


class Factorisation:
    """A factor while it is computed: arrays that are allocated once, and launches on them.

    invert : bool, whether fronts of at most 32 pivots hold inverses, for `Inverses`, instead of L and U
    """

    def __init__(self, maps: FrontMaps, shape: Shape, static_pivoting: bool, invert: bool = False) -> None:
        import cupy

        self.maps, self.shape = maps, shape
        self.share = small_pivot(shape.dtype) if static_pivoting else 0.0
        n, m = maps.fronts.prepared.pattern.n, int(maps.fronts.up.size)
        defines = (*shape.defines, f"INVERT={int(invert)}")
        self.kernels: dict[str, Any] = kernels.load(KERNEL, NAMES, defines)
        self.kernels["mf_factor"].max_dynamic_shared_size_bytes = shape.shared_bytes
        self.state = Arena(state_lengths(m, maps.waves), {})
        self.blocks = cupy.empty(maps.block_values, shape.dtype)
        self.factor = cupy.empty(maps.totals.factor, shape.dtype)
        self.exchange = cupy.empty(n if shape.exchanges else 0, np.int32)

    @property
    def nbytes(self) -> int:
        """Return the bytes of all arrays, the maps and the factor among them."""
        own = self.blocks.nbytes + self.factor.nbytes + self.exchange.nbytes
        return int(own) + self.state.nbytes + self.maps.nbytes

    def enqueue(self, values: Array) -> None:
        """Launch all work of a factorisation, in the current stream."""
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
        """Compute the least modulus of a pivot."""
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
        """Return the factor and facts, once they are complete.

        Raises UnsupportedError naming the first column without a pivot or with a value that is not finite.
        """
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
        raise UnsupportedError(
            f"column {column}: a value is infinite or not a number in {self.shape.dtype}, or a pivot too "
            "small to be divided by"
        )
