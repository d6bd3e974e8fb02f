"""Solves on fronts, on the device."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fillpath.nouns import Array, FrontFactor
from impl.cuda import device, kernels
from impl.multifrontal import arena
from impl.multifrontal.arena import Arena, address
from impl.multifrontal.maps_gpu import FrontMaps

KERNEL = Path(__file__).with_name("solve.cu")
THREADS = 256
# Right-hand sides that a thread takes at a time, where there are several.
SEVERAL = 8
UINT = np.dtype(np.uint32)


class Solver:
    """Solves with one factor, for any number of right-hand sides.

    exchange : (n,) int32, of `Factorisation`, empty where no rows were exchanged
    """

    def __init__(self, maps: FrontMaps, factor: FrontFactor, exchange: Array) -> None:
        self.maps, self.factor, self.exchange = maps, factor, exchange
        self.dtype = factor.values.dtype

    def solve(self, b: Array, x: Array, *, add: bool = False) -> None:
        """Set x = U^-1 L^-1 b, computed in the factor's dtype; with `add`, add it to x.

        b, x : (columns, n) float64, contiguous, on the device
        """
        columns, n = b.shape
        width = 1 if columns == 1 else SEVERAL
        groups = -(-columns // width)
        kernel = self._kernels(width)["mf_solve"]
        entries = int(self.maps.fronts.list.size)
        sizes = {"y": groups * n * width, "x": groups * n * width, "u": groups * entries * width}
        lengths = {name: (size, self.dtype) for name, size in sizes.items()}
        vectors = Arena({}, {**lengths, "ticket": (1, UINT)})
        vectors.fill(0xFF)
        fields = {
            **vectors.addresses,
            "factor": address(self.factor.values),
            "exchange": address(self.exchange),
            "b": address(b),
            "out": address(x),
            "columns": columns,
            "groups": groups,
            "add": int(add),
            "tasks": address(self.maps.array("solve_start")) + 8 * self.maps.solve_bins,
        }
        words = arena.struct(KERNEL, "Vectors", fields)
        most = device.multiprocessors() * device.occupancy(kernel, THREADS, 0)
        blocks = min(most, groups * self.maps.totals.solve_tasks)
        kernel((blocks,), (THREADS,), (self.maps.struct, words))

    def _kernels(self, width: int) -> dict[str, Any]:
        real = {"float32": "float", "float64": "double"}[str(self.dtype)]
        exchanges = f"PIVOTING={int(self.exchange.size > 0)}"
        smallest = f"WARP_FRONT={self.maps.shape.warp_front}"
        return kernels.load(KERNEL, ("mf_solve",), (f"REAL={real}", f"RHS={width}", exchanges, smallest))
